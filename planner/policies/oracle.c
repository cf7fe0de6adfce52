/* oracle - the best static plan for the evaluated epochs themselves: rows of both kinds in the order of transactions
 * saved per byte, then what still fits (MODEL.md, sections 7.2 and 9). It stays inside cliques, so links between
 * cliques can beat it. It has seen what it is judged on: a ceiling to compare with, not a method. */
#include <string.h>

#include "base/mem.h"
#include "planner/policies/density.h"

static enum st place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict, struct err *err)
{
    enum st st = ST_OK;
    uint64_t n = in->graph->n, room[GPUS_MAX], count, budget, *key = NULL;
    uint32_t *order = NULL;
    if (!density_possible(in->graph->n, verdict)) return ST_OK;
    memcpy(room, plan->budget, sizeof room);
    for (int c = 0; c < plan->assignment.cliques; c++) {
        NEW(key, 2 * n, "densities");
        for (uint64_t v = 0; v < n; v++) {
            key[v] = density_key((double)in->benefit_topology[c][v], graph_topology_bytes(in->graph, v));
            key[n + v] = density_key((double)in->benefit_feature[c][v], graph_cached_bytes(in->graph));
        }
        budget = 0;
        for (int g = 0; g < plan->assignment.gpus; g++)
            budget += plan->assignment.clique_of[g] == c ? plan->budget[g] : 0;
        TRY(density_order(in, key, 2 * n, DENSITY_ENOUGH(budget), &order, &count, err));
        mem_free(key);
        key = NULL;
        TRY(density_fill(in, order, count, c, plan, room, err));
        mem_free(order);
        order = NULL;
    }
done:
    mem_free(key);
    mem_free(order);
    return st;
}

const struct policy policy_oracle = {.name = "oracle",
                                     .summary = "rows that save most in the held-out epochs themselves, per "
                                                "clique: a reference, not a method",
                                     .source = "PaGraph, figure 11",
                                     .hotness = "evaluation",
                                     .assignment = ASSIGNMENT_HIERARCHICAL,
                                     .any_deal = true,
                                     .plans_deal = true,
                                     .saw_evaluation = true,
                                     .one_order = true,
                                     .reaches = REACHES_ALL,
                                     .place = place};
