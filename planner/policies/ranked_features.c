#include "planner/policies/ranked_features.h"

#include "base/mem.h"
#include "planner/hotness/hotness.h"
#include "planner/policies/place.h"

/* Rows that every GPU of the clique holds. */
static uint64_t common_rows(const struct policy_input *in, const struct plan *plan, const uint64_t *room, int clique,
                            double replicated, const uint32_t *order)
{
    uint64_t rows = in->graph->n;
    for (int g = 0; g < plan->assignment.gpus; g++) {
        if (plan->assignment.clique_of[g] != clique) continue;
        rows = place_fitting(in->graph, order, rows, (uint64_t)(replicated * (double)room[g]));
    }
    return rows;
}

enum st place_ranked_features(const struct policy_input *in, double replicated, bool topology, struct plan *plan,
                              struct err *err)
{
    enum st st = ST_OK;
    const struct graph *g = in->graph;
    OWNED uint32_t *order = NULL;
    uint64_t room[GPUS_MAX];
    struct row_order rows = {0};
    struct hotness_input h = {.graph = g,
                              .trace = in->trace,
                              .kernels = in->kernels,
                              .threads = in->threads,
                              .seed = in->seed};
    NEW(order, g->n, "an order of vertices");
    TRY(hotness_order(in->hotness, &h, order, err));
    if (topology) TRY(place_topology_of(g, order, g->n, &rows, err));
    for (int i = 0; i < GPUS_MAX; i++) room[i] = plan->budget[i];
    for (int c = 0; c < plan->assignment.cliques; c++) {
        if (topology) TRY(place_dealt(g, rows.row, rows.count, true, c, plan, room, err));
        uint64_t common = common_rows(in, plan, room, c, replicated, order);
        for (int i = 0; i < plan->assignment.gpus; i++)
            if (plan->assignment.clique_of[i] == c) TRY(place_prefix(g, order, common, false, i, plan, room, err));
        TRY(place_dealt(g, order + common, g->n - common, false, c, plan, room, err));
    }
done:
    mem_free(rows.own);
    return st;
}
