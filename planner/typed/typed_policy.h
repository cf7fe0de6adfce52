/* typed_policy.h - policies that place rows of a typed graph.
 *
 * A policy fills the lists of a plan within its budgets; it never touches predictions, counters or links, and its
 * placement is checked and simulated by other code. To add one, add a row to the table in typed_policy.c.
 */
#ifndef PLANNER_TYPED_TYPED_POLICY_H
#define PLANNER_TYPED_TYPED_POLICY_H

#include "hwprofiles/model/server.h"
#include "kernels/kernel.h"
#include "planner/policies/policy.h"
#include "planner/typed/typed_estimates.h"
#include "simulator/plan/plan.h"

/* The input of a policy; everything is borrowed. */
struct typed_input {
    const struct graph *rows;
    const struct server *server;
    const struct trace *trace;
    const struct kernels *kernels;
    const struct typed_estimates *estimates; /* [cliques] */
    uint64_t *const *benefit;                /* [cliques][items] of the evaluated epochs; only with saw_evaluation */
    uint64_t seed, line_bytes;
    int threads;
    const char *hotness;        /* the metric to rank by: the policy's own or the user's */
    const uint64_t *free_bytes; /* [gpus] memory of a GPU that does not train; 0: not known */
    const float *error;         /* [items] relative errors of rounded rows (cached_types_errors); NULL: no price */
    const float *measured;      /* [items] such errors, to be predicted only; NULL: not measured */
    double price;               /* transactions that one unit of error, summed over the reads of an epoch, costs */
};

/* Which metrics a policy can be planned with. */
enum typed_choice {
    TYPED_FIXED, /* its own only */
    TYPED_RATES, /* calibrated, presample, vip: it needs expected counts */
    TYPED_RANKS  /* presample, calibrated, vip, and what needs no recording (degrees, PageRanks, ..), over the union of
                    all relations */
};

struct typed_policy {
    const char *name, *summary;
    const char *hotness; /* its own metric */
    enum typed_choice choice;
    bool saw_evaluation; /* plans from the evaluated epochs themselves: a reference, not a method */
    bool global;         /* its system deals training vertices at random over all GPUs, unless --deal says otherwise */
    int (*samplers)(const struct server *s); /* GPUs that sample and do not train: the first ones; NULL: none */
    /* Fills the plan's lists; *verdict is zeroed (OK) before. */
    enum st (*place)(const struct typed_input *in, struct plan *plan, struct policy_verdict *verdict, struct err *err);
};

/* The policies: ended by one without a name. */
extern const struct typed_policy typed_policies[];
/* The two that plan as if there were no types. */
enum { TYPED_BASELINES = 2 };
extern const char *const typed_baselines[TYPED_BASELINES];

/* *out: the policy of that name. ST_USAGE: no such policy, or one that hotset has for graphs of one type only. */
enum st typed_policy_find(const char *name, const struct typed_policy **out, struct err *err) MUST_USE;

/* Orders items by descending key, ties to the lower item; those with key 0 and those without bytes are left out. key:
 * [items]. *order: [*count], owned by the caller. ST_LIMIT without memory. */
enum st typed_order(const struct typed_input *in, const uint64_t *key, uint32_t **order, uint64_t *count,
                    struct err *err) MUST_USE;
/* Places items in that order into the clique: each goes to the GPU with room whose recorded hotness is highest (ties:
 * most room, then the lower position); one that fits nowhere is skipped, and filling ends after 65,536 in a row. room:
 * [GPUS_MAX] bytes left, reduced. */
enum st typed_fill(const struct typed_input *in, const uint32_t *order, uint64_t count, int clique, struct plan *plan,
                   uint64_t *room, struct err *err) MUST_USE;
/* The GPU of gpu[0..k) with room for `bytes` that was recorded to read the item most; ties as above. -1: none. */
int typed_choose_gpu(const struct typed_input *in, const int *gpu, int k, uint64_t item, uint64_t bytes,
                     const uint64_t *room);
/* The GPUs of a clique into gpu[GPUS_MAX], ascending. Returns how many. */
int typed_gpus_of(const struct plan *plan, int clique, int *gpu);
/* How often GPU g was recorded to read an item: draws of a topology row, gathers of a feature row, expected gathers of
 * an edge feature row, rounded down. */
uint64_t typed_heat(const struct typed_input *in, int g, uint64_t item);

/* Placements of published systems; each is a row of the table in typed_policy.c, with its errors and verdicts. */
typedef enum st typed_place(const struct typed_input *in, struct plan *plan, struct policy_verdict *verdict,
                            struct err *err);
typed_place typed_place_ranked;  /* feature rows of all types by in->hotness, dealt round-robin over each clique */
typed_place typed_place_tiering; /* the same, and the CPU samples */
typed_place typed_place_gnnlab;  /* samplers hold the topology, every trainer the same hottest features */
typed_place typed_place_legion;  /* CSLP with its sweep over alpha (MODEL.md, sections 5 and 7.1); states alpha */
typed_place typed_place_hotset;  /* rows of all kinds by expected transactions saved per byte */
typed_place typed_place_mixed;   /* the same where errors have a price: rows rounded or exactly; states error_price */
typed_place typed_place_exact;   /* the block program over all NVLinks; needs GLPK */
int typed_gnnlab_samplers(const struct server *s);

/* Expected transactions that rows held by a clique save, and those of a whole table. Fills plan->expected, which is
 * allocated here: from the estimates or, when benefit is there, from the evaluated epochs. epochs: of the benefit.
 * Where GPUs of a clique reach different rows, reads are divided among them as their training vertices are. Errors are
 * expected where in->measured has them; all held rows of rounded tables then are rounded. */
enum st typed_predict(const struct typed_input *in, uint64_t epochs, struct plan *plan, struct err *err) MUST_USE;
/* *out: transactions per epoch that every placement within the plan's budgets leaves at least, by the estimates, when
 * GPUs read whom they have NVLinks to. ST_USAGE where they reach other cliques and a clique's GPUs read different rows;
 * ST_LIMIT without memory. */
enum st typed_bound(const struct typed_input *in, const struct plan *plan, double *out, struct err *err) MUST_USE;

#endif
