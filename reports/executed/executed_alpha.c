/* executed_alpha.c - transactions and time against alpha; see executed_plots.h. */
#include "reports/executed/executed_plots.h"

#include <math.h>
#include <string.h>
#include "reports/figures/figure_places.h"
#include "reports/formats/document.h"
#include "reports/formats/gnuplot.h"

enum { WIDTH = 980, HEIGHT = 400, AXIS = 84, COUNTED = 2 /* of executed_kinds */ };
static const unsigned kind_colours[EXECUTED_KINDS] = {0x0B4F8A, 0x9A6B00, 0x1B7A4B, 0xA32638};

static double kind_total(const doc *point, int kind)
{
    return document_count(doc_get(point, executed_kinds[kind]), "total_transactions");
}
static double seconds_of(const doc *point, const char *key) { return document_count(doc_get(point, "seconds"), key); }

static void records_write(struct figures *figures, const struct executed *x)
{
    static const char *const header[] = {"alpha [share of the budget for topology]",
                                         "predicted [transactions per epoch]",
                                         "simulated [transactions per epoch]",
                                         "counted [transactions per epoch]",
                                         "measured [transactions per epoch]",
                                         "gather host [s per epoch]",
                                         "all stages [s per epoch]",
                                         NULL};
    csv_header(&figures->csv, header);
    for (uint64_t i = 0; i < doc_size(x->points); i++) {
        const doc *p = doc_at(x->points, i);
        csv_number(&figures->csv, document_count(p, "alpha"));
        for (int k = 0; k < EXECUTED_KINDS; k++) csv_number(&figures->csv, kind_total(p, k));
        csv_number(&figures->csv, seconds_of(p, "gather_host"));
        csv_number(&figures->csv, seconds_of(p, "total"));
        csv_end(&figures->csv);
    }
}

static void alpha_axis(struct figures *figures, const struct box *box)
{
    fputs("set xrange [0:1]\nset xtics (0, 0.2, 0.4, 0.6, 0.8, 1)\n", figures->script);
    figure_axis_below(figures, box, "alpha (share of the budget for topology)");
}

/* A line with dots; the counted one is drawn dashed over the simulated one, which it must cover. */
static void line_write(struct figures *figures, int column, unsigned colour, int dash, bool first)
{
    fprintf(figures->script, "%s'%s' skip 1 using 1:%d with linespoints lc rgb '#%06X' dt %s lw 2 pt 7 ps 0.45",
            first ? "plot " : ", \\\n  ", figure_now(figures)->csv, column, colour, dash ? "(6,4)" : "1");
}

static enum st reads_panel(struct figures *figures, const struct executed *x, const struct box *box, struct err *err)
{
    struct figure_key keys[EXECUTED_KINDS];
    double most = 0, best = document_number(doc_get(doc_get(x->root, "sweep"), "best"), "predicted");
    int drawn[EXECUTED_KINDS], n = 0;
    for (int k = 0; k < EXECUTED_KINDS; k++) {
        double here = NAN;
        for (uint64_t i = 0; i < doc_size(x->points); i++) here = fmax(here, kind_total(doc_at(x->points, i), k));
        if (isnan(here)) continue;
        most = fmax(most, here);
        keys[n] = (struct figure_key){executed_kinds[k], kind_colours[k]};
        drawn[n++] = k;
    }
    struct figure_axis y = figure_axis_make('y', QUANTITY_COUNT, most);
    figure_panel(figures, box);
    figure_legend(figures, (int)box->left, 50, keys, n);
    figure_axis_left(figures, box, 72, "PCIe transactions per epoch");
    figure_axis_write(figures->script, &y);
    alpha_axis(figures, box);
    if (best >= 0 && best <= 1) figure_mark(figures, best, kind_colours[0]);
    for (int i = 0; i < n; i++) line_write(figures, drawn[i] + 2, kind_colours[drawn[i]], drawn[i] == COUNTED, i == 0);
    if (!n) fputs("plot NaN notitle", figures->script);
    fputc('\n', figures->script);
    const struct figure_places at = {*box, figure_span(0, 1), figure_axis_span(&y)};
    for (int i = 0; i < n; i++) {
        PASS(figure_series(figures, keys[i].name, keys[i].colour, err));
        for (uint64_t k = 0; k < doc_size(x->points); k++) {
            double alpha = document_count(doc_at(x->points, k), "alpha"),
                   v = kind_total(doc_at(x->points, k), drawn[i]);
            char text[STYLE_TEXT];
            figure_dot(figures, &at, alpha, v, "alpha %.3g, %s: %s", alpha, keys[i].name, style_count(text, v));
        }
    }
    return ST_OK;
}

static enum st times_panel(struct figures *figures, const struct executed *x, const struct box *box, struct err *err)
{
    static const struct figure_key keys[] = {{"gather host", 0x6A4FB0}, {"all stages", 0x5B6570}};
    static const char *const members[] = {"gather_host", "total"};
    double most = 0;
    for (uint64_t i = 0; i < doc_size(x->points); i++) most = fmax(most, seconds_of(doc_at(x->points, i), "total"));
    struct figure_axis y = figure_axis_make('y', QUANTITY_SECONDS, most);
    figure_panel(figures, box);
    figure_legend(figures, (int)box->left, 50, keys, 2);
    figure_axis_left(figures, box, 72, "time per epoch, all GPUs");
    figure_axis_write(figures->script, &y);
    alpha_axis(figures, box);
    line_write(figures, 6, keys[0].colour, 0, true);
    line_write(figures, 7, keys[1].colour, 0, false);
    fputc('\n', figures->script);
    const struct figure_places at = {*box, figure_span(0, 1), figure_axis_span(&y)};
    for (int i = 0; i < 2; i++) {
        PASS(figure_series(figures, keys[i].name, keys[i].colour, err));
        for (uint64_t k = 0; k < doc_size(x->points); k++) {
            double alpha = document_count(doc_at(x->points, k), "alpha"),
                   v = seconds_of(doc_at(x->points, k), members[i]);
            char text[STYLE_TEXT];
            figure_dot(figures, &at, alpha, v, "alpha %.3g, %s: %s", alpha, keys[i].name, style_seconds(text, v));
        }
    }
    return ST_OK;
}

/* How the sweep was judged, in words. */
static const char *judge_name(const doc *best)
{
    const char *by = document_text(best, "judged_by");
    return !strcmp(by, "measured") ? "measured transactions" : !strcmp(by, "seconds") ? "time" : "counted transactions";
}

enum st executed_plot_alpha(struct figures *figures, const struct executed *x, struct err *err)
{
    const doc *best = doc_get(doc_get(x->root, "sweep"), "best"), *near = doc_get(best, "within_one_step");
    if (doc_size(x->points) < 2) return ST_OK;
    PASS(figure_begin_of(figures, &x->subject, "alpha", "Transactions and time by alpha", WIDTH, HEIGHT, err));
    records_write(figures, x);
    PASS(reads_panel(figures, x, &(struct box){AXIS, WIDTH / 2.0 - 34, 60, HEIGHT - 66}, err));
    PASS(times_panel(figures, x, &(struct box){WIDTH / 2.0 + AXIS, WIDTH - 34, 60, HEIGHT - 66}, err));
    figure_caption(figures,
                   "Each point is a plan with the same budget and that share of it for topology, executed on the same "
                   "held-out mini-batches. At the left the whole budget goes to features, at the right to topology. "
                   "The dashed line is the alpha with the least predicted transactions. Legion's figure 13: the alpha "
                   "with the least %s should be within one step of the alpha with the least predicted transactions; "
                   "here it is%s.",
                   judge_name(best),
                   doc_is_null(near)             ? " not known"
                   : doc_bool_value(near, false) ? ""
                                                 : " not");
    return figure_end(figures, err);
}
