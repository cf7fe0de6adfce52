/* comparison_summary.h - what the rows say, in plain words. */
#ifndef REPORTS_COMPARISON_COMPARISON_SUMMARY_H
#define REPORTS_COMPARISON_COMPARISON_SUMMARY_H

#include "reports/plots/grid.h"

enum { SUMMARY_BYTES = 2400 };

/* One grid as plain text, into out: the best policy at the middle budget against the next one and against nothing
 * cached; unless brief, also hit rates, the other budgets and the reference. */
void summary_grid(const struct grid *grid, bool brief, char out[SUMMARY_BYTES]);
/* What was compared, and how many runs gave no numbers, as plain text, into out. */
void summary_all(const struct result_rows *rows, const struct grids *grids, char out[SUMMARY_BYTES]);

#endif
