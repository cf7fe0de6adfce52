/* comparison_summary.h - what the rows say, in plain words. */
#ifndef REPORTS_COMPARISON_COMPARISON_SUMMARY_H
#define REPORTS_COMPARISON_COMPARISON_SUMMARY_H

#include "reports/plots/grid.h"

enum { SUMMARY_BYTES = 2400 };

/* The answer of one grid at its middle budget as plain text, into out: the sentence that the terminal prints, with its
 * subject, and a line per other reach; without policy hotset the best policy against the next one and against nothing
 * cached. */
void summary_answer(const struct grid *grid, char out[SUMMARY_BYTES]);
/* What else there is to say of it, into out: the epochs it was counted on, transactions, hit rates, the other budgets
 * and the reference. "" where there is no number. */
void summary_more(const struct grid *grid, char out[SUMMARY_BYTES]);
/* What was compared, and how many runs gave no numbers, as plain text, into out. */
void summary_all(const struct result_rows *rows, const struct grids *grids, char out[SUMMARY_BYTES]);

#endif
