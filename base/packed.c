/* packed.c - see packed.h. gzip is zlib's business, which reads plain files as they are, too. zstd and xz are fed from
 * a buffer; both allocate what the head of a stream asks for, so that is bounded. */
#include "base/packed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#ifdef HOTSET_ZSTD
#include <zstd.h>
#endif
#ifdef HOTSET_XZ
#include <lzma.h>
#endif

#include "base/mem.h"

enum { BUFFER = 1 << 18 };

static enum st cannot_open(const char *path, struct err *err)
{
    if (errno == ENOMEM) return err_set(err, ST_LIMIT, "%s: out of memory while it was opened", path);
    return err_set(err, ST_INPUT, "%s: cannot be opened (%s); check its permissions", path, strerror(errno));
}

static enum st out_of_memory(const char *path, struct err *err)
{
    return err_set(err, ST_LIMIT, "%s: out of memory while it was read; free some memory and try again", path);
}

static enum st damaged(const char *path, const char *name, uint64_t at, const char *why, struct err *err)
{
    return err_set(err, ST_INPUT,
                   "%s: the %s stream is damaged or truncated near byte %llu (%s); download the file again", path, name,
                   (unsigned long long)at, why && *why ? why : "unexpected end");
}

/* ---- gzip, and files that are not compressed ---- */

static enum st open_gzip(const char *path, void **state, struct err *err)
{
    gzFile gz = gzopen(path, "rbe");
    if (!gz) return cannot_open(path, err);
    gzbuffer(gz, BUFFER);
    *state = gz;
    return ST_OK;
}

static enum st read_gzip(void *state, const char *path, void *buffer, size_t size, size_t *got, struct err *err)
{
    int n = gzread(state, buffer, size > (1 << 30) ? 1 << 30 : (unsigned)size), code;
    const char *text = gzerror(state, &code);
    if (code == Z_MEM_ERROR) return out_of_memory(path, err);
    if (n < 0 || code == Z_BUF_ERROR || code == Z_DATA_ERROR)
        return damaged(path, "gzip", (uint64_t)gzoffset(state), text, err);
    *got = (size_t)n;
    return ST_OK;
}

static uint64_t position_gzip(const void *state) { return (uint64_t)gzoffset((gzFile)(uintptr_t)state); }
static void close_gzip(void *state) { gzclose(state); }

/* ---- streams that are fed ---- */

#if defined HOTSET_ZSTD || defined HOTSET_XZ
struct fed {
    int descriptor;
    uint64_t taken; /* bytes of the file in the buffer so far */
    bool ended;     /* the file has no more */
    unsigned char *bytes;
    size_t at, end; /* of bytes: those not used yet */
    bool finished;  /* zstd: at the end of a frame */
#ifdef HOTSET_ZSTD
    ZSTD_DStream *zstd;
#endif
#ifdef HOTSET_XZ
    lzma_stream xz;
#endif
};

static void close_fed(void *state)
{
    struct fed *f = state;
#ifdef HOTSET_ZSTD
    ZSTD_freeDStream(f->zstd);
#endif
#ifdef HOTSET_XZ
    lzma_end(&f->xz);
#endif
    if (f->descriptor >= 0) close(f->descriptor);
    mem_free(f->bytes);
    mem_free(f);
}

static enum st open_fed(const char *path, struct fed **out, struct err *err)
{
    struct fed *f = NULL;
    enum st st = ST_OK;
    NEW(f, 1, "a file stream");
    f->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (f->descriptor < 0) TRY(cannot_open(path, err));
    NEW(f->bytes, BUFFER, "a file buffer");
    f->finished = true;
    *out = TAKE(f);
done:
    if (f) close_fed(f);
    return st;
}

/* Reads on when the buffer is used up. */
static enum st feed(struct fed *f, const char *path, struct err *err)
{
    ssize_t n;
    if (f->at < f->end || f->ended) return ST_OK;
    do n = read(f->descriptor, f->bytes, BUFFER);
    while (n < 0 && errno == EINTR);
    if (n < 0) return err_set(err, ST_INPUT, "%s: cannot be read (%s)", path, strerror(errno));
    f->at = 0;
    f->end = (size_t)n;
    f->taken += (uint64_t)n;
    f->ended = n == 0;
    return ST_OK;
}

static uint64_t position_fed(const void *state)
{
    const struct fed *f = state;
    return f->taken - (f->end - f->at);
}

static enum st window_too_large(const char *path, const char *name, const char *command, struct err *err)
{
    return err_set(err, ST_INPUT,
                   "%s: the %s stream asks for more memory than unpacking may take here; unpack it into a pipe: %s %s "
                   "| "
                   "hotset ..",
                   path, name, command, path_base(path));
}
#endif

#if !defined HOTSET_ZSTD || !defined HOTSET_XZ
static enum st absent(const char *path, const char *name, const char *library, const char *command, struct err *err)
{
    return err_set(err, ST_MISSING,
                   "%s: is compressed by %s, and this build has no %s; unpack it into a pipe (%s %s | hotset ..), or "
                   "build hotset with %s-dev",
                   path, name, library, command, path_base(path), library);
}
#endif

#ifdef HOTSET_ZSTD
static enum st open_zstd(const char *path, void **state, struct err *err)
{
    struct fed *f = NULL;
    PASS(open_fed(path, &f, err));
    f->zstd = ZSTD_createDStream(); /* its window is bounded by ZSTD_WINDOWLOG_LIMIT_DEFAULT: 128 MiB */
    if (!f->zstd) {
        close_fed(f);
        return out_of_memory(path, err);
    }
    *state = f;
    return ST_OK;
}

static enum st read_zstd(void *state, const char *path, void *buffer, size_t size, size_t *got, struct err *err)
{
    struct fed *f = state;
    ZSTD_outBuffer out = {buffer, size, 0};
    while (!out.pos && size) {
        PASS(feed(f, path, err));
        if (f->ended && f->finished) break;
        ZSTD_inBuffer in = {f->bytes, f->end, f->at};
        const size_t left = ZSTD_decompressStream(f->zstd, &out, &in);
        const bool stuck = in.pos == f->at && !out.pos;
        f->at = in.pos;
        f->finished = left == 0;
        if (ZSTD_isError(left)) {
            const char *why = ZSTD_getErrorName(left);
            if (strstr(why, "memory") && strstr(why, "allocat")) return out_of_memory(path, err);
            if (strstr(why, "too much memory")) return window_too_large(path, "zstd", "zstd -dc --long=31", err);
            return damaged(path, "zstd", position_fed(f), why, err);
        }
        if (f->ended && stuck && !f->finished) return damaged(path, "zstd", position_fed(f), NULL, err);
    }
    *got = out.pos;
    return ST_OK;
}
#else
static enum st open_zstd(const char *path, void **state, struct err *err)
{
    (void)state;
    return absent(path, "zstd", "libzstd", "zstd -dc", err);
}
#define read_zstd NULL
#endif

#ifdef HOTSET_XZ
enum { XZ_MEMORY = 1 << 28 };

static enum st open_xz(const char *path, void **state, struct err *err)
{
    struct fed *f = NULL;
    PASS(open_fed(path, &f, err));
    if (lzma_stream_decoder(&f->xz, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK) {
        close_fed(f);
        return out_of_memory(path, err);
    }
    *state = f;
    return ST_OK;
}

static enum st read_xz(void *state, const char *path, void *buffer, size_t size, size_t *got, struct err *err)
{
    struct fed *f = state;
    lzma_ret ret = LZMA_OK;
    f->xz.next_out = buffer;
    f->xz.avail_out = size;
    while (size && f->xz.avail_out == size) {
        PASS(feed(f, path, err));
        f->xz.next_in = f->bytes + f->at;
        f->xz.avail_in = f->end - f->at;
        ret = lzma_code(&f->xz, f->ended ? LZMA_FINISH : LZMA_RUN);
        f->at = f->end - f->xz.avail_in;
        if (ret == LZMA_STREAM_END) break;
        if (ret == LZMA_MEM_ERROR) return out_of_memory(path, err);
        if (ret == LZMA_MEMLIMIT_ERROR) return window_too_large(path, "xz", "xz -dc", err);
        if (ret != LZMA_OK)
            return damaged(path, "xz", position_fed(f), ret == LZMA_BUF_ERROR ? NULL : "its content is no xz", err);
    }
    *got = size - f->xz.avail_out;
    return ST_OK;
}
#else
static enum st open_xz(const char *path, void **state, struct err *err)
{
    (void)state;
    return absent(path, "xz", "liblzma", "xz -dc", err);
}
#define read_xz NULL
#endif

#if !defined HOTSET_ZSTD && !defined HOTSET_XZ
#define position_fed NULL
#define close_fed NULL
#endif

/* ---- the table ---- */

static const struct packing packings[] = {
    {"gzip", ".gz", "\x1f\x8b", 2, open_gzip, read_gzip, position_gzip, close_gzip},
    {"zstd", ".zst", "\x28\xb5\x2f\xfd", 4, open_zstd, read_zstd, position_fed, close_fed},
    {"zstd", ".zst", "\x50\x2a\x4d\x18", 4, open_zstd, read_zstd, position_fed, close_fed}, /* as pzstd begins them */
    {"xz", ".xz",
     "\xfd"
     "7zXZ\0",
     6, open_xz, read_xz, position_fed, close_fed},
};
enum { PACKINGS = sizeof packings / sizeof *packings };

const struct packing *packing_of(const void *head, size_t bytes)
{
    for (int i = 0; i < PACKINGS; i++)
        if (bytes >= packings[i].magic_bytes && !memcmp(head, packings[i].magic, packings[i].magic_bytes))
            return &packings[i];
    return NULL;
}

const struct packing *packing_none(void) { return &packings[0]; }

size_t packing_stem(const char *path)
{
    const size_t length = strlen(path);
    for (int i = 0; i < PACKINGS; i++) {
        const size_t end = strlen(packings[i].suffix);
        if (length > end && !strcmp(path + length - end, packings[i].suffix)) return length - end;
    }
    return length;
}

bool packing_find(const char *folder, const char *name, char out[PATH_BYTES])
{
    for (int i = 0; i < PACKINGS; i++)
        if (snprintf(out, PATH_BYTES, "%s/%s%s", folder, name, packings[i].suffix) < PATH_BYTES && file_exists(out))
            return true;
    return snprintf(out, PATH_BYTES, "%s/%s", folder, name) < PATH_BYTES && file_exists(out);
}
