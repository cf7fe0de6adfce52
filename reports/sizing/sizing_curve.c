/* sizing_curve.c - what memory buys on the shown curve, and which stage of an iteration it changes; see sizing.h.
 */
#include <math.h>

#include "base/text.h"
#include "reports/formats/document.h"
#include "reports/sizing/sizing.h"

int sizing_different(const struct sizing *s, const struct sizing_curve *c)
{
    int n = c->count;
    while (n > 1) {
        const struct sizing_point *last = &s->points[c->first + n - 1], *before = last - 1;
        if (before->hit != last->hit || before->topology != last->topology || before->hit < 1 ||
            before->transactions != last->transactions || s->answer == c->first + n - 1 || s->knee == c->first + n - 1)
            break;
        n--;
    }
    return n;
}

enum { LOOSE = 4 };

void sizing_target_add(struct drawing *d, const struct sizing *s, const char *metric)
{
    char text[STYLE_TEXT];
    const double target = sizing_target(s, metric);
    double most = 0;
    if (isnan(target)) return;
    for (int i = 0; i < s->count; i++) most = fmax(most, sizing_value(&s->points[i], metric));
    const bool near = target < LOOSE * most; /* a loose one would leave no room for the curves */
    if (near) drawing_mark(d, AXIS_Y, target, 0, SIZING_ANSWER, NULL);
    drawing_caption(d, near ? " The level red line is the target, %s." : " The target, %s, lies above all of it.",
                    sizing_text(metric, target, text));
}

/* ---- hit rates and times by cache ---- */

/* A metric of the shown curve, as a series of that name. */
static void metric_add(struct drawing *d, const struct sizing *s, const char *metric, const char *name, unsigned colour,
                       int mark)
{
    const struct sizing_curve *c = &s->curves[s->shown];
    drawing_series(d, &(struct drawing_series){.name = name, .colour = colour, .shape = DRAWING_LINE, .mark = mark});
    for (int i = c->first; i < c->first + c->count; i++) {
        char bytes[STYLE_TEXT], value[STYLE_TEXT];
        const double v = sizing_value(&s->points[i], metric);
        drawing_point(d, s->points[i].budget, v, "%.80s, %s per GPU: %s %s", c->label,
                      style_bytes(bytes, s->points[i].budget), sizing_metric_name(metric),
                      sizing_text(metric, v, value));
    }
}

/* The answer, the least that meets the targets, and the knee; of equals the first. */
static void marks_add(struct drawing *d, const struct sizing *s)
{
    enum { MARKS = 3 };
    static const char *const names[MARKS] = {"the answer", "least to meet", "knee"};
    static const unsigned colours[MARKS] = {SIZING_ANSWER, 0x9A6B00, 0x5B6570};
    const double at[MARKS] = {s->answer < 0 || s->points[s->answer].curve != s->shown ? NAN
                                                                                      : s->points[s->answer].budget,
                              s->curves[s->shown].needs,
                              s->knee < 0 || s->points[s->knee].curve != s->shown ? NAN : s->points[s->knee].budget};
    char text[STYLE_TEXT], name[STYLE_NAME];
    for (int i = 0; i < MARKS; i++) {
        snprintf(name, sizeof name, "%s %s", names[i], style_bytes(text, at[i]));
        if (!(i > 0 && at[i] == at[0]) && !(i > 1 && at[i] == at[1]))
            drawing_mark(d, AXIS_X, at[i], 0, colours[i], name);
    }
}

static enum st curve_draw(struct figures *figures, const struct sizing *s, struct err *err)
{
    OWNED_BY(drawing_release) struct drawing d = {0};
    const struct sizing_curve *c = &s->curves[s->shown];
    const struct drawing_axis drawing_axis = {"cache per GPU", QUANTITY_BYTES, 0, 0, c->limit};
    const char *cost = "transactions"; /* epoch times where the server states its constants */
    for (int i = c->first; i < c->first + c->count; i++)
        if (!isnan(sizing_value(&s->points[i], "epoch_seconds"))) cost = "epoch_seconds";
    drawing_caption(&d,
                    "Each point is a plan with a cache of that size on every GPU, simulated on held-out epochs. Left: "
                    "shares of feature rows and of topology visits that GPU memory serves. Right: %s. Dashed lines "
                    "mark the answer%s and the knee: %s.",
                    sizing_metric_name(cost), sizing_asks(s) ? ", the least that meets the targets," : "",
                    doc_text_value(doc_get(doc_get(s->root, "rules"), "knee"), "where the curve turns"));
    drawing_panel(&d, NULL, &drawing_axis, &(struct drawing_axis){"hit rate (rows, visits)", QUANTITY_RATE, 0, 0, 0});
    marks_add(&d, s);
    sizing_target_add(&d, s, "feature_hit_rate");
    metric_add(&d, s, "feature_hit_rate", "features", 0x0B4F8A, 7);
    metric_add(&d, s, "topology_hit_rate", "topology", 0xB5500A, 5);
    drawing_panel(&d, NULL, &drawing_axis,
                  &(struct drawing_axis){sizing_metric_name(cost), sizing_quantity(cost), 0, 0, 0});
    marks_add(&d, s);
    sizing_target_add(&d, s, cost);
    metric_add(&d, s, cost, sizing_metric_name(cost), 0x1B7A4B, 7);
    return drawing_write(&d, figures, &s->subject, "curve", "Effect of the cache size", err);
}

/* ---- stages ---- */

enum { GROUPS = 12 };
/* At most GROUPS points of the shown curve, the first, the last and the answer among them. */
static int chosen(const struct sizing *s, int out[GROUPS])
{
    const struct sizing_curve *c = &s->curves[s->shown];
    int n = 0, count = sizing_different(s, c), fit = count < GROUPS ? count : GROUPS;
    for (int i = 0; i < fit; i++) out[n++] = c->first + (fit > 1 ? i * (count - 1) / (fit - 1) : 0);
    for (int i = 0; s->answer >= c->first && s->answer < c->first + c->count && i < n;
         i++) { /* the nearest gives way */
        if (out[i] < s->answer) continue;
        if (out[i] > s->answer && i + 1 < n) out[i] = s->answer;
        break;
    }
    return n;
}

static enum st stages_draw(struct figures *figures, const struct sizing *s, struct err *err)
{
    static const unsigned colours[SIZING_STAGES] = {0xE0A100, 0x8C8C8C, 0x0B4F8A, 0x1B7A4B};
    OWNED_BY(drawing_release) struct drawing d = {0};
    int list[GROUPS], n = chosen(s, list);
    char bytes[STYLE_TEXT], value[STYLE_TEXT];
    drawing_panel(&d, NULL, &(struct drawing_axis){.title = "cache per GPU", .flags = AXIS_NAMES},
                  &(struct drawing_axis){"time of an iteration", QUANTITY_SECONDS, 0, 0, 0});
    for (int i = 0; i < n; i++) {
        drawing_tick(&d, AXIS_X, i, style_bytes(bytes, s->points[list[i]].budget));
        if (list[i] == s->answer) drawing_mark(&d, AXIS_X, i, 0.9, 0xEEF4FA, NULL);
    }
    for (int k = 0; k < SIZING_STAGES; k++) {
        bool any = false;
        for (int i = 0; i < n; i++) any |= s->points[list[i]].stage[k] > 0;
        if (!any) continue; /* no room for what nobody waits for */
        drawing_bars(&d, sizing_stages[k], colours[k], 0);
        for (int i = 0; i < n; i++)
            drawing_point(&d, i, s->points[list[i]].stage[k], "%s per GPU, %s: %s",
                          style_bytes(bytes, s->points[list[i]].budget), sizing_stages[k],
                          style_seconds(value, s->points[list[i]].stage[k]));
    }
    drawing_caption(&d, "One group per cache size (per GPU); the shaded group is the answer. In a pipelined schedule, "
                        "stages "
                        "of "
                        "different mini-batches overlap: an iteration takes as long as its longest bar, and only a "
                        "change of "
                        "that stage changes the time. transfer: data over PCIe, over NVLink and out of host memory. "
                        "propagate: "
                        "the computation of training.");
    return drawing_write(&d, figures, &s->subject, "bottleneck", "Time of an iteration by stage", err);
}

enum st sizing_plot_curve(struct figures *figures, const struct sizing *s, struct err *err)
{
    PASS(curve_draw(figures, s, err));
    return stages_draw(figures, s, err);
}
