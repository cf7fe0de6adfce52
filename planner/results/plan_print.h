/* plan_print.h - one plan as tables for people. */
#ifndef PLANNER_RESULTS_PLAN_PRINT_H
#define PLANNER_RESULTS_PLAN_PRINT_H

#include <stdio.h>
#include "simulator/plan/plan.h"

/* Cliques, prediction and simulation, bound, epoch time, GPUs; parts that the plan does not have are left out. */
void plan_print(const struct plan *p, const struct graph *g, FILE *to);

#endif
