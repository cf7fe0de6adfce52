/* plan_facts.h - one plan in numbers, where there is nothing to compare it with. */
#ifndef REPORTS_COMPARISON_PLAN_FACTS_H
#define REPORTS_COMPARISON_PLAN_FACTS_H

#include <stdio.h>
#include "reports/plots/grid.h"

/* Writes a table of the grid's first policy at its first budget, one number per line. Errors of writing are those of
 * the stream. */
void plan_facts_write(FILE *to, const struct grid *grid);

#endif
