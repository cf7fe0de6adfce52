/* executed_plots.h - the figures of an executed plan. */
#ifndef REPORTS_EXECUTED_EXECUTED_PLOTS_H
#define REPORTS_EXECUTED_EXECUTED_PLOTS_H

#include "reports/executed/executed.h"
#include "reports/figures/figures.h"

/* Adds all figures of a document: both against alpha where there was a sweep, transactions by how they are known, and
 * time by stage where GPUs are stated. ST_LIMIT: memory or disk is out. */
enum st executed_plots_draw(struct figures *figures, const struct executed *x, struct err *err) MUST_USE;

#endif
