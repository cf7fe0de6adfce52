/* drawing_legend.c - the one legend of a figure, in rows below its title; see drawing_parts.h. */
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
                        double width)
{
    const struct figure *f = figure_now(figures);
    fprintf(figures->script,
            "set arrow from screen %.5f, screen %.5f to screen %.5f, screen %.5f nohead lc rgb '#%06X' lw %.2f dt %s\n",
            x / f->width, y / f->height, (x + LINE) / f->width, y / f->height, colour, width, dash);
}

static void sample_write(const struct figures *figures, const struct key *k, double x, double y, int number)
{
    const struct figure *f = figure_now(figures);
    const struct drawing_series *s = k->series;
    FILE *to = figures->script;
    /* gnuplot 5.4 joins strokes of one width and colour, whatever their dashes are: each has a width of its own */
    if (!s) line_sample(figures, x, y, k->mark->colour, "(5,3)", 1.4 + 0.01 * number);
    else if (s->shape == DRAWING_BARS) {
        fprintf(to, "set object rect from screen %.5f, screen %.5f to screen %.5f, screen %.5f fc rgb '#%06X' ",
                x / f->width, (y - 5) / f->height, (x + BOX) / f->width, (y + 6) / f->height, s->colour);
        drawing_fill(to, s);
        fputc('\n', to);
    } else {
        if (s->shape == DRAWING_LINE)
            line_sample(figures, x, y, s->colour, drawing_dash(s->dash), (s->width > 0 ? s->width : 2) + 0.01 * number);
        if (s->shape == DRAWING_DOTS || s->count)
            fprintf(to, "set label '' at screen %.5f, screen %.5f point pt %d ps %.2f lw %.1f lc rgb '#%06X' front\n",
                    (x + (s->shape == DRAWING_LINE ? LINE : BOX) / 2.0) / f->width, y / f->height, drawing_mark_of(s),
                    s->size > 0 ? fmin(s->size, 1.6) : 0.7, s->flags & SERIES_HOLLOW ? 2.0 : 1.0, s->colour);
    }
}

int drawing_legend(const struct drawing *d, const struct figures *figures, int width, int top)
{
    struct key keys[KEYS_MOST];
    const int n = keys_find(d, keys);
    double x = LEFT;
    int rows = n > 0;
    char name[STYLE_NAME];
    for (int i = 0; i < n; i++) {
        const bool line = !keys[i].series || keys[i].series->shape == DRAWING_LINE;
        const double sample = (line ? LINE : BOX) + TEXT;
        int letters, lines = style_wrap(name, drawing_said(d, keys[i].name),
                                        (int)((width - LEFT - sample) / DRAWING_LETTER), &letters);
        const double wide = sample + DRAWING_LETTER * letters + GAP;
        if (x + wide > width && x > LEFT) {
            x = LEFT;
            rows++;
        }
        if (figures) {
            const double y = figure_now(figures)->height - top - ROW * (rows - 1);
            sample_write(figures, &keys[i], x, y, i);
            drawing_label(figures, x + sample, y, name, "left tc rgb '#333333'");
        }
        x += wide;
        rows += lines - 1;
    }
    return rows;
}
