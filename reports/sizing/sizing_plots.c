/* sizing_plots.c - the curve that answers, all curves, the frontiers, and what an iteration waits for; see sizing.h. */
#include <math.h>
#include <string.h>
#include "base/text.h"
#include "reports/formats/gnuplot.h"
#include "reports/figures/figure_axes.h"

enum { WIDTH = 980, AXIS = 84, ANSWER = 0x0B4F8A, KNEE = 0x9A4600, LINES = 12 };
static const unsigned colours[LINES] = {0x0B4F8A, 0xB5500A, 0x1B7A4B, 0x8E3A80, 0x9A6B00, 0x3D7EA6,
                                        0xA32638, 0x5B6570, 0x6A4FB0, 0x2F6F73, 0x7A5230, 0x000000};
static const unsigned stage_colours[SIZING_STAGES] = {0xE0A100, 0x8C8C8C, 0x0B4F8A, 0x1B7A4B};

/* The records of every figure: one per candidate, in their order, so that a curve is a block of lines. */
static void points_write(struct figures *s, const struct sizing *z)
{
    static const char *const headers[] = {"what",
                                          "cache per GPU [bytes]",
                                          "cache of all GPUs [bytes]",
                                          "feature hit rate [share of feature rows]",
                                          "topology hit rate [share of topology visits]",
                                          "transactions [PCIe reads per epoch]",
                                          "epoch time [s]",
                                          "best epoch time up to this budget [s]",
                                          "cost per epoch",
                                          "sample [s per iteration]",
                                          "load [s per iteration]",
                                          "transfer [s per iteration]",
                                          "propagate [s per iteration]",
                                          "meets",
                                          NULL};
    csv_header(&s->data, headers);
    for (int i = 0; i < z->count; i++) {
        const struct sizing_point *p = &z->points[i];
        const double values[] = {p->budget, p->all, p->hit, p->topology, p->transactions, p->seconds, p->best, p->cost};
        csv_name(&s->data, z->curves[p->curve].label);
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) csv_number(&s->data, values[k]);
        for (int k = 0; k < SIZING_STAGES; k++) csv_number(&s->data, p->stage[k]);
        csv_number(&s->data, p->meets);
        csv_end(&s->data);
    }
}

static int column_of(const char *metric)
{
    static const struct {
        const char *key;
        int column;
    } columns[] = {{"feature_hit_rate", 4},
                   {"topology_hit_rate", 5},
                   {"transactions", 6},
                   {"epoch_seconds", 8},
                   {"cost_per_epoch", 9}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!strcmp(metric, columns[i].key)) return columns[i].column;
    return 6;
}

static double highest(const struct sizing *z, int from, int count, const char *metric)
{
    double most = NAN;
    for (int i = from; i < from + count; i++) most = fmax(most, sizing_value(&z->points[i], metric));
    return most;
}

static const char *name_of(const struct figures *s) { return s->list[s->count - 1].name; }

/* One curve's line as an element of a plot command. */
static void line_write(struct figures *s, const struct sizing_curve *c, const struct sizing_axis *x, int column,
                       unsigned colour, int dash, bool first)
{
    fprintf(s->script,
            "%s'data/%s.csv' skip 1 every ::%d::%d using ($2/%.9g):%d with linespoints lc rgb '#%06X' dt %d lw 2 pt 7 "
            "ps 0.45",
            first ? "plot " : ", \\\n  ", name_of(s), c->first, c->first + c->count - 1, x->unit, column, colour, dash);
}

static void target_line(struct figures *s, const struct sizing *z, const char *metric, const struct range *y)
{
    double v = sizing_target(z, metric);
    char text[STYLE_TEXT], label[STYLE_NAME], position[80];
    if (isnan(v) || v < y->low || v > y->high) return;
    fprintf(s->script,
            "set arrow from graph 0, first %.9g to graph 1, first %.9g nohead lc rgb '#A32638' lw 1.2 dt (2,2)\n", v,
            v);
    snprintf(label, sizeof label, "target %s", sizing_text(metric, v, text));
    snprintf(position, sizeof position, "graph 0.985, first %.9g", v);
    gnuplot_label(s->script, label, position, "right offset 0,0.5 font small_font tc rgb '#A32638'");
}

static void marks(struct figures *s, const struct sizing *z, const struct sizing_axis *x, bool named)
{
    double answer = z->answer < 0 ? NAN : z->points[z->answer].budget,
           knee = z->knee < 0 ? NAN : z->points[z->knee].budget;
    char text[STYLE_TEXT], label[STYLE_NAME];
    if (!isnan(answer)) {
        snprintf(label, sizeof label, "answer %s", style_bytes(text, answer));
        sizing_mark(s->script, answer / x->unit, named ? label : "", ANSWER, !(knee > answer));
    }
    if (isnan(knee) || knee == answer) return;
    snprintf(label, sizeof label, "knee %s", style_bytes(text, knee));
    sizing_mark(s->script, knee / x->unit, named ? label : "", KNEE, knee > answer);
}

/* ---- the curve that answers ---- */

static void rates_panel(struct figures *s, const struct sizing *z, const struct box *box)
{
    const struct sizing_curve *c = &z->curves[z->shown];
    struct sizing_axis x = sizing_axis_bytes('x', c->limit), y = sizing_axis_metric('y', "feature_hit_rate", 0, 1);
    const struct sizing_key keys[] = {{"features", colours[0]}, {"topology", colours[1]}};
    figures_panel(s, box);
    sizing_legend(s, (int)box->left, 50, keys, 2);
    figures_axis_title(s, box, 66, "hit rate (rows, visits)");
    figures_axis_below(s, box, "cache per GPU");
    sizing_axis_write(s->script, &x);
    sizing_axis_write(s->script, &y);
    target_line(s, z, "feature_hit_rate", &y.range);
    target_line(s, z, "topology_hit_rate", &y.range);
    marks(s, z, &x, false);
    line_write(s, c, &x, 4, colours[0], 1, true);
    line_write(s, c, &x, 5, colours[1], 1, false);
    fputc('\n', s->script);
}

static void cost_panel(struct figures *s, const struct sizing *z, const struct box *box)
{
    const struct sizing_curve *c = &z->curves[z->shown];
    bool times = !isnan(highest(z, c->first, c->count, "epoch_seconds"));
    const char *metric = times ? "epoch_seconds" : "transactions";
    struct sizing_axis x = sizing_axis_bytes('x', c->limit),
                       y = sizing_axis_metric('y', metric, 0, highest(z, c->first, c->count, metric));
    figures_panel(s, box);
    figures_axis_title(s, box, 72, sizing_metric_name(metric));
    figures_axis_below(s, box, "cache per GPU");
    sizing_axis_write(s->script, &x);
    sizing_axis_write(s->script, &y);
    target_line(s, z, metric, &y.range);
    marks(s, z, &x, true);
    line_write(s, c, &x, times ? 8 : 6, colours[0], 1, true);
    fputc('\n', s->script);
}

static enum st curve_draw(struct figures *s, const struct sizing *z, struct err *err)
{
    enum st st;
    enum { HEIGHT = 400 };
    TRY(figures_open(s, z->grid, "curve", "What memory buys", WIDTH, HEIGHT, err));
    points_write(s, z);
    rates_panel(s, z, &(struct box){AXIS, WIDTH / 2.0 - 34, 60, HEIGHT - 66});
    cost_panel(s, z, &(struct box){WIDTH / 2.0 + AXIS, WIDTH - 34, 60, HEIGHT - 66});
    figures_caption(s,
                    "Each point is a cache of that size on every GPU, planned and judged on held-out epochs. Left: "
                    "what GPUs serve themselves, of feature rows and of topology visits. "
                    "Right: the epoch that follows. The blue line is the answer, the brown one the knee: %s.",
                    doc_text_value(doc_get(doc_get(z->root, "rules"), "knee"), "where the curve turns"));
    TRY(figures_close(s, err));
done:
    return st;
}

/* ---- all curves ---- */

struct end {
    int curve;
    double x, place;
};

static void ends_write(struct figures *s, const struct sizing *z, const struct sizing_axis *x,
                       const struct sizing_axis *y, const struct box *box, const int *list, int n)
{
    struct end ends[LINES];
    double at[LINES], tall = box->top - box->bottom, wide = box->right - box->left;
    for (int i = 0; i < n; i++) {
        const struct sizing_curve *c = &z->curves[list[i]];
        const struct sizing_point *p = &z->points[c->first + c->count - 1];
        struct end e = {i, p->budget / x->unit, layout_place(&y->range, sizing_value(p, z->primary))};
        int k = i;
        for (; k > 0 && ends[k - 1].place > e.place; k--) ends[k] = ends[k - 1];
        ends[k] = e;
    }
    for (int i = 0; i < n; i++) at[i] = ends[i].place * tall;
    layout_spread(at, n, 16, -10, tall + 6);
    for (int i = 0; i < n; i++) {
        char text[STYLE_NAME], position[80];
        if (ends[i].x > 0.8 * x->range.high) /* others would cross what is between; the colour tells */
            fprintf(s->script,
                    "set arrow from first %.9g, graph %.5f to graph %.5f, graph %.5f nohead lc rgb '#%06X' lw 0.6 dt "
                    "(2,3)\n",
                    ends[i].x, ends[i].place, 1 + 18 / wide, at[i] / tall, colours[ends[i].curve]);
        snprintf(position, sizeof position, "graph %.5f, graph %.5f", 1 + 22 / wide, at[i] / tall);
        gnuplot_label(s->script, style_cut(text, z->curves[list[ends[i].curve]].label, 34), position,
                      "left tc rgb '#%06X'", colours[ends[i].curve]);
    }
}

static enum st choices_draw(struct figures *s, const struct sizing *z, struct err *err)
{
    enum st st = ST_OK;
    enum { HEIGHT = 440 };
    int list[LINES], n = 0, with = 0;
    double limit = 0, most = NAN;
    for (int i = 0; i < z->curve_count; i++) {
        const struct sizing_curve *c = &z->curves[i];
        if (!c->count || isnan(sizing_value(&z->points[c->first + c->count - 1], z->primary))) continue;
        with++;
        if (n == LINES) continue;
        list[n++] = i;
        limit = fmax(limit, c->limit);
        most = fmax(most, highest(z, c->first, c->count, z->primary));
    }
    if (n < 2) goto done;
    TRY(figures_open(s, z->grid, "choices", "The choices", WIDTH, HEIGHT, err));
    points_write(s, z);
    struct box box = {AXIS, WIDTH - 280, 60, HEIGHT - 52};
    struct sizing_axis x = sizing_axis_bytes('x', limit), y = sizing_axis_metric('y', z->primary, 0, most);
    figures_panel(s, &box);
    figures_axis_title(s, &box, 72, sizing_metric_name(z->primary));
    figures_axis_below(s, &box, "cache per GPU");
    sizing_axis_write(s->script, &x);
    sizing_axis_write(s->script, &y);
    target_line(s, z, z->primary, &y.range);
    ends_write(s, z, &x, &y, &box, list, n);
    for (int i = 0; i < n; i++)
        line_write(s, &z->curves[list[i]], &x, column_of(z->primary), colours[i], i < 8 ? 1 : 2, i == 0);
    fputc('\n', s->script);
    figures_caption(s,
                    "One line per server, number of GPUs and kind of workload that was tried, from nothing cached to "
                    "the most that fits beside training (or to everything held). Lines that end early lack the memory, "
                    "or need no more.%s",
                    !strcmp(z->primary, "epoch_seconds") ? " Times are those of the best plan up to each budget, for a "
                                                           "plan for less memory fits, too."
                                                         : "");
    if (with > n) figures_caption(s, " The first %d of %d are drawn; all are in the data.", n, with);
    TRY(figures_close(s, err));
done:
    return st;
}

/* ---- frontiers ---- */

/* A cloud of candidates, and those that none beats joined by steps. list: numbers of candidates. */
struct cloud {
    const char *key, *x_metric, *y_metric, *x_title;
};

static double cloud_x(const struct cloud *c, const struct sizing_point *p)
{
    return c->x_metric ? sizing_value(p, c->x_metric) : p->all;
}

static void cloud_panel(struct figures *s, const struct sizing *z, const struct cloud *c, const struct box *box)
{
    const struct sizing_key keys[] = {{"nothing is better in both", ANSWER},
                                      {"the answer, if it is one of them", 0xA32638},
                                      {"the others", 0xB8C0C8}};
    const doc *list = doc_get(doc_get(z->root, "frontier"), c->key);
    int column = c->x_metric ? column_of(c->x_metric) : 3,
        y_column = !strcmp(c->y_metric, "epoch_seconds") ? 7 : column_of(c->y_metric);
    double most = 0, tall = 0;
    for (int i = 0; i < z->count; i++) {
        most = fmax(most, cloud_x(c, &z->points[i]));
        tall = fmax(tall, y_column == 7 ? z->points[i].seconds : sizing_value(&z->points[i], c->y_metric));
    }
    struct sizing_axis x = c->x_metric ? sizing_axis_metric('x', c->x_metric, 0, most) : sizing_axis_bytes('x', most),
                       y = sizing_axis_metric('y', c->y_metric, 0, tall);
    figures_panel(s, box);
    if (box->left == AXIS) sizing_legend(s, AXIS, 50, keys, 3);
    figures_axis_title(s, box, 72, sizing_metric_name(c->y_metric));
    figures_axis_below(s, box, c->x_title);
    sizing_axis_write(s->script, &x);
    sizing_axis_write(s->script, &y);
    target_line(s, z, c->y_metric, &y.range);
    for (uint64_t i = 0; i < doc_size(list); i++) {
        int64_t at = doc_integer_value(doc_at(list, i), -1);
        if (at < 0 || at >= z->count) continue;
        const struct sizing_point *p = &z->points[at];
        if (isnan(cloud_x(c, p)) || isnan(y_column == 7 ? p->seconds : sizing_value(p, c->y_metric))) continue;
        fprintf(s->script,
                "set object circle at first %.9g, first %.9g size screen 0.0045 fs solid 1.0 noborder fc rgb '#%06X' "
                "front\n",
                cloud_x(c, p) / x.unit, y_column == 7 ? p->seconds : sizing_value(p, c->y_metric),
                at == z->answer ? 0xA32638u : (unsigned)ANSWER);
    }
    fprintf(s->script,
            "plot 'data/%s.csv' skip 1 using ($%d/%.9g):%d with points pt 7 ps 0.4 lc rgb '#B8C0C8'\nunset object\n",
            name_of(s), column, x.unit, y_column);
}

static enum st frontier_draw(struct figures *s, const struct sizing *z, struct err *err)
{
    enum st st;
    enum { HEIGHT = 400 };
    const struct cloud costs = {"time_cost", "cost_per_epoch", "epoch_seconds", "cost per epoch"},
                       memories = {"time_memory", NULL, "epoch_seconds", "cache of all GPUs"},
                       hits = {"hit_memory", NULL, "feature_hit_rate", "cache of all GPUs"};
    const doc *frontier = doc_get(z->root, "frontier");
    const struct cloud *first = doc_size(doc_get(frontier, "time_cost")) > 1 ? &costs
                                : doc_size(doc_get(frontier, "time_memory")) ? &memories
                                                                             : NULL;
    TRY(figures_open(s, z->grid, "frontier", "Who is not beaten", WIDTH, HEIGHT, err));
    points_write(s, z);
    struct box left = {AXIS, WIDTH / 2.0 - 34, 60, HEIGHT - 66},
               right = {WIDTH / 2.0 + AXIS, WIDTH - 34, 60, HEIGHT - 66};
    if (first) cloud_panel(s, z, first, &left);
    cloud_panel(s, z, &hits, first ? &right : &left);
    figures_caption(s, "Every candidate is a dot. A strong dot is one that nothing beats in both directions: for the "
                       "others there is one that is as good and cheaper, or better and no dearer.");
    TRY(figures_close(s, err));
done:
    return st;
}

/* ---- what an iteration waits for ---- */

enum { GROUPS = 12 };
/* At most GROUPS points of the shown curve, the first, the last and the answer among them. */
static int chosen(const struct sizing *z, int out[GROUPS])
{
    const struct sizing_curve *c = &z->curves[z->shown];
    int n = 0, fit = c->count < GROUPS ? c->count : GROUPS;
    for (int i = 0; i < fit; i++) out[n++] = c->first + (fit > 1 ? i * (c->count - 1) / (fit - 1) : 0);
    for (int i = 0; z->answer >= c->first && z->answer < c->first + c->count && i < n;
         i++) { /* the nearest gives way */
        if (out[i] < z->answer) continue;
        if (out[i] > z->answer && i + 1 < n) out[i] = z->answer;
        break;
    }
    return n;
}

static void groups_write(struct figures *s, const struct sizing *z, const int *list, int n)
{
    fputs("set xtics scale 0 (", s->script);
    for (int i = 0; i < n; i++) {
        char text[STYLE_TEXT];
        gnuplot_tic(s->script, style_bytes(text, z->points[list[i]].budget), i, i == 0);
    }
    fprintf(s->script, ") rotate by %d right\nset xrange [-0.6:%.1f]\nset boxwidth 0.18\n", n > 7 ? 30 : 0, n - 0.4);
    for (int i = 0; i < n; i++)
        if (list[i] == z->answer)
            fprintf(s->script,
                    "set object rect from first %.2f, graph 0 to first %.2f, graph 1 behind fs solid 1.0 noborder fc "
                    "rgb '#EEF4FA'\n",
                    i - 0.45, i + 0.45);
}

static enum st stages_draw(struct figures *s, const struct sizing *z, struct err *err)
{
    enum st st = ST_OK;
    enum { HEIGHT = 400 };
    int list[GROUPS], n = chosen(z, list);
    double most = NAN;
    struct sizing_key keys[SIZING_STAGES];
    bool any[SIZING_STAGES] = {false};
    int shown[SIZING_STAGES], stages = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < SIZING_STAGES; k++) {
            most = fmax(most, z->points[list[i]].stage[k]);
            any[k] |= z->points[list[i]].stage[k] > 0;
        }
    for (int k = 0; k < SIZING_STAGES; k++)
        if (any[k]) shown[stages++] = k; /* no room for what nobody waits for */
    if (!stages) goto done;
    TRY(figures_open(s, z->grid, "bottleneck", "What an iteration waits for", WIDTH, HEIGHT, err));
    points_write(s, z);
    struct box box = {AXIS, WIDTH - 20, n > 7 ? 84 : 60, HEIGHT - 66};
    struct sizing_axis y = sizing_axis_metric('y', "epoch_seconds", 0, most);
    for (int k = 0; k < stages; k++) keys[k] = (struct sizing_key){sizing_stages[shown[k]], stage_colours[shown[k]]};
    figures_panel(s, &box);
    sizing_legend(s, AXIS, 50, keys, stages);
    figures_axis_title(s, &box, 72, "time of an iteration");
    sizing_axis_write(s->script, &y);
    groups_write(s, z, list, n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < stages; k++)
            fprintf(s->script, "%s'data/%s.csv' skip 1 every ::%d::%d using (%.2f):%d with boxes lc rgb '#%06X'",
                    i || k ? ", \\\n  " : "plot ", name_of(s), list[i], list[i], i + (k - (stages - 1) / 2.0) * 0.19,
                    10 + shown[k], stage_colours[shown[k]]);
    fputs("\nunset object\n", s->script);
    figures_caption(s, "One group per cache size (per GPU); the shaded one is the answer. Stages of different "
                       "mini-batches overlap where the schedule is pipelined, so the longest bar is what an "
                       "iteration takes: only a change of that one is felt. transfer is what comes over PCIe or NVLink "
                       "or out of host memory; propagate is the training itself.");
    TRY(figures_close(s, err));
done:
    return st;
}

enum st sizing_draw(struct figures *figures, const struct sizing *s, struct err *err)
{
    enum st st = ST_OK;
    if (s->shown < 0 || !s->curves[s->shown].count) return ST_OK; /* nothing fits: the page says why */
    const char *server = s->grid->server;
    TRY(curve_draw(figures, s, err));
    TRY(stages_draw(figures, s, err));
    if (s->curve_count > 1) s->grid->server = "all that was tried";
    TRY(choices_draw(figures, s, err));
    TRY(frontier_draw(figures, s, err));
    TRY(sizing_map(figures, s, err));
done:
    s->grid->server = server;
    return st;
}
