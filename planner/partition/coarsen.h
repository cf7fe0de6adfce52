/* coarsen.h - a graph made smaller by putting vertices into clusters (Meyerhenke, Sanders and Schulz, "Partitioning
 * complex networks via size-constrained clustering", SEA'14).
 *
 * Clusters: every vertex begins alone and takes, for a few rounds, the cluster that most of its arcs lead to, while
 * that cluster has room. Vertices are processed in blocks that are spread over all ids: all of a block choose in
 * parallel, by what was before it, in parallel, and move one after the other in the order of ids. So clusters are the
 * same on any number of threads. The smaller graph has a vertex per cluster; arcs between two clusters become one arc
 * with the sum of their weights.
 */
#ifndef PLANNER_PARTITION_COARSEN_H
#define PLANNER_PARTITION_COARSEN_H

#include "traces/graph/graph.h"

/* A graph with weights. Arcs are stored in both directions (rows of a large directed graph: as they are drawn). */
struct level {
    uint64_t n, m;
    const int64_t *start;   /* [n + 1] */
    const uint32_t *to;     /* [m] */
    const uint32_t *weight; /* [m]; NULL: 1 each */
    uint32_t *size,
        *trains;          /* [n] vertices and training vertices of the graph in each vertex; NULL: 1 each, and bits */
    uint64_t *train_bits; /* of the finest level */
    uint32_t *cluster;    /* [n] vertex of the next level */
    int64_t *own_start;   /* what is not the graph's; owned */
    uint32_t *own_to, *own_weight;
};

static inline uint32_t level_size(const struct level *l, uint64_t v) { return l->size ? l->size[v] : 1; }
static inline uint32_t level_trains(const struct level *l, uint64_t v)
{
    return l->trains ? l->trains[v] : (uint32_t)(l->train_bits[v / 64] >> v % 64 & 1);
}

#define COARSEN_ENTRIES_MOST ((uint64_t)1 << 30)
/* *out: the finest level, which is the graph itself; of a directed one a copy with both directions, where that has at
 * most COARSEN_ENTRIES_MOST entries. The caller releases it; the graph must outlive it. ST_LIMIT without memory. */
enum st level_of_graph(const struct graph *g, int threads, struct level *out, struct err *err) MUST_USE;
/* Clusters of at most size_most vertices and trains_most training vertices of the graph. Sets fine->cluster. */
enum st level_coarsen(struct level *fine, uint64_t size_most, uint64_t trains_most, uint64_t seed, int threads,
                      struct level *coarse, struct err *err) MUST_USE;
void level_release(struct level *l); /* zeroed is allowed */

/* What the blocks of a round are: block b of `blocks` holds the stretches of LEVEL_STRETCH vertices whose number is b
 * modulo `blocks`. */
enum { LEVEL_STRETCH = 128 };

#endif
