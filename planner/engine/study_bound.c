#include "planner/engine/study_bound.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/optimum/bound.h"
#include "planner/optimum/transfer_bound.h"
#include "planner/policies/timed.h"
#include "planner/engine/study_place.h"

/* What the last cell's program proved, for the cells after it. */
struct proven {
    const struct study_recording *recording;
    uint64_t budget[GPUS_MAX];
    double total, slowest;
    bool whole, optimal;
};

static enum st prove_one(const struct study *s, const struct items *items, enum objective objective, struct proven *p,
                         double *value, struct err *err)
{
    enum st st = ST_OK;
    struct optimum_options o = s->o.optimum;
    struct optimum optimum = {0};
    struct reach *r = NULL;
    o.objective = objective;
    NEW(r, 1, "NVLink reachability");
    TRY(reach_make(s->o.server, p->budget, objective == OBJECTIVE_SLOWEST, PATTERNS_MAX, r, err));
    TRY(optimum_solve(r, items, &o, &optimum, err));
    *value = optimum.bound;
    p->whole &= optimum.whole;
    p->optimal &= optimum.optimal;
done:
    optimum_release(&optimum, r ? r->components : 0);
    if (r) reach_release(r);
    mem_free(r);
    return st;
}

static enum st prove(const struct study *s, const struct study_cell *c, const struct items *items, struct proven *p,
                     struct err *err)
{
    if (p->recording == c->recording && !memcmp(p->budget, c->plan.budget, sizeof p->budget)) return ST_OK;
    p->whole = p->optimal = true;
    p->recording = NULL;
    memcpy(p->budget, c->plan.budget, sizeof p->budget);
    PASS(prove_one(s, items, OBJECTIVE_TOTAL, p, &p->total, err));
    if (s->o.optimum.objective == OBJECTIVE_SLOWEST) PASS(prove_one(s, items, OBJECTIVE_SLOWEST, p, &p->slowest, err));
    p->recording = c->recording;
    return ST_OK;
}

static void put_gap(doc *d, const char *key, double bound, double expected, int rounded)
{
    double gap = bound > 0 ? fmax(0, expected / bound - 1) : expected < 0.5 ? 0 : NAN;
    double stated = floor(bound - rounded); /* predictions are sums of rounded integers: half a transaction each */
    doc_put(d, key, doc_integer(stated > 0 ? (int64_t)stated : 0));
    doc_put(d, "expected_transactions", doc_integer((int64_t)(expected + 0.5)));
    doc_put(d, "gap", doc_real(gap));
}

static const char *weakness(const struct proven *p)
{
    if (!p->optimal) return "the time limit stopped the solver; the bound is the best one found so far";
    return p->whole ? NULL
                    : "the NVLinks allow too many patterns of copies, or GPUs of a clique read different rows; the "
                      "bound is weaker";
}

/* The bound of the transfer stage: at the weights of a search for the shortest one. */
static enum st prove_stage(const struct study *s, struct study_cell *c, const struct transfer *t, double *bound,
                           struct err *err)
{
    enum { ROUNDS = 24 };
    struct policy_input in = study_input(s, c, s->o.threads);
    OWNED_BY(transfer_reads_release) struct transfer_reads reads = {0};
    double one;
    OWNED_NEW(double, weight, 2 * t->resources + 1, "weights of links");
    in.estimates = c->recording->estimates[RATE_CALIBRATED];
    PASS(timed_weights(&in, t, ROUNDS, &c->plan, weight, err));
    PASS(transfer_reads_make(t, &reads, err));
    *bound = 0;
    for (int k = 0; k < 2; k++) {
        PASS(transfer_bound(t, &reads, c->plan.budget, weight + k * t->resources, &one, err));
        *bound = fmax(*bound, one);
    }
    return ST_OK;
}

/* The transfer stage: its bound, what the plan's estimates say, and the gap. */
static enum st bound_stage(const struct study *s, struct study_cell *c, const struct items *items, doc *d,
                           struct err *err)
{
    enum st st = ST_OK;
    struct transfer t = {0}, own = {0}; /* the server's reach, and the plan's, which may go farther */
    ON_HEAP(struct placement, all);
    *all = (struct placement){.gpus = s->o.server->gpus};
    double bound = 0, stage = 0;
    int busiest;
    doc *stated = doc_object();
    for (int g = 0; g < all->gpus; g++)
        for (int i = 0; i < all->gpus; i++)
            if (server_reads(s->o.server, g, i)) all->peer[g][all->peers[g]++] = i;
    TRY(transfer_make(s->o.server, all, items, &t, err));
    TRY(transfer_make(s->o.server, &c->plan.placement, items, &own, err));
    TRY(transfer_cost(&own, &c->plan.placement, NULL, &stage, &busiest, err));
    TRY(prove_stage(s, c, &t, &bound, err));
    doc_put(stated, "seconds", doc_real(bound));
    doc_put(stated, "expected_seconds", doc_real(stage));
    doc_put(stated, "gap", doc_real(bound > 0 ? fmax(0, stage / bound - 1) : NAN));
    doc_put(d, "transfer_stage", stated);
    stated = NULL;
done:
    doc_free(stated);
    transfer_release(&t);
    transfer_release(&own);
    return st;
}

/* part: of the reads that GPUs make; the CPU's own pass no PCIe. */
static doc *document(const struct study *s, const struct proven *p, const struct placement_cost *cost, double part)
{
    doc *d = doc_object(), *slowest = doc_null();
    int cliques = s->o.server->cliques;
    put_gap(d, "total_transactions", part * p->total, part * cost->total, cliques);
    if (s->o.optimum.objective == OBJECTIVE_SLOWEST) {
        doc_free(slowest);
        slowest = doc_object();
        put_gap(slowest, "transactions", part * p->slowest, part * cost->slowest, cliques);
    }
    doc_put(d, "slowest_switch", slowest);
    doc_put(d, "reason", doc_text(weakness(p)));
    return d;
}

static doc *no_number(const char *reason)
{
    doc *d = doc_object();
    doc_put(d, "total_transactions", doc_null());
    doc_put(d, "expected_transactions", doc_null());
    doc_put(d, "gap", doc_null());
    doc_put(d, "slowest_switch", doc_null());
    doc_put(d, "reason", doc_text(reason));
    return d;
}

static enum st bound_cell(const struct study *s, struct study_cell *c, struct proven *p, struct err *err)
{
    enum st st = ST_OK;
    struct items items = {.graph = s->o.graph,
                          .estimates = c->recording->estimates[RATE_CALIBRATED],
                          .threads = s->o.threads,
                          .trace = c->recording->trace};
    struct placement_cost cost;
    struct reach *r = NULL;
    if (c->plan.placement.access != ACCESS_GPU) {
        c->plan.bound = no_number("the bound assumes GPUs that sample for themselves; this policy samples elsewhere");
        return ST_OK;
    }
    if (*c->plan.cache) {
        c->plan.bound = no_number("the bound assumes static caches; this policy's change from mini-batch to "
                                  "mini-batch");
        return ST_OK;
    }
    TRY(prove(s, c, &items, p, err));
    NEW(r, 1, "NVLink reachability");
    TRY(reach_make(s->o.server, c->plan.budget, true, 1, r, err));
    TRY(bound_cost(r, &items, &c->plan.placement, &cost, err));
    c->plan.bound = document(s, p, &cost, 1 - c->plan.cpu_share);
    if (s->o.optimum.objective == OBJECTIVE_TIME) TRY(bound_stage(s, c, &items, c->plan.bound, err));
done:
    if (r) reach_release(r);
    mem_free(r);
    return st;
}

enum st study_bound(struct study *s, struct study_cell *cells, int count, struct err *err)
{
    enum st st = ST_OK;
    OWNED struct proven *p = NULL;
    NEW(p, 1, "a bound");
    if (s->o.stages) stage_begin(s->o.stages, "bound");
    for (int i = 0; i < count && st == ST_OK; i++)
        if (cells[i].verdict.status == POLICY_OK) st = bound_cell(s, &cells[i], p, err);
    if (s->o.stages) stage_end(s->o.stages);
done:
    return st;
}
