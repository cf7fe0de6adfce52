/* diff_print.h - what moves between two plans, as tables for people. */
#ifndef PLANNER_COMMANDS_DIFF_PRINT_H
#define PLANNER_COMMANDS_DIFF_PRINT_H

#include <stdio.h>
#include "base/doc.h"
#include "simulator/plan/plan_diff.h"

/* Rows per GPU, moves from GPU to GPU, alpha per clique, figures per epoch. document: of d, as diff_document makes it.
 */
void diff_print(const struct diff *d, const doc *document, FILE *to);
/* Rows of the memories below the GPUs (plan_places_diff.h); nothing for an empty list. */
void diff_places_print(const doc *places, FILE *to);

#endif
