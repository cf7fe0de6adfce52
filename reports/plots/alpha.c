/* alpha.c - predicted transactions against the share of the budget that goes to topology, per clique. */
#include <math.h>
#include <stdio.h>
#include "reports/figures/figure_panels.h"
#include "reports/figures/layout.h"
#include "reports/formats/document.h"
#include "reports/formats/gnuplot.h"
#include "reports/plots/plots.h"

enum { ACROSS = 2, PANELS = 8, PANEL_TALL = 240, WIDTH = 900, HEAD = 46, FOOT = 14, AXIS = 76, LABELS = 120 };

static const char *const keys[] = {"topology_transactions", "feature_transactions", "total_transactions"};
static const char *const names[] = {"topology", "features", "total"};
static const unsigned colours[] = {0x00805F, 0xB07A00, 0x111111};

static const doc *sweep_of(const struct result_row *r, uint64_t clique)
{
    const doc *sweep = r ? doc_get(doc_at(r->cliques, clique), "sweep") : NULL;
    return doc_is_array(sweep) && doc_size(sweep) <= REPORT_SWEEP_MAX ? sweep : NULL;
}

/* Transactions of a point; NaN when the point cannot be drawn. */
static double point_value(const doc *point, int key)
{
    double alpha = document_number(point, "alpha");
    return alpha >= 0 && alpha <= 1 ? document_count(point, keys[key]) : NAN;
}

static bool point_drawn(const doc *point)
{
    return !isnan(point_value(point, 0)) || !isnan(point_value(point, 1)) || !isnan(point_value(point, 2));
}

static int points_count(const struct result_row *r, uint64_t clique)
{
    const doc *sweep = sweep_of(r, clique);
    int n = 0;
    for (uint64_t i = 0; i < doc_size(sweep); i++) n += point_drawn(doc_at(sweep, i));
    return n;
}

static int cliques_drawn(const struct result_row *r)
{
    int n = 0;
    for (uint64_t i = 0; r && i < doc_size(r->cliques); i++) n += points_count(r, i) > 1;
    return n;
}

static void records_write(struct figures *figures, const struct result_row *r)
{
    static const char *const header[] = {"clique",
                                         "alpha [share of the budget for topology, 0..1]",
                                         "topology [predicted transactions per epoch]",
                                         "features [predicted transactions per epoch]",
                                         "total [predicted transactions per epoch]",
                                         NULL};
    csv_header(&figures->csv, header);
    for (uint64_t c = 0; c < doc_size(r->cliques); c++) {
        const doc *sweep = sweep_of(r, c);
        for (uint64_t i = 0; points_count(r, c) > 1 && i < doc_size(sweep); i++) {
            if (!point_drawn(doc_at(sweep, i))) continue;
            csv_number(&figures->csv, (double)c);
            csv_number(&figures->csv, document_number(doc_at(sweep, i), "alpha"));
            for (int k = 0; k < 3; k++) csv_number(&figures->csv, point_value(doc_at(sweep, i), k));
            csv_end(&figures->csv);
        }
    }
}

/* The range of all panels, so that cliques can be compared. */
static struct range values_range(const struct result_row *r)
{
    double high = 0;
    for (uint64_t c = 0; c < doc_size(r->cliques); c++)
        for (uint64_t i = 0; i < doc_size(sweep_of(r, c)); i++)
            for (int k = 0; k < 3; k++) {
                double v = point_value(doc_at(sweep_of(r, c), i), k);
                if (v > high) high = v;
            }
    return layout_range(0, high > 0 ? high : 1, false);
}

static void tics_write(struct figures *figures, const struct range *y)
{
    char text[STYLE_TEXT];
    fputs("set xrange [0:1]\nset xtics (0, 0.2, 0.4, 0.6, 0.8, 1)\nset ytics (", figures->script);
    for (int i = 0; i < y->count; i++)
        fprintf(figures->script, "%s'%s' %.9g", i ? ", " : "", style_tick(text, y->tick[i]), y->tick[i]);
    fprintf(figures->script, ")\nset yrange [0:%.9g]\n", y->high);
}

static void ends_write(struct figures *figures, const doc *sweep, const struct range *y, const struct box *box)
{
    double at[3], tall = box->top - box->bottom;
    int order[3], n = 0;
    for (int k = 0; k < 3; k++) {
        double v = NAN;
        int i = n;
        for (uint64_t p = 0; p < doc_size(sweep); p++)
            if (!isnan(point_value(doc_at(sweep, p), k))) v = point_value(doc_at(sweep, p), k);
        if (isnan(v)) continue;
        for (; i > 0 && at[i - 1] > layout_place(y, v) * tall; i--) {
            at[i] = at[i - 1];
            order[i] = order[i - 1];
        }
        at[i] = layout_place(y, v) * tall;
        order[i] = k;
        n++;
    }
    layout_spread(at, n, 16, 4, tall);
    for (int i = 0; i < n; i++) {
        char position[80];
        snprintf(position, sizeof position, "graph 1, graph %.5f", at[i] / tall);
        gnuplot_label(figures->script, names[order[i]], position, "left offset 0.8,0 tc rgb '#%06X'",
                      colours[order[i]]);
    }
}

static const char *clique_name(const doc *clique, uint64_t index, char out[STYLE_NAME])
{
    const doc *gpus = doc_get(clique, "gpus");
    int64_t first = doc_integer_value(doc_at(gpus, 0), 0);
    bool run = doc_size(gpus) > 4; /* of ids without a gap */
    size_t used = (size_t)snprintf(out, STYLE_NAME, "Clique %llu", (unsigned long long)index);
    for (uint64_t i = 0; i < doc_size(gpus) && run; i++)
        run = doc_integer_value(doc_at(gpus, i), -1) == first + (int64_t)i;
    if (run)
        snprintf(out + used, STYLE_NAME - used, ": GPU %lld to %lld", (long long)first,
                 (long long)(first + (int64_t)doc_size(gpus) - 1));
    for (uint64_t i = 0; !run && i < doc_size(gpus) && i < 16 && used + 24 < STYLE_NAME; i++)
        if (doc_is_integer(doc_at(gpus, i)))
            used += (size_t)snprintf(out + used, STYLE_NAME - used, "%s%lld", i ? ", " : ": GPU ",
                                     (long long)doc_integer_value(doc_at(gpus, i), 0));
    if (!run && doc_size(gpus) > 16) snprintf(out + used, STYLE_NAME - used, ", ..");
    return out;
}

static void panel_draw(struct figures *figures, const struct result_row *r, uint64_t clique, const struct range *y,
                       const struct box *box, int first)
{
    const doc *c = doc_at(r->cliques, clique);
    char name[STYLE_NAME], heading[STYLE_NAME + 40];
    double alpha = document_number(c, "alpha");
    int last = first + points_count(r, clique) - 1;
    bool chosen = alpha >= 0 && alpha <= 1;
    figure_panel(figures, box);
    snprintf(heading, sizeof heading, chosen ? "%s, chosen: %.3g" : "%s", clique_name(c, clique, name), alpha);
    figure_heading(figures, box, heading);
    figure_axis_left(figures, box, 67, "transactions per epoch");
    tics_write(figures, y);
    ends_write(figures, sweep_of(r, clique), y, box);
    if (chosen) figure_mark(figures, alpha, 0xD55E00);
    figure_axis_below(figures, box, "alpha (share of the budget for topology)");
    fputs("plot ", figures->script);
    for (int k = 0; k < 3; k++)
        fprintf(figures->script, "%s'%s' skip 1 every ::%d::%d using 2:%d with lines lc rgb '#%06X' dt %s lw %s",
                k ? ", \\\n  " : "", figure_now(figures)->csv, first, last, k + 3, colours[k],
                k == 0   ? "(10,5)"
                : k == 1 ? "(2.5,4)"
                         : "1",
                k == 2 ? "2.2" : "1.8");
    fputc('\n', figures->script);
}

/* The best policy that swept alpha at the middle budget; -1: none did. */
static int policy_choose(const struct grid *grid)
{
    for (int p = 0; p < grid->policy_count; p++)
        if (cliques_drawn(grid_row(grid, p, grid->middle)) > 0) return p;
    return -1;
}

enum st plot_alpha(struct figures *figures, const struct grid *grid, struct err *err)
{
    int policy = policy_choose(grid), n, fit, lines, slot = 0, first = 0;
    const struct result_row *r;
    struct range y;
    char title[200], name[STYLE_NAME], budget[GRID_BUDGET_TEXT];
    if (policy < 0) return ST_OK;
    r = grid_row(grid, policy, grid->middle);
    n = cliques_drawn(r);
    fit = n < PANELS ? n : PANELS;
    lines = (fit + ACROSS - 1) / ACROSS;
    y = values_range(r);
    snprintf(title, sizeof title, "Topology or features: alpha of %s at %s",
             style_cut(name, grid->policies[policy], 20), grid->budgets[grid->middle].label);
    PASS(figure_begin_of(figures, &grid->subject, "alpha", title, WIDTH, HEAD + FOOT + lines * PANEL_TALL, err));
    records_write(figures, r);
    for (uint64_t c = 0; c < doc_size(r->cliques) && slot < fit; c++) {
        double wide = fit == 1 ? WIDTH : (double)WIDTH / ACROSS,
               bottom = FOOT + (lines - 1 - slot / ACROSS) * (double)PANEL_TALL, left = slot % ACROSS * wide;
        if (points_count(r, c) < 2) continue;
        panel_draw(figures, r, c, &y,
                   &(struct box){left + AXIS, left + wide - LABELS * 0.7, bottom + 50, bottom + PANEL_TALL - 28},
                   first);
        first += points_count(r, c);
        slot++;
    }
    figure_caption(figures,
                   "Policy %s at budget %s. At the left the whole budget goes to features, at the right to topology. "
                   "More topology saves topology transactions and costs feature transactions. The planner takes the "
                   "alpha with the lowest predicted total (dashed line). Where the total is flat around it, the exact "
                   "split matters little.",
                   style_cut(name, grid->policies[policy], 60), grid_budget_text(grid, grid->middle, budget));
    if (n > fit) figure_caption(figures, " The first %d of %d cliques are drawn; all are in the data.", fit, n);
    return figure_end(figures, err);
}
