/* chart.h - a figure of values of all policies against the budget.
 *
 * Lines with names at their ends; one small panel per family where there are more lines than one panel can name; bars
 * where there is a single budget.
 */
#ifndef REPORTS_PLOTS_CHART_H
#define REPORTS_PLOTS_CHART_H

#include "reports/plots/chart_data.h"

/* Adds the figure `what` of a grid, or nothing when no row has a value and when the grid is one plan. title: without
 * graph and server, which are put behind it; caption: how to read it; panels: `count` (1 to CHART_PANELS_MAX), all
 * texts borrowed during the call. ST_LIMIT: memory or disk is out. */
enum st chart_draw(struct figures *figures, const struct grid *grid, const char *what, const char *title,
                   const char *caption, const struct chart_panel *panels, int count, struct err *err) MUST_USE;

#endif
