/* results_print.h - a comparison as tables for people. */
#ifndef PLANNER_RESULTS_RESULTS_PRINT_H
#define PLANNER_RESULTS_RESULTS_PRINT_H

#include <stdio.h>
#include "base/doc.h"

/* Per server and budget a table, the shortest epoch first, rows with the same result as one, and what it says
 * (results_answer.h), last. all: every row, and why some have no numbers; else the few rows that answer the question.
 * explain: also what the columns mean, how much of the lead is the deal, and what each reach is worth. rows: of
 * results/1. */
void results_print(const doc *rows, bool all, bool explain, FILE *to);
/* What the columns of tables of results mean; the first line below them. */
#define RESULTS_LEGEND                                                                                                 \
    "hits: shares of feature rows and of topology visits that the GPU itself or a peer serves\n"                       \
    "trans.: PCIe reads per epoch"

#endif
