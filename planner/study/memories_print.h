/* memories_print.h - the memories below a plan's GPUs, for people. */
#ifndef PLANNER_STUDY_MEMORIES_PRINT_H
#define PLANNER_STUDY_MEMORIES_PRINT_H

#include <stdio.h>
#include "simulator/plan/plan.h"

/* A table of the places: room, rows, and what held-out epochs read there where the plan was simulated; nothing for a
 * plan without them. */
void memories_print(const struct plan *p, FILE *to);

#endif
