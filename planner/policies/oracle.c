/* oracle - the best static plan for the evaluated epochs themselves: rows of both kinds in the order of transactions saved per byte, then what
 * still fits (model: sections 7.2 and 9). It has seen what it is judged on: a ceiling to compare with, not a method. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "planner/policy.h"

struct item { uint32_t v; bool topology; };

/* Saved transactions per byte in fixed point: order-preserving up to 2^-20 of a transaction per byte. */
static uint64_t density(uint64_t saved, uint64_t bytes) { return (uint64_t)(((unsigned __int128)saved << 20) / bytes); }

/* The GPU of the clique that reads the row most and has room; ties to the most room, then the lower position. -1: none has. */
static int choose_gpu(const struct policy_input *in, const struct plan *plan, int clique, struct item x, uint64_t bytes, const uint64_t *room)
{
    int best = -1;
    uint32_t top = 0;
    for (int g = 0; g < plan->assignment.gpus; g++) {
        if (plan->assignment.clique_of[g] != clique || room[g] < bytes) continue;
        uint32_t hot = x.topology ? in->trace->topology[g][x.v] : in->trace->feature[g][x.v];
        if (best < 0 || hot > top || (hot == top && room[g] > room[best])) {
            best = g;
            top = hot;
        }
    }
    return best;
}

static enum st fill_clique(const struct policy_input *in, struct plan *plan, int clique, const uint32_t *order, const uint64_t *key, uint64_t *room, struct err *err)
{
    enum st st = ST_OK;
    uint64_t n = in->graph->n;
    for (uint64_t i = 0; i < 2 * n && key[order[i]]; i++) { /* rows that save nothing are left out */
        struct item x = {order[i] < n ? order[i] : (uint32_t)(order[i] - n), order[i] < n};
        uint64_t bytes = x.topology ? graph_topology_bytes(in->graph, x.v) : in->graph->row_bytes;
        int g = choose_gpu(in, plan, clique, x, bytes, room);
        if (g < 0) continue; /* a smaller row may still fit */
        TRY(row_list_add(x.topology ? &plan->placement.topology[g] : &plan->placement.feature[g], x.v, err));
        room[g] -= bytes;
    }
done:
    return st;
}

static enum st place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict, struct err *err)
{
    enum st st = ST_OK;
    uint64_t n = in->graph->n, room[GPUS_MAX], *key = NULL;
    uint32_t *order = NULL;
    if (n > UINT32_MAX / 2) {
        verdict->status = POLICY_UNSUPPORTED;
        snprintf(verdict->reason, sizeof verdict->reason, "ranks both kinds of rows together and can number 2^31 vertices at most");
        return ST_OK;
    }
    memcpy(room, plan->budget, sizeof room);
    NEW(key, 2 * n, "densities");
    NEW(order, 2 * n, "an order of rows");
    for (int c = 0; c < plan->assignment.cliques; c++) {
        for (uint64_t v = 0; v < n; v++) {
            key[v] = density(in->benefit_topology[c][v], graph_topology_bytes(in->graph, v));
            key[n + v] = density(in->benefit_feature[c][v], in->graph->row_bytes);
        }
        TRY(in->kernels->sort_hottest(in->threads, key, 2 * n, order, err));
        TRY(fill_clique(in, plan, c, order, key, room, err));
    }
done:
    mem_free(key);
    mem_free(order);
    return st;
}

const struct policy policy_oracle = {.name = "oracle", .summary = "best static plan for the evaluated epochs themselves: the ceiling", .source = "PaGraph, figure 11",
                                     .hotness = "evaluation", .assignment = ASSIGNMENT_HIERARCHICAL, .saw_evaluation = true, .place = place};
