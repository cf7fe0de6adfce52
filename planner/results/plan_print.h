/* plan_print.h - one plan as tables for people. */
#ifndef PLANNER_RESULTS_PLAN_PRINT_H
#define PLANNER_RESULTS_PLAN_PRINT_H

#include <stdbool.h>
#include <stdio.h>
#include "simulator/plan/plan.h"

/* Cliques, prediction and simulation, bound; parts that the plan does not have are left out. explain: also what columns
 * mean, what planning tried, the stages of an epoch, and GPUs. What a plan says in words is plan_answer.h's. */
void plan_print(const struct plan *p, const struct graph *g, bool explain, FILE *to);

#endif
