/* drawing_panel.c - what is inside of a panel; see drawing_parts.h. */
#include <math.h>
#include <string.h>

#include "reports/figures/drawing_parts.h"
#include "reports/formats/gnuplot.h"

/* Of the data: panel, series, at, x, y, from, low, high, .. */
enum { COLUMN_X = 4, COLUMN_Y, COLUMN_FROM, COLUMN_LOW, COLUMN_HIGH };
#define BARS_SHARE 0.76 /* of a place that its bars take */

/* ---- the ground ---- */

void drawing_label(const struct figures *figures, double x, double y, const char *text, const char *options)
{
    const struct figure *f = figure_now(figures);
    char position[80];
    snprintf(position, sizeof position, "screen %.5f, screen %.5f", x / f->width, y / f->height);
    gnuplot_label(figures->script, text, position, "%s", options);
}

static void title_write(struct figures *figures)
{
    const struct figure *f = figure_now(figures);
    fputs("unset label\n", figures->script);
    if (!figures->titled)
        drawing_label(figures, 14, f->height - 20, f->title, "left front font title_font tc rgb '#111111'");
    figures->titled = true;
}

void drawing_panel_begin(struct figures *figures, const struct box *b)
{
    const struct figure *f = figure_now(figures);
    title_write(figures);
    fprintf(figures->script,
            "set lmargin at screen %.5f\nset rmargin at screen %.5f\nset bmargin at screen %.5f\nset tmargin at screen "
            "%.5f\n"
            "unset logscale\nunset arrow\nset border 3 lc rgb '#999999' lw 0.8\nset tics nomirror out scale 0.5 "
            "textcolor rgb '#444444'\nset xtics offset 0,0.35\n"
            "set grid ytics lc rgb '#e4e4e4' lt 1 lw 0.8\nset grid noxtics\nset style fill solid 1.0 noborder\n",
            b->left / f->width, b->right / f->width, b->bottom / f->height, b->top / f->height);
}

/* Coloured cells: no border, no grid lines, a palette from pale to blue; with texts in them it ends where a dark text
 * is still read well. */
static void heat_map(const struct figures *figures, bool texts)
{
    fprintf(figures->script, "unset grid\nset border 0\nset palette defined (%s)\nset cbrange [0:1]\nunset colorbox\n",
            texts ? "0 '#F7F9FC', 0.5 '#C6DBEF', 1 '#8CC0E3'"
                  : "0 '#F7F9FC', 0.25 '#C6DBEF', 0.5 '#6BAED6', 0.75 '#2171B5', 1 '#08306B'");
}

/* ---- places ---- */

/* The bars of a panel stand in so many slots of a place. slot: of a series. */
static int slots(const struct drawing *d, const struct drawing_panel *p, int series, int *slot)
{
    int n = 0;
    *slot = 0;
    for (int i = p->first; i < p->first + p->count; i++) {
        const struct drawing_series *s = &d->series[i];
        if (s->shape != DRAWING_BARS) continue;
        if (!(s->flags & SERIES_STACKED) || !n) n++;
        if (i == series) *slot = n - 1;
    }
    return n ? n : 1;
}

/* Where a bar's middle lies beside its place, and half of its width. */
struct bar {
    double offset, half;
};

static struct bar bar_of(const struct drawing *d, const struct drawing_panel *p, int series)
{
    int slot, n = slots(d, p, series, &slot);
    const double share = d->series[series].width > 0 ? d->series[series].width : BARS_SHARE, step = share / n;
    return (struct bar){(slot - (n - 1) / 2.0) * step, step * (n > 1 ? 0.47 : 0.5)};
}

/* The corners of a point's bar or cell in the units of the axes; of others both are the point. */
static void corners(const struct drawing *d, const struct drawing_panel *p, int series, const struct drawing_point *at,
                    double x[2], double y[2])
{
    const enum drawing_shape shape = d->series[series].shape;
    const struct bar b = bar_of(d, p, series);
    x[0] = x[1] = at->x;
    y[0] = y[1] = shape == DRAWING_CELLS ? at->from : at->y;
    if (shape == DRAWING_CELLS) {
        x[0] -= 0.48;
        x[1] += 0.48;
        y[0] -= 0.48;
        y[1] += 0.48;
    } else if (shape == DRAWING_BARS) {
        double *value = drawing_value_axis(p) == AXIS_X ? x : y, *names = value == x ? y : x;
        value[0] = at->from;
        names[0] += b.offset - b.half;
        names[1] += b.offset + b.half;
    }
}

/* ---- marks and words ---- */

static void marks_write(const struct drawing *d, const struct drawing_panel *p, FILE *to)
{
    for (int i = p->mark_first; i < drawing_marks_end(d, p); i++) {
        const struct drawing_mark *m = &d->marks[i];
        if (m->wide > 0) {
            fprintf(to,
                    m->axis == AXIS_X ? "set object rect from first %.9g, graph 0 to first %.9g, graph 1"
                                      : "set object rect from graph 0, first %.9g to graph 1, first %.9g",
                    m->at - m->wide / 2, m->at + m->wide / 2);
            fprintf(to, " behind fs solid 1.0 noborder fc rgb '#%06X'\n", m->colour);
            continue;
        }
        const struct range *r = &p->range[m->axis];
        if (m->at < fmin(r->low, r->high) || m->at > fmax(r->low, r->high)) continue;
        fprintf(to,
                m->axis == AXIS_X ? "set arrow from first %.9g, graph 0 to first %.9g, graph 1"
                                  : "set arrow from graph 0, first %.9g to graph 1, first %.9g",
                m->at, m->at);
        fprintf(to, " nohead front lc rgb '#%06X' lw 1.4 dt (5,3)\n", m->colour);
    }
}

/* Beside a bar, above it, or where it would begin; in a cell. */
static void words_write(const struct drawing *d, const struct drawing_panel *p, int series,
                        const struct drawing_point *at, FILE *to)
{
    const struct drawing_series *s = &d->series[series];
    const char *text = drawing_said(d, at->text);
    double x[2], y[2];
    char position[80], colour[48] = "tc rgb '#333333'";
    corners(d, p, series, at, x, y);
    if (s->shape == DRAWING_CELLS) {
        snprintf(position, sizeof position, "first %.9g, first %.9g", at->x, at->from);
        gnuplot_label(to, text, position, "center front font small_font tc rgb '%s'",
                      at->y > 0 ? "#16191D" : "#6B747C");
    } else if (drawing_value_axis(p) == AXIS_X) {
        const bool back = x[1] < 0;
        const double end = isnan(x[1]) ? fmax(0, x[0]) : isnan(at->high) ? x[1] : fmax(x[1], at->high);
        snprintf(position, sizeof position, "first %.9g, first %.9g", end, (y[0] + y[1]) / 2);
        gnuplot_label(to, text, position, "%s front %s", back ? "right offset -0.6,0" : "left offset 0.6,0", colour);
    } else {
        const double wide = fabs(drawing_axes_x(p, x[1]) - drawing_axes_x(p, x[0])),
                     end = isnan(y[1]) ? fmax(0, p->range[AXIS_Y].low) : fmax(y[0], y[1]);
        const bool turned = isnan(y[1]) && 6.5 * style_length(text) > 1.6 * wide;
        if (isnan(y[1])) snprintf(colour, sizeof colour, "font small_font tc rgb '#666666'");
        snprintf(position, sizeof position, "first %.9g, first %.9g", (x[0] + x[1]) / 2, end);
        gnuplot_label(to, text, position, "%s front %s",
                      turned ? "left rotate by 90 offset 0,0.5" : "center offset 0,0.6", colour);
    }
}

/* Whether the words of all cells stand inside of them. */
static bool cells_fit(const struct drawing *d, const struct drawing_panel *p)
{
    bool fit = true;
    for (int s = p->first; s < p->first + p->count; s++)
        for (int i = d->series[s].first; i < d->series[s].first + d->series[s].count; i++)
            fit &= 6.5 * style_length(drawing_said(d, d->points[i].text)) <
                   drawing_axes_x(p, d->points[i].x + 0.5) - drawing_axes_x(p, d->points[i].x - 0.5);
    return fit;
}

static void frame_write(const struct drawing_point *at, FILE *to)
{
    fprintf(to,
            "set object rect from first %.2f, first %.2f to first %.2f, first %.2f front fs empty border lc rgb "
            "'#A32638' lw 2\n",
            at->x - 0.47, at->from - 0.44, at->x + 0.47, at->from + 0.44);
}

/* ---- the plot command ---- */

/* A column's value; what is 0 on a logarithmic axis stands at its end. */
static void column_write(FILE *to, const struct range *r, int column)
{
    if (r->log) fprintf(to, "($%d > 0 ? $%d : %.9g)", column, column, r->low);
    else fprintf(to, "%d", column);
}

/* Ranges over seeds or epochs. Vectors, because gnuplot's error bars blank out what lies below their points. */
static void whiskers_write(const struct drawing *d, const struct drawing_panel *p, int series, const char *from,
                           FILE *to)
{
    const struct drawing_series *s = &d->series[series];
    bool any = false;
    for (int i = s->first; i < s->first + s->count; i++) any |= !isnan(d->points[i].low);
    if (!any || s->flags & SERIES_PALE || s->shape == DRAWING_CELLS) return;
    const double offset = s->shape == DRAWING_BARS ? bar_of(d, p, series).offset : 0;
    const bool level = s->shape == DRAWING_BARS && drawing_value_axis(p) == AXIS_X;
    fprintf(to, ", \\\n  %s", from);
    if (level) fprintf(to, "%d:($%d + %.5f):($%d - $%d):(0)", COLUMN_LOW, COLUMN_Y, offset, COLUMN_HIGH, COLUMN_LOW);
    else fprintf(to, "($%d + %.5f):%d:(0):($%d - $%d)", COLUMN_X, offset, COLUMN_LOW, COLUMN_HIGH, COLUMN_LOW);
    fprintf(to, " with vectors heads size screen 0.003,90 lw 1.1 lc rgb '#%06X'",
            s->shape == DRAWING_BARS ? 0x222222 : s->colour);
}

static void bars_write(const struct drawing *d, const struct drawing_panel *p, int series, FILE *to)
{
    const struct drawing_series *s = &d->series[series];
    const struct bar b = bar_of(d, p, series);
    const int axis = drawing_value_axis(p), value = axis == AXIS_X ? COLUMN_X : COLUMN_Y,
              names = axis == AXIS_X ? COLUMN_Y : COLUMN_X;
    char middle[48], place[32], half[64], thick[16];
    const double least = fabs(p->range[axis].high - p->range[axis].low) / 600; /* a bar of nothing is seen, too */
    const bool ranges = s->count && d->points[s->first].from > 0 && !(s->flags & SERIES_STACKED);
    snprintf(middle, sizeof middle, "(($%d+$%d)/2)", value, COLUMN_FROM);
    snprintf(half, sizeof half, ranges ? "(abs($%d-$%d)/2+%.9g)" : "(abs($%d-$%d)/2)", value, COLUMN_FROM, least);
    snprintf(place, sizeof place, "($%d%+.5f)", names, b.offset);
    snprintf(thick, sizeof thick, "(%.5f)", b.half);
    if (axis == AXIS_X) fprintf(to, "%s:%s:%s:%s", middle, place, half, thick);
    else fprintf(to, "%s:%s:%s:%s", place, middle, thick, half);
    fprintf(to, " with boxxyerror lw 1.2 lc rgb '#%06X' ", s->colour);
    drawing_fill(to, s);
}

/* The shade of a cell, 0..1: by the square root of its value, which spreads the many small ones, or from low to high of
 * the level axis where that has both. */
static void cells_write(const struct drawing *d, const struct drawing_panel *p, FILE *to)
{
    double most = 0;
    for (int k = p->first; k < p->first + p->count; k++)
        for (int i = d->series[k].first; i < d->series[k].first + d->series[k].count; i++)
            most = fmax(most, d->points[i].y);
    if (p->axis[AXIS_X].high > p->axis[AXIS_X].low || p->axis[AXIS_X].low > p->axis[AXIS_X].high)
        fprintf(to, "%d:%d:(0.485):(0.46):(($%d-%.17g)/%.17g)", COLUMN_X, COLUMN_FROM, COLUMN_Y, p->axis[AXIS_X].low,
                p->axis[AXIS_X].high - p->axis[AXIS_X].low);
    else fprintf(to, "%d:%d:(0.48):(0.48):(sqrt($%d/%.17g))", COLUMN_X, COLUMN_FROM, COLUMN_Y, most > 0 ? most : 1);
    fputs(" with boxxyerror fs solid 1.0 noborder lc palette", to);
}

static void series_write(const struct drawing *d, const struct drawing_panel *p, int series, const char *csv,
                         bool first, FILE *to)
{
    const struct drawing_series *s = &d->series[series];
    char from[400];
    snprintf(from, sizeof from, "'%s' skip 1 every ::%d::%d using ", csv, s->record, s->record + s->count - 1);
    fprintf(to, "%s%s", first ? "plot " : ", \\\n  ", from);
    if (s->shape == DRAWING_CELLS) cells_write(d, p, to);
    else if (s->shape == DRAWING_BARS) bars_write(d, p, series, to);
    else {
        column_write(to, &p->range[AXIS_X], COLUMN_X);
        fputc(':', to);
        column_write(to, &p->range[AXIS_Y], COLUMN_Y);
        const double width = s->width > 0 ? s->width : s->flags & SERIES_HOLLOW && s->shape == DRAWING_DOTS ? 2 : 1.8;
        if (s->flags & SERIES_PALE) fputs(" with lines lc rgb '#DCDCDC' lw 1.2", to);
        else if (s->mark < 0)
            fprintf(to, " with lines lc rgb '#%06X' dt %s lw %.1f", s->colour, drawing_dash(s->dash), width);
        else {
            fprintf(to,
                    s->shape == DRAWING_LINE ? " with linespoints lc rgb '#%06X' dt %s lw %.1f pt %d ps %.2f"
                                             : " with points lc rgb '#%06X' dt %s lw %.1f pt %d ps %.2f",
                    s->colour, drawing_dash(s->shape == DRAWING_LINE ? s->dash : 0), width, drawing_mark_of(s),
                    s->size > 0 ? s->size : 0.55);
            if (s->every > 1) fprintf(to, " pi %d", s->every);
        }
    }
    whiskers_write(d, p, series, from, to);
}

static void plot_write(const struct drawing *d, const struct drawing_panel *p, const struct figures *figures)
{
    FILE *to = figures->script;
    bool first = true;
    for (int pale = 1; pale >= 0; pale--)
        for (int i = p->first; i < p->first + p->count; i++) {
            const struct drawing_series *s = &d->series[i];
            bool any = false;
            for (int k = s->first; k < s->first + s->count; k++)
                any |= !isnan(d->points[k].x) && !isnan(d->points[k].y);
            if (!any || (s->flags & SERIES_PALE) != pale) continue;
            series_write(d, p, i, figure_now(figures)->csv, first, to);
            first = false;
        }
    fputs(first ? "plot NaN notitle\nunset object\n" : "\nunset object\n", to);
}

/* ---- what points say ---- */

static enum st points_write(const struct drawing *d, const struct drawing_panel *p, struct figures *figures,
                            struct err *err)
{
    enum { DOT = 12, LEAST = 8 };
    for (int s = p->first; s < p->first + p->count; s++) {
        bool begun = false;
        for (int i = d->series[s].first; i < d->series[s].first + d->series[s].count; i++) {
            const struct drawing_point *at = &d->points[i];
            double x[2], y[2];
            corners(d, p, s, at, x, y);
            if (!at->says || d->series[s].flags & SERIES_PALE || isnan(at->x) || isnan(at->y)) continue;
            if (!begun) PASS(figure_series(figures, drawing_said(d, d->series[s].said), d->series[s].colour, err));
            begun = true;
            for (int k = 0; k < 2; k++) {
                x[k] = drawing_axes_x(p, x[k]);
                y[k] = drawing_axes_y(p, y[k]);
            }
            const double least = d->series[s].shape <= DRAWING_DOTS ? DOT : LEAST;
            figure_point(figures, (x[0] + x[1]) / 2, (y[0] + y[1]) / 2, fmax(least, fabs(x[1] - x[0])),
                         fmax(least, fabs(y[1] - y[0])), at->at ? drawing_said(d, at->at) : NULL,
                         drawing_said(d, at->says));
        }
    }
    return ST_OK;
}

enum st drawing_panel_write(const struct drawing *d, const struct drawing_panel *p, struct figures *figures,
                            struct err *err)
{
    const bool cells = drawing_has(d, p, DRAWING_CELLS), fit = !cells || !d->column || cells_fit(d, p);
    FILE *to = figures->script;
    char title[STYLE_NAME];
    bool words = false;
    if (drawing_value_axis(p) == AXIS_X)
        fputs("set border 2\nset grid noytics\nset grid xtics lc rgb '#e4e4e4' lt 1 lw 0.8\n", to);
    if (p->title) {
        style_wrap(title, drawing_said(d, p->title), p->title_letters, NULL);
        drawing_label(figures, p->box.left,
                      p->box.top + 15 + (p->levelled ? 18 : 0) + DRAWING_TEXT * (p->title_lines - 1), title,
                      "left tc rgb '#111111'");
    }
    drawing_axes_write(d, p, figures);
    marks_write(d, p, to);
    for (int s = p->first; s < p->first + p->count; s++)
        for (int i = d->series[s].first; i < d->series[s].first + d->series[s].count; i++) {
            if (d->points[i].text && fit && d->series[s].shape >= DRAWING_BARS) words_write(d, p, s, &d->points[i], to);
            if (d->points[i].framed) frame_write(&d->points[i], to);
            words |= d->points[i].text && cells && fit;
        }
    if (cells) heat_map(figures, words);
    drawing_names(d, p, figures);
    if (d->ends) drawing_ends(d, p, figures);
    plot_write(d, p, figures);
    return d->column ? ST_OK : points_write(d, p, figures, err);
}
