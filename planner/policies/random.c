/* random - features in a keyed random order, shared by the clique; what is left over goes to topology (PaGraph,
 * figure 11): the floor. */
#include "base/mem.h"
#include "planner/hotness/hotness.h"
#include "planner/policies/place.h"

/* True when the clique holds every feature row, so that room is left for another kind. */
static bool everything_fits(const struct graph *g, const struct plan *plan, int clique)
{
    uint64_t held = 0, rows = 0;
    for (int k = 0; k < graph_tables(g); k++)
        rows += graph_table(g, k).kind != ROWS_TOPOLOGY && graph_table_there(g, k) ? graph_table(g, k).count : 0;
    for (int i = 0; i < plan->assignment.gpus; i++)
        held += plan->assignment.clique_of[i] == clique ? plan->placement.feature[i].count : 0;
    return held == rows;
}

/* Rows of one kind in random order. *order: owned by the caller. */
static enum st shuffle(const struct policy_input *in, bool topology, uint32_t **order, uint64_t *count, struct err *err)
{
    const struct hotness_input h = {.graph = in->graph,
                                    .kernels = in->kernels,
                                    .threads = in->threads,
                                    .seed = in->seed,
                                    .topology = topology};
    *count = graph_kind_rows(in->graph, topology);
    OWNED_NEW(uint64_t, key, *count, "hotness");
    MAKE(*order, *count, "an order of vertices");
    PASS(hotness_keys("random", &h, key, err));
    return in->kernels->sort_hottest(in->threads, key, *count, *order, err);
}

static enum st random_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                            struct err *err)
{
    const struct graph *g = in->graph;
    OWNED uint32_t *feature = NULL, *topology = NULL;
    uint64_t room[GPUS_MAX], features, topologies;
    (void)verdict;
    PASS(shuffle(in, false, &feature, &features, err));
    for (int i = 0; i < GPUS_MAX; i++) room[i] = plan->budget[i];
    for (int c = 0; c < plan->assignment.cliques; c++) {
        PASS(place_dealt(g, feature, features, false, c, plan, room, err));
        if (!everything_fits(g, plan, c)) continue;
        if (!topology) PASS(shuffle(in, true, &topology, &topologies, err));
        PASS(place_dealt(g, topology, topologies, true, c, plan, room, err));
    }
    return ST_OK;
}

const struct policy policy_random = {.name = "random",
                                     .summary = "features in random order, shared by the clique: a baseline",
                                     .source = "PaGraph, figure 11",
                                     .hotness = "random",
                                     .assignment = ASSIGNMENT_HIERARCHICAL,
                                     .any_deal = true,
                                     .place = random_place};
