/* sizing_frontier.c - the candidates that no other beats, and a map of two quantities; see sizing.h. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "reports/formats/document.h"
#include "reports/sizing/sizing.h"

enum { BEST = 0x0B4F8A, OTHERS = 0xB8C0C8, FRONTIER_MOST = 2000 };

/* Candidates as dots in two metrics; x_metric NULL: bytes of cache of all GPUs. key: of the document's list of those
 * that no other beats. */
struct cloud {
    const char *key, *x_metric, *y_metric, *x_title;
};

static double dot_x(const struct cloud *c, const struct sizing_point *p)
{
    return c->x_metric ? sizing_value(p, c->x_metric) : p->all;
}

/* Epoch times of the plans themselves: the best up to a budget is another candidate's. */
static double dot_y(const struct cloud *c, const struct sizing_point *p)
{
    return strcmp(c->y_metric, "epoch_seconds") ? sizing_value(p, c->y_metric) : p->seconds;
}

/* The frontier's candidates with both numbers, from left to right. Returns how many. */
static int frontier_sort(const struct sizing *s, const struct cloud *c, int out[FRONTIER_MOST])
{
    const doc *list = doc_get(doc_get(s->root, "frontier"), c->key);
    int n = 0;
    for (uint64_t i = 0; i < doc_size(list) && n < FRONTIER_MOST; i++) {
        int64_t at = doc_integer_value(doc_at(list, i), -1);
        int k = n;
        if (at < 0 || at >= s->count || isnan(dot_x(c, &s->points[at])) || isnan(dot_y(c, &s->points[at]))) continue;
        for (; k > 0 && dot_x(c, &s->points[out[k - 1]]) > dot_x(c, &s->points[at]); k--) out[k] = out[k - 1];
        out[k] = (int)at;
        n++;
    }
    return n;
}

/* named: with the label of its configuration. */
static struct drawing_point *dot_add(struct drawing *d, const struct sizing *s, const struct cloud *c, int number,
                                     bool named)
{
    const struct sizing_point *at = &s->points[number];
    char value[2][STYLE_TEXT], bytes[STYLE_TEXT];
    const char *label = s->curves[at->curve].label;
    struct drawing_point *p = drawing_point(d, dot_x(c, at), dot_y(c, at), "%.80s, %s per GPU: %s, %s", label,
                                            style_bytes(bytes, at->budget),
                                            sizing_text(c->y_metric, dot_y(c, at), value[0]),
                                            c->x_metric ? sizing_text(c->x_metric, dot_x(c, at), value[1])
                                                        : style_bytes(value[1], dot_x(c, at)));
    if (named) p->text = drawing_say(d, "%s", label);
    return p;
}

static void cloud_add(struct drawing *d, const struct sizing *s, const struct cloud *c)
{
    const enum quantity x = c->x_metric ? sizing_quantity(c->x_metric) : QUANTITY_BYTES,
                        y = sizing_quantity(c->y_metric);
    int list[FRONTIER_MOST], n = frontier_sort(s, c, list);
    drawing_panel(d, NULL, &(struct drawing_axis){c->x_title, x, AXIS_FAR | AXIS_NEAR, 0, 0},
                  &(struct drawing_axis){sizing_metric_name(c->y_metric), y,
                                         y == QUANTITY_RATE ? 0 : AXIS_FAR | AXIS_NEAR, 0, 0});
    sizing_target_add(d, s, c->y_metric);
    drawing_series(d, &(struct drawing_series){.name = "other candidates",
                                               .colour = OTHERS,
                                               .shape = DRAWING_DOTS,
                                               .size = 0.4});
    for (int i = 0; i < s->count; i++) {
        bool best = false;
        for (int k = 0; k < n && !best; k++) best = list[k] == i;
        if (!best) dot_add(d, s, c, i, false);
    }
    drawing_series(d, &(struct drawing_series){.name = "no other is better in both (frontier)",
                                               .colour = BEST,
                                               .width = 1});
    drawing_series(d, &(struct drawing_series){.name = "frontier",
                                               .colour = BEST,
                                               .flags = SERIES_UNNAMED,
                                               .width = 1,
                                               .size = 0.9});
    for (int i = 0; i < n; i++) dot_add(d, s, c, list[i], true);
    if (s->answer < 0) return;
    drawing_series(d, &(struct drawing_series){.name = "the answer (ringed)",
                                               .colour = SIZING_ANSWER,
                                               .shape = DRAWING_DOTS,
                                               .flags = SERIES_HOLLOW,
                                               .size = 2.4});
    dot_add(d, s, c, s->answer, true)->says = 0; /* it is said below the ring */
}

static enum st frontier_draw(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                             struct err *err)
{
    static const struct cloud costs = {"time_cost", "cost_per_epoch", "epoch_seconds", "cost per epoch"},
                              memories = {"time_memory", NULL, "epoch_seconds", "cache of all GPUs"},
                              hits = {"hit_memory", NULL, "feature_hit_rate", "cache of all GPUs"};
    OWNED_BY(drawing_release) struct drawing d = {.across = 2};
    const doc *frontier = doc_get(s->root, "frontier");
    drawing_caption(&d, "Each dot is a candidate: a configuration with one cache size. The joined dots are the "
                        "frontier: for every other candidate there is one on it that is at least as good in both "
                        "directions and better in one. A name stands beside one of its configuration's dots. Axes are "
                        "logarithmic where values lie far apart; no cache then stands at the left edge (0).");
    if (doc_size(doc_get(frontier, "time_cost"))) cloud_add(&d, s, &costs);
    else if (doc_size(doc_get(frontier, "time_memory"))) cloud_add(&d, s, &memories);
    cloud_add(&d, s, &hits);
    if (s->answer >= 0)
        drawing_caption(&d, " The answer is chosen by its price per hour and its memory, so it need not lie on the "
                            "frontier.");
    return drawing_write(&d, figures, subject, "frontier", "Who is not beaten", err);
}

/* ---- the map ---- */

enum { ROWS_MOST = 40, COLUMNS_MOST = 16 };

/* What varies along an axis, in words; an unknown key stays as it is. */
static const char *quantity_name(const doc *axis)
{
    static const char *const names[][2] = {{"budget", "cache per GPU"}, {"gpus", "number of GPUs"}};
    const char *key = doc_text_value(doc_get(axis, "quantity"), "?");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(key, names[i][0])) return names[i][1];
    return key;
}

static const char *label_of(const doc *axis, int i)
{
    return doc_text_value(doc_at(doc_get(axis, "labels"), (uint64_t)i), "?");
}

static enum st map_draw(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                        struct err *err)
{
    OWNED_BY(drawing_release) struct drawing d = {0};
    const doc *vary = doc_get(s->root, "vary"), *x = doc_get(vary, "x"), *y = doc_get(vary, "y");
    const int wide = (int)fmin((double)doc_size(doc_get(x, "labels")), COLUMNS_MOST),
              tall = (int)fmin((double)doc_size(doc_get(y, "labels")), ROWS_MOST);
    const char *metric = doc_text_value(doc_get(vary, "metric"), "transactions");
    const bool more = strstr(metric, "rate") != NULL; /* is better */
    const double target = sizing_target(s, metric);
    double low = NAN, high = NAN;
    char title[STYLE_NAME], text[STYLE_TEXT];
    for (int i = 0; i < wide * tall; i++)
        layout_include(doc_real_value(doc_at(doc_at(doc_get(vary, "values"), (uint64_t)(i / wide)),
                                             (uint64_t)(i % wide)),
                                      NAN),
                       &low, &high);
    if (isnan(low)) return ST_OK;
    drawing_panel(&d, NULL,
                  &(struct drawing_axis){quantity_name(x), QUANTITY_COUNT, AXIS_NAMES, more ? low : high,
                                         more ? high : low},
                  &(struct drawing_axis){quantity_name(y), QUANTITY_COUNT, AXIS_NAMES, 0, 0});
    drawing_series(&d, &(struct drawing_series){.name = sizing_metric_name(metric),
                                                .colour = 0x8CC0E3,
                                                .shape = DRAWING_CELLS});
    for (int i = 0; i < wide; i++) drawing_tick(&d, AXIS_X, i, label_of(x, i));
    for (int i = 0; i < tall; i++) {
        drawing_tick(&d, AXIS_Y, i, label_of(y, i));
        for (int k = 0; k < wide; k++) {
            const double v = doc_real_value(doc_at(doc_at(doc_get(vary, "values"), (uint64_t)i), (uint64_t)k), NAN);
            sizing_text(metric, v, text);
            struct drawing_point *p = drawing_point(&d, k, v, "%.60s, %.60s: %s", label_of(y, i), label_of(x, k), text);
            p->from = i;
            p->text = drawing_say(&d, "%s", isnan(v) ? "\xE2\x80\x93" : text);
            p->framed = more ? v >= target : v <= target;
        }
    }
    drawing_caption(&d,
                    "Each cell is the best candidate with both values, at %s. The stronger the colour, the "
                    "better.%s%s%s A dash: no candidate with both values fits.",
                    doc_text_value(doc_get(vary, "at"), "the largest budget of each"),
                    isnan(target) ? "" : " Framed cells meet the target of ",
                    isnan(target) ? "" : sizing_text(metric, target, text), isnan(target) ? "" : ".");
    snprintf(title, sizeof title, "%s by %.40s and %.40s", sizing_metric_name(metric), quantity_name(y),
             quantity_name(x));
    title[0] = title[0] >= 'a' && title[0] <= 'z' ? (char)(title[0] - 32) : title[0];
    return drawing_write(&d, figures, subject, "map", title, err);
}

enum st sizing_plot_frontier(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                             struct err *err)
{
    PASS(frontier_draw(figures, s, subject, err));
    return map_draw(figures, s, subject, err);
}
