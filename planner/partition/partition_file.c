#include "planner/partition/partition_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/npy.h"

enum { NOT_YET = 255 };

/* ---- NumPy ---- */

static bool is_npy(const struct mapping *m) { return m->bytes >= 6 && !memcmp(m->base, "\x93NUMPY", 6); }

static enum st read_npy(const char *path, uint64_t n, int parts, uint8_t *part, struct err *err)
{
    OWNED_BY(npy_release) struct npy a = {0};
    PASS(npy_map(path, &a, err));
    if (a.dims != 1 || a.count != n)
        return err_set(err, ST_INPUT,
                       "%s: has %llu elements in %d dimensions; one dimension with %llu part numbers, one per vertex, "
                       "was expected",
                       path, (unsigned long long)a.count, a.dims, (unsigned long long)n);
    for (uint64_t v = 0; v < n; v++) {
        bool ok = true;
        int64_t p = npy_integer(&a, v, &ok);
        if (!ok)
            return err_set(err, ST_INPUT, "%s: elements of type %s were found; integers were expected", path, a.type);
        if (p < 0 || p >= parts)
            return err_set(err, ST_INPUT, "%s: element %llu is part %lld; parts 0 to %d were expected", path,
                           (unsigned long long)v, (long long)p, parts - 1);
        part[v] = (uint8_t)p;
    }
    return ST_OK;
}

/* ---- text ---- */

struct reading {
    const char *path;
    uint64_t n, seen;
    int parts, columns; /* columns: 1 or 2, as the first line has; 0: not known yet */
    uint8_t *part;
};

/* The whole numbers of a line, at most three; -1: something else. */
static int numbers(const char *line, long long *out)
{
    int count = 0;
    for (;;) {
        char *end;
        while (isspace((unsigned char)*line) || *line == ',') line++;
        if (!*line) return count;
        if (count == 3) return -1;
        errno = 0;
        out[count++] = strtoll(line, &end, 10);
        if (end == line || errno || (*end && !isspace((unsigned char)*end) && *end != ',')) return -1;
        line = end;
    }
}

static enum st take_line(struct reading *r, const char *line, uint64_t number, struct err *err)
{
    long long x[3];
    int count = numbers(line, x);
    unsigned long long at = number, n = r->n;
    if (!count || *line == '#' || *line == '%') return ST_OK;
    if (!r->columns) r->columns = count;
    if (count < 1 || count > 2 || count != r->columns)
        return err_set(err, ST_INPUT, "%s: line %llu: %s", r->path, at,
                       r->columns == 2 ? "a vertex and its part, two whole numbers, were expected"
                                       : "a part, one whole number, was expected");
    if (r->columns == 1 && r->seen == r->n)
        return err_set(err, ST_INPUT, "%s: line %llu: the graph has %llu vertices, and there are more part numbers",
                       r->path, at, n);
    long long v = r->columns == 2 ? x[0] : (long long)r->seen, p = x[r->columns - 1];
    if (v < 0 || (uint64_t)v >= r->n)
        return err_set(err, ST_INPUT, "%s: line %llu: vertex %lld; vertices 0 to %llu were expected", r->path, at, v,
                       n - 1);
    if (p < 0 || p >= r->parts)
        return err_set(err, ST_INPUT, "%s: line %llu: part %lld; parts 0 to %d were expected", r->path, at, p,
                       r->parts - 1);
    if (r->part[v] != NOT_YET)
        return err_set(err, ST_INPUT, "%s: line %llu: vertex %lld is listed twice", r->path, at, v);
    r->part[v] = (uint8_t)p;
    r->seen++;
    return ST_OK;
}

static enum st read_text(const char *path, uint64_t n, int parts, uint8_t *part, struct err *err)
{
    struct reading r = {.path = path, .n = n, .parts = parts, .part = part};
    OWNED_BY(text_lines_close) struct text_lines lines = {0};
    char *line;
    memset(part, NOT_YET, n);
    PASS(text_lines_open(path, &lines, err));
    for (;;) {
        PASS(text_lines_next(&lines, &line, NULL, err));
        if (!line) break;
        PASS(take_line(&r, line, lines.number, err));
    }
    if (r.seen != n)
        return err_set(err, ST_INPUT, "%s: has parts of %llu vertices; the graph has %llu", path,
                       (unsigned long long)r.seen, (unsigned long long)n);
    return ST_OK;
}

enum st partition_file_read(const char *path, uint64_t n, int parts, uint8_t *part, struct err *err)
{
    struct mapping m = {0};
    PASS(file_map(path, &m, err));
    bool npy = is_npy(&m);
    file_unmap(&m);
    OWNED_NEW(uint8_t, read, n, "parts of a file");
    if (npy) PASS(read_npy(path, n, parts, read, err));
    else PASS(read_text(path, n, parts, read, err));
    memcpy(part, read, n);
    return ST_OK;
}
