/* drawing_panels.c - lines, bars and matrices in their boxes; see drawing_panels.h. */
#include "reports/claims/drawing_panels.h"

#include <math.h>
#include <string.h>
#include "reports/figures/figure_places.h"
#include "reports/formats/gnuplot.h"

/* It begins at 0, so that small differences look small. */
struct range drawing_panels_axis(const struct drawing_panel *const *panels, int count)
{
    double low = 0, high = NAN;
    for (int p = 0; p < count; p++)
        for (int i = 0; i < panels[p]->count; i++) {
            const struct drawing_series *s = &panels[p]->series[i];
            for (int k = 0; k < s->count; k++) {
                layout_include(s->y[k], &low, &high);
                if (s->ranged) layout_include(s->low[k], &low, &high);
                if (s->ranged) layout_include(s->high[k], &low, &high);
            }
        }
    return layout_range(low, isnan(high) || high <= low ? low + 1 : high, false);
}

static void y_axis(struct figures *figures, const struct range *r, bool written)
{
    char text[STYLE_TEXT];
    fputs("set ytics (", figures->script);
    for (int i = 0; i < r->count; i++)
        gnuplot_tic(figures->script, written ? style_tick(text, r->tick[i]) : "", r->tick[i], i == 0);
    fprintf(figures->script, ")\nset yrange [%.9g:%.9g]\n", r->low, r->high);
}

static void titles(struct figures *figures, const struct drawing_panel *p, bool written, const struct box *box)
{
    figure_label(figures, box->left, box->top + 33, p->title, "left tc rgb '#111111'");
    if (written)
        figure_label(figures, box->left - 34, box->top + 15, p->y,
                     "left font small_font tc rgb '#444444'"); /* level, for room */
    figure_axis_below(figures, box, p->x);
}

/* ---- lines ---- */

/* Distinct x of all series, ascending. */
static int distinct_x(const struct drawing_panel *p, double *x)
{
    int n = 0;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->series[i].count; k++) {
            double v = p->series[i].x[k];
            int at = 0, behind;
            while (at < n && x[at] < v) at++;
            if ((at < n && x[at] == v) || n == DRAWING_POINTS) continue;
            for (behind = n++; behind > at; behind--) x[behind] = x[behind - 1];
            x[at] = v;
        }
    return n;
}

static bool doubles(const double *x, int n)
{
    bool good = n > 1 && x[0] > 0;
    for (int i = 1; i < n; i++) good = good && x[i] == 2 * x[i - 1];
    return good;
}

/* Returns what the axis shows. */
static struct range x_axis(struct figures *figures, const struct drawing_panel *p, const struct box *box)
{
    double x[DRAWING_POINTS], taken = -1e9;
    char text[STYLE_TEXT];
    int n = distinct_x(p, x);
    bool log = doubles(x, n);
    if (!n) x[n++] = 0;
    double span = x[n - 1] > x[0] ? x[n - 1] - x[0] : 1;
    struct range r = {.low = log ? x[0] / 1.15 : x[0] - 0.03 * span,
                      .high = log ? x[n - 1] * 1.15 : x[n - 1] + 0.03 * span,
                      .log = log};
    fputs("set xtics (", figures->script);
    for (int i = 0; i < n; i++) {
        style_tick(text, x[i]);
        bool fits = layout_label_fits(layout_place(&r, x[i]) * (box->right - box->left), style_length(text), &taken);
        gnuplot_tic(figures->script, fits ? text : "", x[i], i == 0);
    }
    fprintf(figures->script, ")\nset xrange [%.9g:%.9g]\n", r.low, r.high);
    if (log) fputs("set logscale x 2\n", figures->script);
    return r;
}

/* What the points of a series say. at: its bars' middles are moved by `offset` and `wide`; 0: dots. */
static enum st points_write(struct figures *figures, const struct drawing_panel *p, const struct drawing_series *x,
                            unsigned colour, const struct figure_places *at, double offset, double wide,
                            struct err *err)
{
    PASS(figure_series(figures, x->name, colour, err));
    for (int k = 0; k < x->count; k++) {
        char text[2][STYLE_TEXT], where[STYLE_NAME];
        const double middle = x->x[k] + offset, v = x->y[k];
        if (isnan(v)) continue;
        style_cut(where, p->kind == DRAWING_LINES ? style_tick(text[0], x->x[k]) : p->category[(int)x->x[k]], 60);
        if (wide > 0)
            figure_bar(figures, at, middle - wide / 2, 0, middle + wide / 2, v, "%.80s, %s: %s", x->name, where,
                       style_tick(text[1], v));
        else figure_dot(figures, at, middle, v, "%.80s, %s: %s", x->name, where, style_tick(text[1], v));
    }
    return ST_OK;
}

/* The whiskers of a series: its range over seeds. offset: added to x. Vectors, because gnuplot's error bars blank out
 * what lies below their points. */
static void whiskers_draw(struct figures *figures, const struct drawing_series *x, double offset, unsigned colour)
{
    if (x->ranged)
        fprintf(figures->script,
                ", \\\n  '%s' skip 1 every ::%d::%d using ($5 + %.5f):10:(0):($11 - $10) with vectors heads size "
                "screen 0.003,90 lw 1.1 lc rgb '#%06X'",
                figure_now(figures)->csv, x->first, x->first + x->count - 1, offset, colour);
}

static enum st lines_draw(struct figures *figures, const struct drawing_panel *p, const struct drawing_legend *l,
                          const struct box *box, const struct range *y, struct err *err)
{
    const char *between = "plot ";
    const struct figure_places at = {*box, x_axis(figures, p, box), *y};
    for (int i = 0; i < p->count; i++) {
        const struct drawing_series *x = &p->series[i];
        unsigned colour = drawing_legend_colour(l, x->name);
        if (!x->count) continue;
        fprintf(figures->script, "%s'%s' skip 1 every ::%d::%d using 5:6 with ", between, figure_now(figures)->csv,
                x->first, x->first + x->count - 1);
        between = ", \\\n  ";
        if (x->stated)
            fprintf(figures->script, "points lc rgb '#%06X' pt %d ps 1.4 lw 2", colour,
                    drawing_legend_mark(l, x->name));
        else
            fprintf(figures->script, "linespoints lc rgb '#%06X' lw %.1f dt %s pt %d ps 0.8", colour,
                    drawing_legend_at(l, x->name) ? 1.7 : 2.2, drawing_legend_dash(l, x->name),
                    drawing_legend_mark(l, x->name));
        whiskers_draw(figures, x, 0, colour);
    }
    fputc('\n', figures->script);
    for (int i = 0; i < p->count; i++)
        PASS(points_write(figures, p, &p->series[i], drawing_legend_colour(l, p->series[i].name), &at, 0, 0, err));
    return ST_OK;
}

/* ---- bars ---- */

/* room: pixels of a category; a name that is wider is cut, and longer names stand aslant. */
static void category_tics(struct figures *figures, const struct drawing_panel *p, char axis, double room)
{
    char name[STYLE_NAME];
    int longest = 0;
    for (int i = 0; i < p->categories; i++)
        longest = style_length(p->category[i]) > longest ? style_length(p->category[i]) : longest;
    bool aslant = axis == 'x' && 7.6 * longest > room;
    fprintf(figures->script, "set %ctics scale 0 %s (", axis,
            axis == 'y' ? ""
            : aslant    ? "rotate by 25 right"
                        : "norotate center");
    for (int i = 0; i < p->categories; i++)
        gnuplot_tic(figures->script, style_cut(name, p->category[i], 18), i, i == 0);
    fputs(")\n", figures->script);
}

/* A cross where a bar has no number. */
static void crosses(struct figures *figures, const struct drawing_series *x, double offset, unsigned colour)
{
    char position[80];
    for (int k = 0; k < x->count; k++) {
        if (!isnan(x->y[k])) continue;
        snprintf(position, sizeof position, "first %.5f, graph 0.03", x->x[k] + offset);
        gnuplot_label(figures->script, "\xC3\x97", position, "center front tc rgb '#%06X'", colour);
    }
}

static enum st bars_draw(struct figures *figures, const struct drawing_panel *p, const struct drawing_legend *l,
                         const struct box *box, const struct range *y, struct err *err)
{
    const struct figure_places at = {*box, figure_span(-0.6, (p->categories ? p->categories : 1) - 0.4), *y};
    const char *between = "plot ";
    double wide = 0.84 / (p->count ? p->count : 1);
    category_tics(figures, p, 'x', (box->right - box->left) / (p->categories ? p->categories : 1));
    fprintf(figures->script, "set xrange [-0.6:%.1f]\n", (p->categories ? p->categories : 1) - 0.4);
    for (int i = 0; i < p->count; i++)
        crosses(figures, &p->series[i], (i - (p->count - 1) / 2.0) * wide, drawing_legend_colour(l, p->series[i].name));
    for (int i = 0; i < p->count; i++) {
        const struct drawing_series *x = &p->series[i];
        double offset = (i - (p->count - 1) / 2.0) * wide;
        if (!x->count) continue;
        fprintf(figures->script,
                "%s'%s' skip 1 every ::%d::%d using ($5 + %.5f):6:(%.5f) with boxes lw 1.2 lc rgb '#%06X' ", between,
                figure_now(figures)->csv, x->first, x->first + x->count - 1, offset, 0.92 * wide,
                drawing_legend_colour(l, x->name));
        drawing_legend_fill(l, x->name, figures->script);
        whiskers_draw(figures, x, offset, 0x111111);
        between = ", \\\n  ";
    }
    fputc('\n', figures->script);
    for (int i = 0; i < p->count; i++)
        PASS(points_write(figures, p, &p->series[i], drawing_legend_colour(l, p->series[i].name), &at,
                          (i - (p->count - 1) / 2.0) * wide, 0.92 * wide, err));
    return ST_OK;
}

/* ---- matrices ---- */

static double matrix_most(const struct drawing_panel *p)
{
    double most = 0;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->series[i].count; k++)
            most = fmax(most, isnan(p->series[i].y[k]) ? 0 : p->series[i].y[k]);
    return most > 0 ? most : 1;
}

static enum st matrix_draw(struct figures *figures, const struct drawing_panel *p, const struct box *box,
                           struct err *err)
{
    const char *between = "plot ";
    double most = matrix_most(p), cell = (box->right - box->left) / (p->categories ? p->categories : 1);
    char name[STYLE_NAME], text[STYLE_TEXT], position[80];
    figure_heat_map(figures, true);
    category_tics(figures, p, 'x', 1e9);
    fputs("set ytics scale 0 (", figures->script);
    for (int i = 0; i < p->count; i++) gnuplot_tic(figures->script, style_cut(name, p->series[i].name, 12), i, i == 0);
    fprintf(figures->script, ")\nset xrange [-0.5:%d.5]\nset yrange [%d.5:-0.5]\n", p->categories - 1, p->count - 1);
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->series[i].count; k++) {
            double y = p->series[i].y[k];
            snprintf(position, sizeof position, "first %.9g, first %d", p->series[i].x[k], i);
            snprintf(text, sizeof text, cell < 44 ? "%.2f" : "%.3g", y);
            gnuplot_label(figures->script,
                          isnan(y) ? "-"
                          : y == 0 ? "0"
                                   : text,
                          position, "center front font small_font tc rgb '#16191D'");
        }
    for (int i = 0; i < p->count; i++) {
        const struct drawing_series *x = &p->series[i];
        if (!x->count) continue;
        fprintf(figures->script,
                "%s'%s' skip 1 every ::%d::%d using 5:7:(0.48):(0.48):(sqrt($6/%.17g)) with boxxyerror fs solid 1.0 "
                "noborder lc palette",
                between, figure_now(figures)->csv, x->first, x->first + x->count - 1, most);
        between = ", \\\n  ";
    }
    fputc('\n', figures->script);
    const struct figure_places at = {*box, figure_span(-0.5, p->categories - 0.5), figure_span(p->count - 0.5, -0.5)};
    for (int i = 0; i < p->count; i++) {
        PASS(figure_series(figures, p->series[i].name, 0x8CC0E3, err));
        for (int k = 0; k < p->series[i].count; k++)
            if (!isnan(p->series[i].y[k]))
                figure_bar(figures, &at, p->series[i].x[k] - 0.48, i - 0.48, p->series[i].x[k] + 0.48, i + 0.48,
                           "%.80s, %.80s: %.4g", p->series[i].name, p->category[(int)p->series[i].x[k]],
                           p->series[i].y[k]);
    }
    return ST_OK;
}

enum st drawing_panel_draw(struct figures *figures, const struct drawing_panel *p, const struct drawing_legend *l,
                           const struct range *y, bool written, const struct box *box, struct err *err)
{
    titles(figures, p, written, box);
    if (p->kind == DRAWING_MATRIX) return matrix_draw(figures, p, box, err);
    y_axis(figures, y, written);
    return p->kind == DRAWING_LINES ? lines_draw(figures, p, l, box, y, err) : bars_draw(figures, p, l, box, y, err);
}
