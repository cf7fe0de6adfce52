/* chart.h - values of all policies against the budget: lines with labels at their ends, or bars where there is only
 * one budget. More lines than one panel can name (LINES_MOST) become small panels on one scale, one per family, each
 * with the other lines in pale grey behind its own. */
#ifndef REPORTS_PLOTS_CHART_H
#define REPORTS_PLOTS_CHART_H

#include "reports/figures/figures.h"

enum scale { SCALE_RATE, SCALE_COUNT, SCALE_ERROR };

struct panel {
    const char *heading;                  /* above the panel; NULL for none */
    const char *axis;                     /* title of the value axis, unit included */
    const char *column;                   /* header in the CSV, unit included */
    double (*value)(const struct row *r); /* NaN: nothing to draw */
    enum scale scale;                     /* rates and errors are drawn in percent */
    bool intervals;                       /* draw row.low .. row.high */
    double reference;                     /* a dashed level with a name, or NaN */
    const char *reference_name;
};

enum { PANELS_MAX = 2 };

/* Adds the figure `what`, or nothing when no row has a value. caption: how to read it. */
enum st chart_draw(struct figures *s, const struct grid *grid, const char *what, const char *title, const char *caption,
                   const struct panel *panels, int count, struct err *err) MUST_USE;

/* The three shapes; chart_draw chooses. first[p]: record of policy p's first value in the CSV (-1: none); points[p]:
 * how many. */
struct chart {
    struct figures *figures;
    const struct grid *grid;
    const struct panel *panels;
    int panel_count, first[POLICIES_MAX], points[POLICIES_MAX];
    bool hidden[POLICIES_MAX]; /* lines: pale, without a name */
    bool values;               /* lines: names have the last value behind them */
};
enum { LINES_MOST = 10 };
void chart_lines(const struct chart *c, int width, int height);
/* One panel of lines in `box`. beside: where the title of the value axis stands, top 0 for none; below: with the
 * title of the budget axis. */
struct line_panel {
    int panel;
    struct box box;
    const char *heading;
    struct box beside;
    bool below;
};
void chart_line_panel(const struct chart *c, const struct line_panel *where);
/* Pixels right of a plot that its names take. */
int chart_label_width(const struct chart *c);
bool chart_line_end(const struct chart *c, const struct panel *p, int policy, double *x,
                    double *y); /* false: no point there */
void chart_families(struct chart *c, int width);
int chart_families_height(struct chart *c);
void chart_bars(const struct chart *c, int width, int height);
double chart_value(const struct panel *p, const struct row *r); /* in the axis's unit; NaN also for r NULL */
int chart_column(const struct chart *c, int panel);             /* of the panel's value in the CSV, from 1 */
const char *chart_text(const struct panel *p, double v, char out[STYLE_TEXT]);
struct range;
void chart_tics(const struct chart *c, const char *axis, const struct range *r, enum scale scale);
/* "lc rgb '#..' dt .. lw .." of a policy. */
const char *chart_stroke(const char *policy, char out[96]);
/* Range of a panel's values, reference and intervals included; false when there is none. zero: the range must hold
 * 0. */
bool chart_range(const struct chart *c, int panel, bool zero, struct range *out);

#endif
