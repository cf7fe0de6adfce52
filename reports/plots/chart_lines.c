/* chart_lines.c - one line per policy over the budgets, each named at its end; see chart.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "reports/plots/chart.h"
#include "reports/formats/gnuplot.h"
#include "reports/figures/layout.h"

enum { LABEL_GAP = 16, LEADER = 18 };

/* Where a policy's line ends in a panel: false when it has no point there. */
bool chart_line_end(const struct chart *c, const struct panel *p, int policy, double *x, double *y)
{
    for (int b = c->grid->budget_count - 1; b >= 0; b--) {
        *y = chart_value(p, grid_row(c->grid, policy, b));
        *x = c->grid->budgets[b].x;
        if (!isnan(*y)) return true;
    }
    return false;
}

static const char *end_text(const struct chart *c, const struct panel *p, int policy, double y, char out[STYLE_NAME])
{
    char name[STYLE_NAME], value[STYLE_TEXT];
    if (!c->values)
        return style_cut(out, policy < 0 ? p->reference_name : c->grid->policies[policy], 18); /* no room for values */
    snprintf(out, STYLE_NAME, "%.100s  %s",
             style_cut(name, policy < 0 ? p->reference_name : c->grid->policies[policy], 18), chart_text(p, y, value));
    return out;
}

int chart_label_width(const struct chart *c)
{
    int longest = 8;
    char text[STYLE_NAME];
    double x, y;
    for (int i = 0; i < c->panel_count; i++) {
        const struct panel *panel = &c->panels[i];
        if (panel->reference_name && !isnan(panel->reference) &&
            style_length(end_text(c, panel, -1, panel->reference, text)) > longest)
            longest = style_length(text);
        for (int p = 0; p < c->grid->policy_count; p++)
            if (!c->hidden[p] && chart_line_end(c, &c->panels[i], p, &x, &y) &&
                style_length(end_text(c, &c->panels[i], p, y, text)) > longest)
                longest = style_length(text);
    }
    return LEADER + 24 + (int)(longest * 7.2);
}

/* The budget axis: a tick where a budget is; labels that would touch are left out. */
static struct range budget_axis(const struct chart *c, double pixels)
{
    const struct grid *s = c->grid;
    FILE *to = c->figures->script;
    double low = s->budgets[0].x, high = s->budgets[s->budget_count - 1].x, taken = -1e9;
    struct range r = {.low = low, .high = high, .log = s->budget_count > 2 && low > 0 && high / low >= 8};
    double pad = 0.03;
    fputs("set xtics (", to);
    if (r.log) {
        r.low = low / pow(high / low, pad);
        r.high = high * pow(high / low, pad);
    } else {
        r.low = low - (high - low) * pad;
        r.high = high + (high - low) * pad;
    }
    for (int i = 0; i < s->budget_count; i++) {
        double at = layout_place(&r, s->budgets[i].x) * pixels;
        double half = 4.2 * style_length(s->budgets[i].label);
        bool fits = at - half > taken + 4;
        if (fits) taken = at + half;
        gnuplot_tic(to, fits ? s->budgets[i].label : "", s->budgets[i].x, i == 0);
    }
    fprintf(to, ")\nset xrange [%.9g:%.9g]\n", r.low, r.high);
    if (r.log) fputs("set logscale x\n", to);
    return r;
}

static void below_title(const struct chart *c, const struct range *x, const struct box *box)
{
    const char *per = c->grid->budgets[0].per;
    char text[160];
    for (int i = 1; i < c->grid->budget_count; i++)
        if (strcmp(c->grid->budgets[i].per, per)) per = "";
    snprintf(text, sizeof text, "cache budget%s%s", per,
             x->log                        ? " (log scale)"
             : c->grid->axis == AXIS_ORDER ? " (in the order of input)"
                                           : "");
    figures_axis_below(c->figures, box, text);
}

struct end {
    int policy; /* -1: the reference */
    double x, y, place;
};

/* Ends sorted upwards; the lower name stands higher where they are equal. */
static int ends_find(const struct chart *c, const struct panel *p, const struct range *y, struct end *ends)
{
    int n = 0;
    for (int i = c->grid->policy_count - 1; i >= 0; i--) {
        struct end e = {.policy = i};
        int at;
        if (c->hidden[i] || !chart_line_end(c, p, i, &e.x, &e.y)) continue;
        e.place = layout_place(y, e.y);
        for (at = n++; at > 0 && (ends[at - 1].y > e.y); at--) ends[at] = ends[at - 1];
        ends[at] = e;
    }
    if (!isnan(p->reference) && p->reference_name) {
        int at;
        for (at = n++; at > 0 && ends[at - 1].y > p->reference; at--) ends[at] = ends[at - 1];
        ends[at] = (struct end){-1, NAN, p->reference, layout_place(y, p->reference)};
    }
    return n;
}

static unsigned end_colour(const struct chart *c, const struct end *e)
{
    return e->policy < 0 ? 0x666666 : style_look(c->grid->policies[e->policy]).colour;
}

static void labels_write(const struct chart *c, const struct panel *p, const struct box *box, const struct range *y)
{
    struct end ends[POLICIES_MAX + 1];
    double at[POLICIES_MAX + 1], tall = box->top - box->bottom, wide = box->right - box->left;
    int n = ends_find(c, p, y, ends);
    for (int i = 0; i < n; i++) at[i] = ends[i].place * tall;
    layout_spread(at, n, LABEL_GAP, -20, tall + 6);
    for (int i = 0; i < n; i++) {
        char text[STYLE_NAME], position[80];
        unsigned colour = end_colour(c, &ends[i]);
        fputs("set arrow from ", c->figures->script);
        if (isnan(ends[i].x)) fputs("graph 1", c->figures->script);
        else fprintf(c->figures->script, "first %.9g", ends[i].x);
        fprintf(c->figures->script, ", graph %.5f to graph %.5f, graph %.5f nohead lc rgb '#%06X' lw 0.6 dt (2,3)\n",
                ends[i].place, 1 + LEADER / wide, at[i] / tall, colour);
        snprintf(position, sizeof position, "graph %.5f, graph %.5f", 1 + (LEADER + 4) / wide, at[i] / tall);
        gnuplot_label(c->figures->script, end_text(c, p, ends[i].policy, ends[i].y, text), position,
                      "left tc rgb '#%06X'", colour);
    }
}

static void reference_write(const struct chart *c, const struct panel *p)
{
    if (isnan(p->reference)) return;
    fprintf(c->figures->script,
            "set arrow from graph 0, first %.9g to graph 1, first %.9g nohead lc rgb '#666666' lw 1 dt (6,4)\n",
            p->reference, p->reference);
}

/* One line, and its intervals. */
static void line_write(const struct chart *c, int panel, const struct range *y, int p, bool first)
{
    FILE *to = c->figures->script;
    const char *name = c->figures->list[c->figures->count - 1].name;
    int column = chart_column(c, panel), x = 3 + (int)c->grid->axis, last = c->first[p] + c->points[p] - 1;
    struct look look = style_look(c->grid->policies[p]);
    char stroke[96];
    if (!first) fputs(", \\\n  ", to);
    if (c->panels[panel].intervals && !c->hidden[p])
        fprintf(to,
                "'data/%s.csv' skip 1 every ::%d::%d using %d:%d:%d:%d with yerrorbars lc rgb '#%06X' lw 1 pt 0, \\\n "
                " ",
                name, c->first[p], last, x, column, column + 1, column + 2, look.colour);
    fprintf(to, "'data/%s.csv' skip 1 every ::%d::%d using %d:", name, c->first[p], last, x);
    if (y->log) fprintf(to, "($%d > 0 ? $%d : %.9g)", column, column, y->low);
    else fprintf(to, "%d", column);
    if (c->hidden[p]) fputs(" with lines lc rgb '#DCDCDC' lw 1.2", to);
    else fprintf(to, " with linespoints %s pt %d ps 0.7", chart_stroke(c->grid->policies[p], stroke), look.mark);
}

/* The best on top, pale ones at the bottom. */
static void lines_write(const struct chart *c, int panel, const struct range *y)
{
    bool first = true;
    double unused_x, unused_y;
    fputs("plot ", c->figures->script);
    for (int pale = 1; pale >= 0; pale--)
        for (int p = c->grid->policy_count - 1; p >= 0; p--) {
            if (c->hidden[p] != pale || c->first[p] < 0 ||
                !chart_line_end(c, &c->panels[panel], p, &unused_x, &unused_y))
                continue;
            line_write(c, panel, y, p, first);
            first = false;
        }
    fputc('\n', c->figures->script);
}

void chart_line_panel(const struct chart *c, const struct line_panel *w)
{
    const struct panel *p = &c->panels[w->panel];
    struct range x, y;
    if (!chart_range(c, w->panel, false, &y)) return;
    figures_panel(c->figures, &w->box);
    if (w->heading) figures_heading(c->figures, &w->box, w->heading);
    x = budget_axis(c, w->box.right - w->box.left);
    chart_tics(c, "y", &y, p->scale);
    if (w->below) below_title(c, &x, &w->box);
    if (w->beside.top > 0) figures_axis_title(c->figures, &w->beside, 68, p->axis);
    reference_write(c, p);
    labels_write(c, p, &w->box, &y);
    lines_write(c, w->panel, &y);
}

void chart_lines(const struct chart *c, int width, int height)
{
    int labels = chart_label_width(c), axis = 84;
    double wide = (double)width / c->panel_count;
    for (int i = 0; i < c->panel_count; i++) {
        const char *heading = c->panels[i].heading;
        struct box box = {i * wide + axis, (i + 1) * wide - labels, 56, height - (heading ? 66 : 52)};
        chart_line_panel(c, &(struct line_panel){i, box, heading, box, true});
    }
}
