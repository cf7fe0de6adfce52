/* executed_transactions.c - transactions per epoch by how they are known; see executed_plots.h. */
#include "reports/executed/executed_plots.h"

#include <math.h>
#include "reports/figures/figure_places.h"
#include "reports/formats/document.h"
#include "reports/formats/gnuplot.h"

enum {
    WIDTH = 980,
    HEIGHT = 400,
    AXIS = 84,
    TOPOLOGY = 0x1B7A4B,
    FEATURES = 0xE0A100,
    UNKNOWN_PARTS = 0x8C8C8C,
    PARTS = 3
};

static void records_write(struct figures *figures, const struct executed *x)
{
    static const char *const header[] = {"how it is known", "topology [transactions per epoch]",
                                         "features [transactions per epoch]", "total [transactions per epoch]", NULL};
    csv_header(&figures->csv, header);
    for (int k = 0; k < EXECUTED_KINDS; k++) {
        const doc *d = doc_get(x->totals, executed_kinds[k]);
        csv_name(&figures->csv, executed_kinds[k]);
        csv_number(&figures->csv, document_count(d, "topology_transactions"));
        csv_number(&figures->csv, document_count(d, "feature_transactions"));
        csv_number(&figures->csv, document_count(d, "total_transactions"));
        csv_end(&figures->csv);
    }
}

/* Writes a part of a bar; nothing when an end is not known. */
static void part_write(FILE *to, int at, double from, double until, unsigned colour)
{
    if (!isnan(from) && until > from)
        fprintf(to,
                "set object rect from first %.2f, first %.9g to first %.2f, first %.9g fs solid 1.0 noborder fc rgb "
                "'#%06X' front\n",
                at - 0.32, from, at + 0.32, until, colour);
}

/* A bar of topology and features, of features alone, or of a total whose parts are not known; its number above it. */
static void bar_write(FILE *to, const doc *kind, int at)
{
    double topology = document_count(kind, "topology_transactions"),
           features = document_count(kind, "feature_transactions"), total = document_count(kind, "total_transactions"),
           top = isnan(total) ? features : total;
    char text[STYLE_TEXT], position[80];
    if (isnan(features)) part_write(to, at, 0, total, UNKNOWN_PARTS);
    else if (isnan(topology)) part_write(to, at, 0, features, FEATURES);
    else {
        part_write(to, at, 0, topology, TOPOLOGY);
        part_write(to, at, topology, topology + features, FEATURES);
    }
    snprintf(position, sizeof position, "first %d, first %.9g", at, isnan(top) ? 0 : top);
    gnuplot_label(to, isnan(top) ? "not known" : style_count(text, top), position, "center offset 0,0.6 front");
}

static double highest(const struct executed *x)
{
    double most = 0;
    for (int k = 0; k < EXECUTED_KINDS; k++) {
        const doc *d = doc_get(x->totals, executed_kinds[k]);
        most = fmax(most, fmax(document_count(d, "total_transactions"), document_count(d, "feature_transactions")));
    }
    return most;
}

/* What each part of each bar says. */
static enum st points_write(struct figures *figures, const struct executed *x, const struct figure_places *at,
                            const struct figure_key *keys, struct err *err)
{
    for (int part = 0; part < PARTS; part++) {
        PASS(figure_series(figures, keys[part].name, keys[part].colour, err));
        for (int k = 0; k < EXECUTED_KINDS; k++) {
            const doc *d = doc_get(x->totals, executed_kinds[k]);
            double topology = document_count(d, "topology_transactions"),
                   features = document_count(d, "feature_transactions"),
                   total = document_count(d, "total_transactions"), low = part == 1 && topology >= 0 ? topology : 0,
                   tall = part == 0         ? topology
                          : part == 1       ? features
                          : isnan(features) ? total
                                            : NAN;
            char text[STYLE_TEXT];
            figure_bar(figures, at, k - 0.32, low, k + 0.32, low + tall, "%s, %s: %s", executed_kinds[k],
                       keys[part].name, style_count(text, tall));
        }
    }
    return ST_OK;
}

enum st executed_plot_transactions(struct figures *figures, const struct executed *x, struct err *err)
{
    static const struct figure_key keys[PARTS] = {{"topology", TOPOLOGY},
                                                  {"features", FEATURES},
                                                  {"not separated", UNKNOWN_PARTS}};
    struct box box = {AXIS, WIDTH - 40, 44, HEIGHT - 66};
    struct figure_axis y = figure_axis_make('y', QUANTITY_COUNT, 1.06 * highest(x));
    PASS(figure_begin_of(figures, &x->subject, "transactions", "Transactions per epoch", WIDTH, HEIGHT, err));
    records_write(figures, x);
    figure_panel(figures, &box);
    figure_legend(figures, AXIS, 50, keys, PARTS);
    figure_axis_left(figures, &box, 72, "PCIe transactions per epoch");
    figure_axis_write(figures->script, &y);
    fputs("set xrange [-0.6:3.6]\nset xtics scale 0 (", figures->script);
    for (int k = 0; k < EXECUTED_KINDS; k++) gnuplot_tic(figures->script, executed_kinds[k], k, k == 0);
    fputs(")\n", figures->script);
    for (int k = 0; k < EXECUTED_KINDS; k++) bar_write(figures->script, doc_get(x->totals, executed_kinds[k]), k);
    fputs("plot NaN notitle\nunset object\n", figures->script);
    PASS(points_write(figures, x, &(struct figure_places){box, figure_span(-0.6, 3.6), figure_axis_span(&y)}, keys,
                      err));
    figure_caption(figures, "Predicted by the plan; simulated on held-out epochs; counted while the mini-batches were "
                            "executed; measured where the machine allows it. Counted must equal simulated where both "
                            "are of the same mini-batches. A bar of features alone: topology could not be measured.");
    return figure_end(figures, err);
}
