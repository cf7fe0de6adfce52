/* quiver - features by degree, dealt over the clique, the same set in every clique; topology stays on the host
 * (torch-quiver). */
#include "planner/policies/ranked_features.h"

static enum st quiver_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                            struct err *err)
{
    (void)verdict;
    return place_ranked_features(in, 0, false, plan, err);
}

const struct policy policy_quiver = {.name = "quiver",
                                     .summary = "features by degree, shared in the clique, replicated between cliques",
                                     .source = "torch-quiver",
                                     .hotness = "degree-in",
                                     .choice = HOTNESS_ANY,
                                     .assignment = ASSIGNMENT_GLOBAL,
                                     .any_deal = true,
                                     .place = quiver_place};
