/* explain.h - why a vertex's rows are cached or not.
 *
 * A pool shares its memory: a clique, or one GPU in systems without NVLink reads. In every pool a policy takes rows in
 * an order: both kinds by expected transactions saved per byte, or each kind by the policy's hotness. The explanation
 * ranks the vertex's two rows in that order and states where they lie and which GPU serves each reader. For a row that
 * is not held it names the last row that was taken, and the bytes that the pool lacks to reach the row in that order.
 * What rows save is expected per epoch, from the trace (estimates.h), whatever the policy ranks by.
 */
#ifndef PLANNER_STUDY_EXPLAIN_H
#define PLANNER_STUDY_EXPLAIN_H

#include "planner/policies/policy.h"

struct explain_input {
    const struct graph *graph;
    const struct plan *plan;
    const struct trace *trace; /* of the plan's assignment */
    const struct kernels *kernels;
    int threads;
};

/* One row of the vertex in one pool. */
struct explained_row {
    bool topology;
    uint64_t bytes;
    double reads, saved; /* expected per epoch in the pool: visits or mini-batches; transactions saved when held */
    bool ranked;         /* false: the policy ranks nothing (dgl-uva) */
    uint64_t rank, of;   /* 1 = hottest */
    bool useful;         /* false: its key in the order is 0 */
    int copies;
    struct {
        int gpu;
        uint64_t slot;
    } copy[GPUS_MAX];   /* positions of GPUs of the pool, places in their fill order */
    bool lost;          /* some row was taken: */
    bool last_topology; /* the last one in the order, */
    uint32_t last_vertex;
    uint64_t last_bytes;
    double last_saved;
    uint64_t more_bytes; /* that the pool lacks, at least; 0 when held */
};

struct explained_pool {
    int clique, gpus, gpu[GPUS_MAX]; /* positions */
    struct explained_row row[2];     /* topology, feature */
};

struct explanation {
    uint32_t vertex;
    uint64_t degree;
    int trained_by;  /* position of the GPU that trains it; -1: none */
    bool one_order;  /* both kinds in one order */
    bool substitute; /* the policy's own order cannot be repeated: that of the estimates is used */
    bool beyond; /* some GPU reads from another clique: a copy serves more than its pool, and a pool's order is a guide
                    only */
    int pools;
    struct explained_pool pool[GPUS_MAX];
    int source[2][GPUS_MAX]; /* topology, feature: position of the GPU that serves the reader, -1: the host */
};

/* Whether some GPU reads from another clique. */
bool explain_beyond(const struct plan *p);
/* ST_INPUT, with the range, when the vertex is not one of the graph's. */
enum st explain_check_vertex(const struct graph *g, int64_t vertex, struct err *err) MUST_USE;
/* Explains a vertex of in->graph; *out has no memory of its own. ST_INPUT as above, ST_LIMIT without memory for arrays
 * of the graph's size. */
enum st explain_make(const struct explain_input *in, int64_t vertex, struct explanation *out, struct err *err) MUST_USE;

#endif
