/* ranked_features.h - what quiver, quiver-plus and data-tiering share: rows by one ranking, the hottest features on
 * every GPU.
 */
#ifndef PLANNER_POLICIES_RANKED_FEATURES_H
#define PLANNER_POLICIES_RANKED_FEATURES_H

#include "planner/policies/policy.h"

/* Places features by in->hotness; topology: rows of topology before them, distributed over each clique's GPUs until
 * they are full (Data Tiering, section 5.5). Then every GPU of a clique holds the hottest, as many as fit `replicated`
 * (0..1) of the smallest room in the clique; those that follow are distributed over the clique's GPUs until they are
 * full. Errors of the metric and of memory. */
enum st place_ranked_features(const struct policy_input *in, double replicated, bool topology, struct plan *plan,
                              struct err *err) MUST_USE;

#endif
