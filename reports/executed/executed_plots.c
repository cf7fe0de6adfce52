/* executed_plots.c - transactions by how they are known, time by stage, and both against alpha; see executed_plots.h.
 */
#include "reports/executed/executed_plots.h"

#include <math.h>
#include <string.h>
#include "reports/figures/figure_axes.h"
#include "reports/figures/figure_panels.h"
#include "reports/formats/document.h"
#include "reports/formats/gnuplot.h"

enum {
    WIDTH = 980,
    HEIGHT = 400,
    AXIS = 84,
    GROUPS = 16,
    TOPOLOGY = 0x1B7A4B,
    FEATURES = 0xE0A100,
    UNKNOWN_PARTS = 0x8C8C8C
};
static const unsigned kind_colours[EXECUTED_KINDS] = {0x0B4F8A, 0x9A6B00, 0x1B7A4B, 0xA32638};
static const unsigned stage_colours[EXECUTED_STAGES] = {0xE0A100, 0x8C8C8C, 0x1B7A4B, 0x6A4FB0, 0x0B4F8A};

/* ---- transactions ---- */

static void totals_write(struct figures *figures, const struct executed *x)
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

static void bar(FILE *to, int at, double from, double until, unsigned colour)
{
    if (!isnan(from) && until > from)
        fprintf(to,
                "set object rect from first %.2f, first %.9g to first %.2f, first %.9g fs solid 1.0 noborder fc rgb "
                "'#%06X' front\n",
                at - 0.32, from, at + 0.32, until, colour);
}

static enum st totals_draw(struct figures *figures, const struct executed *x, struct err *err)
{
    enum st st;
    static const struct figure_key keys[] = {{"topology", TOPOLOGY},
                                             {"features", FEATURES},
                                             {"not told apart", UNKNOWN_PARTS}};
    struct box box = {AXIS, WIDTH - 40, 44, HEIGHT - 66};
    double most = 0;
    char text[STYLE_TEXT], position[80];
    TRY(figure_begin_of(figures, &x->subject, "transactions", "Transactions of an epoch", WIDTH, HEIGHT, err));
    totals_write(figures, x);
    for (int k = 0; k < EXECUTED_KINDS; k++) {
        const doc *d = doc_get(x->totals, executed_kinds[k]);
        most = fmax(most, fmax(document_count(d, "total_transactions"), document_count(d, "feature_transactions")));
    }
    struct figure_axis y = figure_axis_make('y', QUANTITY_COUNT, most > 0 ? 1.06 * most : 1);
    figure_panel(figures, &box);
    figure_legend(figures, AXIS, 50, keys, 3);
    figure_axis_left(figures, &box, 72, "PCIe transactions per epoch");
    figure_axis_write(figures->script, &y);
    fputs("set xrange [-0.6:3.6]\nset xtics scale 0 (", figures->script);
    for (int k = 0; k < EXECUTED_KINDS; k++) gnuplot_tic(figures->script, executed_kinds[k], k, k == 0);
    fputs(")\n", figures->script);
    for (int k = 0; k < EXECUTED_KINDS; k++) {
        const doc *d = doc_get(x->totals, executed_kinds[k]);
        double t = document_count(d, "topology_transactions"), f = document_count(d, "feature_transactions"),
               all = document_count(d, "total_transactions");
        bool parts = !isnan(t) && !isnan(f);
        bar(figures->script, k, 0,
            parts      ? t
            : isnan(f) ? all
                       : f,
            parts      ? TOPOLOGY
            : isnan(f) ? UNKNOWN_PARTS
                       : FEATURES);
        if (parts) bar(figures->script, k, t, t + f, FEATURES);
        double top = isnan(all) ? f : all;
        snprintf(position, sizeof position, "first %d, first %.9g", k, isnan(top) ? 0 : top);
        snprintf(text, sizeof text, "%s", "not known");
        gnuplot_label(figures->script, isnan(top) ? text : style_count(text, top), position,
                      "center offset 0,0.6 front");
    }
    fputs("plot NaN notitle\nunset object\n", figures->script);
    figure_caption(figures, "Predicted by the plan, simulated on held-out epochs, counted while the mini-batches were "
                            "executed, and measured where the machine lets it be. Counted must equal simulated when "
                            "they "
                            "are of "
                            "the same mini-batches. A bar of features alone has no topology that could be measured.");
    TRY(figure_end(figures, err));
done:
    return st;
}

/* ---- stages ---- */

static double stage_time(const doc *gpu, int stage, const char *key)
{
    return document_count(doc_get(doc_get(gpu, "stages"), executed_stages[stage]), key);
}

static void stages_write(struct figures *figures, const struct executed *x)
{
    static const char *const header[] = {"GPU",
                                         "sample [s per mini-batch, median]",
                                         "look up [s]",
                                         "gather own [s]",
                                         "gather peer [s]",
                                         "gather host [s]",
                                         "gather host [s, 95th percentile]",
                                         NULL};
    csv_header(&figures->csv, header);
    for (uint64_t g = 0; g < doc_size(x->gpus); g++) {
        csv_number(&figures->csv, document_count(doc_at(x->gpus, g), "id"));
        for (int k = 0; k < EXECUTED_STAGES; k++)
            csv_number(&figures->csv, stage_time(doc_at(x->gpus, g), k, "median_seconds"));
        csv_number(&figures->csv, stage_time(doc_at(x->gpus, g), EXECUTED_STAGES - 1, "p95_seconds"));
        csv_end(&figures->csv);
    }
}

static enum st stages_draw(struct figures *figures, const struct executed *x, struct err *err)
{
    enum st st;
    int n = doc_size(x->gpus) < GROUPS ? (int)doc_size(x->gpus) : GROUPS;
    double most = 0;
    struct figure_key keys[EXECUTED_STAGES];
    struct box box = {AXIS, WIDTH - 20, 60, HEIGHT - 66};
    for (int k = 0; k < EXECUTED_STAGES; k++) keys[k] = (struct figure_key){executed_stage_names[k], stage_colours[k]};
    for (int g = 0; g < n; g++)
        for (int k = 0; k < EXECUTED_STAGES; k++)
            most = fmax(most, stage_time(doc_at(x->gpus, (uint64_t)g), k, "median_seconds"));
    TRY(figure_begin_of(figures, &x->subject, "stages", "Time of a mini-batch by stage", WIDTH, HEIGHT, err));
    stages_write(figures, x);
    struct figure_axis y = figure_axis_make('y', QUANTITY_SECONDS, most > 0 ? most : 1);
    figure_panel(figures, &box);
    figure_legend(figures, AXIS, 50, keys, EXECUTED_STAGES);
    figure_axis_left(figures, &box, 72, "median time per mini-batch");
    figure_axis_below(figures, &box, "GPU");
    figure_axis_write(figures->script, &y);
    fputs("set xtics scale 0 (", figures->script);
    for (int g = 0; g < n; g++) {
        char text[STYLE_TEXT];
        snprintf(text, sizeof text, "%.0f", document_count(doc_at(x->gpus, (uint64_t)g), "id"));
        gnuplot_tic(figures->script, text, g, g == 0);
    }
    fprintf(figures->script, ")\nset xrange [-0.6:%.1f]\nset boxwidth 0.15\nplot ", n - 0.4);
    for (int k = 0; k < EXECUTED_STAGES; k++)
        fprintf(figures->script,
                "%s'%s' skip 1 every ::0::%d using ($0+%.2f):%d with boxes fs solid 1.0 lc rgb '#%06X'",
                k ? ", \\\n  " : "", figure_now(figures)->csv, n - 1, (k - (EXECUTED_STAGES - 1) / 2.0) * 0.16, k + 2,
                stage_colours[k]);
    fputc('\n', figures->script);
    figure_caption(figures,
                   "Executed by %s. Gathers read feature rows: from the reader's own cache, from peers, and from the "
                   "host; only the last crosses PCIe, where there is one.",
                   x->device);
    if ((uint64_t)n < doc_size(x->gpus))
        figure_caption(figures, " The first %d of %d GPUs are drawn; all are in the data.", n, (int)doc_size(x->gpus));
    TRY(figure_end(figures, err));
done:
    return st;
}

/* ---- alpha ---- */

static double kind_total(const doc *point, int kind)
{
    return document_count(doc_get(point, executed_kinds[kind]), "total_transactions");
}
static double seconds_of(const doc *point, const char *key) { return document_count(doc_get(point, "seconds"), key); }

static void points_write(struct figures *figures, const struct executed *x)
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
static void line(struct figures *figures, int column, unsigned colour, int dash, bool first)
{
    fprintf(figures->script, "%s'%s' skip 1 using 1:%d with linespoints lc rgb '#%06X' dt %s lw 2 pt 7 ps 0.45",
            first ? "plot " : ", \\\n  ", figure_now(figures)->csv, column, colour, dash ? "(6,4)" : "1");
}

static void reads_panel(struct figures *figures, const struct executed *x, const struct box *box)
{
    struct figure_key keys[EXECUTED_KINDS];
    double most = 0;
    int n = 0;
    bool any[EXECUTED_KINDS] = {false};
    for (int k = 0; k < EXECUTED_KINDS; k++) {
        for (uint64_t i = 0; i < doc_size(x->points); i++) {
            double v = kind_total(doc_at(x->points, i), k);
            any[k] |= !isnan(v);
            most = fmax(most, v);
        }
        if (any[k]) keys[n++] = (struct figure_key){executed_kinds[k], kind_colours[k]};
    }
    struct figure_axis y = figure_axis_make('y', QUANTITY_COUNT, most > 0 ? most : 1);
    double best = doc_real_value(doc_get(doc_get(doc_get(x->root, "sweep"), "best"), "predicted"), NAN);
    figure_panel(figures, box);
    figure_legend(figures, (int)box->left, 50, keys, n);
    figure_axis_left(figures, box, 72, "PCIe transactions per epoch");
    figure_axis_write(figures->script, &y);
    alpha_axis(figures, box);
    if (best >= 0 && best <= 1) figure_mark(figures, best, "least predicted", kind_colours[0], best < 0.6);
    bool first = true;
    for (int k = 0; k < EXECUTED_KINDS; k++) {
        if (!any[k]) continue;
        line(figures, k + 2, kind_colours[k], k == 2, first);
        first = false;
    }
    if (first) fputs("plot NaN notitle", figures->script);
    fputc('\n', figures->script);
}

static void times_panel(struct figures *figures, const struct executed *x, const struct box *box)
{
    static const struct figure_key keys[] = {{"gather host", 0x0B4F8A}, {"all stages", 0x5B6570}};
    double most = 0;
    for (uint64_t i = 0; i < doc_size(x->points); i++) most = fmax(most, seconds_of(doc_at(x->points, i), "total"));
    struct figure_axis y = figure_axis_make('y', QUANTITY_SECONDS, most > 0 ? most : 1);
    figure_panel(figures, box);
    figure_legend(figures, (int)box->left, 50, keys, 2);
    figure_axis_left(figures, box, 72, "time per epoch, all GPUs");
    figure_axis_write(figures->script, &y);
    alpha_axis(figures, box);
    line(figures, 6, keys[0].colour, 0, true);
    line(figures, 7, keys[1].colour, 0, false);
    fputc('\n', figures->script);
}

static enum st alpha_draw(struct figures *figures, const struct executed *x, struct err *err)
{
    enum st st;
    TRY(figure_begin_of(figures, &x->subject, "alpha", "Topology or features, executed", WIDTH, HEIGHT, err));
    points_write(figures, x);
    reads_panel(figures, x, &(struct box){AXIS, WIDTH / 2.0 - 34, 60, HEIGHT - 66});
    times_panel(figures, x, &(struct box){WIDTH / 2.0 + AXIS, WIDTH - 34, 60, HEIGHT - 66});
    figure_caption(figures,
                   "Every point is a plan of the same budget with that share of it for topology, executed on the same "
                   "held-out mini-batches. Left, the whole budget goes to features; right, all of it to "
                   "topology. Legion's figure 13: the least of what is %s should be within one step of the least "
                   "predicted; here it is%s.",
                   doc_text_value(doc_get(doc_get(doc_get(x->root, "sweep"), "best"), "judged_by"), "counted"),
                   doc_bool_value(doc_get(doc_get(doc_get(x->root, "sweep"), "best"), "within_one_step"), false) ? ""
                                                                                                                 : " no"
                                                                                                                   "t");
    TRY(figure_end(figures, err));
done:
    return st;
}

enum st executed_plots_draw(struct figures *figures, const struct executed *x, struct err *err)
{
    enum st st = ST_OK;
    if (doc_size(x->points) > 1) TRY(alpha_draw(figures, x, err));
    TRY(totals_draw(figures, x, err));
    if (doc_size(x->gpus)) TRY(stages_draw(figures, x, err));
done:
    return st;
}
