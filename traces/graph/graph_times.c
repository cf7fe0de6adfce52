#include "traces/graph/graph_times.h"

#include <inttypes.h>

struct time_range time_range_of(const int64_t *times, uint64_t count, int threads)
{
    int64_t first = times[0], last = times[0];
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : first) reduction(max : last)
    for (uint64_t i = 1; i < count; i++) {
        if (times[i] < first) first = times[i];
        if (times[i] > last) last = times[i];
    }
    return (struct time_range){first, last};
}

static enum st read_range(const doc *listed, const char *key, const char *folder, struct time_range *out,
                          struct err *err)
{
    *out = (struct time_range){doc_integer_value(doc_at(listed, 0), 0), doc_integer_value(doc_at(listed, 1), -1)};
    if (out->first <= out->last) return ST_OK;
    return err_set(err, ST_INPUT, "%s/graph.json: \"%s\" must be the first and the last time, [first, last]", folder,
                   key);
}

/* What stands between two numbers: entries from..to-1 of one file. */
struct entries {
    const char *name;
    const int64_t *times;
    uint64_t from, to;
};

static enum st graph_times_check(const struct graph *g, struct entries e, struct time_range r, int threads,
                                 struct err *err)
{
    uint64_t bad = UINT64_MAX;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : bad)
    for (uint64_t i = e.from; i < e.to; i++)
        if ((e.times[i] < r.first || e.times[i] > r.last) && i < bad) bad = i;
    if (bad == UINT64_MAX) return ST_OK;
    return err_set(err, ST_INPUT,
                   "%s/%s: entry %" PRIu64 " is %" PRId64 ", but graph.json says times from %" PRId64 " to %" PRId64,
                   g->path, e.name, bad, e.times[bad], r.first, r.last);
}

static enum st map_times(struct graph *g, int which, const char *name, uint64_t count, const int64_t **out,
                         struct err *err)
{
    char path[PATH_BYTES];
    PASS(path_join(path, g->path, name, err));
    PASS(npy_map(path, &g->arrays[which], err));
    PASS(npy_expect(&g->arrays[which], path, "i8", 1, &count, err));
    *out = g->arrays[which].data;
    return ST_OK;
}

enum st graph_times_map(struct graph *g, const doc *d, uint64_t from, uint64_t to, int threads, struct err *err)
{
    struct time_range edges, vertices;
    doc *of_edges = doc_get(d, "edge_times"), *of_vertices = doc_get(d, "vertex_times");
    if (!doc_is_null(of_edges)) {
        PASS(read_range(of_edges, "edge_times", g->path, &edges, err));
        PASS(map_times(g, GRAPH_EDGE_TIMES, "edge_times.npy", g->m, &g->edge_times, err));
        const struct entries e = {"edge_times.npy", g->edge_times, (uint64_t)g->indptr[from], (uint64_t)g->indptr[to]};
        PASS(graph_times_check(g, e, edges, threads, err));
    }
    if (!doc_is_null(of_vertices)) {
        PASS(read_range(of_vertices, "vertex_times", g->path, &vertices, err));
        PASS(map_times(g, GRAPH_VERTEX_TIMES, "vertex_times.npy", g->n, &g->vertex_times, err));
        PASS(graph_times_check(g, (struct entries){"vertex_times.npy", g->vertex_times, 0, g->n}, vertices, threads,
                               err));
    }
    return ST_OK;
}

static void put(const char *key, const int64_t *times, uint64_t count, int threads, doc *object)
{
    if (!times || !count) return;
    struct time_range r = time_range_of(times, count, threads);
    doc *list = doc_array();
    doc_append(list, doc_integer(r.first));
    doc_append(list, doc_integer(r.last));
    doc_put(object, key, list);
}

void graph_times_put(const int64_t *edges, uint64_t m, const int64_t *vertices, uint64_t n, int threads, doc *object)
{
    put("edge_times", edges, m, threads, object);
    put("vertex_times", vertices, n, threads, object);
}
