/* diff_tables.h - two plans of several types side by side, as the document diff/2 and as tables for people. */
#ifndef PLANNER_COMMANDS_DIFF_TABLES_H
#define PLANNER_COMMANDS_DIFF_TABLES_H

#include <stdio.h>
#include "simulator/plan/plan_diff.h"

/* d: of diff_tables (plan_diff.h). path, side: folders and plan.json of both plans, before and after. The caller frees
 * the document. */
doc *diff_tables_document(const struct diff *d, char *const *path, doc *const *side, const struct graph *rows);
/* all: that document. */
void diff_tables_print(const struct diff *d, const doc *all, const struct graph *rows, FILE *to);

#endif
