/* predict.h - what a placement will cost, from the counts that planning saw (MODEL.md, section 7.1; fine print of the
 * documents).
 *
 * Per clique: topology = N_TSUM * (1 - R_T), R_T = share of the recorded draws that are made from rows held; feature
 * = lines of the feature reads that nobody in reach holds. Both per epoch, exact fractions rounded half up. Counts
 * come from the trace, so a prediction is as good as the trace is long; the simulation beside it is held out.
 */
#ifndef PLANNER_STUDY_PREDICT_H
#define PLANNER_STUDY_PREDICT_H

#include "planner/policies/policy.h"

/* Sets clique[].topology and .feature, the hit rates, alpha where the policy set no sweep, and index_bytes. */
enum st predict_plan(const struct policy *policy, const struct policy_input *in, uint64_t benefit_epochs,
                     struct plan *plan, struct err *err) MUST_USE;

#endif
