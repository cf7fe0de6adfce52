/* legion+exact-split - second step from legion to hotset: both kinds merged by transactions saved per byte, so that
 * no grid is left, still from raw counts (model/density.md, second remedy). It is the policy hotset inside cliques
 * with counted means as its rates; calibrated estimates are the third step. */
#include "planner/policies/density.h"

static enum st legion_exact_split_place(const struct policy_input *in, struct plan *plan,
                                        struct policy_verdict *verdict, struct err *err)
{
    return density_place(in, false, plan, verdict, err);
}

const struct policy policy_legion_exact_split = {.name = "legion+exact-split",
                                                 .summary = "legion with topology and features in one ranking by "
                                                            "transactions saved per byte",
                                                 .source = "this project",
                                                 .hotness = "presample",
                                                 .choice = HOTNESS_RATES,
                                                 .assignment = ASSIGNMENT_HIERARCHICAL,
                                                 .any_deal = true,
                                                 .needs_estimates = true,
                                                 .one_order = true,
                                                 .place = legion_exact_split_place};
