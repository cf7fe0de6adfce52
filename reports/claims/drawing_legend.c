/* drawing_legend.c - names and colours of series; see drawing_legend.h. */
#include "reports/claims/drawing_legend.h"

#include <string.h>
#include "reports/figures/figure_panels.h"

enum { LEFT = 14, RIGHT = 10, GAP = 52, BOX = 26, LOOKS = 10 }; /* pixels; looks before they repeat */

struct drawing_legend drawing_legend_make(const struct drawing *d)
{
    struct drawing_legend l = {.count = 0};
    for (int p = 0; p < d->count; p++)
        for (int i = 0; i < d->panel[p].count && d->panel[p].kind != DRAWING_MATRIX; i++) {
            const struct drawing_series *s = &d->panel[p].series[i];
            bool known = l.count && !strcmp(l.name[drawing_legend_at(&l, s->name)], s->name);
            if (known || l.count == DRAWING_SERIES) continue;
            l.stated[l.count] = s->stated;
            l.line[l.count] = d->panel[p].kind == DRAWING_LINES;
            l.name[l.count++] = s->name;
        }
    return l;
}

int drawing_legend_at(const struct drawing_legend *l, const char *name)
{
    for (int i = 0; i < l->count; i++)
        if (!strcmp(l->name[i], name)) return i;
    return 0;
}

/* The number of the look: "paper, X" has X's, where there is one. */
static int look_of(const struct drawing_legend *l, const char *name)
{
    static const char stated[] = "paper, ";
    const size_t prefix = sizeof stated - 1;
    int at = drawing_legend_at(l, name);
    if (!strncmp(name, stated, prefix)) {
        int of = drawing_legend_at(l, name + prefix);
        if (l->count && !strcmp(name + prefix, l->name[of])) at = of;
    }
    return at % LOOKS;
}

unsigned drawing_legend_colour(const struct drawing_legend *l, const char *name)
{
    static const unsigned colours[LOOKS] = {0xD55E00, 0x0072B2, 0x00805F, 0xAA4499, 0xB07A00,
                                            0x332288, 0x777777, 0x882255, 0x117733, 0x3F7F93};
    return colours[look_of(l, name)];
}

int drawing_legend_mark(const struct drawing_legend *l, const char *name)
{
    static const int solid[LOOKS] = {7, 5, 9, 11, 13, 2, 3, 1, 15, 7},
                     hollow[LOOKS] = {6, 4, 8, 10, 12, 6, 4, 8, 14, 6};
    return (l->stated[drawing_legend_at(l, name)] ? hollow : solid)[look_of(l, name)];
}

const char *drawing_legend_dash(const struct drawing_legend *l, const char *name)
{
    static const char *const dashes[] = {"1", "(9,3)", "(3,3)", "(9,3,2,3)", "(5,2)"};
    return dashes[look_of(l, name) % 5];
}

void drawing_legend_fill(const struct drawing_legend *l, const char *name, FILE *to)
{
    static const int hatching[LOOKS] = {3, 4, 1, 5, 2, 6, 7, 4, 1, 5}; /* gnuplot's; 3 is solid */
    unsigned colour = drawing_legend_colour(l, name);
    if (l->stated[drawing_legend_at(l, name)]) fprintf(to, "fs empty border rgb '#%06X'", colour);
    else if (hatching[look_of(l, name)] == 3) fprintf(to, "fs solid 1.0 border rgb '#%06X'", colour);
    else fprintf(to, "fs pattern %d border rgb '#%06X'", hatching[look_of(l, name)], colour);
}

/* Where each name goes: pixels from the left edge, and its row. Returns how many rows there are. */
static int places(const struct drawing_legend *l, int width, double x[DRAWING_SERIES], int row[DRAWING_SERIES])
{
    char name[STYLE_NAME];
    double at = LEFT;
    int rows = 1;
    if (!l->count || (l->count == 1 && !*l->name[0])) return 0;
    for (int i = 0; i < l->count; i++) {
        double wide = GAP + 7.2 * style_length(style_cut(name, l->name[i], 60));
        if (at + wide > width - RIGHT && at > LEFT) {
            at = LEFT;
            rows++;
        }
        x[i] = at;
        row[i] = rows - 1;
        at += wide;
    }
    return rows;
}

int drawing_legend_rows(const struct drawing_legend *l, int width)
{
    double x[DRAWING_SERIES];
    int row[DRAWING_SERIES];
    return places(l, width, x, row);
}

/* A piece of the line with its mark, `x` and `y` pixels from the lower left corner. */
static void line_key(const struct drawing_legend *l, int i, const struct figures *figures, double x, double y)
{
    const struct figure *f = figure_now(figures);
    unsigned colour = drawing_legend_colour(l, l->name[i]);
    if (!l->stated[i])
        fprintf(figures->script,
                "set arrow from screen %.5f, screen %.5f to screen %.5f, screen %.5f nohead lc rgb '#%06X' lw 1.7 dt "
                "%s\n",
                x / f->width, y / f->height, (x + BOX) / f->width, y / f->height, colour,
                drawing_legend_dash(l, l->name[i]));
    fprintf(figures->script, "set label '' at screen %.5f, screen %.5f point pt %d ps %s lw %s lc rgb '#%06X' front\n",
            (x + BOX / 2.0) / f->width, y / f->height, drawing_legend_mark(l, l->name[i]), l->stated[i] ? "1.4" : "0.8",
            l->stated[i] ? "2" : "1", colour);
}

static void bar_key(const struct drawing_legend *l, int i, const struct figures *figures, double x, double y)
{
    const struct figure *f = figure_now(figures);
    fprintf(figures->script,
            "set object rectangle from screen %.5f, screen %.5f to screen %.5f, screen %.5f fc rgb '#%06X' ",
            x / f->width, (y - 6) / f->height, (x + BOX) / f->width, (y + 6) / f->height,
            drawing_legend_colour(l, l->name[i]));
    drawing_legend_fill(l, l->name[i], figures->script);
    fputc('\n', figures->script);
}

void drawing_legend_write(const struct drawing_legend *l, const struct figures *figures, int top, int row_tall)
{
    const struct figure *f = figure_now(figures);
    double x[DRAWING_SERIES];
    int row[DRAWING_SERIES], rows = places(l, f->width, x, row);
    char name[STYLE_NAME];
    for (int i = 0; rows && i < l->count; i++) {
        double y = f->height - top - row_tall * row[i] - 8;
        (l->line[i] ? line_key : bar_key)(l, i, figures, x[i], y);
        figure_label(figures, x[i] + BOX + 6, y, style_cut(name, l->name[i], 60), "left tc rgb '#333333'");
    }
}
