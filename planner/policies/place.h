/* place.h - ways of placing rows that policies share: distributing an order over GPUs, filling one GPU, and Legion's
 * CSLP over sorted candidates with its sweep over alpha (model/legion.md).
 *
 * All of them append to the lists of plan->placement and take the bytes from room: [GPUS_MAX] bytes that each GPU has
 * left. An order is [count] numbers of rows within the kind, the hottest first, borrowed; of a plain graph they are
 * vertex ids. topology: rows of topology are placed, else rows of features. Filling stops at the first row that fits
 * nowhere; of several types that ends its table (traces/graph/rows.h) alone, and the others go on. The only error is a
 * lack of memory (ST_LIMIT).
 */
#ifndef PLANNER_POLICIES_PLACE_H
#define PLANNER_POLICIES_PLACE_H

#include <math.h>
#include "planner/policies/policy.h"

/* Distributes the order round-robin over the clique's GPUs. A GPU without room for a row is skipped. */
enum st place_dealt(const struct graph *g, const uint32_t *order, uint64_t count, bool topology, int clique,
                    struct plan *plan, uint64_t *room, struct err *err) MUST_USE;

/* Fills one GPU (a position) with the longest prefix of the order that fits. */
enum st place_prefix(const struct graph *g, const uint32_t *order, uint64_t count, bool topology, int gpu,
                     struct plan *plan, uint64_t *room, struct err *err) MUST_USE;

/* Feature rows of the order that fit into that many bytes, at most count. */
uint64_t place_fitting(const struct graph *g, const uint32_t *order, uint64_t count, uint64_t bytes);
/* The same of items, of both kinds; the first row that does not fit ends it. */
enum st place_prefix_items(const struct graph *g, const uint32_t *order, uint64_t count, int gpu, struct plan *plan,
                           uint64_t *room, struct err *err) MUST_USE;

/* Topology rows of vertices, in their order: one each, of a plain graph, else one per relation. The caller frees own.
 */
struct row_order {
    const uint32_t *row; /* [count] */
    uint64_t count;
    uint32_t *own;
};
enum st place_topology_of(const struct graph *g, const uint32_t *vertices, uint64_t count, struct row_order *out,
                          struct err *err) MUST_USE;

/* Legion's algorithm 1 over one clique, with the spill rule: each row goes to the GPU with room whose recorded hotness
 * is highest (ties: most room, then the lower position). */
enum st place_cslp(const struct policy_input *in, const uint32_t *order, uint64_t count, bool topology, int clique,
                   struct plan *plan, uint64_t *room, struct err *err) MUST_USE;

/* Legion's candidates of one clique: both orders, and the sweep over alpha = 0, 1 % .. 100 %. */
enum { SWEEP_STEPS = 100 };
struct candidates {
    uint32_t *topology, *feature;  /* owned: Q_T and Q_F of the paper */
    uint64_t topologies, features; /* rows that they list */
    struct sweep_point *points;    /* [SWEEP_STEPS + 1], owned; NULL without a sweep */
    struct clique_search *search;  /* owned: open, so that place_swept finds what it left on a device; NULL: ranked by
                                      another metric than the trace's counts, or from narrow ones */
};
/* Ranks the clique's rows by in->hotness; sweep: also evaluates every alpha by Legion's cost model (ATC'23,
 * section 4.2). Release *out with candidates_free. */
enum st candidates_make(const struct policy_input *in, const struct plan *plan, int clique, bool sweep,
                        struct candidates *out, struct err *err) MUST_USE;

/* Scale of a sweep: transactions left = n_tsum * share of topology hotness not held / epochs + lines * feature hotness
 * not held / epochs. */
struct sweep_scale {
    uint64_t n_tsum, epochs, lines;
};
/* Evaluates every alpha over the orders of c. hot_topology, hot_feature: hotness of each row, borrowed; of several
 * types in lines for features. Sets c->points. */
enum st candidates_sweep(const struct policy_input *in, const struct plan *plan, int clique,
                         const struct sweep_scale *scale, const uint64_t *hot_topology, const uint64_t *hot_feature,
                         struct candidates *c, struct err *err) MUST_USE;
/* Of several types: hot [feature rows] times the lines of each row, as the paper counts them: ceil(row / line). */
void candidates_weigh_lines(const struct graph *g, uint64_t line_bytes, uint64_t *hot);
/* Leaves out rows of types that have no features. */
void candidates_there(const struct graph *g, struct candidates *c);
/* Frees what c owns and zeroes it; zeroed is allowed. */
void candidates_free(struct candidates *c);

/* The option `alpha` of policies that sweep. */
#define PLACE_ALPHA                                                                                                    \
    {                                                                                                                  \
        "alpha", "share of the budget for topology, in steps of 0.01; default: the sweep's best", 0, 1, NAN, false     \
    }
/* *point: the point of the sweep with that alpha (0..1), -1 for NaN. False, with the verdict, when alpha lies between
 * two points. */
bool place_alpha(double alpha, int *point, struct policy_verdict *verdict);
/* Places both prefixes of that point by CSLP and states alpha and sweep in the plan. point -1: the one with the fewest
 * transactions (ties: the smaller alpha). */
enum st place_swept(const struct policy_input *in, const struct candidates *c, int point, int clique, struct plan *plan,
                    uint64_t *room, struct err *err) MUST_USE;

/* Fills one clique from its candidates. context: the policy's own. */
typedef enum st place_clique(const struct policy_input *in, const struct candidates *c, int clique, const void *context,
                             struct plan *plan, uint64_t *room, struct err *err);
/* Ranks and fills the cliques one after the other; each GPU's room begins as its budget. */
enum st place_cliques(const struct policy_input *in, bool sweep, place_clique *place, const void *context,
                      struct plan *plan, struct err *err) MUST_USE;

/* Removes all peers: the system does not read over NVLink. */
void place_no_peers(struct plan *plan);

#endif
