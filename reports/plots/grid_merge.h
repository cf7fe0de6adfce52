/* grid_merge.h - policies that give equal results share a row: "exact = hotset". */
#ifndef REPORTS_PLOTS_GRID_MERGE_H
#define REPORTS_PLOTS_GRID_MERGE_H

#include "reports/plots/grid.h"

/* Gives every policy its label, and joins those whose numbers are the same at every budget: the first that is hotset,
 * else the first that is no yardstick, else the first keeps its place, and its label names the others before it. The
 * grid is sorted; best stays the same policy, or the one that it was joined with. */
void grid_merge(struct grid *grid);

#endif
