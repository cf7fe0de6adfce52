/* bfs.h - the order in which a breadth-first search finds vertices: training vertices that are near each other come
 * one after the other.
 *
 * BGL (Liu et al., NSDI'23; arXiv 2112.08541, "proximity-aware ordering") takes mini-batches in this order, so that
 * what one mini-batch loads, the next ones need again. Roots are training vertices in a keyed random order: the first
 * one not found yet starts the next search. A search follows rows as the sampler does (row v: what v draws from),
 * each row in its sorted order. The key is fixed, not the run's seed: the order is worked out once for a graph, and
 * held-out epochs train in the same order; what differs from epoch to epoch is where in the order a GPU begins
 * (sampler.h).
 */
#ifndef TRACES_SAMPLING_BFS_H
#define TRACES_SAMPLING_BFS_H

#include "traces/graph/graph.h"

#define BFS_NEVER UINT32_MAX

/* Root number i < train_count: a position in g->train. */
uint64_t bfs_root(const struct graph *g, uint64_t i);
/* out[v]: how many vertices were found before v; BFS_NEVER for those that no training vertex reaches. *out: [n],
 * owned by the caller (mem_free). Takes 8 bytes per vertex; serial. */
enum st bfs_positions(const struct graph *g, uint32_t **out, struct err *err) MUST_USE;
/* Sorts ids by their position, ties (vertices that were not found) to the lower id. */
enum st bfs_sort(const uint32_t *position, uint32_t *ids, uint64_t count, struct err *err) MUST_USE;

#endif
