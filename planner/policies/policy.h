/* policy.h - what a policy is: one file in policies/, one descriptor `policy_<file>`, listed by the Makefile.
 *
 * A policy says who holds what. It fills the plan's row lists (and alpha and sweep where it has them) within
 * plan->budget; it never touches predictions, hit counters or links, so a faulty policy is caught, not believed. To
 * add one: copy the nearest file in policies/.
 */
#ifndef PLANNER_POLICIES_POLICY_H
#define PLANNER_POLICIES_POLICY_H

#include <math.h>

#include "hwprofiles/model/server.h"
#include "kernels/kernel.h"
#include "planner/hotness/estimates.h"
#include "planner/optimum/optimum.h"
#include "simulator/movement/epoch_time.h"
#include "simulator/plan/plan.h"
#include "traces/recording/trace.h"

/* A number that a policy takes: `--policy name:key=value`. */
enum { POLICY_OPTIONS = 3 };
struct policy_option {
    const char *name, *summary;
    double low, high, usual;
    bool whole; /* usual NAN: the policy works it out */
};

struct policy_input {
    const struct graph *graph;
    const struct server *server;
    const struct trace *trace; /* of the policy's kind of assignment */
    const struct kernels *kernels;
    int threads;
    uint64_t seed;
    const struct epoch_setup *setup; /* model and schedule for epoch times; gnn.hidden 0: none are wanted */
    int samplers;                    /* that choose_samplers took; 0: none was */
    const double *split;             /* [GPUS_MAX] what it wrote */
    const char *hotness;     /* the metric to rank by: the policy's own, or the user's where it takes one; never NULL */
    uint64_t room[GPUS_MAX]; /* bytes of GPU memory beside the reservation: what a GPU without training could hold */
    const struct estimates *estimates; /* [cliques]; only if the policy needs them */
    const struct visit_costs *costs;   /* likewise */
    double option[POLICY_OPTIONS];     /* in the order of policy->options; NAN: not given, the policy works it out */
    const uint8_t *part; /* [n] position of the GPU whose graph part has the vertex; only with ASSIGNMENT_PER_GPU */
    struct optimum_options optimum; /* of policy exact */
    uint64_t *const *benefit_topology,
        *const *benefit_feature; /* [cliques][n] transactions saved in the evaluated epochs; only if saw_evaluation */
};

enum policy_status { POLICY_OK, POLICY_OOM, POLICY_UNSUPPORTED };
struct policy_verdict {
    enum policy_status status;
    bool absent;      /* unsupported because this build lacks a library */
    char reason[400]; /* a sentence for people when it is not OK */
};

enum hotness_choice {
    HOTNESS_FIXED, /* its own only */
    HOTNESS_ANY,   /* every metric: it ranks rows */
    HOTNESS_RATES  /* calibrated, presample, vip: it needs expected counts */
};

struct policy {
    const char *name, *summary, *source; /* source: the paper */
    const char *hotness;                 /* name of its metric, for documents */
    enum hotness_choice choice;          /* which other metrics it can be planned with (in->hotness) */
    enum assignment_kind assignment;
    bool saw_evaluation;  /* plans from the evaluated epochs themselves: a yardstick, not a method */
    bool needs_estimates; /* plans and predicts from calibrated estimates */
    bool one_order;       /* rows of both kinds compete in one order, by what they save per byte */
    bool aligned_rows;    /* predicts ceil(row / line_bytes) transactions per feature row, as Legion's paper does */
    const char *cache;    /* dynamic: features are held per GPU by this rule (simulator/caches/cache.h), empty at first;
                           * lists stay empty;    capacities come from the budgets (plan_set_cache) */
    int (*samplers)(const struct server *s, const double *option); /* GPUs that only sample; NULL: none */
    /* Chooses that number by the predicted epoch time, from a recording with the usual one; NULL: the rule above is
     * all. budget: bytes per GPU. seconds: [GPUS_MAX] by number of samplers, NaN where it cannot be. *chosen: 0 when
     * the server's constants are not known or the user chose. */
    enum st (*choose_samplers)(const struct policy_input *in, const uint64_t *budget, double *seconds, int *chosen,
                               struct err *err);
    struct policy_option options[POLICY_OPTIONS + 1]; /* those without a name end the list */
    enum st (*place)(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict, struct err *err);
};

extern const struct policy *const policies_registered[]; /* NULL-ended */
/* ST_USAGE with a did-you-mean. */
enum st policy_find(const char *name, const struct policy **out, struct err *err) MUST_USE;
/* "name" or "name:key=value:key=value". option: [POLICY_OPTIONS], usual values where none is given. ST_USAGE for what
 * the policy does not take. */
enum st policy_parse(const char *text, const struct policy **out, double *option, struct err *err) MUST_USE;
void policy_usual(const struct policy *p, double *option);
/* The name and, behind it, options that are not the usual ones: what tells the rows of a comparison apart. */
enum { POLICY_LABEL = 120 };
const char *policy_label(const struct policy *p, const double *option, char out[POLICY_LABEL]);
/* {"key": value}, null for what the policy worked out; NULL when it takes none. */
doc *policy_options_document(const struct policy *p, const double *option);
/* ST_USAGE, with what it can take, when the policy cannot be planned with that metric. NULL is its own. */
enum st policy_check_hotness(const struct policy *p, const char *hotness, struct err *err) MUST_USE;
int policy_samplers(const struct policy *p, const struct server *s,
                    const double *option); /* option NULL: the usual ones */

/* ---- tools that policies share (place.c) ---- */

/* Deals order[0..count) round over the clique's GPUs into `lists` (plan->placement.feature or .topology); a GPU
 * without room for a row is passed over, and dealing stops at the first row that fits nowhere. room: [GPUS_MAX]
 * bytes, reduced. */
enum st place_dealt(const struct graph *g, const uint32_t *order, uint64_t count, bool topology, int clique,
                    struct plan *plan, uint64_t *room, struct err *err) MUST_USE;

/* Fills one GPU with the longest prefix of `order` that fits. */
enum st place_prefix(const struct graph *g, const uint32_t *order, uint64_t count, bool topology, int gpu,
                     struct plan *plan, uint64_t *room, struct err *err) MUST_USE;

/* Legion's algorithm 1 with the spill rule over one clique: each row to the GPU with the highest local hotness (trace
 * rows) that has room. */
enum st place_cslp(const struct policy_input *in, const uint32_t *order, uint64_t count, bool topology, int clique,
                   struct plan *plan, uint64_t *room, struct err *err) MUST_USE;

/* Legion's candidates of one clique: sorted orders, and the sweep over alpha = 0, 1 % .. 100 %. Orders: [n], owned by
 * the caller. Those that are ranked by the trace's own counts come from the search of kernels/search.h, which stays
 * open so that place_swept finds what it left on a device. */
enum { SWEEP_STEPS = 100 };
struct candidates {
    uint32_t *topology, *feature; /* Q_T, Q_F */
    struct sweep_point *points;   /* [SWEEP_STEPS + 1] or NULL */
    struct clique_search *search; /* NULL: ranked by another metric */
};
enum st candidates_make(const struct policy_input *in, const struct plan *plan, int clique, bool sweep,
                        struct candidates *out, struct err *err) MUST_USE;

/* The sweep over orders that are there: what is left of topology = n_tsum * share not held / epochs, of features =
 * lines * sum not held / epochs (struct sweep_problem). hot: [n] what each row counts. Sets c->points. */
struct sweep_scale {
    uint64_t n_tsum, epochs, lines;
};
enum st candidates_sweep(const struct policy_input *in, const struct plan *plan, int clique,
                         const struct sweep_scale *scale, const uint64_t *hot_topology, const uint64_t *hot_feature,
                         struct candidates *c, struct err *err) MUST_USE;

/* The option of policies that sweep: alpha as the user wants it, instead of the sweep's best. */
#define PLACE_ALPHA                                                                                                    \
    {                                                                                                                  \
        "alpha", "share of the budget for topology, in steps of 0.01; else the sweep's best", 0, 1, NAN, false         \
    }
/* *point: of the sweep, -1 when alpha is NAN. false, with the verdict, when alpha is between two points. */
bool place_alpha(double alpha, int *point, struct policy_verdict *verdict);

/* Takes that point of the sweep; -1: the one with the fewest transactions (ties: the smaller alpha). Keeps the sweep
 * in the plan, and places both prefixes by CSLP. */
enum st place_swept(const struct policy_input *in, const struct candidates *c, int point, int clique, struct plan *plan,
                    uint64_t *room, struct err *err) MUST_USE;
/* Zeroed is allowed. */
void candidates_free(struct candidates *c);

/* Fills one clique from its candidates within room ([GPUS_MAX] bytes, reduced). context: the policy's own. */
typedef enum st place_clique(const struct policy_input *in, const struct candidates *c, int clique, const void *context,
                             struct plan *plan, uint64_t *room, struct err *err);
/* Ranks and fills the cliques one after the other; room begins as the budgets. */
enum st place_cliques(const struct policy_input *in, bool sweep, place_clique *place, const void *context,
                      struct plan *plan, struct err *err) MUST_USE;

void place_no_peers(struct plan *plan); /* the system has no NVLink reads */

#endif
