/* grid_first.h - what a page shows of a grid with many policies: a few that stand for all; an appendix has the others.
 */
#ifndef REPORTS_PLOTS_GRID_FIRST_H
#define REPORTS_PLOTS_GRID_FIRST_H

#include "reports/plots/grid.h"

enum { GRID_FIRST = 6, GRID_FEW = 7 }; /* shown of many; as many are all shown */

/* Copies a grid with at most GRID_FIRST of its policies, in its order: the best of each family, then the next best,
 * yardsticks last. The best policy is among them. Returns false when the grid has at most GRID_FEW, and *out all of
 * them. *out borrows what the grid borrows. */
bool grid_first(const struct grid *grid, struct grid *out);

#endif
