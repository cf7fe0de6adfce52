/* graph_union.h - a typed graph as one homogeneous graph: all types in one space of ids, all relations in one row.
 *
 * For what looks at connections only: partitions, PageRank, degrees. Row v lists what v draws through any relation,
 * ascending, each vertex once; training vertices are those of all types. It is no graph to plan rows on: rows of all
 * types would count as one.
 */
#ifndef TRACES_GRAPH_GRAPH_UNION_H
#define TRACES_GRAPH_GRAPH_UNION_H

#include "traces/graph/graph.h"

struct graph_union {
    struct graph graph; /* its pointers lead into the arrays below; feature rows have the mean size, at least 1 byte */
    int64_t *indptr;    /* owned */
    uint32_t *indices, *train; /* owned */
};

/* The bytes of a feature row of the union: the mean of those of g, at least 1. */
uint64_t graph_union_row_bytes(const struct graph *g);
void graph_union_release(struct graph_union *u); /* a zeroed struct is allowed */

/* *out: graph_connections, or, where graph_join was not called, what is made in *own, to be released with
 * graph_union_release: 8 n + 4 m bytes. ST_LIMIT without memory. */
enum st graph_connections_of(const struct graph *g, struct graph_union *own, const struct graph **out, struct err *err)
    MUST_USE;

/* Makes g->joined, unless g is plain or it is there; graph_close frees it. ST_LIMIT without memory. */
enum st graph_join(struct graph *g, struct err *err) MUST_USE;
/* What looks at connections only: a plain graph itself, or what graph_join made; NULL before that. */
static inline const struct graph *graph_connections(const struct graph *g)
{
    return graph_plain(g) ? g : g->joined ? &g->joined->graph : NULL;
}

#endif
