/* typed_union.h - a typed graph as one homogeneous graph: all types in one space of ids, all relations in one row.
 *
 * For what looks at connections only: partitions, PageRank, degrees. Row v lists what v draws through any relation,
 * ascending, each vertex once; training vertices are those of all types. It is no graph to plan rows on: rows of all
 * types would count as one.
 */
#ifndef TRACES_TYPED_TYPED_UNION_H
#define TRACES_TYPED_TYPED_UNION_H

#include "traces/graph/graph.h"
#include "traces/typed/typed_graph.h"

struct typed_union {
    struct graph graph; /* its pointers lead into the arrays below; feature rows have the mean size, at least 1 byte */
    int64_t *indptr;    /* owned */
    uint32_t *indices, *train; /* owned */
};

/* Takes 8 n + 4 m bytes. Release *out with typed_union_release. ST_LIMIT without memory. */
enum st typed_union_make(const struct typed_graph *g, struct typed_union *out, struct err *err) MUST_USE;
void typed_union_release(struct typed_union *u); /* a zeroed struct is allowed */

#endif
