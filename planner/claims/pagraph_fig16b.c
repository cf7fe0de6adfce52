/* PaGraph, figure 16 (b): speed with and without partitions. */
#include <math.h>
#include <stdio.h>

#include "planner/claims/pagraph_epochs.h"
#include "planner/claims/paper_figure.h"

enum { SERVERS = 3 };
static const char *const servers[SERVERS] = {"pagraph-4x1080ti:1", "pagraph-4x1080ti:2", "pagraph-4x1080ti"};

static enum st measure(struct repro *repro, struct err *err)
{
    enum st st = ST_OK;
    struct pagraph_epoch e[PAGRAPH_SYSTEMS];
    char name[16];
    struct figure_data_panel *p = figure_data_panel(repro->data, FIGURE_DATA_BARS, "GCN on enwiki, by the model",
                                                    "GPUs", "speed (DGL = 1)");
    struct figure_data_panel *t = figure_data_panel(repro->data, FIGURE_DATA_BARS, "Stages of an iteration, 4 GPUs",
                                                    "stage", "ms");
    for (int k = 0; k < SERVERS; k++) {
        TRY(pagraph_epochs(repro, "enwiki", servers[k], "gcn", "54%V", e, err));
        snprintf(name, sizeof name, "%d", 1 << k);
        int at = figure_data_category(repro->data, p, name);
        for (int i = 0; i < PAGRAPH_SYSTEMS; i++)
            figure_data_add(repro->data, p, pagraph_system_name[i], at, e[SYSTEM_DGL].seconds / e[i].seconds);
    }
    for (int i = 0; i < PAGRAPH_SYSTEMS; i++)
        for (int s = 0; s < EPOCH_STAGES; s++)
            figure_data_add(repro->data, t, pagraph_system_name[i],
                            figure_data_category(repro->data, t, stage_word((enum stage_name)s)), 1e3 * e[i].stage[s]);
    figure_data_state(repro->data, p, "paper, PaGraph", SERVERS - 1, 2.3);
    figure_data_state(repro->data, p, "paper, DGL+Cache", SERVERS - 1, 2.3 / 1.4);
done:
    return st;
}

/* Says what an iteration of the two systems with a cache waits for. */
static void explain(const struct figure_data *data, struct finding *f)
{
    double sample = figure_data_at(data, 1, "PaGraph", STAGE_SAMPLE), miss[2];
    for (int i = 0; i < 2; i++)
        miss[i] = 100 * figure_data_at(data, 1, pagraph_system_name[i], STAGE_TRANSFER) /
                  figure_data_at(data, 1, "DGL", STAGE_TRANSFER);
    if (f->verdict != VERDICT_FAILS || isnan(sample + miss[0] + miss[1])) return;
    finding_because(f,
                    "With 4 GPUs the CPU samples for %.1f ms per iteration, and the rest of PaGraph's takes %.1f ms; "
                    "PaGraph's slowest GPU loads %.0f %% of DGL's rows, DGL+Cache's %.0f %%.",
                    sample,
                    figure_data_at(data, 1, "PaGraph", STAGE_LOAD) +
                        figure_data_at(data, 1, "PaGraph", STAGE_TRANSFER) +
                        figure_data_at(data, 1, "PaGraph", STAGE_PROPAGATE),
                    miss[0], miss[1]);
}

static void judge(const struct figure_data *data, struct finding *f)
{
    static const double paper[] = {1.4, 2.3};
    static const char *const over[] = {"DGL+Cache", "DGL"};
    for (int i = 0; i < 2; i++) {
        double times = figure_data_at(data, 0, "PaGraph", SERVERS - 1) / figure_data_at(data, 0, over[i], SERVERS - 1);
        if (!finding_known(&f[i], &times, 1)) continue;
        finding_set(&f[i], fabs(times / paper[i] - 1) <= 0.2, "4 GPUs: %.2f times as fast as %s (paper %.1f)", times,
                    over[i], paper[i]);
        explain(data, &f[i]);
    }
}

const struct paper_figure paper_figure_pagraph_fig16b =
    {.name = "pagraph-fig16b",
     .title = "Speed with and without partitions",
     .paper = "PaGraph (SoCC'20)",
     .place = "figure 16 (b), section 5.6",
     .caption = "Epochs per second over DGL's. DGL+Cache: PaGraph's ranking and room, the whole graph on every GPU. "
                "All "
                "three sample and gather rows on the CPU. Sampling runs beside loading, and loading precedes training "
                "(section 2.3).",
     .differs = "Times are the model's, on simulated counts at the published size; that CPU tasks slow each other down "
                "is not in it. The paper states neither the cache's size nor the number of GPUs for this figure: 54 % "
                "of "
                "the vertices per GPU, as in table 5, and judged with all 4. The CPU's sampling rate is assumed.",
     .seconds = 3,
     .claim = {{"With partitions PaGraph is 40 % faster than DGL+Cache.", "1.4 times as fast, within 20 %",
                "20 %: two epochs, of each the largest error of the time model over GNNLab's published pipelined "
                "epochs (9.5 %)",
                "With partition, PaGraph outperforms DGL+Cache and DGL by 40% and 130%, respectively.",
                .again = "hotset reproduce --only pagraph-fig16b --change "
                         "enwiki:kind=community,enwiki:mixing=0.001,enwiki:communities=400,pagraph-4x1080ti:cpu_"
                         "sampling_edges_per_second=4e7,pagraph-4x1080ti:training_efficiency=0.073 -o R: both claims "
                         "hold (1.3 and 2.5 times) on a graph with locality, with a quarter more edges sampled per "
                         "second, and training that takes the 26 % of DGL's time on one GPU that section 2.3 states; "
                         "the stand-in (R-MAT) has no locality"},
               {"It is 130 % faster than DGL.", "2.3 times as fast, within 20 %", "20 %: as above",
                "With partition, PaGraph outperforms DGL+Cache and DGL by 40% and 130%, respectively.",
                .again = "hotset reproduce --only pagraph-fig16b --change "
                         "pagraph-4x1080ti:cpu_sampling_edges_per_second=4e7 -o R: it holds (2.3 times) with a quarter "
                         "more edges sampled per second; sampling decides, and its rate is assumed"}},
     .measure = measure,
     .judge = judge};
