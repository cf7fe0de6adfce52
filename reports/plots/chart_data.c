/* chart_data.c - values, ranges and records of a chart; see chart_data.h. */
#include "reports/plots/chart_data.h"

#include <math.h>
#include <stdio.h>
#include "reports/formats/gnuplot.h"

#define ZERO_BAND 0.15 /* of an axis, in parts of what is above it */

double chart_value(const struct chart_panel *p, const struct result_row *r)
{
    double v = r ? p->value(r) : NAN;
    return p->scale == CHART_COUNT ? v : 100 * v;
}

int chart_column(const struct chart *c, int panel)
{
    int column = 6;
    for (int i = 0; i < panel; i++) column += c->panels[i].intervals ? 3 : 1;
    return column;
}

const char *chart_text(const struct chart_panel *p, double v, char out[STYLE_TEXT])
{
    if (p->scale == CHART_COUNT) return style_count(out, v);
    if (p->scale == CHART_ERROR && v > 0) snprintf(out, STYLE_TEXT, "+%.*f %%", v < 9.95 ? 1 : 0, fmin(v, 1e12));
    else style_percent(out, v / 100, p->scale == CHART_ERROR && v < -9.95 ? 0 : 1);
    return out;
}

static void header_write(struct chart *c)
{
    struct csv *to = &c->figures->csv;
    csv_text(to, "policy");
    csv_text(to, "budget as given");
    csv_text(to, "budget [% of topology and feature bytes, per clique]");
    csv_text(to, "budget [bytes per GPU]");
    csv_text(to, "budget [order]");
    for (int i = 0; i < c->panel_count; i++) {
        csv_text(to, c->panels[i].column);
        if (!c->panels[i].intervals) continue;
        csv_text(to, "low end of the interval [same unit]");
        csv_text(to, "high end of the interval [same unit]");
    }
    csv_end(to);
}

static bool record_write(struct chart *c, int policy, int budget)
{
    struct csv *to = &c->figures->csv;
    const struct grid_budget *b = &c->grid->budgets[budget];
    const struct result_row *r = grid_row(c->grid, policy, budget);
    bool any = false;
    for (int i = 0; i < c->panel_count; i++) any = any || !isnan(chart_value(&c->panels[i], r));
    if (!any) return false;
    csv_name(to, c->grid->label[policy]);
    csv_name(to, b->text);
    csv_number(to, 100 * b->share);
    csv_number(to, b->bytes);
    csv_number(to, budget + 1);
    for (int i = 0; i < c->panel_count; i++) {
        csv_number(to, chart_value(&c->panels[i], r));
        if (!c->panels[i].intervals) continue;
        csv_number(to, isnan(r->simulated.total) ? NAN : r->low);
        csv_number(to, isnan(r->simulated.total) ? NAN : r->high);
    }
    csv_end(to);
    return true;
}

void chart_records_write(struct chart *c)
{
    int records = 0;
    header_write(c);
    for (int p = 0; p < c->grid->policy_count; p++) {
        c->first[p] = -1;
        c->points[p] = 0;
        for (int b = 0; b < c->grid->budget_count; b++) {
            if (!record_write(c, p, b)) continue;
            if (c->first[p] < 0) c->first[p] = records;
            records++;
            c->points[p]++;
        }
    }
}

/* Panels of rates stand side by side on one scale. */
static double lowest_rate(const struct chart *c)
{
    double low = NAN, unused = NAN;
    for (int panel = 0; panel < c->panel_count; panel++)
        for (int i = 0; i < c->grid->policy_count; i++)
            for (int b = 0; b < c->grid->budget_count; b++)
                layout_include(chart_value(&c->panels[panel], grid_row(c->grid, i, b)), &low, &unused);
    return low;
}

bool chart_range(const struct chart *c, int panel, bool zero, struct range *out)
{
    const struct chart_panel *p = &c->panels[panel];
    double low = NAN, high = NAN, positive = NAN, unused = NAN;
    for (int i = 0; i < c->grid->policy_count; i++)
        for (int b = 0; b < c->grid->budget_count; b++) {
            const struct result_row *r = grid_row(c->grid, i, b);
            double v = chart_value(p, r);
            layout_include(v, &low, &high);
            if (v > 0) layout_include(v, &positive, &unused);
            if (!p->intervals || isnan(v) || isnan(r->simulated.total)) continue;
            layout_include(r->high, &low, &high);
            if (r->low > v / 10) layout_include(r->low, &positive, &unused);
        }
    *out = (struct range){0};
    if (isnan(low)) return false;
    layout_include(p->reference, &low, &high);
    if (p->scale == CHART_COUNT)
        *out = !zero && high / positive > 15 ? layout_range(positive, high, true) : layout_range(0, high, false);
    if (out->log && low <= 0) { /* 0 stands below a break */
        out->broken = out->low;
        out->low /= pow(out->high / out->low, ZERO_BAND);
    }
    if (p->scale == CHART_RATE) low = lowest_rate(c);
    if (p->scale == CHART_RATE)
        *out = layout_range(zero || low < 60 ? 0 : low < 90 ? 10 * floor(low / 10) : 90, 100, false);
    if (p->scale == CHART_ERROR) *out = layout_range(fmin(low, -1), fmax(high, 1), false);
    return true;
}

void chart_tics(const struct chart *c, const char *axis, const struct range *r, enum chart_scale scale)
{
    char text[STYLE_TEXT];
    fprintf(c->figures->script, "set %stics (", axis);
    for (int i = 0; i < r->count; i++) {
        if (scale == CHART_COUNT) style_tick(text, r->tick[i]);
        else snprintf(text, sizeof text, "%s%.4g %%", scale == CHART_ERROR && r->tick[i] > 0 ? "+" : "", r->tick[i]);
        gnuplot_tic(c->figures->script, text, r->tick[i], i == 0);
    }
    if (r->broken > 0) gnuplot_tic(c->figures->script, "0", r->low, false);
    fprintf(c->figures->script, ")\nset %srange [%.9g:%.9g]\n", axis, r->low, r->high);
    if (r->log) fprintf(c->figures->script, "set logscale %s\n", axis);
    for (int i = 0; i < 2 && r->broken > 0; i++) { /* two strokes through the axis */
        double at = r->low * pow(r->broken / r->low, 0.4 + 0.2 * i);
        fprintf(c->figures->script,
                "set arrow from graph -0.012, first %.9g to graph 0.012, first %.9g nohead front lc rgb '#999999' lw "
                "1.2\n",
                at, at * pow(r->broken / r->low, 0.2));
    }
}

const char *chart_stroke(const char *policy, char out[96])
{
    static const char *const dashes[] = {"1", "(10,5)", "(2.5,4)", "(10,4,2.5,4)"};
    struct look look = style_look(policy);
    snprintf(out, 96, "lc rgb '#%06X' dt %s lw %.1f", look.colour, dashes[look.dash], look.width);
    return out;
}

bool chart_has_values(const struct grid *grid, const struct chart_panel *p)
{
    for (int i = 0; i < grid->policy_count; i++)
        for (int b = 0; b < grid->budget_count; b++)
            if (!isnan(chart_value(p, grid_row(grid, i, b)))) return true;
    return false;
}
