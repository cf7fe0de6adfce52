/* multilevel.h - parts by levels: clusters (coarsen.h) until some thousand vertices are left, METIS for those, and
 * refinement on the way back.
 *
 * Refinement: vertices move to the part that most of their arcs lead to, while it has room for vertices (10 %) and
 * training vertices (2 %); in blocks, as clusters are found, so the result is the same on any number of threads. Most
 * of the work is done in parallel, and METIS only sees what fits the processor's caches.
 */
#ifndef PLANNER_PARTITION_MULTILEVEL_H
#define PLANNER_PARTITION_MULTILEVEL_H

#include "traces/graph/graph.h"

/* One of several cuts of a graph. */
struct multilevel_cut {
    int parts;           /* >= 2 */
    const double *share; /* [parts] positive */
    uint8_t *part;       /* [n], set to 0..parts-1 */
};

/* Makes count >= 1 cuts; clusters are found once for all that coarsen alike (up to 256 parts). n >= 1. */
enum st multilevel_split(const struct graph *g, const struct multilevel_cut *cut, int count, uint64_t seed, int threads,
                         struct err *err) MUST_USE;
/* Bytes that this takes at most, in addition to the parts. */
uint64_t multilevel_bytes(const struct graph *g, int threads);

#endif
