/* chart.c - data and choices of a chart by budget; see chart.h. chart_lines.c and chart_bars.c draw it. */
#include "reports/plots/chart.h"

#include <math.h>
#include <stdio.h>
#include "reports/formats/gnuplot.h"
#include "reports/figures/layout.h"

double chart_value(const struct panel *p, const struct row *r)
{
    double v = r ? p->value(r) : NAN;
    return p->scale == SCALE_COUNT ? v : 100 * v;
}

int chart_column(const struct chart *c, int panel)
{
    int column = 6;
    for (int i = 0; i < panel; i++) column += c->panels[i].intervals ? 3 : 1;
    return column;
}

const char *chart_text(const struct panel *p, double v, char out[STYLE_TEXT])
{
    if (p->scale == SCALE_COUNT) return style_count(out, v);
    if (p->scale == SCALE_ERROR && v > 0) snprintf(out, STYLE_TEXT, "+%.*f %%", v < 9.95 ? 1 : 0, fmin(v, 1e12));
    else style_percent(out, v / 100, p->scale == SCALE_ERROR && v < -9.95 ? 0 : 1);
    return out;
}

static void header_write(struct chart *c)
{
    struct csv *to = &c->figures->data;
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
    struct csv *to = &c->figures->data;
    const struct budget *b = &c->grid->budgets[budget];
    const struct row *r = grid_row(c->grid, policy, budget);
    bool any = false;
    for (int i = 0; i < c->panel_count; i++) any = any || !isnan(chart_value(&c->panels[i], r));
    if (!any) return false;
    csv_name(to, c->grid->policies[policy]);
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

static int data_write(struct chart *c)
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
    return records;
}

/* Widens low..high to v. */
static void include(double v, double *low, double *high)
{
    if (isnan(v)) return;
    *low = isnan(*low) ? v : fmin(*low, v);
    *high = isnan(*high) ? v : fmax(*high, v);
}

/* Panels of rates stand side by side on one scale. */
static double lowest_rate(const struct chart *c)
{
    double low = NAN, unused = NAN;
    for (int panel = 0; panel < c->panel_count; panel++)
        for (int i = 0; i < c->grid->policy_count; i++)
            for (int b = 0; b < c->grid->budget_count; b++)
                include(chart_value(&c->panels[panel], grid_row(c->grid, i, b)), &low, &unused);
    return low;
}

bool chart_range(const struct chart *c, int panel, bool zero, struct range *out)
{
    const struct panel *p = &c->panels[panel];
    double low = NAN, high = NAN, positive = NAN, unused = NAN;
    for (int i = 0; i < c->grid->policy_count; i++)
        for (int b = 0; b < c->grid->budget_count; b++) {
            const struct row *r = grid_row(c->grid, i, b);
            double v = chart_value(p, r);
            include(v, &low, &high);
            if (v > 0) include(v, &positive, &unused);
            if (!p->intervals || isnan(v) || isnan(r->simulated.total)) continue;
            include(r->high, &low, &high);
            if (r->low > v / 10) include(r->low, &positive, &unused);
        }
    if (isnan(low)) return false;
    include(p->reference, &low, &high);
    if (p->scale == SCALE_COUNT)
        *out = !zero && high / positive > 15 ? layout_range(positive, high, true) : layout_range(0, high, false);
    if (p->scale == SCALE_RATE) low = lowest_rate(c);
    if (p->scale == SCALE_RATE)
        *out = layout_range(zero || low < 60 ? 0 : low < 90 ? 10 * floor(low / 10) : 90, 100, false);
    if (p->scale == SCALE_ERROR) *out = layout_range(fmin(low, -1), fmax(high, 1), false);
    return true;
}

void chart_tics(const struct chart *c, const char *axis, const struct range *r, enum scale scale)
{
    char text[STYLE_TEXT];
    fprintf(c->figures->script, "set %stics (", axis);
    for (int i = 0; i < r->count; i++) {
        if (scale == SCALE_COUNT) style_tick(text, r->tick[i]);
        else snprintf(text, sizeof text, "%s%.4g %%", scale == SCALE_ERROR && r->tick[i] > 0 ? "+" : "", r->tick[i]);
        gnuplot_tic(c->figures->script, text, r->tick[i], i == 0);
    }
    fprintf(c->figures->script, ")\nset %srange [%.9g:%.9g]\n", axis, r->low, r->high);
    if (r->log) fprintf(c->figures->script, "set logscale %s\n", axis);
}

const char *chart_stroke(const char *policy, char out[96])
{
    static const char *const dashes[] = {"1", "(10,5)", "(2.5,4)", "(10,4,2.5,4)"};
    struct look look = style_look(policy);
    snprintf(out, 96, "lc rgb '#%06X' dt %s lw %.1f", look.colour, dashes[look.dash], look.width);
    return out;
}

static bool has_values(const struct grid *grid, const struct panel *p)
{
    for (int i = 0; i < grid->policy_count; i++)
        for (int b = 0; b < grid->budget_count; b++)
            if (!isnan(chart_value(p, grid_row(grid, i, b)))) return true;
    return false;
}

static void note_missing(struct figures *s, const struct chart *c)
{
    int missing = 0;
    for (int p = 0; p < c->grid->policy_count; p++) missing += c->first[p] < 0;
    if (missing)
        figures_caption(s, " %d %s no number here; the table says why.", missing,
                        missing == 1 ? "policy has" : "policies have");
}

/* Policies with a line in some panel. */
static int lines_count(const struct chart *c)
{
    int n = 0;
    for (int p = 0; p < c->grid->policy_count; p++) {
        bool any = false;
        double x, y;
        for (int i = 0; i < c->panel_count; i++) any |= chart_line_end(c, &c->panels[i], p, &x, &y);
        n += any;
    }
    return n;
}

enum st chart_draw(struct figures *s, const struct grid *grid, const char *what, const char *title, const char *caption,
                   const struct panel *panels, int count, struct err *err)
{
    enum st st = ST_OK;
    struct panel drawn[PANELS_MAX];
    struct chart c = {.figures = s, .grid = grid, .panels = drawn};
    bool bars = grid->budget_count == 1, families;
    int width = 900, height = bars ? 100 + 24 * grid->policy_count
                                   : 340 + 12 * (grid->policy_count > 12 ? grid->policy_count - 12 : 0);
    for (int i = 0; i < count && i < PANELS_MAX; i++)
        if (has_values(grid, &panels[i])) drawn[c.panel_count++] = panels[i];
    if (!c.panel_count) goto done;
    if (bars) height += 20;
    height += 60;
    families = !bars && lines_count(&c) > LINES_MOST;
    c.values = !families && c.panel_count == 1;
    if (families) {
        width = 1000;
        height = chart_families_height(&c);
    }
    TRY(figures_open(s, grid, what, title, width, height, err));
    data_write(&c);
    figures_caption(s, "%s", caption);
    if (families)
        figures_caption(s,
                        " One panel per family of policies, all on one scale: the other families' lines are pale grey, "
                        "and %s, the best at the middle budget, is in every panel.",
                        grid->best < 0 ? "none" : grid->policies[grid->best]);
    note_missing(s, &c);
    if (bars) chart_bars(&c, width, height);
    else if (families) chart_families(&c, width);
    else chart_lines(&c, width, height);
    TRY(figures_close(s, err));
done:
    return st;
}
