/* plan_tables_print.h - plans and traces of graphs with several types as tables for people, by table of rows. */
#ifndef PLANNER_STUDY_PLAN_TABLES_PRINT_H
#define PLANNER_STUDY_PLAN_TABLES_PRINT_H

#include <stdio.h>
#include "simulator/plan/plan.h"
#include "traces/recording/trace.h"

/* What plan_print (plan_print.h) prints of such a plan. */
void plan_tables_print(const struct plan *p, const struct graph *g, FILE *to);
/* Reads and distinct rows per epoch of every table that a trace counts. */
void trace_tables_print(const struct trace *t, const struct graph *g, FILE *to);

#endif
