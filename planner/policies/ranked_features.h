/* ranked_features.h - what quiver, quiver-plus and data-tiering share: features by one ranking, the hottest on every
 * GPU.
 */
#ifndef PLANNER_POLICIES_RANKED_FEATURES_H
#define PLANNER_POLICIES_RANKED_FEATURES_H

#include "planner/policies/policy.h"

/* Places features by in->hotness. Every GPU of a clique holds the hottest, as many as fit `replicated` (0..1) of the
 * clique's smallest budget; those that follow are distributed over the clique's GPUs until they are full. Errors of the
 * metric and of memory. */
enum st place_ranked_features(const struct policy_input *in, double replicated, struct plan *plan, struct err *err)
    MUST_USE;

#endif
