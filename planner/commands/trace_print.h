/* trace_print.h - what a trace counted, as tables for people. */
#ifndef PLANNER_COMMANDS_TRACE_PRINT_H
#define PLANNER_COMMANDS_TRACE_PRINT_H

#include <stdio.h>
#include "traces/recording/trace.h"

/* Draws and feature rows per epoch of every clique; of several types also reads and distinct rows of every table. */
void trace_print(const struct trace *t, const struct graph *g, FILE *to);

#endif
