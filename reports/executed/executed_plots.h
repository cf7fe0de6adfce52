/* executed_plots.h - the figures of an executed plan, one per file. Each fails with ST_LIMIT when memory or disk is
 * out.
 */
#ifndef REPORTS_EXECUTED_EXECUTED_PLOTS_H
#define REPORTS_EXECUTED_EXECUTED_PLOTS_H

#include "reports/executed/executed.h"
#include "reports/figures/figures.h"

/* Transactions and time against alpha (Legion, figure 13); nothing without a sweep of two points. */
enum st executed_plot_alpha(struct figures *figures, const struct executed *x, struct err *err) MUST_USE;
/* Transactions per epoch: predicted, simulated, counted and measured. */
enum st executed_plot_transactions(struct figures *figures, const struct executed *x, struct err *err) MUST_USE;
/* The median time of a mini-batch by stage, for every GPU; nothing when no GPU is stated. */
enum st executed_plot_stages(struct figures *figures, const struct executed *x, struct err *err) MUST_USE;

#endif
