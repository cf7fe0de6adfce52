/* sizing_frontier.c - the candidates that no other beats; see sizing_plots.h. */
#include <math.h>
#include <string.h>
#include "reports/sizing/sizing_lines.h"
#include "reports/sizing/sizing_plots.h"

enum { HEIGHT = 400, BEST = 0x0B4F8A, ANSWER = 0xA32638, OTHERS = 0xB8C0C8 };

/* Candidates as dots in two metrics; x_metric NULL: bytes of cache of all GPUs. key: of the document's list of those
 * that no other beats. */
struct cloud {
    const char *key, *x_metric, *y_metric, *x_title;
};

/* Epoch times of the plans themselves: the best up to a budget is another candidate's. */
static bool own_times(const struct cloud *c) { return !strcmp(c->y_metric, "epoch_seconds"); }

static double dot_x(const struct cloud *c, const struct sizing_point *p)
{
    return c->x_metric ? sizing_value(p, c->x_metric) : p->all;
}

static double dot_y(const struct cloud *c, const struct sizing_point *p)
{
    return own_times(c) ? p->seconds : sizing_value(p, c->y_metric);
}

static void frontier_dots(struct figures *figures, const struct sizing *s, const struct cloud *c, double unit)
{
    const doc *list = doc_get(doc_get(s->root, "frontier"), c->key);
    for (uint64_t i = 0; i < doc_size(list); i++) {
        int64_t at = doc_integer_value(doc_at(list, i), -1);
        if (at < 0 || at >= s->count || isnan(dot_x(c, &s->points[at])) || isnan(dot_y(c, &s->points[at]))) continue;
        fprintf(figures->script,
                "set object circle at first %.9g, first %.9g size screen 0.0045 fs solid 1.0 noborder fc rgb '#%06X' "
                "front\n",
                dot_x(c, &s->points[at]) / unit, dot_y(c, &s->points[at]),
                at == s->answer ? (unsigned)ANSWER : (unsigned)BEST);
    }
}

static void cloud_panel(struct figures *figures, const struct sizing *s, const struct cloud *c, const struct box *box)
{
    static const struct figure_key keys[] = {{"no other is better in both", BEST},
                                             {"the answer", ANSWER},
                                             {"other candidates", OTHERS}};
    enum { COLUMN_ALL = 3, COLUMN_SECONDS = 7 }; /* of the records */
    double wide = 0, tall = 0;
    for (int i = 0; i < s->count; i++) {
        wide = fmax(wide, dot_x(c, &s->points[i]));
        tall = fmax(tall, dot_y(c, &s->points[i]));
    }
    struct figure_axis x = figure_axis_make('x', c->x_metric ? sizing_quantity(c->x_metric) : QUANTITY_BYTES, wide),
                       y = figure_axis_make('y', sizing_quantity(c->y_metric), tall);
    figure_panel(figures, box);
    if (box->left == SIZING_AXIS) figure_legend(figures, SIZING_AXIS, 50, keys, 3);
    figure_axis_left(figures, box, 72, sizing_metric_name(c->y_metric));
    figure_axis_below(figures, box, c->x_title);
    figure_axis_write(figures->script, &x);
    figure_axis_write(figures->script, &y);
    sizing_target_line(figures, s, c->y_metric, &y.range);
    frontier_dots(figures, s, c, x.unit);
    fprintf(figures->script,
            "plot '%s' skip 1 using ($%d/%.9g):%d with points pt 7 ps 0.4 lc rgb '#%06X'\nunset object\n",
            figure_now(figures)->csv, c->x_metric ? sizing_column(c->x_metric) : COLUMN_ALL, x.unit,
            own_times(c) ? COLUMN_SECONDS : sizing_column(c->y_metric), (unsigned)OTHERS);
}

enum st sizing_plot_frontier(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                             struct err *err)
{
    enum st st;
    static const struct cloud costs = {"time_cost", "cost_per_epoch", "epoch_seconds", "cost per epoch"},
                              memories = {"time_memory", NULL, "epoch_seconds", "cache of all GPUs"},
                              hits = {"hit_memory", NULL, "feature_hit_rate", "cache of all GPUs"};
    const doc *frontier = doc_get(s->root, "frontier");
    const struct cloud *first = doc_size(doc_get(frontier, "time_cost")) > 1 ? &costs
                                : doc_size(doc_get(frontier, "time_memory")) ? &memories
                                                                             : NULL;
    TRY(figure_begin_of(figures, subject, "frontier", "Frontier: best candidates", SIZING_WIDTH, HEIGHT, err));
    sizing_records_write(figures, s);
    struct box left = {SIZING_AXIS, SIZING_WIDTH / 2.0 - 34, 60, HEIGHT - 66},
               right = {SIZING_WIDTH / 2.0 + SIZING_AXIS, SIZING_WIDTH - 34, 60, HEIGHT - 66};
    if (first) cloud_panel(figures, s, first, &left);
    cloud_panel(figures, s, &hits, first ? &right : &left);
    figure_caption(figures, "Each dot is a candidate. The large dots are the frontier: for every other candidate there "
                            "is one on the frontier that is at least as good in both directions and better in one.");
    TRY(figure_end(figures, err));
done:
    return st;
}
