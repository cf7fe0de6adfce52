/* results_print.h - a comparison as tables for people. */
#ifndef PLANNER_STUDY_RESULTS_PRINT_H
#define PLANNER_STUDY_RESULTS_PRINT_H

#include <stdio.h>
#include "base/doc.h"

/* A table per server and budget, one line per policy, the fewest transactions first; then what the columns mean and why
 * some rows have no numbers. rows: of results/1. */
void results_print(const doc *rows, FILE *to);
/* What the columns of tables of results mean; the first line below them. */
#define RESULTS_LEGEND                                                                                                 \
    "hits: shares of feature rows and of topology visits served by the GPU itself or a peer; trans.: PCIe reads per "  \
    "epoch"

#endif
