/* legion-topocpu - Legion with all topology on the host: alpha is 0, the whole budget holds features (Legion, section
 * 6.4). GPUs read the topology by zero copy. */
#include "base/mem.h"
#include "planner/policies/policy.h"

static enum st place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict, struct err *err)
{
    enum st st = ST_OK;
    struct candidates c = {0};
    uint64_t room[GPUS_MAX];
    (void)verdict;
    for (int i = 0; i < GPUS_MAX; i++) room[i] = plan->budget[i];
    for (int k = 0; k < plan->assignment.cliques; k++) {
        TRY(candidates_make(in, plan, k, false, &c, err));
        TRY(place_cslp(in, c.feature, in->graph->n, false, k, plan, room, err));
        candidates_free(&c);
    }
done:
    candidates_free(&c);
    return st;
}

const struct policy policy_legion_topocpu = {.name = "legion-topocpu",
                                             .summary = "legion with topology on the host (alpha 0)",
                                             .source = "Legion, section 6.4",
                                             .hotness = "presample",
                                             .choice = HOTNESS_ANY,
                                             .assignment = ASSIGNMENT_HIERARCHICAL,
                                             .aligned_rows = true,
                                             .place = place};
