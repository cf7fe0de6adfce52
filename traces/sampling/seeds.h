/* seeds.h - what the mini-batches of an epoch begin with: training vertices, or the end points of training edges
 * (link prediction).
 *
 * Edges of a GPU: the arcs in the rows of the vertices that it trains, (v, u) in row v; an undirected graph stores
 * both arcs, and an edge is the one in the row of its lower end point. So a share of all edges wants a graph whose
 * vertices all train ('--train-share 1'). Of E edges round(share * E) are trained on (Legion, section 6.6: 80 %): the
 * first of a keyed order that depends on the GPU's training vertices alone, never on the run's seed, so that held-out
 * epochs train on the same edges. Every epoch deals them in an order of its own. Orders are keyed permutations that
 * are computed edge by edge (alternating Feistel rounds by addition, Black and Rogaway 2002, with Philox), so no
 * array of edges is ever held.
 */
#ifndef TRACES_SAMPLING_SEEDS_H
#define TRACES_SAMPLING_SEEDS_H

#include "traces/graph/graph.h"
#include "traces/sampling/workload.h"

/* Seeds of one GPU in one epoch: training vertices, or training edges. */
uint64_t seeds_count(const struct workload *w, const struct graph *g, const uint32_t *train, uint64_t count);
/* Mini-batches of one GPU in one epoch; the last may be short. */
uint64_t seeds_batches(const struct workload *w, const struct graph *g, const uint32_t *train, uint64_t count);
/* Edges in the row of v, the last ones of the sorted row. */
uint64_t seeds_row_edges(const struct graph *g, uint32_t v);

/* The edges of one GPU. */
struct edge_seeds {
    const struct graph *g;
    uint32_t *train; /* [count], owned */
    uint64_t *first; /* [count + 1] edges before a row; owned */
    uint64_t count, edges, trained;
};
enum st edge_seeds_make(const struct workload *w, const struct graph *g, const uint32_t *train, uint64_t count,
                        struct edge_seeds *out, struct err *err) MUST_USE;
void edge_seeds_release(struct edge_seeds *s); /* zeroed is allowed */
/* End points of edge number i < trained in the order of (seed, who): row and neighbour. who = GPU id << 24 | epoch. */
void edge_seeds_at(const struct edge_seeds *s, uint64_t seed, uint32_t who, uint64_t i, uint32_t end[2]);

/* A permutation of 0..size-1, size >= 1, keyed by (key, stream): where x goes. */
uint64_t seeds_permute(uint64_t key, uint32_t stream, uint64_t size, uint64_t x);

/* Readies a graph for a workload: biased sampling needs weights.npy (ST_INPUT when there is none), and cached
 * topology rows hold the weights. */
enum st workload_attach(const struct workload *w, struct graph *g, struct err *err) MUST_USE;

#endif
