/* aligraph - features of important vertices: listed in many rows while their own is short; the most important first,
 * on every GPU alike, without NVLink (AliGraph's rule as PaGraph compares with it, section 5.3). Vertices below the
 * threshold are not held even where room is left. */
#include "base/mem.h"
#include "planner/hotness/hotness.h"
#include "planner/policies/place.h"

enum { THRESHOLD };

static enum st aligraph_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                              struct err *err)
{
    enum st st = ST_OK;
    uint64_t n = in->graph->n, room[GPUS_MAX], count = 0, *key = NULL;
    OWNED uint32_t *order = NULL;
    double least = in->option[THRESHOLD] * (double)((uint64_t)1 << HOTNESS_RATIO_BITS);
    struct hotness_input h = {.graph = in->graph, .kernels = in->kernels, .threads = in->threads, .seed = in->seed};
    (void)verdict;
    place_no_peers(plan);
    NEW(key, graph_feature_rows(in->graph), "hotness");
    NEW(order, n, "an order of vertices");
    TRY(hotness_keys("ratio", &h, key, err));
    TRY(in->kernels->sort_hottest(in->threads, key, n, order, err));
    while (count < n && (double)key[order[count]] >= least) count++;
    for (int g = 0; g < plan->assignment.gpus; g++) {
        room[g] = plan->budget[g];
        TRY(place_prefix(in->graph, order, count, false, g, plan, room, err));
    }
done:
    mem_free(key);
    return st;
}

const struct policy policy_aligraph = {.name = "aligraph",
                                       .summary = "features of vertices that many rows list and whose own rows are "
                                                  "short, the same on every GPU",
                                       .source = "AliGraph; PaGraph, section 5.3",
                                       .hotness = "ratio",
                                       .assignment = ASSIGNMENT_GLOBAL,
                                       .any_deal = true,
                                       .own_memory = true,
                                       .reaches = REACHES_ALL,
                                       .place = aligraph_place,
                                       .options = {{"threshold",
                                                    "smallest ratio (rows that list v over length of v's row) that is "
                                                    "cached",
                                                    0, 1e9, 0, false}}};
