/* export_print.h - what an export wrote and what it costs, for people. */
#ifndef PLANNER_COMMANDS_EXPORT_PRINT_H
#define PLANNER_COMMANDS_EXPORT_PRINT_H

#include "planner/exports/export_folder.h"
#include "planner/exports/export_runs.h"

/* Files, how to use them, what must be added, and the runs of the plan as `target` executes it. */
void export_print(const struct export_folder *f, const struct export_runs *runs, const char *target, FILE *to);

#endif
