/* bfs.h - BFS order: the order in which a breadth-first search finds vertices, so that training vertices near each
 * other come one after the other.
 *
 * BGL (Liu et al., NSDI'23; arXiv 2112.08541, "proximity-aware ordering") takes mini-batches in this order, so that
 * what one mini-batch loads, the next ones need again. Roots are training vertices in a keyed random order: the first
 * one not found yet starts the next search. A search follows rows as the sampler does (row v: what v draws from), each
 * row in its sorted order. The key is fixed, not the run's seed: the order is computed once for a graph, and held-out
 * epochs use the same one. What differs from epoch to epoch is where in the order a GPU begins (sampler.h).
 */
#ifndef TRACES_SAMPLING_BFS_H
#define TRACES_SAMPLING_BFS_H

#include "traces/graph/graph.h"

#define BFS_NEVER UINT32_MAX

/* Root number i < train_count of the search: a position in g->train. */
uint64_t bfs_root(const struct graph *g, uint64_t i);
/* *out: [n], how many vertices were found before v; BFS_NEVER for those that no training vertex reaches. The caller
 * frees it with mem_free. Takes 8 bytes per vertex; serial. ST_LIMIT when memory is out. */
enum st bfs_positions(const struct graph *g, uint32_t **out, struct err *err) MUST_USE;
/* Sorts ids[count] by position[id], ties (vertices that were not found) to the lower id. ST_LIMIT when memory is out.
 */
enum st bfs_sort(const uint32_t *position, uint32_t *ids, uint64_t count, struct err *err) MUST_USE;

#endif
