/* chart_bars.c - one bar per policy where there is a single budget; see chart_bars.h. */
#include "reports/plots/chart_bars.h"

#include <math.h>
#include <stdio.h>
#include "reports/formats/gnuplot.h"

static int name_width(const struct chart *c)
{
    int longest = 6;
    char name[STYLE_NAME];
    for (int p = 0; p < c->grid->policy_count; p++) {
        int n = style_length(style_cut(name, c->grid->label[p], 22));
        if (n > longest) longest = n;
    }
    return 22 + longest * 7;
}

/* Policies that have a record stand below each other in the order of the grid; slot 0 is at the top. */
static int slots(const struct chart *c)
{
    int n = 0;
    for (int p = 0; p < c->grid->policy_count; p++) n += c->first[p] >= 0;
    return n;
}

static void names_write(const struct chart *c, bool show)
{
    FILE *to = c->figures->script;
    int n = slots(c), slot = 0;
    char name[STYLE_NAME];
    fputs("set ytics scale 0 (", to);
    for (int p = 0; p < c->grid->policy_count; p++) {
        if (c->first[p] < 0) continue;
        gnuplot_tic(to, show ? style_cut(name, c->grid->label[p], 22) : "", slot, slot == 0);
        slot++;
    }
    fprintf(to,
            ")\nset yrange [%.1f:-0.6]\nset grid noytics\nset grid xtics lc rgb '#e4e4e4' lt 1 lw 0.8\nset border 2\n",
            n - 0.4);
}

static void values_write(const struct chart *c, const struct chart_panel *p, const struct range *x)
{
    int slot = 0;
    for (int i = 0; i < c->grid->policy_count; i++) {
        char text[STYLE_TEXT], position[80];
        const struct result_row *r = grid_row(c->grid, i, 0);
        double v = chart_value(p, r),
               end = p->intervals && r ? fmax(v, r->high) : v; /* fmax passes over a missing interval */
        if (c->first[i] < 0) continue;
        snprintf(position, sizeof position, "first %.9g, first %d", isnan(v) ? fmax(0, x->low) : end, slot++);
        gnuplot_label(c->figures->script, isnan(v) ? "no number" : chart_text(p, v, text), position,
                      "%s front tc rgb '#333333'", v < 0 ? "right offset -0.6,0" : "left offset 0.6,0");
    }
}

/* What each bar says. */
static enum st points_write(const struct chart *c, const struct chart_panel *p, const struct box *box,
                            const struct range *x, struct err *err)
{
    int n = slots(c), slot = 0;
    double tall = (box->top - box->bottom) / (n + 0.2), wide = box->right - box->left;
    for (int i = 0; i < c->grid->policy_count; i++) {
        double v = chart_value(p, grid_row(c->grid, i, 0)), ends[2] = {layout_place(x, 0), layout_place(x, v)};
        char value[STYLE_TEXT], text[2 * STYLE_NAME];
        if (c->first[i] < 0) continue;
        if (!isnan(v)) {
            PASS(figure_series(c->figures, c->grid->label[i], style_look(c->grid->policies[i]).colour, err));
            snprintf(text, sizeof text, "%.120s: %s%s%.60s", c->grid->label[i], chart_text(p, v, value),
                     p->heading ? ", " : "", p->heading ? p->heading : "");
            figure_point(c->figures, box->left + (ends[0] + ends[1]) / 2 * wide, box->top - (slot + 0.6) * tall,
                         fmax(8, fabs(ends[1] - ends[0]) * wide), 0.68 * tall, NULL, text);
        }
        slot++;
    }
    return ST_OK;
}

static void bars_write(const struct chart *c, int panel)
{
    FILE *to = c->figures->script;
    const char *csv = figure_now(c->figures)->csv;
    int column = chart_column(c, panel), slot = 0;
    fputs("plot ", to);
    for (int p = 0; p < c->grid->policy_count; p++) {
        if (c->first[p] < 0) continue;
        fprintf(to,
                "%s'%s' skip 1 every ::%d::%d using ($%d/2):(%d):($%d/2):(0.34) with boxxyerror fs solid 1.0 noborder "
                "lc rgb '#%06X'",
                slot ? ", \\\n  " : "", csv, c->first[p], c->first[p], column, slot, column,
                style_look(c->grid->policies[p]).colour);
        if (c->panels[panel].intervals)
            fprintf(to,
                    ", \\\n  '%s' skip 1 every ::%d::%d using %d:(%d):%d:%d with xerrorbars lc rgb '#222222' lw 1 pt 0",
                    csv, c->first[p], c->first[p], column, slot, column + 1, column + 2);
        slot++;
    }
    fputc('\n', to);
}

static void reference_write(const struct chart *c, const struct chart_panel *p)
{
    char position[80], value[STYLE_TEXT], text[STYLE_NAME];
    if (isnan(p->reference)) return;
    fprintf(c->figures->script,
            "set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead lc rgb '#666666' lw 1 dt (6,4)\n",
            p->reference, p->reference);
    if (!p->reference_name) return;
    snprintf(position, sizeof position, "first %.9g, graph 1.0", p->reference);
    snprintf(text, sizeof text, "%s: %s", p->reference_name, chart_text(p, p->reference, value));
    gnuplot_label(c->figures->script, text, position, "center offset 0,0.7 font small_font tc rgb '#555555'");
}

/* Room for the values behind the bars. */
static void widen(struct range *x, const struct chart_panel *p, double pixels)
{
    double room = (x->high - x->low) * 64 / pixels;
    x->high += p->scale == CHART_RATE ? room * 0.8 : room;
    if (x->low < 0) x->low -= room;
}

enum st chart_bars(const struct chart *c, int width, int height, struct err *err)
{
    int names = name_width(c);
    double wide = (double)(width - names) / c->panel_count;
    for (int i = 0; i < c->panel_count; i++) {
        const struct chart_panel *p = &c->panels[i];
        struct box box = {names + i * wide, names + (i + 1) * wide - 36, 56,
                          height - (p->heading || p->reference_name ? 72 : 48)};
        struct range x;
        if (!chart_range(c, i, true, &x)) continue;
        widen(&x, p, box.right - box.left);
        figure_panel(c->figures, &box);
        if (p->heading) figure_heading(c->figures, &box, p->heading);
        chart_tics(c, "x", &x, p->scale);
        names_write(c, i == 0);
        figure_axis_below(c->figures, &box, p->axis);
        reference_write(c, p);
        values_write(c, p, &x);
        bars_write(c, i);
        PASS(points_write(c, p, &box, &x, err));
    }
    return ST_OK;
}
