/* graph_times.h - the times of a plain graph: edge_times.npy (int64, [m]: when each stored arc came to be) and
 * vertex_times.npy (int64, [n]: the time of a vertex as a seed). Both are optional; graph.json lists what there is:
 * edge_times and vertex_times, each [first, last]. A file that graph.json does not list is not read, so a graph without
 * times is opened as ever. Units are those of the source. The fingerprint of a graph is over neither.
 *
 * With times of edges a row may list a vertex several times, once per time; it is sorted by (id, time). A graph with
 * times of vertices alone has for every arc the time of the vertex that its row lists (PyG's time_attr of nodes).
 */
#ifndef TRACES_GRAPH_GRAPH_TIMES_H
#define TRACES_GRAPH_GRAPH_TIMES_H

#include "traces/graph/graph.h"

/* The first and the last of times[count], count >= 1. */
struct time_range {
    int64_t first, last;
};
struct time_range time_range_of(const int64_t *times, uint64_t count, int threads);

/* Maps what `d`, the graph.json of g, lists, and checks the times of rows from..to-1 and of all vertices. ST_INPUT,
 * with file and entry, for a file that is missing, has another shape or type, or a time outside of the range listed. */
enum st graph_times_map(struct graph *g, const doc *d, uint64_t from, uint64_t to, int threads, struct err *err)
    MUST_USE;
/* Writes edge_times and vertex_times into an object, those that there are. */
void graph_times_put(const int64_t *edges, uint64_t m, const int64_t *vertices, uint64_t n, int threads, doc *object);

/* The time of entry e of g->indices; g has times. */
static inline int64_t graph_time_of(const struct graph *g, uint64_t e)
{
    return g->edge_times ? g->edge_times[e] : g->vertex_times[g->indices[e]];
}

#endif
