/* chart_data.h - what a chart by budget shows: its panels, their values, ranges and records. The lowest of the chart
 * files; chart_lines.h, chart_families.h and chart_bars.h draw it, and chart.h chooses among them.
 */
#ifndef REPORTS_PLOTS_CHART_DATA_H
#define REPORTS_PLOTS_CHART_DATA_H

#include "reports/figures/figure_panels.h"
#include "reports/figures/layout.h"
#include "reports/plots/grid.h"

/* How values are scaled and written: rates and errors are drawn in percent, counts as they are. */
enum chart_scale { CHART_RATE, CHART_COUNT, CHART_ERROR };

enum { CHART_PANELS_MAX = 2 };

/* One value of all policies. */
struct chart_panel {
    const char *heading;                         /* above the panel; NULL for none */
    const char *axis;                            /* title of the value axis, unit included */
    const char *column;                          /* header in the CSV, unit included */
    double (*value)(const struct result_row *r); /* NaN: nothing to draw */
    enum chart_scale scale;
    bool intervals;             /* draw the row's low .. high */
    double reference;           /* a dashed level, in the value's unit; NaN: none */
    const char *reference_name; /* or NULL */
};

struct chart {
    struct figures *figures;
    const struct grid *grid;
    const struct chart_panel *panels;
    int panel_count;
    int first[GRID_POLICIES_MAX];   /* record of the policy's first value in the CSV, from 0; -1: it has none */
    int points[GRID_POLICIES_MAX];  /* how many records it has */
    bool hidden[GRID_POLICIES_MAX]; /* lines: drawn pale and without a name */
    bool values;                    /* lines: names have the last value behind them */
};

/* A row's value in the unit of the axis (percent, or a count); NaN also when r is NULL. */
double chart_value(const struct chart_panel *p, const struct result_row *r);
/* A value in the unit of the axis as a text: "97.3 %", "+1.2 %", "1.23 M". Returns out. */
const char *chart_text(const struct chart_panel *p, double v, char out[STYLE_TEXT]);
/* Whether any row of the grid has a value for the panel. */
bool chart_has_values(const struct grid *grid, const struct chart_panel *p);
/* The range of a panel's values, with reference and intervals, into *out; false, and *out as it was, when there is no
 * value. zero: the range must hold 0. */
bool chart_range(const struct chart *c, int panel, bool zero, struct range *out);

/* Writes the records of the open figure, one per policy and budget, and sets first and points. */
void chart_records_write(struct chart *c);
/* The column of a panel's value in the CSV, from 1; the ends of its interval stand in the two behind it. */
int chart_column(const struct chart *c, int panel);

/* Writes range and ticks of an axis ("x" or "y"). */
void chart_tics(const struct chart *c, const char *axis, const struct range *r, enum chart_scale scale);
/* A policy's line for a plot command, into out: "lc rgb '#..' dt .. lw ..". Returns out. */
const char *chart_stroke(const char *policy, char out[96]);

#endif
