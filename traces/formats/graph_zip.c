#define _GNU_SOURCE
#include "traces/formats/graph_zip.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"

/* Deflate packs at most 1032 bytes into one; a larger claim is refused. */
enum { DEFLATE_MOST = 1040, CHUNK = 1 << 18 };

static uint32_t u16(const unsigned char *p) { return p[0] | (uint32_t)p[1] << 8; }
static uint32_t u32(const unsigned char *p) { return u16(p) | u16(p + 2) << 16; }
static uint64_t u64(const unsigned char *p) { return u32(p) | (uint64_t)u32(p + 4) << 32; }

static enum st broken(const struct zip *z, const char *what, struct err *err)
{
    return err_set(err, ST_INPUT, "%s: is a damaged or truncated zip archive (%s); download the file again", z->path,
                   what);
}

struct directory {
    uint64_t at, bytes, count;
};

/* Finds the end record, which is last except for a comment. */
static enum st find_directory(const struct zip *z, struct directory *d, struct err *err)
{
    const unsigned char *b = z->map.base, *end = NULL;
    uint64_t size = z->map.bytes;
    if (size < 22) return broken(z, "it is shorter than an empty archive", err);
    for (uint64_t at = size - 22, tries = 0; tries <= 65535; at--, tries++) {
        if (u32(b + at) == 0x06054b50) {
            end = b + at;
            break;
        }
        if (at == 0) break;
    }
    if (!end) return broken(z, "it has no end record", err);
    *d = (struct directory){.at = u32(end + 16), .bytes = u32(end + 12), .count = u16(end + 10)};
    uint64_t end_at = (uint64_t)(end - b);
    if (end_at >= 20 && u32(end - 20) == 0x07064b50) { /* zip64 */
        uint64_t record = u64(end - 20 + 8);
        if (record > size || size - record < 56 || u32(b + record) != 0x06064b50)
            return broken(z, "its zip64 record is missing", err);
        *d = (struct directory){.at = u64(b + record + 48),
                                .bytes = u64(b + record + 40),
                                .count = u64(b + record + 32)};
    }
    if (d->at > size || d->bytes > size - d->at || d->count > d->bytes / 46)
        return broken(z, "its directory lies outside the file", err);
    return ST_OK;
}

/* Reads sizes beyond 32 bits from an extra field: in this order, only those that are needed. */
static void read_zip64(const unsigned char *extra, uint32_t bytes, struct zip_entry *e)
{
    for (uint32_t at = 0; at + 4 <= bytes;) {
        uint32_t kind = u16(extra + at), length = u16(extra + at + 2), used = at + 4;
        if (length > bytes - at - 4) return;
        uint64_t *fields[] = {&e->size, &e->packed, &e->local};
        for (int i = 0; kind == 1 && i < 3; i++)
            if (*fields[i] == UINT32_MAX && used + 8 <= at + 4 + length) {
                *fields[i] = u64(extra + used);
                used += 8;
            }
        at += 4 + length;
    }
}

static enum st read_directory(struct zip *z, const struct directory *d, struct err *err)
{
    const unsigned char *p = (const unsigned char *)z->map.base + d->at, *end = p + d->bytes;
    MAKE(z->entries, d->count, "a zip directory");
    for (uint64_t i = 0; i < d->count; i++) {
        if (end - p < 46 || u32(p) != 0x02014b50) PASS(broken(z, "its directory is truncated", err));
        uint32_t name = u16(p + 28), extra = u16(p + 30), comment = u16(p + 32);
        if ((uint64_t)(end - p) < 46 + (uint64_t)name + extra + comment)
            PASS(broken(z, "its directory is truncated", err));
        struct zip_entry *e = &z->entries[i];
        *e = (struct zip_entry){.name = p + 46,
                                .name_bytes = name,
                                .crc = u32(p + 16),
                                .method = (uint16_t)u16(p + 10),
                                .flags = (uint16_t)u16(p + 8),
                                .packed = u32(p + 20),
                                .size = u32(p + 24),
                                .local = u32(p + 42)};
        read_zip64(p + 46 + name, extra, e);
        p += 46 + name + extra + comment;
    }
    z->count = d->count;
    return ST_OK;
}

enum st zip_open(const char *path, struct zip *out, struct err *err)
{
    struct directory d = {0};
    enum st st;
    memset(out, 0, sizeof *out);
    snprintf(out->path, sizeof out->path, "%s", path);
    TRY(file_map(path, &out->map, err));
    TRY(find_directory(out, &d, err));
    TRY(read_directory(out, &d, err));
done:
    if (st != ST_OK) zip_close(out);
    return st;
}

void zip_close(struct zip *z)
{
    file_unmap(&z->map);
    mem_free(z->entries);
    z->entries = NULL;
    z->count = 0;
}

const struct zip_entry *zip_find(const struct zip *z, const char *name)
{
    for (uint64_t i = 0; i < z->count; i++)
        if (z->entries[i].name_bytes == strlen(name) && !memcmp(z->entries[i].name, name, strlen(name)))
            return &z->entries[i];
    return NULL;
}

/* Inflates into `descriptor`; exactly e->size bytes must come out. */
static enum st inflate_to(const struct zip *z, const struct zip_entry *e, const unsigned char *packed, int descriptor,
                          struct err *err)
{
    OWNED unsigned char *chunk = NULL;
    z_stream s = {0};
    uint64_t fed = 0, made = 0;
    int code = Z_OK;
    bool begun = false;
    enum st st = ST_OK;
    NEW(chunk, CHUNK, "a buffer for inflating");
    if (inflateInit2(&s, -15) != Z_OK) FAIL(ST_LIMIT, "memory: there is none for decompressing %s", z->path);
    begun = true;
    while (code != Z_STREAM_END) {
        if (!s.avail_in && fed < e->packed) {
            uint64_t some = e->packed - fed < (1u << 30) ? e->packed - fed : 1u << 30;
            s.next_in = (unsigned char *)(uintptr_t)(packed + fed);
            s.avail_in = (unsigned)some;
            fed += some;
        }
        s.next_out = chunk;
        s.avail_out = CHUNK;
        code = inflate(&s, Z_NO_FLUSH);
        uint64_t got = CHUNK - s.avail_out;
        if ((code != Z_OK && code != Z_STREAM_END) ||
            (!got && code != Z_STREAM_END && !s.avail_in && fed == e->packed) || got > e->size - made)
            TRY(broken(z, "a member cannot be inflated", err));
        for (uint64_t done = 0; done < got;) {
            ssize_t n = write(descriptor, chunk + done, got - done);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0)
                FAIL(ST_LIMIT, "scratch file: cannot be written (%s); free some disk beside the output",
                     strerror(errno));
            done += (uint64_t)n;
        }
        made += got;
    }
    if (made != e->size) TRY(broken(z, "a member is shorter than the directory says", err));
done:
    if (begun) inflateEnd(&s);
    return st;
}

static enum st inflate_member(const struct zip *z, const struct zip_entry *e, const unsigned char *packed,
                              const char *near, struct zip_data *d, struct err *err)
{
    int descriptor = -1;
    enum st st;
    if (e->size / DEFLATE_MOST > e->packed) TRY(broken(z, "a member states more bytes than its data can hold", err));
    TRY(file_scratch(near, &descriptor, err));
    TRY(inflate_to(z, e, packed, descriptor, err));
    if (e->size) {
        void *base = mmap(NULL, e->size, PROT_READ, MAP_SHARED, descriptor, 0);
        if (base == MAP_FAILED)
            FAIL(ST_LIMIT, "%s: an inflated member cannot be mapped (%s)", z->path, strerror(errno));
        d->scratch = (struct mapping){base, e->size};
    }
    d->bytes = d->scratch.base;
done:
    if (descriptor >= 0) close(descriptor);
    return st;
}

static uint32_t checksum(const void *data, uint64_t bytes)
{
    const unsigned char *p = data;
    uLong crc = crc32(0, NULL, 0);
    for (uint64_t at = 0; at < bytes;) {
        uint64_t some = bytes - at < (1u << 30) ? bytes - at : 1u << 30;
        crc = crc32(crc, p + at, (unsigned)some);
        at += some;
    }
    return (uint32_t)crc;
}

/* Where a member's bytes begin in the archive. */
static enum st member_start(const struct zip *z, const struct zip_entry *e, uint64_t *start, struct err *err)
{
    const unsigned char *b = z->map.base;
    uint64_t size = z->map.bytes;
    if (e->flags & 1) return err_set(err, ST_INPUT, "%s: is an encrypted archive, which is not supported", z->path);
    if (e->local > size || size - e->local < 30 || u32(b + e->local) != 0x04034b50)
        return broken(z, "a member's header is missing", err);
    *start = e->local + 30 + u16(b + e->local + 26) + u16(b + e->local + 28);
    if (*start > size || e->packed > size - *start) return broken(z, "a member lies outside the file", err);
    if (e->method == 8 || (e->method == 0 && e->packed == e->size)) return ST_OK;
    return err_set(err, ST_INPUT,
                   "%s: a member is compressed by method %u, but only stored and deflated members are read; save with "
                   "numpy.savez",
                   z->path, e->method);
}

enum st zip_read(const struct zip *z, const struct zip_entry *e, const char *near, struct zip_data *out,
                 struct err *err)
{
    const unsigned char *b = z->map.base;
    uint64_t start;
    struct zip_data d = {.size = e->size};
    enum st st = ST_OK;
    TRY(member_start(z, e, &start, err));
    if (e->method == 8) TRY(inflate_member(z, e, b + start, near, &d, err));
    else d.bytes = b + start;
    if (checksum(d.bytes, d.size) != e->crc) TRY(broken(z, "a member's checksum is wrong", err));
    *out = d;
    return ST_OK;
done:
    zip_release(&d);
    return st;
}

/* The first bytes of a member, at most `room`. */
static enum st read_head(const struct zip *z, const struct zip_entry *e, unsigned char *head, uint64_t room,
                         struct err *err)
{
    const unsigned char *b = z->map.base;
    z_stream s = {0};
    uint64_t start, wanted = e->size < room ? e->size : room;
    PASS(member_start(z, e, &start, err));
    if (e->method == 0) return memcpy(head, b + start, wanted), ST_OK;
    if (inflateInit2(&s, -MAX_WBITS) != Z_OK)
        return err_set(err, ST_LIMIT, "%s: out of memory while a member is inflated", z->path);
    s.next_in = (unsigned char *)(uintptr_t)(b + start);
    s.avail_in = (unsigned)(e->packed < room ? e->packed : room);
    s.next_out = head;
    s.avail_out = (unsigned)wanted;
    (void)inflate(&s, Z_SYNC_FLUSH);
    wanted = s.avail_out;
    inflateEnd(&s);
    return wanted ? broken(z, "a member cannot be inflated", err) : ST_OK;
}

void zip_release(struct zip_data *d)
{
    file_unmap(&d->scratch);
    memset(d, 0, sizeof *d);
}

void zip_array_release(struct zip_array *a)
{
    zip_release(&a->data);
    memset(a, 0, sizeof *a);
}

enum st zip_array_read(const struct zip *z, const char *key, const char *near, struct zip_array *out, struct err *err)
{
    char name[64], where[PATH_BYTES + 80];
    struct zip_array a = {0};
    enum st st = ST_OK;
    snprintf(name, sizeof name, "%s.npy", key);
    const struct zip_entry *e = zip_find(z, name);
    if (!e) return ST_OK;
    snprintf(where, sizeof where, "%s(%s)", z->path, name);
    TRY(zip_read(z, e, near, &a.data, err));
    TRY(npy_parse(a.data.bytes, a.data.size, where, &a.array, err));
    a.there = true;
    *out = a;
    return ST_OK;
done:
    zip_array_release(&a);
    return st;
}

enum st zip_array_header(const struct zip *z, const char *key, struct npy *out, struct err *err)
{
    enum { HEAD = 1 << 13, LENGTH_MOST = 1 << 12 };
    char name[64], where[PATH_BYTES + 80];
    unsigned char head[HEAD] = {0};
    *out = (struct npy){0};
    snprintf(name, sizeof name, "%s.npy", key);
    const struct zip_entry *e = zip_find(z, name);
    if (!e) return ST_OK;
    snprintf(where, sizeof where, "%s(%s)", z->path, name);
    PASS(read_head(z, e, head, HEAD, err));
    if ((head[8] | (unsigned)head[9] << 8) > LENGTH_MOST || (head[6] > 1 && (head[10] || head[11])))
        return err_set(err, ST_INPUT, "%s: the .npy header has more than %d bytes", where, LENGTH_MOST);
    PASS(npy_parse(head, e->size, where, out, err));
    out->data = NULL;
    return ST_OK;
}
