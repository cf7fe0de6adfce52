/* source.c - streams of bytes and lines from files that may be compressed (declared in file.h; packed.h unpacks). */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/packed.h"

struct source {
    const struct packing *by;
    void *state; /* of by */
    char *name;
    uint64_t total;
};

enum { LINES_BUFFER = 1 << 20 };

/* What unpacks a file; what cannot be opened here is told by its open. */
static const struct packing *packing_at(const char *path)
{
    char head[8];
    FILE *f = fopen(path, "rbe");
    const size_t got = f ? fread(head, 1, sizeof head, f) : 0;
    const struct packing *by = packing_of(head, got);
    if (f) fclose(f);
    return by ? by : packing_none();
}

enum st source_open(const char *path, struct source **out, struct err *err)
{
    struct source *s = NULL;
    struct stat about;
    enum st st = ST_OK;
    if (stat(path, &about) != 0) FAIL(ST_INPUT, "%s: cannot be opened (%s); check the path", path, strerror(errno));
    if (!S_ISREG(about.st_mode)) FAIL(ST_INPUT, "%s: is not a regular file", path);
    NEW(s, 1, "a file stream");
    NEW(s->name, strlen(path) + 1, "a file name");
    memcpy(s->name, path, strlen(path));
    s->total = (uint64_t)about.st_size;
    s->by = packing_at(path);
    TRY(s->by->open(path, &s->state, err));
    *out = TAKE(s);
done:
    source_close(s);
    return st;
}

void source_close(struct source *s)
{
    if (!s) return;
    if (s->state) s->by->close(s->state);
    mem_free(s->name);
    mem_free(s);
}

enum st source_read(struct source *s, void *buffer, size_t size, size_t *got, struct err *err)
{
    return s->by->read(s->state, s->name, buffer, size, got, err);
}

enum st source_is_npy(const char *path, bool *is, struct err *err)
{
    struct source *s = NULL;
    char head[6];
    size_t got = 0;
    enum st st;
    TRY(source_open(path, &s, err));
    TRY(source_read(s, head, sizeof head, &got, err));
    *is = got == sizeof head && !memcmp(head, "\x93NUMPY", 6);
done:
    source_close(s);
    return st;
}

uint64_t source_position(const struct source *s) { return s->by->position(s->state); }
uint64_t source_total(const struct source *s) { return s->total; }

enum st text_lines_open(const char *path, struct text_lines *out, struct err *err)
{
    struct text_lines l = {0};
    enum st st;
    TRY(source_open(path, &l.source, err));
    l.capacity = LINES_BUFFER;
    NEW(l.buffer, l.capacity + 1, "a line buffer");
    *out = l;
    return ST_OK;
done:
    text_lines_close(&l);
    return st;
}

void text_lines_close(struct text_lines *l)
{
    source_close(l->source);
    mem_free(l->buffer);
    memset(l, 0, sizeof *l);
}

/* Moves the unread bytes to the front of the buffer, grows it when it is full of them, and reads more. */
static enum st refill(struct text_lines *l, struct err *err)
{
    enum st st = ST_OK;
    size_t got = 0, held = l->end - l->begin;
    memmove(l->buffer, l->buffer + l->begin, held);
    l->begin = 0;
    l->end = held;
    if (held == l->capacity) {
        if (l->capacity >= LINE_BYTES_MAX)
            FAIL(ST_INPUT, "%s: line %llu is longer than %d bytes, so this is not a text file", l->source->name,
                 (unsigned long long)l->number + 1, LINE_BYTES_MAX);
        GROW(l->buffer, 2 * l->capacity + 1, "a line buffer");
        l->capacity *= 2;
    }
    TRY(source_read(l->source, l->buffer + l->end, l->capacity - l->end, &got, err));
    l->end += got;
    l->finished = got == 0;
done:
    return st;
}

enum st text_lines_next(struct text_lines *l, char **line, size_t *length, struct err *err)
{
    size_t looked = 0;
    char *stop;
    if (!l->ends) { /* the head says how lines end: by a carriage return alone on old Macintoshes and in some exports */
        while (!l->finished && l->end < l->capacity && !memchr(l->buffer, '\n', l->end)) PASS(refill(l, err));
        l->ends = !memchr(l->buffer, '\n', l->end) && memchr(l->buffer, '\r', l->end) ? '\r' : '\n';
    }
    for (;;) {
        stop = memchr(l->buffer + l->begin + looked, l->ends, l->end - l->begin - looked);
        if (stop || l->finished) break;
        looked = l->end - l->begin;
        PASS(refill(l, err));
    }
    if (!stop && l->begin == l->end) {
        *line = NULL;
        return ST_OK;
    }
    char *start = l->buffer + l->begin, *end = stop ? stop : l->buffer + l->end;
    l->begin = (size_t)(end - l->buffer) + (stop != NULL);
    if (++l->number == 1 && end - start >= 3 && !memcmp(start, UTF8_MARK, 3)) start += 3;
    if (memchr(start, '\0', (size_t)(end - start)))
        return err_set(err, ST_INPUT, "%s: line %llu holds a NUL byte, so this is not a text file", l->source->name,
                       (unsigned long long)l->number);
    if (end > start && end[-1] == '\r') end--;
    *end = '\0';
    if (length) *length = (size_t)(end - start);
    *line = start;
    return ST_OK;
}
