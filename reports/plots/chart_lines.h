/* chart_lines.h - one line per policy over the budgets, each with its name at its end. */
#ifndef REPORTS_PLOTS_CHART_LINES_H
#define REPORTS_PLOTS_CHART_LINES_H

#include "reports/plots/chart_data.h"

/* Draws all panels of a chart side by side on a figure of width x height pixels. ST_LIMIT: memory is out. */
enum st chart_lines(const struct chart *c, int width, int height, struct err *err) MUST_USE;

/* Where one panel of lines goes. */
struct chart_line_panel {
    int panel; /* index */
    struct box box;
    const char *heading; /* or NULL */
    struct box beside;   /* where the title of the value axis stands; top 0: nowhere */
    bool below;          /* with the title of the budget axis */
};
/* Draws one panel; nothing when it has no value. ST_LIMIT: memory is out. */
enum st chart_line_panel(const struct chart *c, const struct chart_line_panel *where, struct err *err) MUST_USE;

/* Pixels right of a plot that the names of its lines take. */
int chart_label_width(const struct chart *c);
/* Where a policy's line ends in a panel, in the units of the axes; false when it has no point there. */
bool chart_line_end(const struct chart *c, const struct chart_panel *p, int policy, double *x, double *y);

#endif
