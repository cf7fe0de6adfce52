/* sizing_frontier.c - the candidates that no other beats; see sizing_plots.h. */
#include <math.h>
#include <string.h>
#include "reports/formats/gnuplot.h"
#include "reports/sizing/sizing_lines.h"
#include "reports/sizing/sizing_plots.h"

enum { HEIGHT = 420, BEST = 0x0B4F8A, OTHERS = 0xB8C0C8, NAMES_MOST = 10, FRONTIER_MOST = 2000 };

/* Candidates as dots in two metrics; x_metric NULL: bytes of cache of all GPUs. key: of the document's list of those
 * that no other beats. */
struct cloud {
    const char *key, *x_metric, *y_metric, *x_title;
};

/* A panel: the cloud, its axes, and where on the figure it is. */
struct panel {
    const struct cloud *cloud;
    struct figure_axis x, y;
    struct figure_places at;
    bool none; /* some candidate has nothing to place it at on a logarithmic axis: it stands at the left edge */
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

/* Where a candidate stands, in the units of the axes. */
static double place_x(const struct panel *p, double x)
{
    return p->x.range.log && !(x > 0) ? p->x.range.low : x / p->x.unit;
}

/* ---- axes ---- */

/* Logarithmic where values lie far apart: else most candidates are crushed into a corner. */
static struct figure_axis axis_make(const struct sizing *s, const struct cloud *c, char axis, enum quantity quantity,
                                    double (*value)(const struct cloud *, const struct sizing_point *), bool *none)
{
    enum { FAR = 10 };
    double least = NAN, most = NAN, unused = NAN;
    for (int i = 0; i < s->count; i++) {
        double v = value(c, &s->points[i]);
        if (v > 0) layout_include(v, &least, &unused);
        layout_include(v, &unused, &most);
        *none |= v == 0;
    }
    bool log = quantity != QUANTITY_RATE && most / least >= FAR;
    *none &= log;
    return log ? figure_axis_make_log(axis, quantity, *none ? least / 2 : least, most)
               : figure_axis_make(axis, quantity, most);
}

static void axes_write(struct figures *figures, const struct panel *p)
{
    figure_axis_left(figures, &p->at.box, 72, sizing_metric_name(p->cloud->y_metric));
    figure_axis_below(figures, &p->at.box, p->cloud->x_title);
    figure_axis_write(figures->script, &p->x);
    figure_axis_write(figures->script, &p->y);
    if (p->none) fprintf(figures->script, "set xtics add ('0' %.9g)\n", p->x.range.low);
}

/* ---- the frontier ---- */

/* Its candidates with both numbers, from left to right. Returns how many. */
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

static void dots_write(struct figures *figures, const struct sizing *s, const struct panel *p, const int *list, int n)
{
    double before_x = 0, before_y = 0;
    for (int i = 0; i < n; i++) {
        double x = place_x(p, dot_x(p->cloud, &s->points[list[i]])), y = dot_y(p->cloud, &s->points[list[i]]);
        if (i)
            fprintf(figures->script,
                    "set arrow from first %.9g, first %.9g to first %.9g, first %.9g nohead lc rgb '#%06X' lw 1\n",
                    before_x, before_y, x, y, (unsigned)BEST);
        fprintf(figures->script,
                "set object circle at first %.9g, first %.9g size screen 0.0045 fs solid 1.0 noborder fc rgb '#%06X' "
                "front\n",
                x, y, (unsigned)BEST);
        before_x = x;
        before_y = y;
    }
}

/* ---- names of the frontier ---- */

/* Boxes of names and of what they must not touch. */
struct names {
    const struct sizing *s;
    const struct panel *panel;
    const int *list; /* [joined]: the frontier */
    int joined;
    struct box taken[NAMES_MOST + 1];
    int count;
};

/* Whether a line of the frontier runs through a box: looked at in small steps. */
static bool crossed(const struct names *names, const struct box *b)
{
    enum { STEPS = 200 };
    const struct panel *p = names->panel;
    double x[2] = {0}, y[2] = {0};
    for (int i = 0; i < names->joined; i++) {
        const struct sizing_point *at = &names->s->points[names->list[i]];
        x[1] = figure_pixel_x(&p->at, place_x(p, dot_x(p->cloud, at)));
        y[1] = figure_pixel_y(&p->at, dot_y(p->cloud, at));
        for (int k = 0; i && k <= STEPS; k++) {
            double u = x[0] + (x[1] - x[0]) * k / STEPS, v = y[0] + (y[1] - y[0]) * k / STEPS;
            if (u > b->left && u < b->right && v > b->bottom && v < b->top) return true;
        }
        x[0] = x[1];
        y[0] = y[1];
    }
    return false;
}

static bool is_free(const struct names *names, const struct box *b)
{
    enum { DOT = 4 };
    const struct panel *p = names->panel;
    if (b->left < p->at.box.left + 2 || b->right > p->at.box.right + 20 || b->bottom < p->at.box.bottom - 1 ||
        b->top > p->at.box.top + 8)
        return false;
    for (int i = 0; i < names->count; i++) {
        const struct box *t = &names->taken[i];
        if (b->left < t->right && t->left < b->right && b->bottom < t->top && t->bottom < b->top) return false;
    }
    for (int i = 0; i < names->s->count; i++) {
        double x = figure_pixel_x(&p->at, place_x(p, dot_x(p->cloud, &names->s->points[i]))),
               y = figure_pixel_y(&p->at, dot_y(p->cloud, &names->s->points[i]));
        if (x > b->left - DOT && x < b->right + DOT && y > b->bottom - DOT && y < b->top + DOT) return false;
    }
    return names->count < NAMES_MOST && !crossed(names, b);
}

/* Writes a name beside a candidate, first on the side where the frontier leaves room. away: pixels from the middle of
 * the dot. Returns false, and writes nothing, when all places are taken. */
static bool name_write(struct figures *figures, struct names *names, int point, unsigned colour, int away)
{
    enum { TALL = 14 };
    static const int sides[][2] = {{-1, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {1, 1}}; /* y: towards the better */
    const struct panel *p = names->panel;
    const struct sizing_point *at = &names->s->points[point];
    char name[STYLE_NAME], options[80];
    if (isnan(dot_x(p->cloud, at)) || isnan(dot_y(p->cloud, at))) return false;
    double x = figure_pixel_x(&p->at, place_x(p, dot_x(p->cloud, at))), y = figure_pixel_y(&p->at, dot_y(p->cloud, at)),
           up = own_times(p->cloud) ? 1 : -1,
           wide = 7.2 * style_length(style_cut(name, names->s->curves[at->curve].label, 22));
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        double left = sides[i][0] < 0 ? x - away - wide : x + away, middle = y + up * sides[i][1] * (TALL / 2.0 + 5);
        struct box b = {left, left + wide, middle - TALL / 2.0, middle + TALL / 2.0};
        if (!is_free(names, &b)) continue;
        names->taken[names->count++] = b;
        snprintf(options, sizeof options, "left front font small_font tc rgb '#%06X'", colour);
        figure_label(figures, b.left, middle, name, options);
        return true;
    }
    return false;
}

/* The answer's name, then that of each configuration at its best point of the frontier that has room beside it. */
static void names_write(struct figures *figures, const struct sizing *s, const struct panel *p, const int *list, int n)
{
    enum { RING = 13, DOT = 8 };
    struct names names = {.s = s, .panel = p, .list = list, .joined = n};
    bool named[SIZING_CURVES_MAX] = {false};
    if (s->answer >= 0) named[s->points[s->answer].curve] = name_write(figures, &names, s->answer, SIZING_ANSWER, RING);
    for (int i = n - 1; i >= 0; i--) {
        bool *done = &named[s->points[list[i]].curve];
        if (!*done) *done = name_write(figures, &names, list[i], BEST, DOT);
    }
}

/* What the candidates say: those of the frontier, then the others. */
static enum st points_write(struct figures *figures, const struct sizing *s, const struct panel *p, const int *list,
                            int n, struct err *err)
{
    const struct cloud *c = p->cloud;
    for (int others = 0; others < 2; others++) {
        PASS(figure_series(figures, others ? "other candidates" : "frontier", others ? OTHERS : BEST, err));
        for (int i = 0, k = 0; i < s->count; i++) {
            const struct sizing_point *at = &s->points[i];
            char value[2][STYLE_TEXT], bytes[STYLE_TEXT];
            bool best = false;
            for (k = 0; k < n && !best; k++) best = list[k] == i;
            if (best == others) continue;
            figure_dot(figures, &p->at, place_x(p, dot_x(c, at)), dot_y(c, at), "%.80s, %s per GPU: %s, %s",
                       s->curves[at->curve].label, style_bytes(bytes, at->budget),
                       sizing_text(c->y_metric, dot_y(c, at), value[0]),
                       c->x_metric ? sizing_text(c->x_metric, dot_x(c, at), value[1])
                                   : style_bytes(value[1], dot_x(c, at)));
        }
    }
    return ST_OK;
}

/* ---- the figure ---- */

static void legend_write(struct figures *figures, const struct sizing *s)
{
    static const struct figure_key keys[] = {{"no other is better in both (frontier)", BEST},
                                             {"other candidates", OTHERS},
                                             {"the answer (ringed)", SIZING_ANSWER}};
    figure_legend(figures, SIZING_AXIS, 50, keys, s->answer < 0 ? 2 : 3);
}

static enum st cloud_panel(struct figures *figures, const struct sizing *s, const struct cloud *c,
                           const struct box *box, struct err *err)
{
    enum { COLUMN_ALL = 3, COLUMN_SECONDS = 7 }; /* of the records */
    int list[FRONTIER_MOST], n = frontier_sort(s, c, list), column;
    struct panel p = {.cloud = c};
    bool unused = false;
    p.x = axis_make(s, c, 'x', c->x_metric ? sizing_quantity(c->x_metric) : QUANTITY_BYTES, dot_x, &p.none);
    p.y = axis_make(s, c, 'y', sizing_quantity(c->y_metric), dot_y, &unused);
    p.at = figure_places_make(box, &p.x, &p.y);
    figure_panel(figures, box);
    if (box->left == SIZING_AXIS) legend_write(figures, s);
    axes_write(figures, &p);
    sizing_target_line(figures, s, c->y_metric, &p.y.range);
    dots_write(figures, s, &p, list, n);
    if (s->answer >= 0 && !isnan(dot_x(c, &s->points[s->answer])) && !isnan(dot_y(c, &s->points[s->answer])))
        sizing_ring_write(figures, place_x(&p, dot_x(c, &s->points[s->answer])), dot_y(c, &s->points[s->answer]));
    names_write(figures, s, &p, list, n);
    column = c->x_metric ? sizing_column(c->x_metric) : COLUMN_ALL;
    fprintf(figures->script,
            "plot '%s' skip 1 using ($%d > 0 ? $%d/%.9g : %.9g):%d with points pt 7 ps 0.4 lc rgb '#%06X'\nunset "
            "object\n",
            figure_now(figures)->csv, column, column, p.x.unit, p.x.range.log ? p.x.range.low : 0,
            own_times(c) ? COLUMN_SECONDS : sizing_column(c->y_metric), (unsigned)OTHERS);
    return points_write(figures, s, &p, list, n, err);
}

enum st sizing_plot_frontier(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                             struct err *err)
{
    static const struct cloud costs = {"time_cost", "cost_per_epoch", "epoch_seconds", "cost per epoch"},
                              memories = {"time_memory", NULL, "epoch_seconds", "cache of all GPUs"},
                              hits = {"hit_memory", NULL, "feature_hit_rate", "cache of all GPUs"};
    const doc *frontier = doc_get(s->root, "frontier");
    const struct cloud *first = doc_size(doc_get(frontier, "time_cost"))     ? &costs
                                : doc_size(doc_get(frontier, "time_memory")) ? &memories
                                                                             : NULL;
    PASS(figure_begin_of(figures, subject, "frontier", "Who is not beaten", SIZING_WIDTH, HEIGHT, err));
    sizing_records_write(figures, s);
    struct box left = {SIZING_AXIS, SIZING_WIDTH / 2.0 - 34, 60, HEIGHT - 76},
               right = {SIZING_WIDTH / 2.0 + SIZING_AXIS, SIZING_WIDTH - 34, 60, HEIGHT - 76};
    if (first) PASS(cloud_panel(figures, s, first, &left, err));
    PASS(cloud_panel(figures, s, &hits, first ? &right : &left, err));
    figure_caption(figures, "Each dot is a candidate: a configuration with one cache size. The joined dots are the "
                            "frontier: for every other candidate there is one on it that is at least as good in both "
                            "directions and better in one. A name stands beside one of its configuration's dots. Axes "
                            "are logarithmic where values lie far apart; no cache then stands at the left edge (0).");
    sizing_target_caption(figures, s, "feature_hit_rate");
    sizing_target_caption(figures, s, "epoch_seconds");
    if (s->answer >= 0)
        figure_caption(figures, " The answer is chosen by its price per hour and its memory, so it need not lie on the "
                                "frontier.");
    return figure_end(figures, err);
}
