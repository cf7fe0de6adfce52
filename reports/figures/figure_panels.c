/* figure_panels.c - parts of figures; see drawing_parts.h. */
#include "reports/figures/drawing_parts.h"

#include <math.h>
#include "reports/figures/layout.h"
#include "reports/formats/gnuplot.h"

void figure_label(const struct figures *figures, double x, double y, const char *text, const char *options)
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
        figure_label(figures, 14, f->height - 20, f->title, "left front font title_font tc rgb '#111111'");
    figures->titled = true;
}

void figure_panel(struct figures *figures, const struct box *b)
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

void figure_heat_map(const struct figures *figures, bool texts)
{
    fprintf(figures->script, "unset grid\nset border 0\nset palette defined (%s)\nset cbrange [0:1]\nunset colorbox\n",
            texts ? "0 '#F7F9FC', 0.5 '#C6DBEF', 1 '#8CC0E3'"
                  : "0 '#F7F9FC', 0.25 '#C6DBEF', 0.5 '#6BAED6', 0.75 '#2171B5', 1 '#08306B'");
}

static void sort_by_place(struct figure_end_label *ends, int n)
{
    for (int i = 1; i < n; i++) {
        struct figure_end_label e = ends[i];
        int at = i;
        for (; at > 0 && ends[at - 1].place > e.place; at--) ends[at] = ends[at - 1];
        ends[at] = e;
    }
}

void figure_end_labels(const struct figures *figures, const struct box *box, struct figure_end_label *ends, int count,
                       double below)
{
    enum { GAP = 16, LEADER = 18, TEXT = 22, ABOVE = 6 }; /* pixels */
    double at[FIGURE_ENDS_MAX], tall = box->top - box->bottom, wide = box->right - box->left;
    int n = count < FIGURE_ENDS_MAX ? count : FIGURE_ENDS_MAX;
    FILE *to = figures->script;
    sort_by_place(ends, n);
    for (int i = 0; i < n; i++) at[i] = ends[i].place * tall;
    layout_spread(at, n, GAP, -below, tall + ABOVE);
    for (int i = 0; i < n; i++) {
        char position[80];
        fputs("set arrow from ", to);
        if (isnan(ends[i].x)) fputs("graph 1", to);
        else fprintf(to, "first %.9g", ends[i].x);
        fprintf(to, ", graph %.5f to graph %.5f, graph %.5f nohead lc rgb '#%06X' lw 0.6 dt (2,3)\n", ends[i].place,
                1 + LEADER / wide, at[i] / tall, ends[i].colour);
        snprintf(position, sizeof position, "graph %.5f, graph %.5f", 1 + TEXT / wide, at[i] / tall);
        gnuplot_label(to, ends[i].text, position, "left tc rgb '#%06X'", ends[i].colour);
    }
}
