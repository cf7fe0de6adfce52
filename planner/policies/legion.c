/* legion - CSLP over pre-sampled hotness, topology and features in one budget, split by the cost model's sweep
 * (Legion, ATC'23, sections 4.2-4.3; model: sections 5 and 7.1). */
#include "planner/policies/policy.h"

static enum st place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict, struct err *err)
{
    enum st st = ST_OK;
    struct candidates c = {0};
    uint64_t room[GPUS_MAX];
    int point;
    if (!place_alpha(in->option[0], &point, verdict)) return ST_OK;
    for (int i = 0; i < GPUS_MAX; i++) room[i] = plan->budget[i];
    for (int k = 0; k < plan->assignment.cliques; k++) {
        TRY(candidates_make(in, plan, k, true, &c, err));
        TRY(place_swept(in, &c, point, k, plan, room, err));
        candidates_free(&c);
    }
done:
    candidates_free(&c);
    return st;
}

const struct policy policy_legion = {.name = "legion",
                                     .summary = "topology and features by CSLP, split by the cost model's sweep",
                                     .source = "Legion (ATC'23)",
                                     .hotness = "presample",
                                     .choice = HOTNESS_ANY,
                                     .assignment = ASSIGNMENT_HIERARCHICAL,
                                     .aligned_rows = true,
                                     .options = {PLACE_ALPHA},
                                     .place = place};
