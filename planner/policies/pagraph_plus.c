/* pagraph-plus - a graph part with few cut edges per GPU; every GPU caches the features that its own pre-sampling met
 * most, and reads no other GPU (Legion, section 3.1). */
#include "base/mem.h"
#include "planner/policies/place.h"

static enum st pagraph_plus_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                                  struct err *err)
{
    enum st st = ST_OK;
    uint64_t n = in->graph->n, room[GPUS_MAX], *key = NULL;
    OWNED uint32_t *order = NULL;
    (void)verdict;
    place_no_peers(plan);
    NEW(key, n, "hotness");
    NEW(order, n, "an order of vertices");
    for (int g = 0; g < plan->assignment.gpus; g++) {
        room[g] = plan->budget[g];
        for (uint64_t v = 0; v < n; v++) key[v] = count_at(in->trace->feature[g], v);
        TRY(in->kernels->sort_hottest(in->threads, key, n, order, err));
        TRY(place_prefix(in->graph, order, n, false, g, plan, room, err));
    }
done:
    mem_free(key);
    return st;
}

const struct policy policy_pagraph_plus = {.name = "pagraph-plus",
                                           .summary = "a graph part per GPU, the features that its pre-sampling reads "
                                                      "most, no NVLink",
                                           .source = "Legion, section 3.1",
                                           .hotness = "presample of the GPU",
                                           .assignment = ASSIGNMENT_PER_GPU,
                                           .own_memory = true,
                                           .reaches = REACHES_ALL,
                                           .place = pagraph_plus_place};
