/* chart_lines.c - one line per policy over the budgets, each named at its end; see chart_lines.h. */
#include "reports/plots/chart_lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "reports/formats/gnuplot.h"

bool chart_line_end(const struct chart *c, const struct chart_panel *p, int policy, double *x, double *y)
{
    for (int b = c->grid->budget_count - 1; b >= 0; b--) {
        *y = chart_value(p, grid_row(c->grid, policy, b));
        *x = c->grid->budgets[b].x;
        if (!isnan(*y)) return true;
    }
    return false;
}

enum { NAME_MOST = 22 }; /* "hotset --reach forward" */

static const char *end_text(const struct chart *c, const struct chart_panel *p, int policy, double y,
                            char out[STYLE_NAME])
{
    char name[STYLE_NAME], value[STYLE_TEXT];
    if (!c->values)
        return style_cut(out, policy < 0 ? p->reference_name : c->grid->label[policy],
                         NAME_MOST); /* no room for values */
    snprintf(out, STYLE_NAME, "%.100s  %s",
             style_cut(name, policy < 0 ? p->reference_name : c->grid->label[policy], NAME_MOST),
             chart_text(p, y, value));
    return out;
}

int chart_label_width(const struct chart *c)
{
    int longest = 8;
    char text[STYLE_NAME];
    double x, y;
    for (int i = 0; i < c->panel_count; i++) {
        const struct chart_panel *panel = &c->panels[i];
        if (panel->reference_name && !isnan(panel->reference) &&
            style_length(end_text(c, panel, -1, panel->reference, text)) > longest)
            longest = style_length(text);
        for (int p = 0; p < c->grid->policy_count; p++)
            if (!c->hidden[p] && chart_line_end(c, &c->panels[i], p, &x, &y) &&
                style_length(end_text(c, &c->panels[i], p, y, text)) > longest)
                longest = style_length(text);
    }
    return 42 + (int)(longest * 7.2); /* the leader and a margin */
}

/* The budget axis: a tick where a budget is; labels that would touch are left out. */
static struct range budget_axis(const struct chart *c, double pixels)
{
    const struct grid *grid = c->grid;
    FILE *to = c->figures->script;
    double low = grid->budgets[0].x, high = grid->budgets[grid->budget_count - 1].x, taken = -1e9;
    struct range r = {.low = low, .high = high, .log = grid->budget_count > 2 && low > 0 && high / low >= 8};
    double pad = 0.03;
    fputs("set xtics (", to);
    if (r.log) {
        r.low = low / pow(high / low, pad);
        r.high = high * pow(high / low, pad);
    } else {
        r.low = low - (high - low) * pad;
        r.high = high + (high - low) * pad;
    }
    for (int i = 0; i < grid->budget_count; i++) {
        double at = layout_place(&r, grid->budgets[i].x) * pixels;
        bool fits = layout_label_fits(at, style_length(grid->budgets[i].label), &taken);
        gnuplot_tic(to, fits ? grid->budgets[i].label : "", grid->budgets[i].x, i == 0);
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
             x->log                             ? " (log scale)"
             : c->grid->axis == GRID_AXIS_ORDER ? " (in the order of input)"
                                                : "");
    figure_axis_below(c->figures, box, text);
}

/* Names of the lines and of the reference, from the last policy to the first: where two lines end on one spot, the
 * later policy's name stands below. */
static void names_write(const struct chart *c, const struct chart_panel *p, const struct box *box,
                        const struct range *y)
{
    enum { BELOW = 20 };
    struct figure_end_label ends[GRID_POLICIES_MAX + 1];
    double v;
    int n = 0;
    for (int i = c->grid->policy_count - 1; i >= 0; i--) {
        struct figure_end_label *e = &ends[n];
        if (c->hidden[i] || !chart_line_end(c, p, i, &e->x, &v)) continue;
        end_text(c, p, i, v, e->text);
        e->colour = style_look(c->grid->policies[i]).colour;
        e->place = layout_place(y, v);
        e->leader = true;
        n++;
    }
    if (!isnan(p->reference) && p->reference_name) {
        struct figure_end_label *e = &ends[n++];
        *e = (struct figure_end_label){.colour = 0x666666,
                                       .x = NAN,
                                       .place = layout_place(y, p->reference),
                                       .leader = true};
        end_text(c, p, -1, p->reference, e->text);
    }
    figure_end_labels(c->figures, box, ends, n, BELOW);
}

static void reference_write(const struct chart *c, const struct chart_panel *p)
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
    const char *csv = figure_now(c->figures)->csv;
    int column = chart_column(c, panel), x = 3 + (int)c->grid->axis, last = c->first[p] + c->points[p] - 1;
    struct look look = style_look(c->grid->policies[p]);
    char stroke[96];
    if (!first) fputs(", \\\n  ", to);
    if (c->panels[panel].intervals && !c->hidden[p])
        fprintf(to, "'%s' skip 1 every ::%d::%d using %d:%d:%d:%d with yerrorbars lc rgb '#%06X' lw 1 pt 0, \\\n  ",
                csv, c->first[p], last, x, column, column + 1, column + 2, look.colour);
    fprintf(to, "'%s' skip 1 every ::%d::%d using %d:", csv, c->first[p], last, x);
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

/* What the named lines say at each of their points. */
static enum st points_write(const struct chart *c, const struct chart_panel *p, const struct box *box,
                            const struct range *x, const struct range *y, struct err *err)
{
    enum { DOT = 14 };
    for (int i = 0; i < c->grid->policy_count; i++) {
        if (c->hidden[i] || c->first[i] < 0) continue;
        PASS(figure_series(c->figures, c->grid->label[i], style_look(c->grid->policies[i]).colour, err));
        for (int b = 0; b < c->grid->budget_count; b++) {
            const struct grid_budget *at = &c->grid->budgets[b];
            double v = chart_value(p, grid_row(c->grid, i, b));
            char value[STYLE_TEXT], text[2 * STYLE_NAME];
            if (isnan(v)) continue;
            snprintf(text, sizeof text, "%.120s at %.60s: %s%s%.60s", c->grid->label[i], at->label,
                     chart_text(p, v, value), p->heading ? ", " : "", p->heading ? p->heading : "");
            figure_point(c->figures, box->left + layout_place(x, at->x) * (box->right - box->left),
                         box->bottom + layout_place(y, v) * (box->top - box->bottom), DOT, DOT, at->label, text);
        }
    }
    return ST_OK;
}

enum st chart_line_panel(const struct chart *c, const struct chart_line_panel *w, struct err *err)
{
    const struct chart_panel *p = &c->panels[w->panel];
    struct range x, y;
    if (!chart_range(c, w->panel, false, &y)) return ST_OK;
    figure_panel(c->figures, &w->box);
    if (w->heading) figure_heading(c->figures, &w->box, w->heading);
    x = budget_axis(c, w->box.right - w->box.left);
    chart_tics(c, "y", &y, p->scale);
    if (w->below) below_title(c, &x, &w->box);
    if (w->beside.top > 0) figure_axis_left(c->figures, &w->beside, 68, p->axis);
    reference_write(c, p);
    names_write(c, p, &w->box, &y);
    lines_write(c, w->panel, &y);
    return points_write(c, p, &w->box, &x, &y, err);
}

enum st chart_lines(const struct chart *c, int width, int height, struct err *err)
{
    int labels = chart_label_width(c), axis = 84;
    double wide = (double)width / c->panel_count;
    for (int i = 0; i < c->panel_count; i++) {
        const char *heading = c->panels[i].heading;
        struct box box = {i * wide + axis, (i + 1) * wide - labels, 56, height - (heading ? 66 : 52)};
        PASS(chart_line_panel(c, &(struct chart_line_panel){i, box, heading, box, true}, err));
    }
    return ST_OK;
}
