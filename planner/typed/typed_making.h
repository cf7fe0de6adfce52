/* typed_making.h - what plans of one recording share: expected savings per row, what the held-out epochs read, and how
 * a cell (policy, metric, budget) becomes a checked and predicted plan. Private to planner/typed.
 *
 * A making is zeroed but for call, q, w and kept; typed_making_record comes first, typed_making_end last. Estimates are
 * made when the first cell needs them and kept for the others.
 */
#ifndef PLANNER_TYPED_TYPED_MAKING_H
#define PLANNER_TYPED_TYPED_MAKING_H

#include "planner/typed/typed_work.h"

struct typed_making {
    struct call *call;
    const struct typed_request *q;
    struct typed_work *w;
    struct typed_kept kept; /* for the estimate of memory; its epochs are set by typed_making_record */
    uint64_t simulate_seed, simulate_epochs;
    struct typed_estimates *estimates[RATE_SOURCES]; /* [cliques] each, owned; NULL: not asked for yet */
    uint64_t **benefit;                              /* [cliques][items], owned; NULL: likewise */
    float *error;                                    /* [items] errors that have a price, owned; NULL: no price */
    const float *measured;                           /* [items] errors that are predicted, borrowed; NULL: none */
    struct {                                         /* the bound that was computed last */
        bool known;
        enum rate_source source;
        uint64_t budget[GPUS_MAX];
        double least;
    } bound;
};

/* One plan that is wanted. */
struct typed_cell {
    const struct typed_policy *policy;
    const char *hotness;     /* the metric to rank by */
    enum rate_source source; /* of the predictions */
    struct budget budget;
    uint64_t bytes[GPUS_MAX]; /* of every GPU */
    bool bound;               /* also compute a lower bound */
    double price;             /* of errors, where the making has them */
    struct policy_verdict verdict;
    struct plan plan; /* owned; empty when the verdict is not OK */
};

/* Refuses a bound, or no simulation, for a policy that plans from the simulated epochs. ST_USAGE. */
enum st typed_cell_check(const struct typed_cell *c, const struct typed_request *q, struct err *err) MUST_USE;
/* Sets the metric: asked (NULL: the policy's own) must be one that the policy can be planned with. ST_USAGE. */
enum st typed_cell_hotness(struct typed_cell *c, const char *asked, struct err *err) MUST_USE;
/* Works out c->budget in bytes for the server and graph of w; reserve: of --reserve, or NULL. Errors of budget_bytes;
 * ST_USAGE for what typed graphs do not know. */
enum st typed_cell_budget(struct typed_cell *c, const struct typed_work *w, const char *reserve, struct err *err)
    MUST_USE;
void typed_cell_release(struct typed_cell *c); /* a zeroed struct is allowed */

/* The deal of a policy on the server of w. */
struct typed_deal typed_deal_of(const struct typed_policy *p, const struct typed_work *w);
/* Deals and records, or loads q->trace, into m->w->trace; sets seed and epochs of the simulation. Errors of
 * typed_work_record and typed_trace_load; ST_USAGE when the epochs would not be held out, or when the trace trains on
 * GPUs that only sample. */
enum st typed_making_record(struct typed_making *m, const struct typed_deal *deal, struct err *err) MUST_USE;
/* Frees estimates, benefits and the recording, but not graph and server. */
void typed_making_end(struct typed_making *m);

/* Places by the cell's policy, checks the placement, predicts it, and bounds it where the cell says so. Fills c->plan
 * and c->verdict. ST_BUG for an invalid placement. */
enum st typed_making_plan(struct typed_making *m, struct typed_cell *c, struct err *err) MUST_USE;
/* Replays plans[0..count) on the held-out epochs, in passes that fit memory. out: [count], zeroed by the caller, who
 * releases each also after an error. */
enum st typed_making_replay(const struct typed_making *m, const struct plan *const *plans, int count,
                            struct replay *out, struct err *err) MUST_USE;

#endif
