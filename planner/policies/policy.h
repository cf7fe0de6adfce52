/* policy.h - what a policy is: one file in policies/ with one descriptor (a const struct) `policy_<file>`, listed by
 * the Makefile.
 *
 * A policy decides which GPU holds which rows. It fills the row lists of a plan (and alpha and sweep where it has them)
 * within plan->budget; it never touches predictions, hit counters or links, and its placement is checked and simulated
 * by other code. To add one, copy the nearest file in policies/.
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
    double low, high;
    double fallback; /* without the option; NaN: the policy works the number out */
    bool whole;      /* an integer */
    const char
        *method; /* other than 0: training vertices are dealt by this method; NULL: it does not change the deal */
};

/* The input of a policy; everything is borrowed. Positions are 0..gpus-1, n is the number of vertices. Rows are
 * numbered within their kind (traces/graph/rows.h): of a plain graph by vertex. */
struct policy_input {
    const struct graph *graph;
    const struct server *server;
    const struct trace *trace; /* of the policy's kind of assignment */
    const struct kernels *kernels;
    int threads;
    bool quick; /* weights of links are looked for among some of the rows (timed_rows.h) */
    uint64_t seed;
    const struct epoch_setup *setup;   /* model and schedule for epoch times; gnn.hidden 0: none are wanted */
    int samplers;                      /* what choose_samplers chose; 0: nothing */
    const double *split;               /* [GPUS_MAX] epoch seconds that it wrote */
    const char *hotness;               /* the metric to rank by: the policy's own or the user's; never NULL */
    uint64_t room[GPUS_MAX];           /* bytes of GPU memory minus the reservation, for GPUs that do not train */
    const struct estimates *estimates; /* [cliques]; only with needs_estimates */
    const struct visit_costs *costs;   /* likewise */
    const struct side_counts *sides; /* [cliques] counts of their GPUs, for many placements; zeroed or NULL: not kept */
    double option[POLICY_OPTIONS];   /* in the order of policy->options; NaN: the policy works it out */
    const struct given_lists *lists; /* of --from-lists (engine/given_lists.h); NULL: none */
    enum topology_access access;     /* who samples, of policies that plan it; ACCESS_CPU: no GPU holds topology */
    bool cpu_gathers;                /* likewise: the CPU gathers the rows that GPUs miss */
    double list_price; /* seconds of a transaction of topology over those of features, likewise; 0: alike */
    bool no_topology, no_edges, clique_only; /* --for: features of vertices alone; GPUs read their clique alone */
    const struct plan *before;               /* the plan that is refreshed (running/refresh.h); NULL: none */
    const uint8_t *part; /* [n] position of the GPU whose graph part has the vertex; only with a part per GPU */
    struct optimum_options optimum;                             /* of policy exact */
    uint64_t *const *benefit_topology, *const *benefit_feature; /* [cliques][rows of the kind] transactions saved in the
                                                                   evaluated epochs; only with saw_evaluation */
    const float *measured; /* [items] relative errors of rounded rows, to be predicted; NULL: not measured */
};

/* Whether GPUs may hold no topology. */
static inline bool policy_no_topology(const struct policy_input *in)
{
    return in->no_topology || in->access == ACCESS_CPU;
}

/* What a transaction of topology counts in those of features. */
static inline float policy_list_price(const struct policy_input *in)
{
    return in->list_price > 0 ? (float)in->list_price : 1.0F;
}

/* How far systems read (hwprofiles/model/server_reach.h), as bits of policy.reaches. */
enum {
    REACHES_LINKS = 1 << REACH_OWN | 1 << REACH_DIRECT, /* over NVLinks, where there are some */
    REACHES_ALL = REACHES_LINKS | 1 << REACH_FORWARD | 1 << REACH_P2P
};

enum policy_status { POLICY_OK, POLICY_OOM, POLICY_UNSUPPORTED };
struct policy_verdict {
    enum policy_status status;
    bool absent;      /* unsupported because this build lacks a library */
    char reason[400]; /* a sentence for people when it is not OK */
};

/* Which metrics a policy can be planned with. */
enum hotness_choice {
    HOTNESS_FIXED, /* its own only */
    HOTNESS_ANY,   /* every metric: it ranks rows */
    HOTNESS_RATES  /* calibrated, presample, vip: it needs expected counts */
};

struct policy {
    const char *name, *summary, *source; /* source: the paper */
    const char *hotness;                 /* name of its own metric; "none": it ranks by nothing */
    enum hotness_choice choice;
    enum assignment_kind assignment; /* how its system deals training vertices */
    bool any_deal;                   /* its system leaves that to the user: --assignment may say otherwise */
    bool plans_deal;                 /* with --assignment auto the deal is planned, too (engine/study_deal.h) */
    bool plans_sampling;             /* places rows for GPUs that sample and for a CPU that does (policy_input) */
    bool saw_evaluation;             /* plans from the evaluated epochs themselves: a reference, not a method */
    bool needs_estimates;            /* plans and predicts from estimates (hotness/estimates.h) */
    bool one_order;                  /* rows of both kinds compete in one order, by what they save per byte */
    bool parts_of_bytes;      /* its parts per GPU are balanced in bytes of topology, unless the user names a method */
    bool aligned_rows;        /* predicts ceil(row / line_bytes) transactions per feature row, as Legion's paper does */
    bool own_memory;          /* its GPUs read no other GPU, whatever the reach */
    bool forwards;            /* without --peer-access its GPUs also read those at the end of chains of NVLinks */
    bool solves;              /* linear programs, which --time-limit bounds */
    int objectives;           /* that it minimises beside transactions: bits 1 << OBJECTIVE_.. */
    int reaches;              /* with --peer-access; 0: REACHES_LINKS */
    const char *one_relation; /* why its rule has no meaning for several types, relations, or edges with features; NULL:
                                 it has */
    bool of_types;            /* a baseline of knowing the types, which says nothing of a plain graph */
    const char *cache; /* a dynamic cache (simulator/caches/cache.h): each GPU holds features by this rule, empty at
                          first; lists stay empty, capacities come from the budgets (plan_set_cache). NULL: static */
    /* GPUs that only sample, by the policy's rule; NULL: none. option: [POLICY_OPTIONS]. */
    int (*samplers)(const struct server *s, const double *option);
    /* Chooses that number by predicted epoch times, from a recording with the rule's number; NULL: the rule holds.
     * budget: [GPUS_MAX] bytes. seconds: [GPUS_MAX] by number of samplers, NaN where a number is impossible. *chosen: 0
     * when the server's constants are unknown or the user chose. */
    enum st (*choose_samplers)(const struct policy_input *in, const uint64_t *budget, double *seconds, int *chosen,
                               struct err *err);
    struct policy_option options[POLICY_OPTIONS + 1]; /* ended by one without a name */
    /* Fills the plan's lists; *verdict is zeroed (OK) before. */
    enum st (*place)(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict, struct err *err);
};

extern const struct policy *const policies_registered[]; /* NULL-ended */

/* *out: the registered policy of that name. ST_USAGE with a did-you-mean. */
enum st policy_find(const char *name, const struct policy **out, struct err *err) MUST_USE;
/* Reads "name" or "name:key=value:key=value". option: [POLICY_OPTIONS], defaults where none is given. ST_USAGE for an
 * option that the policy does not have or a value out of range. */
enum st policy_parse(const char *text, const struct policy **out, double *option, struct err *err) MUST_USE;
/* option: [POLICY_OPTIONS], set to the policy's defaults. */
void policy_defaults(const struct policy *p, double *option);
/* The name, and behind it the options that differ from their defaults: distinguishes the rows of a comparison. Returns
 * out. */
enum { POLICY_LABEL = 120 };
const char *policy_label(const struct policy *p, const double *option, char out[POLICY_LABEL]);
/* {"key": value}, null for what the policy worked out; NULL when it has no options. The caller frees it. */
doc *policy_options_document(const struct policy *p, const double *option);
/* ST_USAGE, with what the policy can take, when it cannot be planned with that metric. NULL is its own. */
enum st policy_check_hotness(const struct policy *p, const char *hotness, struct err *err) MUST_USE;
/* Whether "all" policies of such a graph include this one. */
static inline bool policy_usual(const struct policy *p, const struct graph *g)
{
    return graph_plain(g) ? !p->of_types : !p->one_relation;
}
/* ST_USAGE, with the reason and the policies that can, when the policy has no rule for such a graph. */
enum st policy_check_graph(const struct policy *p, const struct graph *g, struct err *err) MUST_USE;
/* GPUs that only sample, by the policy's rule. option: [POLICY_OPTIONS]; NULL: the defaults. */
int policy_samplers(const struct policy *p, const struct server *s, const double *option);

#endif
