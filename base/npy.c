#define _GNU_SOURCE
#include "base/npy.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/read_ahead.h"
#include "base/text.h"
#include "base/units.h"

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* Position behind `key` and its colon in the header text, or NULL. */
static const char *header_value(const char *text, const char *key)
{
    const char *p = strstr(text, key);
    if (!p) return NULL;
    p += strlen(key);
    while (*p == ' ') p++;
    if (*p != ':') return NULL;
    for (p++; *p == ' '; p++) {
    }
    return p;
}

static enum st read_type(const char *text, const char *name, struct npy *a, struct err *err)
{
    const char *p = header_value(text, "'descr'");
    if (!p) return err_set(err, ST_INPUT, "%s: the .npy header has no 'descr'; save it again with numpy.save", name);
    if (*p != '\'')
        return err_set(err, ST_INPUT, "%s: the .npy header describes a structured array; save plain numbers", name);
    char order = p[1];
    if (order == '>')
        return err_set(err, ST_INPUT, "%s: elements are big-endian; save with a.astype(a.dtype.newbyteorder('<'))",
                       name);
    if (p[2] == 'O' || p[1] == 'O')
        return err_set(err, ST_INPUT,
                       "%s: holds pickled Python objects, which are never loaded; save plain number arrays instead",
                       name);
    bool known = (order == '<' || order == '|' || order == '=') && p[2] && strchr("iufb", p[2]) && p[3] &&
                 strchr("1248", p[3]) && p[4] == '\'';
    if (!known || (p[2] == 'f' && p[3] == '1') || (p[2] == 'b' && p[3] != '1'))
        return err_set(err, ST_INPUT, "%s: element type '%.8s is not supported (expected i1..i8, u1..u8, f2..f8 or b1)",
                       name, p);
    a->type[0] = p[2];
    a->type[1] = p[3];
    a->item = (uint32_t)(p[3] - '0');
    return ST_OK;
}

static enum st read_shape(const char *text, const char *name, struct npy *a, struct err *err)
{
    const char *p = header_value(text, "'shape'");
    if (!p || *p != '(') return err_set(err, ST_INPUT, "%s: the .npy header has no 'shape'", name);
    a->count = 1;
    for (p++;; p++) {
        while (*p == ' ') p++;
        if (*p == ')') break;
        uint64_t v = 0;
        const char *start = p;
        for (; *p >= '0' && *p <= '9'; p++)
            if (__builtin_mul_overflow(v, (uint64_t)10, &v) || __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
                return err_set(err, ST_INPUT, "%s: a number in the .npy shape exceeds 64 bits", name);
        if (p == start || a->dims == NPY_DIMS)
            return err_set(err, ST_INPUT, "%s: the .npy shape cannot be read or has more than %d dimensions", name,
                           NPY_DIMS);
        a->shape[a->dims++] = v;
        if (__builtin_mul_overflow(a->count, v, &a->count))
            return err_set(err, ST_INPUT, "%s: the product of the .npy shape exceeds 64 bits", name);
        while (*p == ' ') p++;
        if (*p == ')') break;
        if (*p != ',') return err_set(err, ST_INPUT, "%s: the .npy shape cannot be read", name);
    }
    return ST_OK;
}

static enum st read_order(const char *text, const char *name, const struct npy *a, struct err *err)
{
    const char *p = header_value(text, "'fortran_order'");
    if (!p || (strncmp(p, "True", 4) && strncmp(p, "False", 5)))
        return err_set(err, ST_INPUT, "%s: the .npy header has no 'fortran_order'", name);
    if (*p == 'T' && a->dims > 1)
        return err_set(err, ST_INPUT, "%s: is in Fortran order; save with numpy.ascontiguousarray(a)", name);
    return ST_OK;
}

enum st npy_parse(const void *bytes, uint64_t size, const char *name, struct npy *out, struct err *err)
{
    enum { HEADER_MAX = 1 << 16 };
    const unsigned char *b = bytes;
    struct npy a = {0};
    char text[4096], found[BYTES_TEXT];
    if (size < 10 || memcmp(b, magic, 6))
        return err_set(err, ST_INPUT, "%s: is not a NumPy .npy array (its first bytes are not \\x93NUMPY)", name);
    if (b[6] < 1 || b[6] > 3)
        return err_set(err, ST_INPUT, "%s: .npy version %d is not known; expected 1, 2 or 3", name, b[6]);
    uint64_t start = b[6] == 1 ? 10 : 12;
    if (size < start) return err_set(err, ST_INPUT, "%s: the .npy header is truncated", name);
    uint64_t length = b[8] | (uint64_t)b[9] << 8;
    if (b[6] > 1) length |= (uint64_t)b[10] << 16 | (uint64_t)b[11] << 24;
    if (length > HEADER_MAX || length > size - start)
        return err_set(err, ST_INPUT, "%s: the .npy header should have %llu bytes, but the file ends before", name,
                       (unsigned long long)length);
    uint64_t used = length < sizeof text ? length : sizeof text - 1; /* the rest is padding */
    memcpy(text, b + start, used);
    text[used] = '\0';
    PASS(read_type(text, name, &a, err));
    PASS(read_shape(text, name, &a, err));
    PASS(read_order(text, name, &a, err));
    uint64_t payload, have = size - start - length;
    if (__builtin_mul_overflow(a.count, (uint64_t)a.item, &payload) || payload != have)
        return err_set(err, ST_INPUT,
                       "%s: the .npy header states %llu elements of %u bytes, but %s follow; the file is truncated or "
                       "damaged",
                       name, (unsigned long long)a.count, a.item, units_bytes_exact(found, have));
    a.data = a.count ? b + start + length : NULL;
    *out = a;
    return ST_OK;
}

/* Copies an array whose elements are not aligned for their type, because its header has an odd length. */
static enum st align(struct npy *a, const char *path, struct err *err)
{
    if (!a->count || (uintptr_t)a->data % a->item == 0) return ST_OK;
    uint64_t bytes = a->count * a->item;
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return err_set(err, ST_LIMIT, "%s: there is no memory for an aligned copy; save it again with numpy.save",
                       path);
    memcpy(base, a->data, bytes);
    file_unmap(&a->map);
    a->map = (struct mapping){base, bytes};
    a->data = base;
    a->copied = true;
    return ST_OK;
}

enum st npy_map(const char *path, struct npy *out, struct err *err)
{
    struct mapping m = {0};
    struct npy a = {0};
    enum st st;
    TRY(file_map(path, &m, err));
    TRY(npy_parse(m.base, m.bytes, path, &a, err));
    a.map = m;
    m = (struct mapping){0};
    TRY(align(&a, path, err));
    *out = a;
    return ST_OK;
done:
    file_unmap(&a.map);
    file_unmap(&m);
    return st;
}

void npy_drop_pages(const struct npy *a)
{
    if (a->map.base && !a->copied) madvise(a->map.base, a->map.bytes, MADV_DONTNEED);
}

void npy_drop_range(const struct npy *a, const void *from, const void *to)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = ((uintptr_t)from + page - 1) / page * page,
              end = (uintptr_t)to / page * page;
    bool within = a->map.base && first >= (uintptr_t)a->map.base && end <= (uintptr_t)a->map.base + a->map.bytes;
    if (within && !a->copied && first < end) madvise((void *)first, end - first, MADV_DONTNEED);
}

void npy_prefetch_pages(const struct npy *a)
{
    if (!a->copied) read_ahead(a->map.base, a->map.bytes);
}

void npy_release(struct npy *a)
{
    file_unmap(&a->map);
    memset(a, 0, sizeof *a);
}

const char *npy_shape_text(char out[200], int dims, const uint64_t *shape)
{
    strcpy(out, "(");
    for (int i = 0; i < dims; i++) {
        const char *between = i + 1 < dims ? ", " : dims == 1 ? "," : "";
        if (shape[i] == UINT64_MAX) text_append(out, 200, "any%s", between);
        else text_append(out, 200, "%llu%s", (unsigned long long)shape[i], between);
    }
    text_append(out, 200, ")");
    return out;
}

enum st npy_expect(const struct npy *a, const char *path, const char *type, int dims, const uint64_t *shape,
                   struct err *err)
{
    if (strcmp(a->type, type))
        return err_set(err, ST_INPUT, "%s: elements are of type %s, expected %s", path, a->type, type);
    bool same = a->dims == dims;
    for (int i = 0; same && i < dims; i++) same = shape[i] == UINT64_MAX || a->shape[i] == shape[i];
    if (same) return ST_OK;
    char found[200], expected[200];
    return err_set(err, ST_INPUT, "%s: has shape %s, expected %s", path, npy_shape_text(found, a->dims, a->shape),
                   npy_shape_text(expected, dims, shape));
}

int64_t npy_integer(const struct npy *a, uint64_t i, bool *ok)
{
    const unsigned char *p = (const unsigned char *)a->data + i * a->item;
    uint64_t raw = 0;
    memcpy(&raw, p, a->item);
    *ok = a->type[0] != 'f' && !(a->type[0] == 'u' && raw > INT64_MAX);
    if (a->type[0] == 'i' && a->item < 8) { /* extend the sign */
        int shift = 64 - 8 * (int)a->item;
        return (int64_t)(raw << shift) >> shift;
    }
    return (int64_t)raw;
}

/* Writes the version 1.0 header, padded so that data starts at a multiple of 64 bytes. */
static bool write_header(FILE *f, const char *type, int dims, const uint64_t *shape)
{
    char text[512];
    int n = snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                     type[1] == '1' ? '|' : '<', type);
    for (int i = 0; i < dims; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, i + 1 < dims || dims == 1 ? "%llu, " : "%llu",
                      (unsigned long long)shape[i]);
    if (dims == 1) n--; /* "(5,)" as NumPy writes it */
    n += snprintf(text + n, sizeof text - (size_t)n, "), }");
    while ((n + 11) % 64) text[n++] = ' ';
    text[n++] = '\n';
    unsigned char head[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(n & 255), (unsigned char)(n >> 8)};
    return fwrite(head, 1, 10, f) == 10 && fwrite(text, 1, (size_t)n, f) == (size_t)n;
}

enum st npy_begin(struct npy_writer *w, const char *path, const char *type, int dims, const uint64_t *shape,
                  struct err *err)
{
    memset(w, 0, sizeof *w);
    snprintf(w->path, sizeof w->path, "%s", path);
    w->left = (uint64_t)(type[1] - '0');
    for (int i = 0; i < dims; i++)
        if (__builtin_mul_overflow(w->left, shape[i], &w->left))
            return err_set(err, ST_LIMIT, "%s: the array would have more than 2^64 bytes", path);
    w->file = fopen(path, "wb");
    if (!w->file) return err_set(err, ST_LIMIT, "%s: cannot be created (%s)", path, strerror(errno));
    if (!write_header(w->file, type, dims, shape)) {
        enum st st = err_set(err, ST_LIMIT, "%s: cannot be written (%s); is the disk full?", path, strerror(errno));
        npy_cancel(w);
        return st;
    }
    return ST_OK;
}

/* Headers of one dimension have the same length whatever the number, so that the last one takes the first one's place.
 */
static const uint64_t growing_bytes = INT64_MAX / 8 * 8;

enum st npy_begin_growing(struct npy_writer *w, const char *path, const char *type, struct err *err)
{
    uint64_t none = 0;
    enum st st = npy_begin(w, path, type, 1, &none, err);
    w->left = growing_bytes;
    snprintf(w->type, sizeof w->type, "%s", type);
    return st;
}

static bool write_length(struct npy_writer *w)
{
    uint64_t length = (growing_bytes - w->left) / (uint64_t)(w->type[1] - '0');
    w->left = 0;
    return fseek(w->file, 0, SEEK_SET) == 0 && write_header(w->file, w->type, 1, &length);
}

enum st npy_add(struct npy_writer *w, const void *data, uint64_t bytes, struct err *err)
{
    if (bytes > w->left)
        return err_set(err, ST_BUG, "internal error: %s gets more data than its header states; please report it",
                       w->path);
    if (bytes && fwrite(data, 1, bytes, w->file) != bytes)
        return err_set(err, ST_LIMIT, "%s: cannot be written (%s); is the disk full?", w->path, strerror(errno));
    w->left -= bytes;
    return ST_OK;
}

enum st npy_end(struct npy_writer *w, struct err *err)
{
    if (*w->type && !write_length(w))
        return err_set(err, ST_LIMIT, "%s: cannot be written (%s); is the disk full?", w->path, strerror(errno));
    if (w->left)
        return err_set(err, ST_BUG, "internal error: %s lacks %llu bytes of its data; please report it", w->path,
                       (unsigned long long)w->left);
    FILE *f = TAKE(w->file);
    if (fclose(f) != 0)
        return err_set(err, ST_LIMIT, "%s: cannot be written (%s); is the disk full?", w->path, strerror(errno));
    return ST_OK;
}

void npy_cancel(struct npy_writer *w)
{
    if (w->file) fclose(w->file);
    w->file = NULL;
}

enum st npy_save(const char *path, const char *type, int dims, const uint64_t *shape, const void *data, struct err *err)
{
    OWNED_BY(npy_cancel) struct npy_writer w = {0};
    PASS(npy_begin(&w, path, type, dims, shape, err));
    PASS(npy_add(&w, data, w.left, err));
    return npy_end(&w, err);
}
