/* executed_stages.c - the time of a mini-batch by stage; see executed_plots.h. */
#include "reports/executed/executed_plots.h"

#include <math.h>
#include <string.h>
#include "reports/figures/figure_places.h"
#include "reports/formats/document.h"
#include "reports/formats/gnuplot.h"

enum { WIDTH = 980, HEIGHT = 400, AXIS = 84, GROUPS = 16 };
static const unsigned stage_colours[EXECUTED_STAGES] = {0xE0A100, 0x8C8C8C, 0x1B7A4B, 0x6A4FB0, 0x0B4F8A};

static double stage_time(const doc *gpu, int stage, const char *key)
{
    return document_count(doc_get(doc_get(gpu, "stages"), executed_stages[stage]), key);
}

static void records_write(struct figures *figures, const struct executed *x)
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

static double highest(const struct executed *x, int gpus)
{
    double most = 0;
    for (int g = 0; g < gpus; g++)
        for (int k = 0; k < EXECUTED_STAGES; k++)
            most = fmax(most, stage_time(doc_at(x->gpus, (uint64_t)g), k, "median_seconds"));
    return most;
}

/* The middle of a stage's bar in the group of a GPU. */
static double place_of(int gpu, int stage) { return gpu + (stage - (EXECUTED_STAGES - 1) / 2.0) * 0.16; }

/* A group of bars per GPU, under its id. */
static void bars_write(struct figures *figures, const struct executed *x, int gpus)
{
    fputs("set xtics scale 0 (", figures->script);
    for (int g = 0; g < gpus; g++) {
        char text[STYLE_TEXT];
        snprintf(text, sizeof text, "%.0f", document_count(doc_at(x->gpus, (uint64_t)g), "id"));
        gnuplot_tic(figures->script, text, g, g == 0);
    }
    fprintf(figures->script, ")\nset xrange [-0.6:%.1f]\nset boxwidth 0.15\nplot ", gpus - 0.4);
    for (int k = 0; k < EXECUTED_STAGES; k++)
        fprintf(figures->script,
                "%s'%s' skip 1 every ::0::%d using ($0+%.2f):%d with boxes fs solid 1.0 lc rgb '#%06X'",
                k ? ", \\\n  " : "", figure_now(figures)->csv, gpus - 1, place_of(0, k), k + 2, stage_colours[k]);
    fputc('\n', figures->script);
}

static enum st points_write(struct figures *figures, const struct executed *x, int gpus, const struct figure_places *at,
                            struct err *err)
{
    for (int k = 0; k < EXECUTED_STAGES; k++) {
        PASS(figure_series(figures, executed_stage_names[k], stage_colours[k], err));
        for (int g = 0; g < gpus; g++) {
            const doc *gpu = doc_at(x->gpus, (uint64_t)g);
            double middle = place_of(g, k), v = stage_time(gpu, k, "median_seconds");
            char text[STYLE_TEXT];
            figure_bar(figures, at, middle - 0.075, 0, middle + 0.075, v, "GPU %.0f, %s: %s", document_count(gpu, "id"),
                       executed_stage_names[k], style_seconds(text, v));
        }
    }
    return ST_OK;
}

enum st executed_plot_stages(struct figures *figures, const struct executed *x, struct err *err)
{
    int n = doc_size(x->gpus) < GROUPS ? (int)doc_size(x->gpus) : GROUPS;
    struct figure_axis y = figure_axis_make('y', QUANTITY_SECONDS, highest(x, n));
    struct figure_key keys[EXECUTED_STAGES];
    struct box box = {AXIS, WIDTH - 20, 60, HEIGHT - 66};
    if (!n) return ST_OK;
    for (int k = 0; k < EXECUTED_STAGES; k++) keys[k] = (struct figure_key){executed_stage_names[k], stage_colours[k]};
    PASS(figure_begin_of(figures, &x->subject, "stages", "Time of a mini-batch by stage", WIDTH, HEIGHT, err));
    records_write(figures, x);
    figure_panel(figures, &box);
    figure_legend(figures, AXIS, 50, keys, EXECUTED_STAGES);
    figure_axis_left(figures, &box, 72, "median time per mini-batch");
    figure_axis_below(figures, &box, "GPU");
    figure_axis_write(figures->script, &y);
    bars_write(figures, x, n);
    PASS(points_write(figures, x, n, &(struct figure_places){box, figure_span(-0.6, n - 0.4), figure_axis_span(&y)},
                      err));
    figure_caption(figures,
                   "Executed by %s. Gathers read feature rows from the GPU's own cache, from peers and from the host. "
                   "Only reads from the host cross PCIe, on a machine that has one.",
                   x->device);
    if (!strcmp(document_text(doc_get(x->root, "machine"), "kind"), "cpu"))
        figure_caption(figures, " All GPUs of the plan were played by these shared threads: where their times differ, "
                                "it is noise of the machine and no property of a GPU.");
    if ((uint64_t)n < doc_size(x->gpus))
        figure_caption(figures, " The first %d of %d GPUs are drawn; all are in the data.", n, (int)doc_size(x->gpus));
    return figure_end(figures, err);
}
