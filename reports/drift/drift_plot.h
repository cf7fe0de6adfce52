/* drift_plot.h - hit rate over windows as a figure. */
#ifndef REPORTS_DRIFT_DRIFT_PLOT_H
#define REPORTS_DRIFT_DRIFT_PLOT_H

#include "base/doc.h"
#include "reports/figures/figures.h"

enum { DRIFT_SCHEMES_MOST = 7 }; /* in a figure */

/* Draws the first schemes of a document drift/1, checked by the caller. ST_LIMIT as figure_begin. */
enum st drift_plot(struct figures *figures, const struct figure_subject *subject, const doc *root, struct err *err)
    MUST_USE;

#endif
