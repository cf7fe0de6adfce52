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
 *
 * Of several types the edges are those of one relation, (v, u) in the rows of the vertices of its target type that the
 * GPU trains; a relation that is stored both ways has each edge twice. With K negatives every edge brings K vertices
 * more, drawn independently and uniformly from all of the destination's type (of a plain graph from all vertices), anew
 * in every epoch, whether or not they are neighbours (DGL's Uniform(K), PyG's triplets). Destinations are the vertices
 * whose rows list the sources.
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
uint64_t seeds_row_edges(const struct workload *w, const struct graph *g, uint32_t v);

/* Vertices first..first + count - 1. */
struct seed_range {
    uint64_t first, count;
};

/* The edges of one GPU. */
struct edge_seeds {
    const int64_t *indptr;       /* of the edges' relation; borrowed */
    const uint32_t *indices;     /* likewise */
    uint32_t source;             /* id of the first vertex of the source type */
    struct seed_range negatives; /* the target type */
    uint32_t *train;             /* [count], owned */
    uint64_t *first;             /* [count + 1] edges before a row; owned */
    uint64_t count;              /* training vertices */
    uint64_t edges, trained;     /* of the GPU, and how many of them are trained on */
};
/* Lists the edges of a GPU that trains train[count] (copied), in that order; release *out. Takes 12 bytes per training
 * vertex. ST_LIMIT when memory is out. */
enum st edge_seeds_make(const struct workload *w, const struct graph *g, const uint32_t *train, uint64_t count,
                        struct edge_seeds *out, struct err *err) MUST_USE;
/* Frees what s owns; a zeroed struct is allowed. */
void edge_seeds_release(struct edge_seeds *s);
/* end[2]: row and neighbour of edge number i < trained in the order of (seed, who). who = GPU id << 24 | epoch. */
void edge_seeds_at(const struct edge_seeds *s, uint64_t seed, uint32_t who, uint64_t i, uint32_t end[2]);

/* Negative number k < negatives of that edge. */
uint32_t edge_seeds_negative(const struct edge_seeds *s, uint64_t seed, uint32_t who, uint64_t i, uint32_t k);

/* Where a permutation of 0..size-1 (size >= 1), keyed by (key, stream), sends x. */
uint64_t seeds_permute(uint64_t key, uint32_t stream, uint64_t size, uint64_t x);

/* Whether the graph has what the workload needs. ST_INPUT when the sampler is biased and there are no weights, or
 * temporal and there are no times, or where edges of the relation that has them have feature rows; of several types
 * when no training vertex has an edge of the seeds' relation, or walks would begin at seeds of another type than the
 * metapath does. */
enum st workload_needs(const struct workload *w, const struct graph *g, struct err *err) MUST_USE;
/* Prepares a graph for a workload: with a biased sampler cached topology rows hold the weights (weight_bytes = 4 of a
 * plain graph, or of each relation that has some), with a temporal one the times (8), else not. Errors of
 * workload_needs. */
enum st workload_attach(const struct workload *w, struct graph *g, struct err *err) MUST_USE;

#endif
