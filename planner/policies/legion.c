/* legion - CSLP over pre-sampled hotness, topology and features in one budget, split by the cost model's sweep
 * (Legion, ATC'23, sections 4.2-4.3; model/legion.md). */
#include "planner/policies/place.h"

static enum st legion_fill(const struct policy_input *in, const struct candidates *c, int clique, const void *point,
                           struct plan *plan, uint64_t *room, struct err *err)
{
    return place_swept(in, c, *(const int *)point, clique, plan, room, err);
}

static enum st legion_place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict,
                            struct err *err)
{
    int point;
    if (!place_alpha(in->option[0], &point, verdict)) return ST_OK;
    return place_cliques(in, true, legion_fill, &point, plan, err);
}

const struct policy policy_legion = {.name = "legion",
                                     .summary = "topology and features by pre-sampled hotness (CSLP, complete sharing "
                                                "with local preference), split by a cost "
                                                "model's sweep",
                                     .source = "Legion (ATC'23)",
                                     .hotness = "presample",
                                     .choice = HOTNESS_ANY,
                                     .assignment = ASSIGNMENT_HIERARCHICAL,
                                     .any_deal = true,
                                     .aligned_rows = true,
                                     .options = {PLACE_ALPHA},
                                     .place = legion_place};
