/* ranked_features.h - what quiver, quiver-plus and data-tiering share. */
#ifndef PLANNER_POLICIES_RANKED_FEATURES_H
#define PLANNER_POLICIES_RANKED_FEATURES_H

#include "planner/policies/policy.h"

/* Features by in->hotness. The hottest are held by every GPU: as many as fit `replicated` (0..1) of the smallest
 * budget in the clique. Those that follow are dealt round over each clique's GPUs until they are full. */
enum st place_ranked_features(const struct policy_input *in, double replicated, struct plan *plan, struct err *err)
    MUST_USE;

#endif
