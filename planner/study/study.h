/* study.h - one graph on one server: records what policies need, makes their plans, judges them on held-out epochs.
 *
 * Policies of one kind of assignment share a recording and one pass of simulation. Created once, used by plan,
 * compare and demo.
 */
#ifndef PLANNER_STUDY_STUDY_H
#define PLANNER_STUDY_STUDY_H

#include "planner/partition/assign.h"
#include "planner/study/budget.h"
#include "planner/study/study_checkpoint.h"
#include "planner/policies/policy.h"
#include "simulator/movement/epoch_args.h"

struct study_options {
    const struct graph *graph;
    const struct server *server;
    const struct kernels *kernels;
    struct workload workload;  /* planning seed included */
    uint64_t presample_epochs; /* >= 1 */
    int64_t simulate_epochs;   /* -1: as many as give 200 mini-batches (1 to 8); 0: none */
    uint64_t simulate_seed;    /* never the planning seed */
    const char *partition;     /* see partition.h */
    struct reservation reservation;
    struct trace *given; /* a loaded trace, or NULL; used by policies of its kind of assignment */
    int threads;
    bool progress;
    struct stages *stages;          /* may be NULL */
    bool bound;                     /* set every plan beside the proven bound */
    struct optimum_options optimum; /* of policy exact and of the bound */
    struct epoch_options timing;    /* zeroed: no epoch times */
    uint64_t memory;                /* limit for METIS, bytes; 0: none */
    const struct checkpoint
        *checkpoint; /* where steps are kept when they are finished, and large arrays lie; NULL: nowhere, in memory */
    char part[16];   /* what the names there begin with */
};

/* What policies of one kind share. */
struct study_slot {
    bool used;
    enum assignment_kind kind;
    int samplers;
    struct study_checkpoint saved;
    struct workload workload;  /* what is judged: the study's, in the order of the slot's kind; the planning seed */
    const struct trace *trace; /* own or the given one */
    struct trace own;
    uint8_t *part;   /* [n] parts of the graph; only of ASSIGNMENT_PER_GPU */
    uint64_t epochs; /* of the simulation */
    uint64_t *benefit_topology[GPUS_MAX],
        *benefit_feature[GPUS_MAX]; /* per clique, for policies that saw the evaluation */
    bool benefit_known;
    struct estimates estimates[RATES_KINDS]
                              [GPUS_MAX]; /* per source of rates and clique, for policies that plan from them */
    struct visit_costs costs;
    bool estimates_known[RATES_KINDS];
    uint64_t uncached; /* transactions per epoch with nothing cached; known after study_simulate */
};

enum { STUDY_SLOTS = 24 };
struct study {
    struct study_options o;
    struct study_slot slot[STUDY_SLOTS];
    struct partition_report partition; /* of the hierarchical assignment */
};

/* One policy at one budget. */
struct study_cell {
    const struct policy *policy;
    int number;          /* of the study's cells; names what is kept of it */
    const char *hotness; /* NULL: the policy's own; else one that policy_check_hotness allows */
    bool options_given;  /* false: the policy's usual ones */
    double option[POLICY_OPTIONS];
    struct budget budget;
    struct study_slot *slot; /* set by study_plan */
    struct plan plan;
    struct policy_verdict verdict;
    int samplers; /* chosen by the policy from the predicted epoch times; 0: none were, its usual rule holds */
    double split[GPUS_MAX]; /* epoch seconds by number of samplers, when they were chosen; NaN: cannot be */
    double seconds;         /* planning, without recording */
    doc *dynamic;           /* owned: of policies with a dynamic cache, once simulated */
};

void study_begin(struct study *s, const struct study_options *o);
void study_end(struct study *s);

/* How many recordings the cells take. */
int study_slots(const struct server *s, const struct study_cell *cells, int count);

/* Records, if need be, the trace of that kind. */
enum st study_slot(struct study *s, enum assignment_kind kind, int samplers, struct study_slot **out, struct err *err)
    MUST_USE;
/* Fills cell->plan and cell->verdict from cell->policy and cell->budget. */
enum st study_plan(struct study *s, struct study_cell *cell, int threads, struct err *err) MUST_USE;
/* Records what cells[0..count) need and plans them, several at a time. */
enum st study_plan_all(struct study *s, struct study_cell *cells, int count, struct err *err) MUST_USE;
/* Simulates every planned cell, those of one slot in shared passes; sets plan.simulated. */
enum st study_simulate(struct study *s, struct study_cell *cells, int count, struct err *err) MUST_USE;
const char *study_cell_hotness(const struct study_cell *c);
/* Judges those of list[0..count) whose policy has a dynamic cache, on the same mini-batches: sets plan.simulated (in
 * place of what is there) and `dynamic`. Admission at batch end, one cache per GPU. All cells are of one slot. */
enum st study_dynamic(const struct study *s, const struct replay_request *r, struct study_cell *const *list, int count,
                      struct err *err) MUST_USE;
void study_cell_release(struct study_cell *c);

/* Bytes that the stages of a study take: arrays (what --memory bounds; METIS's own included) and, beside them, the
 * pages of files that are mapped in at the time, which the system takes back when it must. disk: what the store grows
 * to. */
enum { STUDY_STAGES = 5 };
struct study_memory {
    struct study_stage {
        const char *name, *remedy;
        uint64_t arrays, pages;
    } stage[STUDY_STAGES]; /* remedy: what takes less */
    int count, peak;       /* peak: the stage with most arrays */
    uint64_t disk;
};
struct study_memory study_memory_estimate(const struct study_options *o, const struct study_cell *cells, int count);

/* The seed of held-out epochs that goes with a planning seed. */
uint64_t study_held_out_seed(uint64_t seed);

#endif
