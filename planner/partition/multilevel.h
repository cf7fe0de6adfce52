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

/* part[v] in 0..parts-1. share: [parts] positive. parts >= 2, n >= 1. */
enum st multilevel_split(const struct graph *g, int parts, const double *share, uint64_t seed, int threads,
                         uint8_t *part, struct err *err) MUST_USE;
/* Bytes that this takes at most, in addition to the parts. */
uint64_t multilevel_bytes(const struct graph *g, int threads);

#endif
