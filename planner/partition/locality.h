/* locality.h - training vertices along the communities of the graph, for orders in which a mini-batch takes
 * neighbours (traces/sampling/order.h).
 *
 * Clusters of clusters: the graph is made smaller again and again (coarsen.h), with room for 4, 16, 64, .. training
 * vertices per cluster. Vertices are then ordered by the coarsest cluster first, inside it by the next finer one, and
 * so on; so any stretch of the order lies in few clusters of about its own length, whatever that length is. A
 * community is a cluster with at most one mini-batch of training vertices.
 *
 * How random are mini-batches? share: the training vertices of a mini-batch that its largest community has, over all of
 * them, as a mean over the mini-batches of one epoch on all GPUs. With shuffled order it is what chance gives.
 */
#ifndef PLANNER_PARTITION_LOCALITY_H
#define PLANNER_PARTITION_LOCALITY_H

#include "traces/graph/graph.h"
#include "traces/recording/assignment.h"
#include "traces/sampling/workload.h"

/* Orders of a graph's vertices, each made when it is first asked for. Zeroed is empty. */
struct locality {
    uint32_t *along;     /* [n] place of a vertex along the communities */
    uint32_t *searched;  /* [n] place in a breadth-first search (bfs.h) */
    uint32_t *community; /* [n] of the vertex, of at most `batch` training vertices; owned */
    uint64_t communities, batch;
    bool borrowed_along, borrowed_searched; /* from a memo (partition_memo.h); else owned */
};

void locality_release(struct locality *l); /* frees the arrays; zeroed is allowed */
/* Most bytes that it takes at once. */
uint64_t locality_bytes(const struct graph *g, int threads);
/* Sets along and community, for mini-batches of that size, unless they are there; `along` is the same for every size.
 * ST_LIMIT without memory. */
enum st locality_find(struct locality *l, const struct graph *g, uint64_t batch, int threads, struct err *err) MUST_USE;
/* Sets the circles that the workload's order needs (assignment.h), and frees others: none for shuffle. */
enum st locality_circles(struct locality *l, const struct graph *g, const struct workload *w, int threads,
                         struct assignment *a, struct err *err) MUST_USE;
/* The same with a locality of its own, for callers that order one assignment once. */
enum st locality_order(const struct graph *g, const struct workload *w, int threads, struct assignment *a,
                       struct err *err) MUST_USE;

/* How random an epoch's mini-batches are. */
struct mixture {
    uint64_t batches;
    double share, shuffled; /* see above, of the workload's order and of shuffle */
};
/* Of epoch 0 of the workload's seed. l: found. The assignment has the circles of the workload's order. */
enum st locality_mixture(const struct locality *l, const struct workload *w, const struct assignment *a,
                         struct mixture *out, struct err *err) MUST_USE;

#endif
