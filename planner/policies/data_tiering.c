/* data-tiering - features by weighted reverse PageRank, interleaved over the NVLink group, the hottest on every GPU
 * if so asked; the CPU samples (Data Tiering, KDD'22). */
#include "planner/policies/ranked_features.h"

static enum st place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict, struct err *err)
{
    (void)verdict;
    plan->placement.access = ACCESS_CPU;
    return place_ranked_features(in, in->option[0], plan, err);
}

const struct policy policy_data_tiering = {.name = "data-tiering",
                                           .summary = "features by weighted reverse PageRank, interleaved over "
                                                      "the clique; the CPU samples",
                                           .source = "Data Tiering (KDD'22)",
                                           .hotness = "wrpagerank",
                                           .choice = HOTNESS_ANY,
                                           .assignment = ASSIGNMENT_GLOBAL,
                                           .any_deal = true,
                                           .place = place,
                                           .options = {{"replicated",
                                                        "share of the cache that is the same on "
                                                        "every GPU",
                                                        0, 1, 0, false}}};
