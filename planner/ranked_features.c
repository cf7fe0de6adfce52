#include "planner/ranked_features.h"

#include "base/mem.h"
#include "planner/hotness.h"

enum st place_ranked_features(const struct policy_input *in, struct plan *plan, struct err *err)
{
    enum st st = ST_OK;
    const struct graph *g = in->graph;
    uint32_t *order = NULL;
    uint64_t room[GPUS_MAX];
    struct hotness_input h = {.graph = g, .trace = in->trace, .kernels = in->kernels, .threads = in->threads, .seed = in->seed};
    NEW(order, g->n, "an order of vertices");
    TRY(hotness_order(in->hotness, &h, order, err));
    for (int i = 0; i < GPUS_MAX; i++) room[i] = plan->budget[i];
    for (int c = 0; c < plan->assignment.cliques; c++) TRY(place_dealt(g, order, g->n, false, c, plan, room, err));
done:
    mem_free(order);
    return st;
}
