/* data-tiering - features by weighted reverse PageRank, interleaved over the NVLink group, the hottest on every GPU
 * if so asked; the CPU samples, or the GPUs do with the topology interleaved like the features (Data Tiering, KDD'22,
 * sections 4.2 and 5.5). */
#include "planner/policies/ranked_features.h"

enum option { REPLICATED, GPU_SAMPLING };

static enum st data_tiering_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                                  struct err *err)
{
    bool gpus_sample = in->option[GPU_SAMPLING] > 0;
    (void)verdict;
    if (!gpus_sample) plan->placement.access = ACCESS_CPU;
    return place_ranked_features(in, in->option[REPLICATED], gpus_sample, plan, err);
}

const struct policy policy_data_tiering =
    {.name = "data-tiering",
     .summary = "features by weighted reverse PageRank, interleaved over the clique; the CPU samples",
     .source = "Data Tiering (KDD'22)",
     .hotness = "wrpagerank",
     .choice = HOTNESS_ANY,
     .assignment = ASSIGNMENT_GLOBAL,
     .any_deal = true,
     .place = data_tiering_place,
     .options = {{"replicated", "share of the cache that is the same on every GPU", 0, 1, 0, false},
                 {"gpu-sampling", "1: the GPUs sample, and share the topology, which comes before features", 0, 1, 0,
                  true}}};
