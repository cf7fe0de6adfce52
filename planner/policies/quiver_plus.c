/* quiver-plus - quiver with pre-sampled hotness instead of degree (Legion, section 3.1). */
#include "planner/policies/ranked_features.h"

static enum st quiver_plus_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                                 struct err *err)
{
    (void)verdict;
    return place_ranked_features(in, 0, false, plan, err);
}

const struct policy policy_quiver_plus = {.name = "quiver-plus",
                                          .summary = "quiver with pre-sampled hotness",
                                          .source = "Legion, section 3.1",
                                          .hotness = "presample",
                                          .choice = HOTNESS_ANY,
                                          .assignment = ASSIGNMENT_GLOBAL,
                                          .any_deal = true,
                                          .place = quiver_plus_place};
