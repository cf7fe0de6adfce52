#include "planner/running/refresh_next.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum st refresh_next_begin(struct refresh_next *next, const struct study_options *o,
                           const struct memories_request *below, double epochs, double move,
                           const struct budget *budget, struct err *err)
{
    PASS(study_nodes_begin_given(&next->study, o, below, err));
    MAKE(next->part, next->study.nodes, "plans to refresh");
    next->cells = refresh_cells(o->server, next->study.node[0].s.o.before, next->study.graph, epochs, move, budget,
                                next->cell);
    return ST_OK;
}

void refresh_next_end(struct refresh_next *next)
{
    for (int i = 0; i < REFRESH_CELLS; i++) study_cell_release(&next->cell[i]);
    study_nodes_end(&next->study);
    mem_free(next->part);
    memset(next, 0, sizeof *next);
}

/* ---- what is chosen ---- */

/* The reads of every cell: of every node, and of the slowest. */
static enum st expect(struct refresh_next *next, struct err *err)
{
    OWNED_NEW(struct study_cell, side, next->cells, "cells of a node");
    for (int n = 0; n < next->study.nodes; n++) {
        for (int i = 0; i < next->cells; i++) side[i] = *study_cell_of(&next->cell[i], n);
        PASS(refresh_reads_expect(&next->study.node[n].s, side, next->cells, next->part[n].reads, err));
        for (int i = 0; i < next->cells; i++) {
            const struct refresh_reads *one = &next->part[n].reads[i];
            if (n && !isnan(one->seconds) && !(one->seconds > next->reads[i].seconds)) continue;
            next->reads[i] = *one;
            next->slowest[i] = n;
        }
    }
    return ST_OK;
}

/* Cells change places as refresh_prefer says, on every node. */
static enum st prefer(struct refresh_next *next, struct err *err)
{
    bool swapped;
    enum st st = refresh_prefer(next->cell, next->reads, next->cells, &swapped, err);
    if (st != ST_OK || !swapped) return st;
    int slowest = next->slowest[1];
    next->slowest[1] = next->slowest[2];
    next->slowest[2] = slowest;
    for (int n = 0; n < next->study.nodes; n++) {
        struct refresh_reads *of = next->part[n].reads, reads = of[1];
        of[1] = of[2];
        of[2] = reads;
    }
    return ST_OK;
}

static double predicted(const struct refresh_next *next, int cell)
{
    uint64_t sum = 0;
    for (int n = 0; n <= next->cell[cell].others; n++)
        sum += plan_predicted(&study_cell_of(&next->cell[cell], n)->plan).total;
    return (double)sum;
}

enum st refresh_next_plan(struct refresh_next *next, struct err *err)
{
    PASS(study_nodes_plan(&next->study, next->cell, next->cells, err));
    for (int i = 0; i < next->cells; i++)
        if (next->cell[i].verdict.status != POLICY_OK)
            return err_set(err, ST_NO, "refresh: %s", next->cell[i].verdict.reason);
    PASS(expect(next, err));
    PASS(prefer(next, err));
    next->chosen = refresh_cell_gains(next->cell, next->reads, predicted(next, 0) - predicted(next, 1));
    return ST_OK;
}

/* ---- what it takes and gives ---- */

uint64_t refresh_next_bytes(const struct refresh_next *next)
{
    uint64_t sum = 0;
    for (int n = 0; n < next->study.nodes; n++) sum += next->part[n].moves.bytes;
    return sum;
}

/* What a node waits for where its GPUs keep their rows: DRAM is filled for the new reads in any case. */
static enum st stay_seconds(struct refresh_next *next, int node, double network, double *out, struct err *err)
{
    struct refresh_moves *m = &next->part[node].moves;
    const struct study_options *o = &next->study.node[node].s.o;
    *out = 0;
    if (!next->study.below) return ST_OK;
    PASS(refresh_count(o->before, &study_cell_of(&next->cell[0], node)->plan, next->study.graph, o->server, m, err));
    *out = refresh_pays(o->before, o->server, &o->given->assignment, m, network, 0, 0).seconds_to_move;
    return ST_OK;
}

enum st refresh_next_weigh(struct refresh_next *next, struct err *err)
{
    const int to = next->chosen, nodes = next->study.nodes;
    const double network = nodes > 1 ? place_machine_network_gbps(next->study.below) : 0;
    struct refresh_pay all = {0};
    for (int n = 0; n < nodes; n++) {
        struct refresh_part *p = &next->part[n];
        const struct study_options *o = &next->study.node[n].s.o;
        const struct plan *was = &study_cell_of(&next->cell[0], n)->plan,
                          *is = &study_cell_of(&next->cell[to], n)->plan;
        double stay;
        p->gain = (double)plan_predicted(was).total - (double)plan_predicted(is).total;
        PASS(stay_seconds(next, n, network, &stay, err)); /* in the moves' place, which those of the cell take next */
        PASS(refresh_count(o->before, is, next->study.graph, o->server, &p->moves, err));
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
    if (nodes > 1 && !isnan(next->reads[0].seconds))
        all.seconds_gained = next->reads[0].seconds - next->reads[to].seconds;
    next->gain = predicted(next, 0) - predicted(next, to);
    next->pay = all;
    const double more = all.seconds_to_move - all.seconds_to_stay;
    next->epochs = !refresh_next_bytes(next) || more < 0 ? 0 : all.seconds_gained > 0 ? more / all.seconds_gained : NAN;
    return ST_OK;
}

enum st refresh_next_pays(struct refresh_next *next, double epochs, bool *pays, struct err *err)
{
    PASS(refresh_next_weigh(next, err));
    *pays = refresh_worth(&next->pay, epochs);
    if (!*pays) next->chosen = 0;
    return ST_OK;
}
