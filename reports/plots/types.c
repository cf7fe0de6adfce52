/* types.c - what GPUs hold of every type and relation, and who serves its reads: two panels of level bars. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "reports/figures/figure_panels.h"
#include "reports/figures/layout.h"
#include "reports/formats/document.h"
#include "reports/formats/gnuplot.h"
#include "reports/plots/plots.h"

enum { DRAWN_MOST = 60, BAR_TALL = 22, HEAD = 92, FOOT = 44, WIDTH = 900, LEFT = 322, NAME_MOST = 42 };

static const unsigned KIND_COLOURS[] = {0x00805F, 0xB07A00, 0x7A4E9E}; /* topology, features, edge features */
static const char *const kind_names[] = {"topology", "features", "edge features"};
static const char *const place_keys[] = {"local", "peer", "host"};
static const char *const place_names[] = {"own memory", "peer", "host"};

static int kind_of(const doc *table)
{
    const char *kind = document_text(table, "kind");
    return !strcmp(kind, "topology") ? 0 : !strcmp(kind, "feature") ? 1 : 2;
}

static double held(const doc *table) { return fmax(0, document_count(table, "held_bytes")); }

/* Shares of the reads by place; false when none were counted. */
static bool shares_read(const doc *table, double out[3])
{
    double sum = 0;
    for (int p = 0; p < 3; p++) {
        out[p] = fmax(0, document_count(doc_get(table, "reads"), place_keys[p]));
        sum += out[p];
    }
    for (int p = 0; p < 3; p++) out[p] = sum > 0 ? 100 * out[p] / sum : NAN;
    return sum > 0;
}

static void records_write(struct figures *figures, const doc *tables)
{
    static const char *const names[] = {"kind",
                                        "type or relation",
                                        "place [from above, from 0]",
                                        "held bytes [all GPUs]",
                                        "own memory [% of reads]",
                                        "peer [% of reads]",
                                        "host [% of reads]",
                                        "kind [number]",
                                        NULL};
    csv_header(&figures->csv, names);
    for (uint64_t i = 0; i < doc_size(tables); i++) {
        const doc *t = doc_at(tables, i);
        double share[3];
        (void)shares_read(t, share);
        csv_name(&figures->csv, kind_names[kind_of(t)]);
        csv_name(&figures->csv, document_text(t, "label"));
        csv_number(&figures->csv, (double)i);
        csv_number(&figures->csv, held(t));
        for (int p = 0; p < 3; p++) csv_number(&figures->csv, share[p]);
        csv_number(&figures->csv, kind_of(t));
        csv_end(&figures->csv);
    }
}

static void panel_begin(struct figures *figures, const struct box *box, const char *heading, int drawn)
{
    figure_panel(figures, box);
    figure_heading(figures, box, heading);
    fprintf(figures->script,
            "set grid noytics xtics lc rgb '#e4e4e4' lt 1 lw 0.8\nset yrange [%d.5:-0.5]\nset ytics scale 0 ('' 0)\n",
            drawn - 1);
}

static void names_write(struct figures *figures, const struct box *box, const doc *tables, int drawn)
{
    char name[STYLE_NAME];
    for (int i = 0; i < drawn; i++)
        figure_label(figures, box->left - 8, box->top - (i + 0.5) * BAR_TALL,
                     style_cut(name, document_text(doc_at(tables, (uint64_t)i), "label"), NAME_MOST),
                     "right font small_font tc rgb '#333333'");
}

static void held_draw(struct figures *figures, const struct box *box, const doc *tables, int drawn)
{
    struct figure_key keys[3];
    char text[STYLE_TEXT], position[80];
    double most = 0;
    for (int i = 0; i < drawn; i++) most = fmax(most, held(doc_at(tables, (uint64_t)i)));
    panel_begin(figures, box, "Bytes held, all GPUs together", drawn);
    for (int k = 0; k < 3; k++) keys[k] = (struct figure_key){kind_names[k], KIND_COLOURS[k]};
    figure_legend(figures, 14, 50, keys, 3);
    names_write(figures, box, tables, drawn);
    most = most > 0 ? most : 1;
    fprintf(figures->script, "set xrange [0:%.9g]\nset xtics (0)\n", 1.35 * most);
    for (int i = 0; i < drawn; i++) {
        double bytes = held(doc_at(tables, (uint64_t)i));
        snprintf(position, sizeof position, "first %.9g, first %d", bytes, i);
        gnuplot_label(figures->script, bytes > 0 ? style_bytes(text, bytes) : "0", position,
                      "left offset 0.5,0 front font small_font tc rgb '#444444'");
    }
    fputs("plot ", figures->script);
    for (int k = 0; k < 3; k++)
        fprintf(figures->script,
                "%s'%s' skip 1 every ::0::%d using (0):3:(0):($8==%d ? $4 : 0):($3-0.36):($3+0.36) with boxxyerror lc "
                "rgb '#%06X'",
                k ? ", \\\n  " : "", figure_now(figures)->csv, drawn - 1, k, KIND_COLOURS[k]);
    fputc('\n', figures->script);
}

static void served_draw(struct figures *figures, const struct box *box, const doc *tables, int drawn)
{
    struct figure_key keys[3];
    double share[3];
    panel_begin(figures, box, "Who serves the reads", drawn);
    for (int p = 0; p < 3; p++) keys[p] = (struct figure_key){place_names[p], style_tiers[p]};
    figure_legend(figures, (int)box->left, 50, keys, 3);
    fputs("set xrange [0:100]\nset xtics ('0' 0, '50 %%' 50, '100 %%' 100)\n", figures->script);
    for (int i = 0; i < drawn; i++) {
        char position[80];
        if (shares_read(doc_at(tables, (uint64_t)i), share)) continue;
        snprintf(position, sizeof position, "first 1, first %d", i);
        gnuplot_label(figures->script, "no reads", position, "left font small_font tc rgb '#666666'");
    }
    fputs("plot ", figures->script);
    for (int p = 2; p >= 0; p--)
        fprintf(figures->script,
                "%s'%s' skip 1 every ::0::%d using (0):3:(0):(%s):($3-0.36):($3+0.36) with boxxyerror lc rgb '#%06X'",
                p == 2 ? "" : ", \\\n  ", figure_now(figures)->csv, drawn - 1,
                p == 2   ? "$5+$6+$7"
                : p == 1 ? "$5+$6"
                         : "$5",
                style_tiers[p]);
    fputc('\n', figures->script);
}

static bool any_reads(const doc *tables)
{
    double share[3];
    bool any = false;
    for (uint64_t i = 0; i < doc_size(tables); i++) any |= shares_read(doc_at(tables, i), share);
    return any;
}

/* The first policy at the middle budget that states types; -1: none. */
static int policy_choose(const struct grid *grid)
{
    for (int p = 0; p < grid->policy_count; p++) {
        const struct result_row *r = grid_row(grid, p, grid->middle);
        if (r && doc_size(r->tables)) return p;
    }
    return -1;
}

enum st plot_types(struct figures *figures, const struct grid *grid, struct err *err)
{
    int policy = policy_choose(grid), drawn, height;
    char title[200], name[STYLE_NAME], budget[GRID_BUDGET_TEXT];
    if (policy < 0) return ST_OK;
    const doc *tables = grid_row(grid, policy, grid->middle)->tables;
    drawn = doc_size(tables) < DRAWN_MOST ? (int)doc_size(tables) : DRAWN_MOST;
    height = HEAD + FOOT + drawn * BAR_TALL;
    snprintf(title, sizeof title, "Rows by type and relation: %s at %s", style_cut(name, grid->policies[policy], 20),
             grid->budgets[grid->middle].label);
    PASS(figure_begin_of(figures, &grid->subject, "types", title, WIDTH, height, err));
    records_write(figures, tables);
    bool reads = any_reads(tables);
    held_draw(figures, &(struct box){LEFT, reads ? 600 : WIDTH - 20, FOOT, height - HEAD}, tables, drawn);
    if (reads) served_draw(figures, &(struct box){624, WIDTH - 24, FOOT, height - HEAD}, tables, drawn);
    figure_caption(figures,
                   "Policy %s at budget %s. %s the bytes that all GPUs hold of each relation's topology and each "
                   "type's features; copies on several GPUs count each.%s",
                   style_cut(name, grid->policies[policy], 60), grid_budget_text(grid, grid->middle, budget),
                   reads ? "Left:" : "Drawn are",
                   reads ? " Right: who served its reads in the simulated epochs; only the part from the host crosses "
                           "PCIe."
                         : "");
    if (drawn < (int)doc_size(tables))
        figure_caption(figures, " The first %d of %d are drawn; all are in the data.", drawn, (int)doc_size(tables));
    return figure_end(figures, err);
}
