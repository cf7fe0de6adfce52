/* comparison_tables.h - the tables of a grid: transactions by policy and budget, details by budget, and runs without
 * numbers. */
#ifndef REPORTS_COMPARISON_COMPARISON_TABLES_H
#define REPORTS_COMPARISON_COMPARISON_TABLES_H

#include <stdio.h>
#include "reports/plots/grid.h"

/* Writes all tables of a grid as HTML. Errors of writing are those of the stream. */
void comparison_tables_write(FILE *to, const struct grid *grid);
/* The same for an appendix of many policies: without the tables of types, which the first view has. */
void comparison_overview_write(FILE *to, const struct grid *grid);

#endif
