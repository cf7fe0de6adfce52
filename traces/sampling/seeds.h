/* seeds.h - what the mini-batches of an epoch begin with: training vertices, or the end points of training edges (link
 * prediction).
 *
 * Edges of a GPU: the arcs in the rows of the vertices that it trains, (v, u) in row v. An undirected graph stores both
 * arcs; the edge is the one in the row of its lower end point. So a share of all edges needs a graph whose vertices all
 * train
 * (--train-share 1). Of E edges round(share * E) are trained on (Legion, section 6.6: 80 %): the first of a keyed order
 * that depends on the GPU's training vertices only, not on the run's seed, so that held-out epochs train on the same
 * edges. Every epoch deals them in its own order. Orders are keyed permutations that are computed edge by edge
 * (alternating Feistel rounds by addition, Black and Rogaway 2002, with Philox), so no array of edges is kept.
 */
#ifndef TRACES_SAMPLING_SEEDS_H
#define TRACES_SAMPLING_SEEDS_H

#include "traces/graph/graph.h"
#include "traces/sampling/workload.h"

/* Seeds of a GPU that trains train[count] in one epoch: training vertices, or training edges. */
uint64_t seeds_count(const struct workload *w, const struct graph *g, const uint32_t *train, uint64_t count);
/* Mini-batches of that GPU in one epoch; the last may be short. */
uint64_t seeds_batches(const struct workload *w, const struct graph *g, const uint32_t *train, uint64_t count);
/* Edges in the row of v: the last entries of the sorted row. */
uint64_t seeds_row_edges(const struct graph *g, uint32_t v);

/* The edges of one GPU. */
struct edge_seeds {
    const struct graph *g;   /* borrowed */
    uint32_t *train;         /* [count], owned */
    uint64_t *first;         /* [count + 1] edges before a row; owned */
    uint64_t count;          /* training vertices */
    uint64_t edges, trained; /* of the GPU, and how many of them are trained on */
};
/* Lists the edges of a GPU that trains train[count] (copied), in that order; release *out. Takes 12 bytes per training
 * vertex. ST_LIMIT when memory is out. */
enum st edge_seeds_make(const struct workload *w, const struct graph *g, const uint32_t *train, uint64_t count,
                        struct edge_seeds *out, struct err *err) MUST_USE;
/* Frees what s owns; a zeroed struct is allowed. */
void edge_seeds_release(struct edge_seeds *s);
/* end[2]: row and neighbour of edge number i < trained in the order of (seed, who). who = GPU id << 24 | epoch. */
void edge_seeds_at(const struct edge_seeds *s, uint64_t seed, uint32_t who, uint64_t i, uint32_t end[2]);

/* Where a permutation of 0..size-1 (size >= 1), keyed by (key, stream), sends x. */
uint64_t seeds_permute(uint64_t key, uint32_t stream, uint64_t size, uint64_t x);

/* Prepares a graph for a workload: with a biased sampler cached topology rows hold the weights (g->weight_bytes = 4),
 * else not. ST_INPUT when the sampler is biased and the graph has no weights.npy. */
enum st workload_attach(const struct workload *w, struct graph *g, struct err *err) MUST_USE;

#endif
