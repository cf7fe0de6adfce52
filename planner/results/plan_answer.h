/* plan_answer.h - a plan in a few sentences. */
#ifndef PLANNER_RESULTS_PLAN_ANSWER_H
#define PLANNER_RESULTS_PLAN_ANSWER_H

#include <stdbool.h>
#include <stdio.h>

#include "planner/decisions/epoch_interval.h"
#include "simulator/plan/plan.h"

/* What an epoch takes and what binds it, what is still read over PCIe, and how sure that is; what comes last on a
 * screen. What is not known is left out, but for what an epoch takes. explained: plan_print told the details, so that
 * they need not be pointed to. interval: of the simulated epoch. */
void plan_answer_print(const struct plan *p, const struct epoch_interval *interval, bool explained, FILE *to);

/* A line that says how far the seconds of an epoch may be off; empty where that is not known. */
enum { PLAN_ANSWER_INTERVAL = 128 };
void plan_answer_interval(const struct epoch_interval *e, char out[PLAN_ANSWER_INTERVAL]);

/* What sentences call a stage: "computing" of "propagate". */
const char *plan_answer_doing(const char *stage);

#endif
