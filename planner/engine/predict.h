/* predict.h - what a placement will cost, from the counts that planning saw (model/legion.md).
 *
 * Per clique: topology = N_TSUM * (1 - R_T), R_T = share of the recorded draws that are made from rows held; feature
 * = lines of the feature reads that nobody in reach holds. Both per epoch, exact fractions rounded half up. Counts
 * come from the trace, so a prediction is as good as the trace is long; the simulation uses held-out epochs.
 */
#ifndef PLANNER_ENGINE_PREDICT_H
#define PLANNER_ENGINE_PREDICT_H

#include "planner/policies/policy.h"

/* Sets the plan's clique[].topology and .feature (transactions per epoch), of several types also `expected`, hit rates,
 * interval, alpha where the policy set no sweep, and index_bytes. benefit_epochs: epochs that in->benefit_* cover.
 * ST_LIMIT without memory. */
enum st predict_plan(const struct policy *policy, const struct policy_input *in, uint64_t benefit_epochs,
                     struct plan *plan, struct err *err) MUST_USE;

#endif
