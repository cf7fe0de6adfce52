/* study_bound.h - a lower bound for every plan of a study (optimum/bound.h).
 *
 * The document plan.bound:
 *   - total_transactions: lower bound on the expected host reads per epoch on this server, with this assignment and
 *     these budgets
 *   - expected_transactions: what the plan reads under the same estimates (its prediction, if it is planned from them)
 *   - gap: expected / bound - 1; null where the bound is 0 and the plan is not
 *   - slowest_switch: {transactions, expected_transactions, gap} of the busiest PCIe switch, with --objective slowest
 *   - transfer_stage: {seconds, expected_seconds, gap} per epoch of the transfer stage, only with --objective time
 *   - reason: why there is no number, or what weakens it; null otherwise
 */
#ifndef PLANNER_ENGINE_STUDY_BOUND_H
#define PLANNER_ENGINE_STUDY_BOUND_H

#include "planner/engine/study_recording.h"

/* Sets plan.bound of every planned cell; cells of one recording and equal budgets share one program. Calibrated
 * estimates must be there in every recording (study_estimate). ST_MISSING without GLPK, ST_LIMIT when it gave up. */
enum st study_bound(struct study *s, struct study_cell *cells, int count, struct err *err) MUST_USE;

#endif
