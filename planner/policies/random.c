/* random - features in a keyed random order, shared by the clique; what is left over goes to topology (PaGraph,
 * figure 11): the floor. */
#include "base/mem.h"
#include "planner/hotness/hotness.h"
#include "planner/policies/place.h"

/* True when the clique holds every feature row, so that room is left for another kind. */
static bool everything_fits(const struct plan *plan, int clique, uint64_t n)
{
    uint64_t held = 0;
    for (int g = 0; g < plan->assignment.gpus; g++)
        held += plan->assignment.clique_of[g] == clique ? plan->placement.feature[g].count : 0;
    return held == n;
}

static enum st place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict, struct err *err)
{
    enum st st = ST_OK;
    const struct graph *g = in->graph;
    uint32_t *order = NULL;
    uint64_t room[GPUS_MAX];
    struct hotness_input h = {.graph = g, .kernels = in->kernels, .threads = in->threads, .seed = in->seed};
    (void)verdict;
    NEW(order, g->n, "an order of vertices");
    TRY(hotness_order("random", &h, order, err));
    for (int i = 0; i < GPUS_MAX; i++) room[i] = plan->budget[i];
    for (int c = 0; c < plan->assignment.cliques; c++) {
        TRY(place_dealt(g, order, g->n, false, c, plan, room, err));
        if (everything_fits(plan, c, g->n)) TRY(place_dealt(g, order, g->n, true, c, plan, room, err));
    }
done:
    mem_free(order);
    return st;
}

const struct policy policy_random = {.name = "random",
                                     .summary = "features in random order, shared by the clique: a baseline",
                                     .source = "PaGraph, figure 11",
                                     .hotness = "random",
                                     .assignment = ASSIGNMENT_HIERARCHICAL,
                                     .any_deal = true,
                                     .place = place};
