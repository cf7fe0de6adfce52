/* legion-topocpu - Legion with all topology on the host: alpha is 0, the whole budget holds features (Legion, section
 * 6.4). GPUs read the topology by zero copy. */
#include "planner/policies/place.h"

static enum st legion_topocpu_fill(const struct policy_input *in, const struct candidates *c, int clique,
                                   const void *context, struct plan *plan, uint64_t *room, struct err *err)
{
    (void)context;
    return place_cslp(in, c->feature, c->features, false, clique, plan, room, err);
}

static enum st legion_topocpu_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                                    struct err *err)
{
    (void)verdict;
    return place_cliques(in, false, legion_topocpu_fill, NULL, plan, err);
}

const struct policy policy_legion_topocpu = {.name = "legion-topocpu",
                                             .summary = "legion with topology on the host (alpha 0)",
                                             .source = "Legion, section 6.4",
                                             .hotness = "presample",
                                             .choice = HOTNESS_ANY,
                                             .assignment = ASSIGNMENT_HIERARCHICAL,
                                             .any_deal = true,
                                             .aligned_rows = true,
                                             .place = legion_topocpu_place};
