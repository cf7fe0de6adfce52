/* exact - the optimum over any NVLink graph: the block program solved with GLPK, its shares turned into rows
 * (model/optimum.md). Never predicts more than policy hotset: where rounding lost more than the program won, hotset's
 * placement is taken. Where only a few rows are read, branch and bound over them (optimum/small.h). */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/optimum/bound.h"
#include "planner/optimum/optimum_glpk.h"
#include "planner/optimum/small.h"
#include "planner/policies/density.h"
#include "planner/policies/exchange.h"
#include "planner/policies/place_optimum.h"

/* Everybody that a GPU has an NVLink to. */
static void set_peers(const struct server *s, struct placement *p)
{
    for (int g = 0; g < s->gpus; g++) {
        p->peers[g] = 0;
        for (int i = 0; i < s->gpus; i++)
            if (server_reads(s, g, i)) p->peer[g][p->peers[g]++] = i;
    }
}

/* Both placements are there. Keeps in plan the better one; of equal ones other, unless `less` is wanted. */
static enum st keep_better(const struct policy_input *in, const struct reach *r, const struct items *items, bool less,
                           struct placement *other, struct plan *plan, struct err *err)
{
    ON_HEAP(struct placement, worse);
    struct placement_cost a, b;
    bool slowest = in->optimum.objective == OBJECTIVE_SLOWEST;
    PASS(bound_cost(r, items, &plan->placement, &a, err));
    PASS(bound_cost(r, items, other, &b, err));
    double now = slowest ? a.slowest : a.total, then = slowest ? b.slowest : b.total;
    if (less ? then >= now : then > now) return ST_OK;
    *worse = plan->placement;
    plan->placement = *other;
    *other = *worse;
    density_set_alpha(in, plan); /* the sweep stays: it is of the shares, not of this placement */
    return ST_OK;
}

static void clear(struct placement *p)
{
    for (int g = 0; g < p->gpus; g++) p->topology[g].count = p->feature[g].count = 0;
}

/* Of a few rows. p: with the budgets, its lists are replaced. */
static enum st place_few(const struct policy_input *in, const struct reach *r, const struct items *items,
                         const double *price, struct plan *p, struct err *err)
{
    OWNED_NEW(struct small_placement, few, 1, "the placement of a few rows");
    clear(&p->placement);
    set_peers(in->server, &p->placement); /* it may have got hotset's */
    PASS(small_place(r, items, p->budget, price, few, err));
    for (int i = 0; i < few->count; i++)
        for (int g = 0; g < r->gpus; g++)
            if (few->gpus[i] >> g & 1) PASS(placement_add(&p->placement, in->graph, g, few->item[i], err));
    return ST_OK;
}

static enum st solve(const struct policy_input *in, struct plan *plan, struct err *err)
{
    enum st st = ST_OK;
    struct items items = {.graph = in->graph, .estimates = in->estimates, .threads = in->threads, .trace = in->trace};
    struct reach *r = NULL;
    struct optimum optimum = {0};
    struct plan *best = NULL; /* only its budget and placement are used */
    NEW(r, 1, "NVLink reachability");
    NEW(best, 1, "a plan");
    TRY(reach_make(in->server, plan->budget, in->optimum.objective == OBJECTIVE_SLOWEST, in->estimates[0].readers,
                   PATTERNS_MAX, r, err));
    TRY(items_divide(r, &items, err));
    TRY(optimum_solve(r, &items, &in->optimum, &optimum, err));
    memcpy(best->budget, plan->budget, sizeof best->budget);
    best->placement.gpus = plan->placement.gpus;
    set_peers(in->server, &best->placement);
    TRY(optimum_place(in, r, &items, &optimum, best, err));
    TRY(keep_better(in, r, &items, false, &best->placement, plan, err));
    if (!small_possible(r, &items)) goto done;
    TRY(place_few(in, r, &items, optimum.price, best, err));
    TRY(keep_better(in, r, &items, true, &best->placement, plan, err));
done:
    optimum_release(&optimum, r ? r->components : 0);
    if (r) reach_release(r);
    mem_free(r);
    mem_free(items.share);
    if (best) placement_release(&best->placement);
    mem_free(best);
    return st;
}

static enum st exact_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                           struct err *err)
{
    if (!glpk_solver()) {
        verdict->status = POLICY_UNSUPPORTED;
        verdict->absent = true;
        snprintf(verdict->reason, sizeof verdict->reason,
                 "absent: this build has no GLPK (GPL-3); take policy hotset, or build hotset with libglpk-dev "
                 "installed (for a wheel: make wheel WITH_GLPK=1)");
        return ST_OK;
    }
    PASS(density_place(in, true, plan, verdict, err));
    if (verdict->status == POLICY_OK) PASS(solve(in, plan, err));
    if (verdict->status == POLICY_OK && in->optimum.objective != OBJECTIVE_SLOWEST) {
        PASS(exchange_rows(in, plan, err));
        density_set_alpha(in, plan);
    }
    return ST_OK;
}

const struct policy policy_exact = {.name = "exact",
                                    .summary = "optimal placement over all NVLinks, replicas included (a linear "
                                               "program; needs GLPK)",
                                    .source = "this project; UGache",
                                    .hotness = "calibrated",
                                    .choice = HOTNESS_RATES,
                                    .assignment = ASSIGNMENT_HIERARCHICAL,
                                    .any_deal = true,
                                    .plans_deal = true,
                                    .needs_estimates = true,
                                    .solves = true,
                                    .objectives = 1 << OBJECTIVE_EPOCH | 1 << OBJECTIVE_SLOWEST,
                                    .reaches = REACHES_ALL,
                                    .place = exact_place};
