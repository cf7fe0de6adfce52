/* gpus.c - where each GPU's reads are served: stacked bars, one small panel per policy. */
#include <math.h>
#include <stdio.h>
#include "reports/figures/figure_panels.h"
#include "reports/formats/document.h"
#include "reports/formats/gnuplot.h"
#include "reports/plots/plots.h"

enum { NAMED_MOST = 12, PANELS = 30, PANEL_TALL = 140, HEAD = 70, FOOT = 8, LEFT = 60, WIDTH = 900 };

static const char *const tier_keys[] = {"local", "peer", "host"};
static const char *const tier_names[] = {"own memory", "peer over NVLink", "host over PCIe"};

struct kind {
    const char *what, *key, *title, *axis, *column;
};
static const struct kind kinds[] = {
    {"gpus-features", "feature_rows", "Where feature rows come from",
     "share of feature rows, by GPU id:", "feature rows"},
    {"gpus-topology", "topology_visits", "Where topology visits are served",
     "share of topology visits, by GPU id:", "topology visits"},
};

/* Counts of one GPU by tier; false when none is stated. */
static bool tiers_read(const struct kind *k, const doc *gpu, double out[3])
{
    double sum = 0;
    for (int t = 0; t < 3; t++) {
        out[t] = fmax(0, document_count(doc_get(gpu, k->key), tier_keys[t])); /* fmax passes over NaN */
        sum += out[t];
    }
    return sum > 0;
}

static int gpus_drawn(const struct kind *k, const struct result_row *r)
{
    double counts[3];
    int n = 0;
    for (uint64_t i = 0; r && i < doc_size(r->gpus); i++) n += tiers_read(k, doc_at(r->gpus, i), counts);
    return n;
}

static void records_write(struct figures *figures, const struct grid *grid, const struct kind *k, int policy)
{
    const struct result_row *r = grid_row(grid, policy, grid->middle);
    for (uint64_t i = 0; i < doc_size(r->gpus); i++) {
        double counts[3], sum;
        const doc *gpu = doc_at(r->gpus, i);
        if (!tiers_read(k, gpu, counts)) continue;
        sum = counts[0] + counts[1] + counts[2];
        csv_name(&figures->csv, grid->label[policy]);
        csv_name(&figures->csv, grid->budgets[grid->middle].label);
        csv_number(&figures->csv, document_number(gpu, "id"));
        for (int t = 0; t < 3; t++) csv_number(&figures->csv, counts[t]);
        for (int t = 0; t < 3; t++) csv_number(&figures->csv, 100 * counts[t] / sum);
        csv_number(&figures->csv, (double)i);
        csv_end(&figures->csv);
    }
}

static void header_write(struct figures *figures, const struct kind *k)
{
    char name[80];
    csv_text(&figures->csv, "policy");
    csv_text(&figures->csv, "budget");
    csv_text(&figures->csv, "GPU [id]");
    for (int t = 0; t < 6; t++) {
        snprintf(name, sizeof name, t < 3 ? "%s from %s [all simulated epochs]" : "%s from %s [%% of the GPU's]",
                 k->column, tier_keys[t % 3]);
        csv_text(&figures->csv, name);
    }
    csv_text(&figures->csv, "place of the GPU [order in the document, from 0]");
    csv_end(&figures->csv);
}

static bool is_sampler(const struct result_row *r, uint64_t gpu)
{
    bool found = false;
    for (uint64_t i = 0; i < doc_size(r->samplers); i++)
        found |= document_number(doc_at(r->gpus, gpu), "id") == doc_real_value(doc_at(r->samplers, i), NAN);
    return found;
}

/* Ids under the bars, thinned where there are many; where a GPU reads nothing, its place says why. */
static void ids_write(struct figures *figures, const struct kind *k, const struct result_row *r)
{
    uint64_t n = doc_size(r->gpus), every = 1 + (n - 1) / 10;
    double counts[3];
    fputs("set xtics scale 0 (", figures->script);
    for (uint64_t i = 0; i < n; i += every) {
        double id = document_number(doc_at(r->gpus, i), "id");
        if (isnan(id)) fprintf(figures->script, "%s'?' %llu", i ? ", " : "", (unsigned long long)i);
        else fprintf(figures->script, "%s'%.6g' %llu", i ? ", " : "", id, (unsigned long long)i);
    }
    fputs(")\n", figures->script);
    for (uint64_t i = 0; i < n && n <= NAMED_MOST; i++) {
        char position[80];
        if (tiers_read(k, doc_at(r->gpus, i), counts)) continue;
        snprintf(position, sizeof position, "first %llu, first 50", (unsigned long long)i);
        gnuplot_label(figures->script, is_sampler(r, i) ? "sampler" : "no reads", position,
                      "center rotate by 90 font small_font tc rgb '#666666'");
    }
}

/* What the heights are shares of stands before the names of the parts, level, where it touches no tick. */
static void legend_write(struct figures *figures, const struct kind *k)
{
    const struct figure *f = figure_now(figures);
    struct figure_key keys[3];
    for (int t = 0; t < 3; t++) keys[t] = (struct figure_key){tier_names[t], style_tiers[t]};
    figure_label(figures, 14, f->height - 50, k->axis, "left tc rgb '#444444'");
    figure_legend(figures, 26 + (int)(7.2 * style_length(k->axis)), 50, keys, 3);
}

/* Panels side by side: as many as keep their bars apart, in lines of equal length. */
static int across_of(int panels, int gpus)
{
    int most = gpus <= 8 ? 6 : gpus <= 24 ? 4 : 2, lines = (panels + most - 1) / most;
    return (panels + lines - 1) / lines;
}

static void panel_draw(struct figures *figures, const struct grid *grid, const struct kind *k, int policy, int slot,
                       int across, int rows, int first)
{
    const struct figure *f = figure_now(figures);
    const struct result_row *r = grid_row(grid, policy, grid->middle);
    int n = gpus_drawn(k, r), places = (int)doc_size(r->gpus), column = slot % across, line = slot / across;
    double wide = (WIDTH - LEFT - 10.0) / across, bottom = FOOT + (rows - 1 - line) * (double)PANEL_TALL;
    struct box box = {LEFT + column * wide, LEFT + column * wide + fmin(wide - 16, 120 + 60.0 * places), bottom + 20,
                      bottom + PANEL_TALL - 26};
    char name[STYLE_NAME];
    figure_panel(figures, &box);
    if (!slot) legend_write(figures, k);
    figure_heading(figures, &box, style_cut(name, grid->label[policy], (int)((wide - 8) / 6.8)));
    fprintf(figures->script, "set xrange [-0.6:%.1f]\nset yrange [0:100]\nset ytics (%s)\n", places - 0.4,
            column ? "'' 0, '' 50, '' 100" : "'0 %%' 0, '50 %%' 50, '100 %%' 100");
    ids_write(figures, k, r);
    fputs("plot ", figures->script);
    for (int t = 2; t >= 0; t--) {
        const char *sum = t == 2 ? "$7+$8+$9" : t == 1 ? "$7+$8" : "$7";
        fprintf(figures->script, "%s'%s' skip 1 every ::%d::%d using ($10):(%s):(%s) with boxes lc rgb '#%06X'",
                t == 2 ? "" : ", \\\n  ", f->csv, first, first + n - 1, sum, places > 32 ? "1" : "0.8", style_tiers[t]);
    }
    fputc('\n', figures->script);
}

static bool any_sampler(const struct grid *grid, const int *shown, int count)
{
    bool any = false;
    for (int i = 0; i < count; i++) any |= grid_row(grid, shown[i], grid->middle)->samplers != NULL;
    return any;
}

static enum st kind_draw(struct figures *figures, const struct grid *grid, const struct kind *k, struct err *err)
{
    int shown[GRID_POLICIES_MAX], n = 0, across, rows, first = 0, fit;
    char budget[GRID_BUDGET_TEXT];
    for (int p = 0; p < grid->policy_count; p++)
        if (gpus_drawn(k, grid_row(grid, p, grid->middle))) shown[n++] = p;
    if (!n) return ST_OK;
    fit = n < PANELS ? n : PANELS;
    across = across_of(fit, gpus_drawn(k, grid_row(grid, shown[0], grid->middle)));
    rows = (fit + across - 1) / across;
    PASS(figure_begin_of(figures, &grid->subject, k->what, k->title, WIDTH, HEAD + FOOT + rows * PANEL_TALL, err));
    header_write(figures, k);
    for (int i = 0; i < n; i++) records_write(figures, grid, k, shown[i]);
    for (int i = 0; i < fit; i++) {
        int count = gpus_drawn(k, grid_row(grid, shown[i], grid->middle));
        panel_draw(figures, grid, k, shown[i], i, across, rows, first);
        first += count;
    }
    figure_caption(figures,
                   "Budget %s. Each bar is one GPU and adds up to all of its %s over the simulated epochs. Only the "
                   "part from the host crosses PCIe. Where bars differ, some GPUs are served better than others.",
                   grid_budget_text(grid, grid->middle, budget), k->column);
    if (fit > 1) figure_caption(figures, " Policies are sorted by transactions, the fewest first.");
    if (any_sampler(grid, shown, fit))
        figure_caption(figures, " A sampler is a GPU that draws mini-batches for the others and trains nothing; it has "
                                "no bar.");
    if (n > fit) figure_caption(figures, " The first %d of %d policies are drawn; all are in the data.", fit, n);
    return figure_end(figures, err);
}

enum st plot_gpus(struct figures *figures, const struct grid *grid, struct err *err)
{
    for (int i = 0; i < 2; i++) PASS(kind_draw(figures, grid, &kinds[i], err));
    return ST_OK;
}
