/* execute_sweep.h - Legion's figure 13: plans again at other alphas and executes each plan.
 *
 * The policy, server, budget, workload and recording are the plan's; only the share of topology is fixed. The
 * document's member `sweep` is {points[]{alpha, predicted, simulated, counted, measured, seconds, equals_simulated,
 * wrong_rows}, step, best{predicted, simulated, counted, measured, seconds, judged_by, within_one_step}}: totals and
 * seconds per epoch over all GPUs; best: the alpha with the least of each (ties: the smaller), null where it is not
 * known; judged_by: "measured" where totals were, else "seconds" where a GPU sampled and read the host, else
 * "counted"; within_one_step: whether that alpha is at most a step from the predicted one.
 */
#ifndef PLANNER_RESULTS_EXECUTE_SWEEP_H
#define PLANNER_RESULTS_EXECUTE_SWEEP_H

#include "planner/policies/place.h"
#include "planner/engine/study.h"
#include "simulator/execute/execute.h"

enum { EXECUTE_ALPHAS = SWEEP_STEPS + 1 };

/* Reads "11" (that many, evenly from 0 to 100 %) or "0,10,30" (percents, ascending) into percent[0..*count). ST_USAGE.
 */
enum st execute_sweep_parse(const char *text, int percent[EXECUTE_ALPHAS], int *count, struct err *err) MUST_USE;

/* ST_USAGE when the plan's policy takes no alpha, or its GPUs have unequal budgets. */
enum st execute_sweep_check(const struct plan *p, struct err *err) MUST_USE;

/* q: how the plan itself was executed; o: the study that made it, but for the policy. *out: the member `sweep`; the
 * caller frees it. *bad: gathered rows that differ from what they must hold, added to. ST_NO when a plan is impossible;
 * errors of planning and executing. */
enum st execute_sweep(const struct execute_request *q, const struct study_options *o, const int *percent, int count,
                      doc **out, uint64_t *bad, struct err *err) MUST_USE;

#endif
