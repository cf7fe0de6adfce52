/* curve_plot.h - hit rate over cache size as a figure. */
#ifndef REPORTS_CURVES_CURVE_PLOT_H
#define REPORTS_CURVES_CURVE_PLOT_H

#include "base/doc.h"
#include "reports/figures/figures.h"

enum { CURVE_LINES_MOST = 7 }; /* in a figure */

/* Draws the first lines of one part: an object of "parts" in curve/1, checked by the caller. what: the end of the
 * figure's name, unique on the page. ST_LIMIT as figure_begin. */
enum st curve_plot(struct figures *figures, const struct figure_subject *subject, const doc *part, const char *what,
                   struct err *err) MUST_USE;

#endif
