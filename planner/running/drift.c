#include "planner/running/drift.h"

#include <string.h>

#include "base/mem.h"
#include "planner/partition/deal.h"
#include "planner/running/drift_study.h"
#include "planner/engine/redeal.h"

const char *const drift_scheme_names[DRIFT_SCHEMES] = {"fixed", "refresh", "auto", "replan", "oracle", "lru", "sieve"};

/* Takes the cell's plan. */
static void drift_take(struct study_cell *c, struct plan *to)
{
    plan_release(to);
    *to = c->plan;
    memset(&c->plan, 0, sizeof c->plan);
}

/* Takes those of all nodes: that of each part goes to the node that trains the part under the scheme. */
static void take_all(struct drift *d, int cell, enum drift_scheme which)
{
    for (int n = 0; n < d->nodes; n++) drift_take(drift_cell(d, cell, n), &d->node[d->node[n].by[which]].plan[which]);
}

/* ---- a window ---- */

/* Each scheme says which node trains which part of the window: near the rows that the node's memories hold under it. */
static enum st give_parts(struct drift *d, int number, struct err *err)
{
    OWNED_NEW(const struct plan *, held, d->nodes, "the plans of nodes");
    OWNED_NEW(const struct graph *, part, d->nodes, "the parts of nodes");
    OWNED_NEW(int, by, d->nodes, "the parts of nodes");
    for (int i = 0; i < DRIFT_STATICS; i++) {
        for (int n = 0; n < d->nodes; n++) {
            held[n] = &d->node[n].plan[i];
            part[n] = d->study.node[n].s.o.graph;
            by[n] = n;
        }
        if (number && d->nodes > 1 && i != DRIFT_ORACLE)
            PASS(redeal_match_nodes(&d->view.graph, held, part, d->nodes, d->o->study.threads, by, err));
        for (int n = 0; n < d->nodes; n++) d->node[n].by[i] = by[n];
    }
    return ST_OK;
}

/* And which GPU trains what, so that GPUs train near the rows that they hold. */
static enum st deal_near(struct drift *d, int number, struct err *err)
{
    for (int n = 0; n < d->nodes; n++) {
        struct drift_node *node = &d->node[n];
        const struct assignment *a = &drift_cell(d, 0, n)->recording->trace->assignment;
        for (int i = 0; i < DRIFT_STATICS; i++) {
            for (int g = 0; g < a->gpus; g++) node->to[i][g] = g;
            if (number && i < DRIFT_REPLAN)
                PASS(redeal_match(&d->view.graph, &d->node[node->by[i]].plan[i].placement, a, d->o->study.threads,
                                  node->to[i], err));
        }
    }
    return ST_OK;
}

static void end_window(struct drift *d)
{
    for (int i = 0; i < 2; i++) study_cell_release(&d->cell[i]);
    study_nodes_end(&d->study);
    drift_window_release(&d->window);
    train_view_release(&d->view);
}

/* Records a window and makes the plan of its own, and the oracle's. */
static enum st plan_window(struct drift *d, int number, struct err *err)
{
    struct study_options o = d->o->study;
    static const char *const policies[] = {"hotset", "oracle"};
    int cells = deal_kind(d->deal) == ASSIGNMENT_KINDS ? 1 : 2;
    end_window(d);
    PASS(drift_window_make(o.graph, &d->o->windows, number, d->o->share, &d->window, err));
    PASS(train_view_make(o.graph, d->window.part, 1, &d->view, err));
    if (d->window.times) d->view.graph.vertex_times = d->window.times;
    o.graph = &d->view.graph;
    o.deal = d->deal;
    PASS(study_nodes_begin(&d->study, &o, &d->o->below, err));
    PASS(give_parts(d, number, err));
    for (int n = 0; number && n < d->nodes; n++) /* the parts of GPUs are made for the plan that is made anew */
        d->study.node[n].s.o.near = &d->node[d->node[n].by[DRIFT_REPLAN]].plan[DRIFT_REPLAN].placement;
    for (int i = 0; i < 2; i++) {
        d->cell[i] = (struct study_cell){.number = i, .budget = d->o->budget};
        PASS(policy_parse(policies[i], &d->cell[i].policy, d->cell[i].option, err));
    }
    PASS(study_nodes_plan(&d->study, d->cell, cells, err));
    for (int i = 0; i < cells; i++)
        if (d->cell[i].verdict.status != POLICY_OK)
            return err_set(err, ST_NO, "window %d: %s", number, d->cell[i].verdict.reason);
    return deal_near(d, number, err);
}

static enum st judge(struct drift *d, int number, struct err *err)
{
    take_all(d, 1, DRIFT_ORACLE);
    return drift_judge(d, number, err);
}

/* ---- what serves the next one ---- */

/* What moves on all nodes. */
static void put_moves(const struct refresh_next *next, struct drift_moved *to)
{
    *to = (struct drift_moved){.bytes = refresh_next_bytes(next), .seconds = next->pay.seconds_to_move};
    for (int n = 0; n < next->study.nodes; n++) refresh_amount_add(&to->dram, &next->part[n].moves.dram);
}

/* What every node recorded under the scheme's deal: its part's trace, exchanged; again: as it was. */
static void exchange(struct drift *d, enum drift_scheme which, bool again)
{
    for (int n = 0; n < d->nodes; n++) {
        struct trace *t = &drift_cell(d, 0, n)->recording->own;
        int back[GPUS_MAX];
        for (int g = 0; g < t->assignment.gpus; g++) back[d->node[n].to[which][g]] = g;
        trace_exchange(t, again ? back : d->node[n].to[which]);
    }
}

/* The scheme's plans refreshed from the window's recordings where that pays, else rows as they are; memories below the
 * GPUs also then. */
static enum st renew_from(struct drift *d, enum drift_scheme which, struct refresh_next *next, struct err *err)
{
    OWNED_NEW(struct study_options, o, d->nodes, "the options of nodes");
    bool pays;
    for (int n = 0; n < d->nodes; n++) {
        const int by = d->node[n].by[which];
        o[by] = d->study.node[n].s.o;
        o[by].graph = &d->view.graph;
        o[by].given = &drift_cell(d, 0, n)->recording->own;
        o[by].presample_epochs = o[by].given->epochs;
        o[by].before = &d->node[by].plan[which];
    }
    PASS(refresh_next_begin(next, o, &d->o->below, (double)d->o->epochs,
                            which == DRIFT_REFRESH ? (double)d->o->move_bytes : REFRESH_MOVE_ANY, &d->o->budget, err));
    PASS(refresh_next_plan(next, err));
    if (next->chosen && which == DRIFT_AUTO) PASS(refresh_next_pays(next, (double)d->o->epochs, &pays, err));
    PASS(refresh_next_weigh(next, err));
    put_moves(next, &d->moved[which]);
    if (!next->chosen && !d->o->below.nodes) return ST_OK;
    struct study_cell *c = &next->cell[next->chosen];
    for (int n = 0; n < d->nodes; n++) drift_take(n ? &c->other[n - 1] : c, &d->node[n].plan[which]);
    return ST_OK;
}

static enum st renew(struct drift *d, enum drift_scheme which, struct err *err)
{
    OWNED_NEW(struct refresh_next, next, 1, "the next plans");
    exchange(d, which, false);
    enum st st = renew_from(d, which, next, err);
    refresh_next_end(next);
    exchange(d, which, true);
    return st;
}

/* What going over to the window's own plans loads. */
static enum st count_replan(struct drift *d, struct err *err)
{
    const struct study_options *o = &d->o->study;
    const double network = d->nodes > 1 ? place_machine_network_gbps(&d->o->below) : 0;
    struct drift_moved *to = &d->moved[DRIFT_REPLAN];
    OWNED_NEW(struct refresh_moves, moves, 1, "rows that are loaded");
    *to = (struct drift_moved){0};
    for (int n = 0; n < d->nodes; n++) {
        const struct plan *from = &d->node[d->node[n].by[DRIFT_REPLAN]].plan[DRIFT_REPLAN];
        const struct plan *is = &drift_cell(d, 0, n)->plan;
        PASS(refresh_count(from, is, &d->view.graph, o->server, moves, err));
        const struct refresh_pay pay = refresh_pays(from, o->server, &is->assignment, moves, network, 0, 0);
        to->bytes += moves->bytes;
        to->seconds = refresh_later(pay.seconds_to_move, to->seconds);
        refresh_amount_add(&to->dram, &moves->dram);
    }
    return ST_OK;
}

/* What serves the window after this one. */
static enum st prepare(struct drift *d, struct err *err)
{
    PASS(renew(d, DRIFT_REFRESH, err));
    PASS(renew(d, DRIFT_AUTO, err));
    PASS(count_replan(d, err));
    take_all(d, 0, DRIFT_REPLAN);
    return ST_OK;
}

/* Every scheme begins with the plan of window 0; copies are made by making it again. */
static enum st drift_begin(struct drift *d, struct err *err)
{
    for (int i = DRIFT_FIXED; i <= DRIFT_REPLAN; i++) {
        if (i) PASS(plan_window(d, 0, err));
        take_all(d, 0, i);
    }
    return ST_OK;
}

static void drift_end(struct drift *d)
{
    end_window(d);
    for (int n = 0; d->node && n < d->nodes; n++)
        for (int i = 0; i < DRIFT_STATICS; i++) plan_release(&d->node[n].plan[i]);
    for (int g = 0; g < GPUS_MAX; g++) stream_release(&d->served[g]);
    for (int t = 0; d->result && t < d->o->windows.count; t++)
        for (int i = 0; i < DRIFT_SCHEMES; i++) mem_free(d->result[t][i].memories);
    mem_free(d->result);
    mem_free(d->node);
}

static enum st run_drift(struct drift *d, doc **out, struct err *err)
{
    const struct drift_options *o = d->o;
    MAKE(d->result, o->windows.count, "the results of windows");
    MAKE(d->node, d->nodes, "nodes");
    PASS(plan_window(d, 0, err));
    if (deal_kind(d->deal) == ASSIGNMENT_KINDS) {
        d->deal = deal_word(d->cell[0].plan.assignment.kind);
        PASS(plan_window(d, 0, err));
    }
    PASS(drift_begin(d, err));
    PASS(judge(d, 0, err)); /* not shown: its plan knows it, and it fills the dynamic caches */
    for (int t = 1; t < o->windows.count; t++) {
        PASS(plan_window(d, t, err));
        PASS(judge(d, t, err));
        if (t + 1 < o->windows.count) PASS(prepare(d, err));
    }
    *out = drift_document(d);
    return ST_OK;
}

enum st drift_run(const struct drift_options *o, doc **out, struct err *err)
{
    OWNED_NEW(struct drift, d, 1, "a study of drift");
    d->o = o;
    d->deal = o->study.deal;
    d->nodes = o->below.nodes ? o->below.nodes : 1;
    enum st st = run_drift(d, out, err);
    drift_end(d);
    return st;
}
