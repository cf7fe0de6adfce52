/* drawing_legend.c - the one legend of a figure, in rows below its title, or where a plot has room; see
 * drawing_parts.h. */
#include <math.h>
#include <string.h>

#include "reports/figures/drawing_parts.h"

enum { LEFT = 14, GAP = 20, LINE = 30, BOX = 16, TEXT = 8, ROW = 22, KEYS_MOST = 128 };

const char *drawing_dash(int dash)
{
    static const char *const dashes[] = {"1", "(10,5)", "(2.5,4)", "(10,4,2.5,4)", "(5,3)", "(14,4,2,4,2,4)"};
    return dashes[dash % 6];
}

int drawing_mark_of(const struct drawing_series *s) { return s->mark ? s->mark : s->flags & SERIES_HOLLOW ? 6 : 7; }

void drawing_fill(FILE *to, const struct drawing_series *s)
{
    if (s->flags & SERIES_HOLLOW) fprintf(to, "fs empty border rgb '#%06X'", s->colour);
    else if (s->hatching) fprintf(to, "fs pattern %d border rgb '#%06X'", s->hatching, s->colour);
    else fputs("fs solid 1.0 noborder", to);
}

/* What a name stands for: a series, or a dashed line across a panel. */
struct key {
    size_t name;
    const struct drawing_series *series;
    const struct drawing_mark *mark;
};

static bool known(const struct drawing *d, const struct key *keys, int count, size_t name)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(drawing_said(d, keys[i].name), drawing_said(d, name))) return true;
    return false;
}

static int keys_find(const struct drawing *d, struct key keys[KEYS_MOST])
{
    int n = 0;
    for (int i = 0; !d->ends && i < d->series_count; i++) {
        const struct drawing_series *s = &d->series[d->back_first ? d->series_count - 1 - i : i];
        if (s->flags & (SERIES_PALE | SERIES_UNNAMED) || !s->said || s->shape == DRAWING_CELLS) continue;
        if (n < KEYS_MOST && !known(d, keys, n, s->said)) keys[n++] = (struct key){s->said, s, NULL};
    }
    if (n == 1) n = 0; /* nothing to tell apart */
    for (int i = 0; i < d->mark_count; i++)
        if (d->marks[i].name && n < KEYS_MOST && !(d->ends && d->marks[i].axis == AXIS_Y) &&
            !known(d, keys, n, d->marks[i].name))
            keys[n++] = (struct key){d->marks[i].name, NULL, &d->marks[i]};
    return n;
}

static void line_sample(const struct figures *figures, double x, double y, unsigned colour, const char *dash,
                        double width, double wide)
{
    const struct figure *f = figure_now(figures);
    fprintf(figures->script,
            "set arrow from screen %.5f, screen %.5f to screen %.5f, screen %.5f nohead lc rgb '#%06X' lw %.2f dt %s\n",
            x / f->width, y / f->height, (x + wide) / f->width, y / f->height, colour, width, dash);
}

static void sample_write(const struct figures *figures, const struct key *k, double x, double y, int number,
                         double wide)
{
    const struct figure *f = figure_now(figures);
    const struct drawing_series *s = k->series;
    FILE *to = figures->script;
    /* gnuplot 5.4 joins strokes of one width and colour, whatever their dashes are: each has a width of its own */
    if (!s) line_sample(figures, x, y, k->mark->colour, "(5,3)", 1.4 + 0.01 * number, wide);
    else if (s->shape == DRAWING_BARS) {
        fprintf(to, "set object rect from screen %.5f, screen %.5f to screen %.5f, screen %.5f fc rgb '#%06X' ",
                x / f->width, (y - 5) / f->height, (x + BOX) / f->width, (y + 6) / f->height, s->colour);
        drawing_fill(to, s);
        fputc('\n', to);
    } else {
        if (s->shape == DRAWING_LINE)
            line_sample(figures, x, y, s->colour, drawing_dash(s->dash), (s->width > 0 ? s->width : 2) + 0.01 * number,
                        wide);
        if (s->shape == DRAWING_DOTS || s->count)
            fprintf(to, "set label '' at screen %.5f, screen %.5f point pt %d ps %.2f lw %.1f lc rgb '#%06X' front\n",
                    (x + (s->shape == DRAWING_LINE ? wide : BOX) / 2.0) / f->width, y / f->height, drawing_mark_of(s),
                    s->size > 0 ? fmin(s->size, 1.6) : 0.7, s->flags & SERIES_HOLLOW ? 2.0 : 1.0, s->colour);
    }
}

static double sample_wide(const struct key *k)
{
    return (!k->series || k->series->shape == DRAWING_LINE ? LINE : BOX) + TEXT;
}

/* ---- inside a plot ---- */

enum { INSIDE_ROW = 14, INSIDE_EDGE = 4, INSIDE_STEP = 3, INSIDE_COLUMNS = 3, INSIDE_LINE = 22, INSIDE_GAP = 12 };
#define INSIDE_LETTER 6.2 /* of the font at hand, most of whose letters are narrower */

/* Whether no line between two points of the figure comes near the box. */
static bool segment_clear(const struct box *b, double x, double y, double to_x, double to_y)
{
    enum { PIECES = 60, NEAR = 5 };
    for (int i = 0; i <= PIECES; i++) {
        const double at = (double)i / PIECES, px = x + at * (to_x - x), py = y + at * (to_y - y);
        if (px > b->left - NEAR && px < b->right + NEAR && py > b->bottom - NEAR && py < b->top + NEAR) return false;
    }
    return true;
}

static bool box_clear(const struct drawing *d, const struct drawing_panel *p, const struct box *b)
{
    for (int m = p->mark_first; m < drawing_marks_end(d, p); m++) {
        const struct drawing_mark *k = &d->marks[m];
        const double x = drawing_axes_x(p, k->at), y = drawing_axes_y(p, k->at);
        if (k->wide > 0) return false;
        if (k->axis == AXIS_Y ? !segment_clear(b, p->box.left, y, p->box.right, y)
                              : !segment_clear(b, x, p->box.bottom, x, p->box.top))
            return false;
    }
    for (int s = p->first; s < p->first + p->count; s++) {
        double x = NAN, y = NAN;
        for (int k = d->series[s].first; k < d->series[s].first + d->series[s].count; k++) {
            const double to_x = drawing_axes_x(p, d->points[k].x), to_y = drawing_axes_y(p, d->points[k].y);
            if (isnan(d->points[k].x) || isnan(d->points[k].y)) continue;
            if (!segment_clear(b, isnan(x) ? to_x : x, isnan(x) ? to_y : y, to_x, to_y)) return false;
            x = to_x;
            y = to_y;
        }
    }
    return true;
}

/* Pixels of a column of keys, [first, end). */
static double inside_wide(const struct drawing *d, const struct key *keys, int first, int end)
{
    double wide = 0;
    for (int i = first; i < end; i++)
        wide = fmax(wide, INSIDE_LINE + TEXT + INSIDE_LETTER * style_length(drawing_said(d, keys[i].name)));
    return wide;
}

static int inside_rows(int n, int columns) { return (n + columns - 1) / columns; }

static double inside_all(const struct drawing *d, const struct key *keys, int n, int columns)
{
    const int rows = inside_rows(n, columns);
    double all = -INSIDE_GAP;
    for (int i = 0; i < n; i += rows) all += INSIDE_GAP + inside_wide(d, keys, i, i + rows < n ? i + rows : n);
    return all;
}

bool drawing_legend_inside(struct drawing *d)
{
    const struct drawing_panel *p = d->panels;
    struct key keys[KEYS_MOST];
    const int n = keys_find(d, keys);
    bool lines = d->panel_count == 1 && n > 1 && !((p->axis[AXIS_X].flags | p->axis[AXIS_Y].flags) & AXIS_NAMES);
    for (int s = 0; s < d->series_count; s++) lines = lines && d->series[s].shape == DRAWING_LINE;
    for (int columns = 1; lines && columns <= INSIDE_COLUMNS; columns++) {
        const double tall = INSIDE_ROW * inside_rows(n, columns), all = inside_all(d, keys, n, columns);
        for (double top = p->box.top - INSIDE_EDGE; top - tall > p->box.bottom + INSIDE_EDGE; top -= INSIDE_STEP)
            for (double left = p->box.right - INSIDE_EDGE - all; left > p->box.left + INSIDE_EDGE; left -= INSIDE_STEP)
                if (box_clear(d, p, &(struct box){left, left + all, top - tall, top})) {
                    d->inside = (struct drawing_inside){columns, left, top};
                    return true;
                }
    }
    return false;
}

static void inside_write(const struct drawing *d, const struct figures *figures, const struct key *keys, int n)
{
    const int rows = inside_rows(n, d->inside.columns);
    double x = d->inside.left;
    for (int i = 0; i < n; i++) {
        const double y = d->inside.top - INSIDE_ROW * (i % rows + 0.5);
        if (i && i % rows == 0) x += INSIDE_GAP + inside_wide(d, keys, i - rows, i);
        sample_write(figures, &keys[i], x, y, i, INSIDE_LINE);
        drawing_label(figures, x + INSIDE_LINE + TEXT, y, drawing_said(d, keys[i].name), "left tc rgb '#333333'");
    }
}

int drawing_legend(const struct drawing *d, const struct figures *figures, int width, int top)
{
    struct key keys[KEYS_MOST];
    const int n = keys_find(d, keys);
    if (d->inside.columns && figures) inside_write(d, figures, keys, n);
    if (d->inside.columns) return 0;
    double x = LEFT;
    int rows = n > 0;
    char name[STYLE_NAME];
    for (int i = 0; i < n; i++) {
        const double sample = sample_wide(&keys[i]);
        int letters, lines = style_wrap(name, drawing_said(d, keys[i].name),
                                        (int)((width - LEFT - sample) / DRAWING_LETTER), &letters);
        const double wide = sample + DRAWING_LETTER * letters + GAP;
        if (x + wide > width && x > LEFT) {
            x = LEFT;
            rows++;
        }
        if (figures) {
            const double y = figure_now(figures)->height - top - ROW * (rows - 1);
            sample_write(figures, &keys[i], x, y, i, LINE);
            drawing_label(figures, x + sample, y, name, "left tc rgb '#333333'");
        }
        x += wide;
        rows += lines - 1;
    }
    return rows;
}
