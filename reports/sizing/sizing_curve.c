/* sizing_curve.c - what memory buys on the shown curve; see sizing_plots.h. */
#include <math.h>
#include "reports/formats/document.h"
#include "reports/sizing/sizing_lines.h"
#include "reports/sizing/sizing_plots.h"

enum { HEIGHT = 400, KNEE = 0x5B6570 };

static void marks(struct figures *figures, const struct sizing *s, const struct figure_axis *x, bool named)
{
    double answer = s->answer < 0 ? NAN : s->points[s->answer].budget,
           knee = s->knee < 0 ? NAN : s->points[s->knee].budget;
    char text[STYLE_TEXT], label[STYLE_NAME];
    if (!isnan(answer)) {
        snprintf(label, sizeof label, "answer %s", style_bytes(text, answer));
        figure_mark(figures, answer / x->unit, named ? label : "", SIZING_ANSWER, !(knee > answer));
    }
    if (isnan(knee) || knee == answer) return;
    snprintf(label, sizeof label, "knee %s", style_bytes(text, knee));
    figure_mark(figures, knee / x->unit, named ? label : "", KNEE, knee > answer);
}

static void rates_panel(struct figures *figures, const struct sizing *s, const struct box *box)
{
    const struct sizing_curve *c = &s->curves[s->shown];
    struct figure_axis x = figure_axis_make('x', QUANTITY_BYTES, c->limit), y = figure_axis_make('y', QUANTITY_RATE, 1);
    const struct figure_key keys[] = {{"features", 0x0B4F8A}, {"topology", 0xB5500A}};
    figure_panel(figures, box);
    figure_legend(figures, (int)box->left, 50, keys, 2);
    figure_axis_left(figures, box, 66, "hit rate (rows, visits)");
    figure_axis_below(figures, box, "cache per GPU");
    figure_axis_write(figures->script, &x);
    figure_axis_write(figures->script, &y);
    sizing_target_line(figures, s, "feature_hit_rate", &y.range);
    sizing_target_line(figures, s, "topology_hit_rate", &y.range);
    marks(figures, s, &x, false);
    sizing_line_write(figures, c, &x, 4, "lc rgb '#0B4F8A' lw 2", 7, true);
    sizing_line_write(figures, c, &x, 5, "lc rgb '#B5500A' lw 2", 5, false);
    fputc('\n', figures->script);
}

/* What the right panel shows: epoch times where the server states its constants. */
static const char *cost_metric(const struct sizing *s)
{
    const struct sizing_curve *c = &s->curves[s->shown];
    return isnan(sizing_highest(s, c->first, c->count, "epoch_seconds")) ? "transactions" : "epoch_seconds";
}

static void cost_panel(struct figures *figures, const struct sizing *s, const struct box *box)
{
    const struct sizing_curve *c = &s->curves[s->shown];
    const char *metric = cost_metric(s);
    struct figure_axis x = figure_axis_make('x', QUANTITY_BYTES, c->limit),
                       y = figure_axis_make('y', sizing_quantity(metric),
                                            sizing_highest(s, c->first, c->count, metric));
    figure_panel(figures, box);
    figure_axis_left(figures, box, 72, sizing_metric_name(metric));
    figure_axis_below(figures, box, "cache per GPU");
    figure_axis_write(figures->script, &x);
    figure_axis_write(figures->script, &y);
    sizing_target_line(figures, s, metric, &y.range);
    marks(figures, s, &x, true);
    sizing_line_write(figures, c, &x, sizing_column(metric), "lc rgb '#0B4F8A' lw 2", 7, true);
    fputc('\n', figures->script);
}

enum st sizing_plot_curve(struct figures *figures, const struct sizing *s, struct err *err)
{
    enum st st;
    TRY(figure_begin_of(figures, &s->subject, "curve", "Effect of the cache size", SIZING_WIDTH, HEIGHT, err));
    sizing_records_write(figures, s);
    rates_panel(figures, s, &(struct box){SIZING_AXIS, SIZING_WIDTH / 2.0 - 34, 60, HEIGHT - 66});
    cost_panel(figures, s, &(struct box){SIZING_WIDTH / 2.0 + SIZING_AXIS, SIZING_WIDTH - 34, 60, HEIGHT - 66});
    figure_caption(figures,
                   "Each point is a plan with a cache of that size on every GPU, simulated on held-out epochs. "
                   "Left: shares of feature rows and of topology visits that GPU memory serves. Right: %s. Dashed "
                   "lines mark the answer and the knee: %s.",
                   sizing_metric_name(cost_metric(s)),
                   doc_text_value(doc_get(doc_get(s->root, "rules"), "knee"), "where the curve turns"));
    TRY(figure_end(figures, err));
done:
    return st;
}
