/* typed_exact.c - policy exact on typed graphs (declared in typed_policy.h): the block program over rows of all kinds
 * (planner/optimum), its shares turned into rows; where only a few rows are read, branch and bound. Never predicts more
 * than policy hotset. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "hwprofiles/model/server_reach.h"
#include "planner/optimum/optimum_glpk.h"
#include "planner/optimum/small.h"
#include "planner/policies/place_optimum.h"
#include "planner/typed/typed_optimum.h"

/* ---- rows as items of the program ---- */

static uint64_t item_bytes(const void *of, uint64_t item)
{
    const struct graph *rows = of;
    int t = graph_table_of(rows, item);
    uint64_t bytes = graph_row_bytes(rows, t, item - rows->table[t].first);
    return bytes ? bytes : 1; /* of a type without features: nobody reads it */
}

void typed_items_make(const struct typed_input *in, int cliques, struct typed_items *out)
{
    for (int c = 0; c < cliques; c++) out->saved[c] = in->estimates[c].saved;
    out->other = (struct other_items){graph_items(in->rows), out->saved, item_bytes, in->rows};
    out->items = (struct items){.threads = in->threads, .other = &out->other};
}

/* ---- placing ---- */

struct target {
    const struct typed_input *in;
    struct plan *plan;
};

static uint64_t heat_of(const void *context, int g, uint64_t item)
{
    return typed_heat(((const struct target *)context)->in, g, item);
}

static enum st hold(void *context, int g, uint64_t item, struct err *err)
{
    struct target *t = context;
    return placement_add(&t->plan->placement, t->in->rows, g, item, err);
}

/* Everybody that a GPU has an NVLink to, in serving order. */
static void set_peers(const struct server *s, struct plan *p)
{
    for (int g = 0; g < s->gpus; g++) {
        p->placement.peers[g] = 0;
        for (int i = 0; i < s->gpus; i++)
            if (server_reads(s, g, i)) p->placement.peer[g][p->placement.peers[g]++] = i;
    }
    plan_order_peers(p);
}

static double expected_of(struct plan *p, int tables)
{
    double sum = 0;
    for (int i = 0; i < p->assignment.cliques * tables; i++) sum += p->expected[i].transactions;
    mem_free(p->expected);
    p->expected = NULL;
    return sum;
}

/* Keeps in `plan` the placement that is expected to leave less; *least: what plan leaves. */
static enum st keep_better(const struct typed_input *in, struct plan *other, struct plan *plan, double *least,
                           struct err *err)
{
    enum st st;
    TRY(typed_predict(in, 1, other, err));
    double left = expected_of(other, in->rows->tables);
    if (left >= *least) goto done;
    *least = left;
    struct placement worse = plan->placement;
    plan->placement = other->placement;
    other->placement = worse;
done:
    return st;
}

static enum st place_few(const struct typed_input *in, const struct reach *r, const struct items *items,
                         const double *price, struct plan *other, struct err *err)
{
    struct small_placement *few = NULL;
    enum st st = ST_OK;
    NEW(few, 1, "the placement of a few rows");
    for (int g = 0; g < r->gpus; g++) other->placement.topology[g].count = other->placement.feature[g].count = 0;
    TRY(small_place(r, items, other->budget, price, few, err));
    for (int i = 0; i < few->count; i++)
        for (int g = 0; g < r->gpus; g++)
            if (few->gpus[i] >> g & 1) TRY(placement_add(&other->placement, in->rows, g, few->item[i], err));
done:
    mem_free(few);
    return st;
}

/* Places by the program beside hotset's placement, which is in plan. */
static enum st improve(const struct typed_input *in, const struct reach *r, struct plan *plan, struct err *err)
{
    static const struct optimum_options options = {.objective = OBJECTIVE_TOTAL};
    struct typed_items rows;
    struct optimum x = {0};
    struct plan *other = NULL;
    struct target target = {in, NULL};
    double least = 0;
    enum st st = ST_OK;
    NEW(other, 1, "a plan");
    target.plan = other;
    typed_items_make(in, plan->assignment.cliques, &rows);
    TRY(typed_predict(in, 1, plan, err));
    least = expected_of(plan, in->rows->tables);
    TRY(assignment_copy(&plan->assignment, &other->assignment, err));
    other->placement.gpus = plan->placement.gpus;
    memcpy(other->budget, plan->budget, sizeof other->budget);
    memcpy(other->links, plan->links, sizeof other->links);
    set_peers(in->server, other);
    TRY(optimum_solve(r, &rows.items, &options, &x, err));
    const struct optimum_target to = {in->kernels, in->threads, other->budget, &target, heat_of, hold};
    TRY(optimum_place_items(&to, r, &rows.items, &x, err));
    TRY(keep_better(in, other, plan, &least, err));
    if (!small_possible(r, &rows.items)) goto done;
    set_peers(in->server, other); /* it may have got hotset's */
    TRY(place_few(in, r, &rows.items, x.price, other, err));
    TRY(keep_better(in, other, plan, &least, err));
done:
    optimum_release(&x, r->components);
    if (other) plan_release(other);
    mem_free(other);
    return st;
}

/* Whether GPUs of different cliques share memory. */
static bool crosses(const struct reach *r) { return r->components < r->cliques; }

enum st typed_place_exact(const struct typed_input *in, struct plan *plan, struct policy_verdict *verdict,
                          struct err *err)
{
    struct reach *r = NULL;
    enum st st = ST_OK;
    if (!glpk_solver()) {
        verdict->status = POLICY_UNSUPPORTED;
        verdict->absent = true;
        snprintf(verdict->reason, sizeof verdict->reason,
                 "absent: this build has no GLPK (GPL-3); take policy hotset, or build hotset with libglpk-dev "
                 "installed");
        return ST_OK;
    }
    NEW(r, 1, "NVLink reachability");
    TRY(reach_make(in->server, plan->budget, false, PATTERNS_MAX, r, err));
    if (crosses(r) && !assignment_even(&plan->assignment)) {
        verdict->status = POLICY_UNSUPPORTED;
        snprintf(verdict->reason, sizeof verdict->reason,
                 "on graphs with several types it takes --deal clique or global where NVLinks join cliques, as those "
                 "of server %s do",
                 in->server->name);
        goto done;
    }
    TRY(typed_place_hotset(in, plan, verdict, err));
    TRY(improve(in, r, plan, err));
done:
    if (r) reach_release(r);
    mem_free(r);
    return st;
}
