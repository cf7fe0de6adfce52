#include "planner/running/refresh_next.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum st refresh_next_begin(struct refresh_next *x, const struct study_options *o, const struct memories_request *below,
                           double epochs, double move, const struct budget *budget, struct err *err)
{
    PASS(study_nodes_begin_given(&x->study, o, below, err));
    MAKE(x->part, x->study.nodes, "plans to refresh");
    x->cells = refresh_cells(o->server, epochs, move, budget, x->cell);
    return ST_OK;
}

void refresh_next_end(struct refresh_next *x)
{
    for (int i = 0; i < REFRESH_CELLS; i++) study_cell_release(&x->cell[i]);
    study_nodes_end(&x->study);
    mem_free(x->part);
    memset(x, 0, sizeof *x);
}

/* ---- what is chosen ---- */

/* The reads of every cell: of every node, and of the slowest. */
static enum st expect(struct refresh_next *x, struct err *err)
{
    OWNED_NEW(struct study_cell, side, x->cells, "cells of a node");
    for (int n = 0; n < x->study.nodes; n++) {
        for (int i = 0; i < x->cells; i++) side[i] = *study_cell_of(&x->cell[i], n);
        PASS(refresh_reads_expect(&x->study.node[n].s, side, x->cells, x->part[n].reads, err));
        for (int i = 0; i < x->cells; i++) {
            const struct refresh_reads *one = &x->part[n].reads[i];
            if (n && !isnan(one->seconds) && !(one->seconds > x->reads[i].seconds)) continue;
            x->reads[i] = *one;
            x->slowest[i] = n;
        }
    }
    return ST_OK;
}

/* Cells change places as refresh_prefer says, on every node. */
static enum st prefer(struct refresh_next *x, struct err *err)
{
    bool swapped;
    enum st st = refresh_prefer(x->cell, x->reads, x->cells, &swapped, err);
    if (st != ST_OK || !swapped) return st;
    int slowest = x->slowest[1];
    x->slowest[1] = x->slowest[2];
    x->slowest[2] = slowest;
    for (int n = 0; n < x->study.nodes; n++) {
        struct refresh_reads *of = x->part[n].reads, reads = of[1];
        of[1] = of[2];
        of[2] = reads;
    }
    return ST_OK;
}

static double predicted(const struct refresh_next *x, int cell)
{
    uint64_t sum = 0;
    for (int n = 0; n <= x->cell[cell].others; n++)
        sum += plan_predicted(&study_cell_of(&x->cell[cell], n)->plan).total;
    return (double)sum;
}

enum st refresh_next_plan(struct refresh_next *x, struct err *err)
{
    PASS(study_nodes_plan(&x->study, x->cell, x->cells, err));
    for (int i = 0; i < x->cells; i++)
        if (x->cell[i].verdict.status != POLICY_OK)
            return err_set(err, ST_NO, "refresh: %s", x->cell[i].verdict.reason);
    PASS(expect(x, err));
    PASS(prefer(x, err));
    x->chosen = refresh_cell_gains(x->cell, x->reads, predicted(x, 0) - predicted(x, 1));
    return ST_OK;
}

/* ---- what it takes and gives ---- */

uint64_t refresh_next_bytes(const struct refresh_next *x)
{
    uint64_t sum = 0;
    for (int n = 0; n < x->study.nodes; n++) sum += x->part[n].moves.bytes;
    return sum;
}

/* What a node waits for where its GPUs keep their rows: DRAM is filled for the new reads in any case. */
static enum st stay_seconds(struct refresh_next *x, int node, double network, double *out, struct err *err)
{
    struct refresh_moves *m = &x->part[node].moves;
    const struct study_options *o = &x->study.node[node].s.o;
    *out = 0;
    if (!x->study.below) return ST_OK;
    PASS(refresh_count(o->before, &study_cell_of(&x->cell[0], node)->plan, x->study.graph, o->server, m, err));
    *out = refresh_pays(o->before, o->server, &o->given->assignment, m, network, 0, 0).seconds_to_move;
    return ST_OK;
}

enum st refresh_next_weigh(struct refresh_next *x, struct err *err)
{
    const int to = x->chosen, nodes = x->study.nodes;
    const double network = nodes > 1 ? place_machine_network_gbps(x->study.below) : 0;
    struct refresh_pay all = {0};
    for (int n = 0; n < nodes; n++) {
        struct refresh_part *p = &x->part[n];
        const struct study_options *o = &x->study.node[n].s.o;
        const struct plan *was = &study_cell_of(&x->cell[0], n)->plan, *is = &study_cell_of(&x->cell[to], n)->plan;
        double stay;
        p->gain = (double)plan_predicted(was).total - (double)plan_predicted(is).total;
        PASS(stay_seconds(x, n, network, &stay, err)); /* in the moves' place, which those of the cell take next */
        PASS(refresh_count(o->before, is, x->study.graph, o->server, &p->moves, err));
        p->pay = refresh_pays(o->before, o->server, &o->given->assignment, &p->moves, network,
                              p->reads[0].seconds - p->reads[to].seconds, p->gain);
        p->pay.seconds_to_stay = stay;
        all.bytes_per_second = p->pay.bytes_per_second;
        all.uplink_bytes_per_second = p->pay.uplink_bytes_per_second;
        all.seconds_below = refresh_later(p->pay.seconds_below, all.seconds_below);
        all.seconds_to_stay = refresh_later(stay, all.seconds_to_stay);
        all.seconds_to_move = refresh_later(p->pay.seconds_to_move, all.seconds_to_move);
        all.seconds_gained += p->pay.seconds_gained / nodes;
    }
    if (nodes > 1 && !isnan(x->reads[0].seconds)) all.seconds_gained = x->reads[0].seconds - x->reads[to].seconds;
    x->gain = predicted(x, 0) - predicted(x, to);
    x->pay = all;
    const double more = all.seconds_to_move - all.seconds_to_stay;
    x->epochs = !refresh_next_bytes(x) || more < 0 ? 0 : all.seconds_gained > 0 ? more / all.seconds_gained : NAN;
    return ST_OK;
}

enum st refresh_next_pays(struct refresh_next *x, double epochs, bool *pays, struct err *err)
{
    PASS(refresh_next_weigh(x, err));
    *pays = refresh_worth(&x->pay, epochs);
    if (!*pays) x->chosen = 0;
    return ST_OK;
}
