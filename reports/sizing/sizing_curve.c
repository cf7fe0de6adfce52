/* sizing_curve.c - what memory buys on the shown curve; see sizing_plots.h. */
#include <math.h>
#include "reports/formats/document.h"
#include "reports/sizing/sizing_lines.h"
#include "reports/sizing/sizing_plots.h"

enum { HEIGHT = 400, KNEE = 0x5B6570 };

/* Draws the answer and the knee; names: gets their legend, as keys[*count..]. */
static void marks(struct figures *figures, const struct sizing *s, const struct figure_axis *x,
                  char names[2][STYLE_NAME], struct figure_key *keys, int *count)
{
    const double at[2] = {s->answer < 0 ? NAN : s->points[s->answer].budget,
                          s->knee < 0 ? NAN : s->points[s->knee].budget};
    char text[STYLE_TEXT];
    for (int i = 0; i < 2; i++) {
        if (isnan(at[i]) || (i && at[1] == at[0])) continue;
        figure_mark(figures, at[i] / x->unit, i ? KNEE : SIZING_ANSWER);
        snprintf(names[i], STYLE_NAME, "%s %s", i ? "knee" : "least to meet", style_bytes(text, at[i]));
        keys[(*count)++] = (struct figure_key){names[i], i ? KNEE : SIZING_ANSWER};
    }
}

static enum st rates_panel(struct figures *figures, const struct sizing *s, const struct box *box, struct err *err)
{
    const struct sizing_curve *c = &s->curves[s->shown];
    struct figure_axis x = figure_axis_make('x', QUANTITY_BYTES, c->limit), y = figure_axis_make('y', QUANTITY_RATE, 1);
    const struct figure_key keys[] = {{"features", 0x0B4F8A}, {"topology", 0xB5500A}};
    struct figure_key unnamed[2]; /* the other panel names them */
    char names[2][STYLE_NAME];
    int count = 0;
    figure_panel(figures, box);
    figure_legend(figures, (int)box->left, 50, keys, 2);
    figure_axis_left(figures, box, 66, "hit rate (rows, visits)");
    figure_axis_below(figures, box, "cache per GPU");
    figure_axis_write(figures->script, &x);
    figure_axis_write(figures->script, &y);
    sizing_target_line(figures, s, "feature_hit_rate", &y.range);
    sizing_target_line(figures, s, "topology_hit_rate", &y.range);
    marks(figures, s, &x, names, unnamed, &count);
    sizing_line_write(figures, c, &x, 4, "lc rgb '#0B4F8A' lw 2", 7, true);
    sizing_line_write(figures, c, &x, 5, "lc rgb '#B5500A' lw 2", 5, false);
    fputc('\n', figures->script);
    const struct figure_places at = figure_places_make(box, &x, &y);
    PASS(sizing_points(figures, s, c, "feature_hit_rate", &keys[0], &at, &x, err));
    return sizing_points(figures, s, c, "topology_hit_rate", &keys[1], &at, &x, err);
}

/* What the right panel shows: epoch times where the server states its constants. */
static const char *cost_metric(const struct sizing *s)
{
    const struct sizing_curve *c = &s->curves[s->shown];
    return isnan(sizing_highest(s, c->first, c->count, "epoch_seconds")) ? "transactions" : "epoch_seconds";
}

static enum st cost_panel(struct figures *figures, const struct sizing *s, const struct box *box, struct err *err)
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
    struct figure_key keys[2];
    char names[2][STYLE_NAME];
    int count = 0;
    marks(figures, s, &x, names, keys, &count);
    figure_legend(figures, (int)box->left, 50, keys, count);
    sizing_line_write(figures, c, &x, sizing_column(metric), "lc rgb '#1B7A4B' lw 2", 7, true);
    fputc('\n', figures->script);
    const struct figure_places at = figure_places_make(box, &x, &y);
    return sizing_points(figures, s, c, metric, &(struct figure_key){sizing_metric_name(metric), 0x1B7A4B}, &at, &x,
                         err);
}

enum st sizing_plot_curve(struct figures *figures, const struct sizing *s, struct err *err)
{
    PASS(figure_begin_of(figures, &s->subject, "curve", "Effect of the cache size", SIZING_WIDTH, HEIGHT, err));
    sizing_records_write(figures, s);
    PASS(rates_panel(figures, s, &(struct box){SIZING_AXIS, SIZING_WIDTH / 2.0 - 34, 60, HEIGHT - 66}, err));
    PASS(cost_panel(figures, s, &(struct box){SIZING_WIDTH / 2.0 + SIZING_AXIS, SIZING_WIDTH - 34, 60, HEIGHT - 66},
                    err));
    figure_caption(figures,
                   "Each point is a plan with a cache of that size on every GPU, simulated on held-out epochs. "
                   "Left: shares of feature rows and of topology visits that GPU memory serves. Right: %s. Dashed "
                   "lines mark the least that meets and the knee: %s.",
                   sizing_metric_name(cost_metric(s)),
                   doc_text_value(doc_get(doc_get(s->root, "rules"), "knee"), "where the curve turns"));
    sizing_target_caption(figures, s, "feature_hit_rate");
    sizing_target_caption(figures, s, cost_metric(s));
    return figure_end(figures, err);
}
