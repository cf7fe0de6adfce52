/* gpus.c - where each GPU's reads are served: stacked bars, one small panel per policy. */
#include <math.h>
#include <stdio.h>
#include "reports/formats/gnuplot.h"
#include "reports/plots/plots.h"

enum { ACROSS_MOST = 4, NAMED_MOST = 12, PANELS = 28, PANEL_TALL = 152, HEAD = 70, FOOT = 46, LEFT = 78, WIDTH = 900 };

static const char *const tier_keys[] = {"local", "peer", "host"};
static const char *const tier_names[] = {"own memory", "peer over NVLink", "host over PCIe"};

struct kind {
    const char *what, *key, *title, *axis, *column;
};
static const struct kind kinds[] = {
    {"gpus-features", "feature_rows", "Where feature rows come from", "share of feature rows", "feature rows"},
    {"gpus-topology", "topology_visits", "Where topology visits are served", "share of topology visits",
     "topology visits"},
};

/* Counts of one GPU by tier; false when none is stated. */
static bool tiers_read(const struct kind *k, const doc *gpu, double out[3])
{
    const doc *counts = doc_is_object(gpu) ? doc_get(gpu, k->key) : NULL;
    double sum = 0;
    for (int t = 0; t < 3; t++) {
        out[t] = rows_number(counts, tier_keys[t]);
        if (!(out[t] >= 0 && out[t] < 1e300)) out[t] = 0;
        sum += out[t];
    }
    return sum > 0;
}

static int gpus_drawn(const struct kind *k, const struct row *r)
{
    double counts[3];
    int n = 0;
    for (uint64_t i = 0; r && i < doc_size(r->gpus); i++) n += tiers_read(k, doc_at(r->gpus, i), counts);
    return n;
}

static void records_write(struct figures *s, const struct grid *grid, const struct kind *k, int policy)
{
    const struct row *r = grid_row(grid, policy, grid->middle);
    for (uint64_t i = 0; i < doc_size(r->gpus); i++) {
        double counts[3], sum;
        const doc *gpu = doc_at(r->gpus, i);
        if (!tiers_read(k, gpu, counts)) continue;
        sum = counts[0] + counts[1] + counts[2];
        csv_name(&s->data, grid->policies[policy]);
        csv_name(&s->data, grid->budgets[grid->middle].label);
        csv_number(&s->data, rows_number(gpu, "id"));
        for (int t = 0; t < 3; t++) csv_number(&s->data, counts[t]);
        for (int t = 0; t < 3; t++) csv_number(&s->data, 100 * counts[t] / sum);
        csv_number(&s->data, (double)i);
        csv_end(&s->data);
    }
}

static void header_write(struct figures *s, const struct kind *k)
{
    char name[80];
    csv_text(&s->data, "policy");
    csv_text(&s->data, "budget");
    csv_text(&s->data, "GPU [id]");
    for (int t = 0; t < 6; t++) {
        snprintf(name, sizeof name, t < 3 ? "%s from %s [all simulated epochs]" : "%s from %s [%% of the GPU's]",
                 k->column, tier_keys[t % 3]);
        csv_text(&s->data, name);
    }
    csv_text(&s->data, "place of the GPU [order in the document, from 0]");
    csv_end(&s->data);
}

static bool is_sampler(const struct row *r, uint64_t gpu)
{
    bool found = false;
    for (uint64_t i = 0; i < doc_size(r->samplers); i++)
        found |= rows_number(doc_at(r->gpus, gpu), "id") == doc_real_value(doc_at(r->samplers, i), NAN);
    return found;
}

/* Ids under the bars, thinned where there are many; where a GPU reads nothing, its place says why. */
static void ids_write(struct figures *s, const struct kind *k, const struct row *r)
{
    uint64_t n = doc_size(r->gpus), every = 1 + (n - 1) / 10;
    double counts[3];
    fputs("set xtics scale 0 (", s->script);
    for (uint64_t i = 0; i < n; i += every) {
        double id = rows_number(doc_at(r->gpus, i), "id");
        if (isnan(id)) fprintf(s->script, "%s'?' %llu", i ? ", " : "", (unsigned long long)i);
        else fprintf(s->script, "%s'%.6g' %llu", i ? ", " : "", id, (unsigned long long)i);
    }
    fputs(")\n", s->script);
    for (uint64_t i = 0; i < n && n <= NAMED_MOST; i++) {
        char position[80];
        if (tiers_read(k, doc_at(r->gpus, i), counts)) continue;
        snprintf(position, sizeof position, "first %llu, first 50", (unsigned long long)i);
        gnuplot_label(s->script, is_sampler(r, i) ? "sampler" : "no reads", position,
                      "center rotate by 90 font small_font tc rgb '#666666'");
    }
}

/* The legend stands on its own, below the title: names are texts of ours. */
static void legend_write(struct figures *s, const struct kind *k)
{
    const struct figure *f = &s->list[s->count - 1];
    double y = 1 - 50.0 / f->height;
    int x = LEFT;
    char position[80];
    for (int t = 0; t < 3; t++) {
        fprintf(s->script,
                "set object rect from screen %.5f, screen %.5f to screen %.5f, screen %.5f fs solid 1.0 noborder fc "
                "rgb '#%06X'\n",
                (double)x / f->width, y - 5.0 / f->height, (x + 14.0) / f->width, y + 6.0 / f->height, style_tiers[t]);
        snprintf(position, sizeof position, "screen %.5f, screen %.5f", (x + 20.0) / f->width, y);
        gnuplot_label(s->script, tier_names[t], position, "left tc rgb '#333333'");
        x += 40 + (int)(7.8 * style_length(tier_names[t]));
    }
    figures_axis_title(s, &(struct box){.left = LEFT, .bottom = FOOT, .top = f->height - HEAD}, 62, k->axis);
    snprintf(position, sizeof position, "screen %.5f, screen %.5f", (double)LEFT / f->width, 24.0 / f->height);
    gnuplot_label(s->script, "horizontal: GPU id", position, "left tc rgb '#444444'");
}

static void panel_draw(struct figures *s, const struct grid *grid, const struct kind *k, int policy, int slot,
                       int across, int rows, int first)
{
    const struct figure *f = &s->list[s->count - 1];
    const struct row *r = grid_row(grid, policy, grid->middle);
    int n = gpus_drawn(k, r), places = (int)doc_size(r->gpus), column = slot % across, line = slot / across;
    double wide = (WIDTH - LEFT - 10.0) / across, bottom = FOOT + (rows - 1 - line) * (double)PANEL_TALL;
    struct box box = {LEFT + column * wide, LEFT + column * wide + fmin(wide - 16, 120 + 60.0 * places), bottom + 20,
                      bottom + PANEL_TALL - 26};
    char name[STYLE_NAME];
    figures_panel(s, &box);
    if (!slot) legend_write(s, k);
    figures_heading(s, &box, style_cut(name, grid->policies[policy], 22));
    fprintf(s->script, "set xrange [-0.6:%.1f]\nset yrange [0:100]\nset ytics (%s)\n", places - 0.4,
            column ? "'' 0, '' 50, '' 100" : "'0 %%' 0, '50 %%' 50, '100 %%' 100");
    ids_write(s, k, r);
    fputs("plot ", s->script);
    for (int t = 2; t >= 0; t--) {
        const char *sum = t == 2 ? "$7+$8+$9" : t == 1 ? "$7+$8" : "$7";
        fprintf(s->script, "%s'data/%s.csv' skip 1 every ::%d::%d using ($10):(%s):(%s) with boxes lc rgb '#%06X'",
                t == 2 ? "" : ", \\\n  ", f->name, first, first + n - 1, sum, places > 32 ? "1" : "0.8",
                style_tiers[t]);
    }
    fputc('\n', s->script);
}

static bool any_sampler(const struct grid *grid, const int *shown, int count)
{
    bool any = false;
    for (int i = 0; i < count; i++) any |= grid_row(grid, shown[i], grid->middle)->samplers != NULL;
    return any;
}

static enum st kind_draw(struct figures *s, const struct grid *grid, const struct kind *k, struct err *err)
{
    enum st st = ST_OK;
    int shown[POLICIES_MAX], n = 0, across, rows, first = 0, fit;
    char budget[160];
    for (int p = 0; p < grid->policy_count; p++)
        if (gpus_drawn(k, grid_row(grid, p, grid->middle))) shown[n++] = p;
    if (!n) goto done;
    fit = n < PANELS ? n : PANELS;
    across = fit < ACROSS_MOST ? fit : ACROSS_MOST;
    if (gpus_drawn(k, grid_row(grid, shown[0], grid->middle)) > 24 && across > 2) across = 2;
    rows = (fit + across - 1) / across;
    TRY(figures_open(s, grid, k->what, k->title, WIDTH, HEAD + FOOT + rows * PANEL_TALL, err));
    header_write(s, k);
    for (int i = 0; i < n; i++) records_write(s, grid, k, shown[i]);
    for (int i = 0; i < fit; i++) {
        int count = gpus_drawn(k, grid_row(grid, shown[i], grid->middle));
        panel_draw(s, grid, k, shown[i], i, across, rows, first);
        first += count;
    }
    figures_caption(s,
                    "Budget %s; policies by their transactions, the fewest first. Each bar is one GPU and adds up to "
                    "all of its %s over the simulated "
                    "epochs: dark is its own memory, "
                    "blue another GPU over NVLink, pale yellow the host. Only the yellow part crosses PCIe; bars of "
                    "unlike height show that the "
                    "load is uneven.",
                    figures_budget(grid, grid->middle, budget), k->column);
    if (any_sampler(grid, shown, fit))
        figures_caption(s, " A sampler is a GPU that draws mini-batches for the others and trains nothing, so it has "
                           "no bar.");
    if (n > fit) figures_caption(s, " The first %d of %d policies are drawn; all are in the data.", fit, n);
    TRY(figures_close(s, err));
done:
    return st;
}

enum st plot_gpus(struct figures *s, const struct grid *grid, struct err *err)
{
    enum st st = ST_OK;
    for (int i = 0; i < 2; i++) TRY(kind_draw(s, grid, &kinds[i], err));
done:
    return st;
}
