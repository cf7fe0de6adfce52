/* diff_print.h - what moves between two plans, as tables for people. */
#ifndef PLANNER_COMMANDS_DIFF_PRINT_H
#define PLANNER_COMMANDS_DIFF_PRINT_H

#include <stdio.h>
#include "base/doc.h"
#include "simulator/plan/plan_diff.h"

/* Rows per GPU, moves from GPU to GPU, of several types rows per table, alpha per clique, figures per epoch, and rows
 * of the memories below the GPUs. document: of d, as diff_document makes it, with `memories` where there are some. */
void diff_print(const struct diff *d, const doc *document, const struct graph *graph, FILE *to);

#endif
