/* sizing_choices.c - all curves in one panel; see sizing_plots.h. */
#include <math.h>
#include <string.h>
#include "reports/sizing/sizing_lines.h"
#include "reports/sizing/sizing_plots.h"

/* Names beside the ends of the lines. */
static void names_write(struct figures *figures, const struct sizing *s, const struct figure_axis *x,
                        const struct figure_axis *y, const struct box *box, const int *list, int n)
{
    enum { BELOW = 10 };
    struct figure_end_label ends[SIZING_COLOURS];
    for (int i = 0; i < n; i++) {
        const struct sizing_curve *c = &s->curves[list[i]];
        const struct sizing_point *p = &s->points[c->first + c->count - 1];
        ends[i].colour = sizing_colours[i];
        ends[i].x = p->budget / x->unit;
        ends[i].place = layout_place(&y->range, sizing_value(p, s->primary));
        ends[i].leader = ends[i].x > 0.8 * x->range.high; /* a longer one would cross other lines; the colour tells */
        style_cut(ends[i].text, c->label, 34);
    }
    figure_end_labels(figures, box, ends, n, BELOW);
}

/* The curves with numbers of the primary metric: the first SIZING_COLOURS of them into list, their number into n.
 * Returns how many there are. */
static int drawn_curves(const struct sizing *s, int list[SIZING_COLOURS], int *n)
{
    int with = 0;
    *n = 0;
    for (int i = 0; i < s->curve_count; i++) {
        const struct sizing_curve *c = &s->curves[i];
        if (!c->count || isnan(sizing_value(&s->points[c->first + c->count - 1], s->primary))) continue;
        with++;
        if (*n < SIZING_COLOURS) list[(*n)++] = i;
    }
    return with;
}

enum st sizing_plot_choices(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                            struct err *err)
{
    enum st st = ST_OK;
    enum { HEIGHT = 440 };
    int list[SIZING_COLOURS], n, with = drawn_curves(s, list, &n);
    double limit = 0, most = NAN;
    for (int i = 0; i < n; i++) {
        const struct sizing_curve *c = &s->curves[list[i]];
        limit = fmax(limit, c->limit);
        most = fmax(most, sizing_highest(s, c->first, c->count, s->primary));
    }
    if (n < 2) goto done;
    TRY(figure_begin_of(figures, subject, "choices", "Cache size by configuration", SIZING_WIDTH, HEIGHT, err));
    sizing_records_write(figures, s);
    struct box box = {SIZING_AXIS, SIZING_WIDTH - 280, 60, HEIGHT - 52};
    struct figure_axis x = figure_axis_make('x', QUANTITY_BYTES, limit),
                       y = figure_axis_make('y', sizing_quantity(s->primary), most);
    figure_panel(figures, &box);
    figure_axis_left(figures, &box, 72, sizing_metric_name(s->primary));
    figure_axis_below(figures, &box, "cache per GPU");
    figure_axis_write(figures->script, &x);
    figure_axis_write(figures->script, &y);
    sizing_target_line(figures, s, s->primary, &y.range);
    names_write(figures, s, &x, &y, &box, list, n);
    for (int i = 0; i < n; i++)
        sizing_line_write(figures, &s->curves[list[i]], &x, sizing_column(s->primary), sizing_colours[i], i < 8 ? 1 : 2,
                          i == 0);
    fputc('\n', figures->script);
    figure_caption(figures,
                   "One line per configuration: a server, a number of GPUs and a workload. A line begins with nothing "
                   "cached and ends with the largest cache that fits beside training, or with the whole graph "
                   "cached.%s",
                   !strcmp(s->primary, "epoch_seconds") ? " Epoch times are those of the best plan up to each budget, "
                                                          "because a plan for less memory fits, too."
                                                        : "");
    if (with > n) figure_caption(figures, " The first %d of %d are drawn; all are in the data.", n, with);
    TRY(figure_end(figures, err));
done:
    return st;
}
