/* hyscale - nothing is cached; the CPU samples, and rows and blocks are prefetched through host memory in two stages (HyScale-GNN, IPDPS'23). Its
 * prefetching hides time, it saves no transaction; the CPU's own share of a mini-batch is left out here, so this counts a run of its GPUs alone. */
#include "planner/policy.h"

static enum st place(const struct policy_input *in, struct plan *plan, struct policy_verdict *verdict, struct err *err)
{
    (void)in, (void)verdict, (void)err;
    place_no_peers(plan);
    plan->placement.access = ACCESS_CPU;
    plan->placement.copies_features = true;
    return ST_OK;
}

const struct policy policy_hyscale = {.name = "hyscale", .summary = "nothing cached; the CPU samples and prefetches", .source = "HyScale-GNN", .hotness = "none",
                                      .assignment = ASSIGNMENT_GLOBAL, .place = place};
