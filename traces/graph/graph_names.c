#include "traces/graph/graph_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "traces/graph/graph_types.h"

void graph_names_file(int type, const char *what, char out[48])
{
    if (type < 0) snprintf(out, 48, "name_%s.npy", what);
    else snprintf(out, 48, "type%d_name_%s.npy", type, what);
}

static bool is_name(const struct graph_names *n, uint64_t v)
{
    const int64_t from = n->offset[v], to = n->offset[v + 1];
    int bytes = 1;
    if (from < 0 || to <= from || to - from > NAME_BYTES_MOST || (uint64_t)to > n->total) return false;
    if (memchr(n->bytes + from, '\0', (size_t)(to - from))) return false;
    for (int64_t at = from; bytes && at < to; at += bytes) bytes = text_utf8_bytes(n->bytes + at, (size_t)(to - at));
    return bytes > 0;
}

enum st graph_names_open(const struct graph *g, int type, int threads, struct graph_names *out, struct err *err)
{
    OWNED_BY(graph_names_close)
    struct graph_names n = {.total = graph_plain(g) ? g->name_bytes : g->type[type].name_bytes};
    const uint64_t count = graph_plain(g) ? g->n : g->type[type].count;
    const int of = graph_plain(g) && !*g->type_name ? -1 : type;
    char file[48];
    uint64_t bad = UINT64_MAX;
    *out = (struct graph_names){0};
    if (!n.total) return ST_OK;
    graph_names_file(of, "offsets", file);
    PASS(graph_map_array(g, file, "i8", count + 1, &n.arrays[0], err));
    n.offset = n.arrays[0].data;
    graph_names_file(of, "bytes", file);
    PASS(graph_map_array(g, file, "u1", n.total, &n.arrays[1], err));
    n.bytes = n.arrays[1].data;
    n.count = count;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : bad)
    for (uint64_t v = 0; v < count; v++)
        if (!is_name(&n, v) && v < bad) bad = v;
    graph_names_file(of, "offsets", file);
    if (bad != UINT64_MAX)
        return err_set(err, ST_INPUT, "%s/%s: the name of vertex %" PRIu64 " is not 1 to %d bytes of UTF-8", g->path,
                       file, bad, NAME_BYTES_MOST);
    if (n.offset[0] != 0 || (uint64_t)n.offset[count] != n.total)
        return err_set(err, ST_INPUT,
                       "%s/%s: runs from %" PRId64 " to %" PRId64 ", but there are %" PRIu64 " bytes of names", g->path,
                       file, n.offset[0], n.offset[count], n.total);
    *out = n;
    memset(n.arrays, 0, sizeof n.arrays);
    return ST_OK;
}

void graph_names_close(struct graph_names *n)
{
    for (int i = 0; i < 2; i++) npy_release(&n->arrays[i]);
    memset(n, 0, sizeof *n);
}

uint64_t graph_names_find(const struct graph_names *n, const char *name, int threads)
{
    const int64_t length = (int64_t)strlen(name);
    uint64_t found = UINT64_MAX;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : found)
    for (uint64_t v = 0; v < n->count; v++)
        if (n->offset[v + 1] - n->offset[v] == length && !memcmp(n->bytes + n->offset[v], name, (size_t)length) &&
            v < found)
            found = v;
    return found;
}

void graph_name_append(const struct graph_names *n, uint64_t v, char *text, size_t size)
{
    char name[NAME_SHOWN - 12];
    size_t length, taken;
    if (!n || v >= n->count) return;
    const char *whole = graph_name(n, v, &length);
    text_visible(name, sizeof name, whole, length, &taken);
    text_append(text, size, " (%s%s)", name, taken < length ? ".." : "");
}
