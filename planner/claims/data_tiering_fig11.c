/* Data Tiering, figure 11: training time on four GPUs as more features lie on them; the CPU or the GPUs sample. */
#include <math.h>
#include <stdio.h>

#include "planner/claims/paper_figure.h"

enum { POINTS = 7, STEP = 5 /* % of the vertices */, GPUS = 4, ELEMENT = 2 /* bytes */ };
#define SERVER "data-tiering-4xv100"
static const char *const ways[] = {"CPU samples", "GPUs sample"};

static const struct repro_setup setup = {.set = "mag240m",
                                         .train_share = 0.009,
                                         .batch = 1024,
                                         .fanout = {2, {25, 15}},
                                         .presample_epochs = 1,
                                         .classes = 153,
                                         .element_bytes = ELEMENT,
                                         .full_size = true};

/* Seconds of an epoch, at the published size. */
struct parts {
    double sample, rest; /* sampling; fetching rows and training on them */
};

static struct parts parts_of(const doc *row)
{
    const doc *time = doc_get(doc_get(row, "simulated"), "epoch_time"), *stages = doc_get(time, "stages");
    double n = doc_real_value(doc_get(time, "iterations"), NAN);
    return (struct parts){n * doc_real_value(doc_get(stages, "sample"), NAN),
                          n * (doc_real_value(doc_get(stages, "transfer"), NAN) +
                               doc_real_value(doc_get(stages, "propagate"), NAN))};
}

/* The CPU samples while the GPUs work on other mini-batches; a GPU does one after the other. */
static double seconds(struct parts x, bool gpus)
{
    if (isnan(x.sample) || isnan(x.rest)) return NAN;
    return gpus ? x.sample + x.rest : fmax(x.sample, x.rest);
}

/* Bytes of all features, and of the topology. */
struct sizes {
    double features, topology;
};

static struct sizes sizes_of(const struct repro_graph *g)
{
    double row = g->given ? (double)g->g.row_bytes : ELEMENT * (double)g->g.feature_dim;
    return (struct sizes){row * (double)g->g.n, 4.0 * (double)g->g.m + 8.0 * (double)g->g.n};
}

/* What an epoch takes with 5 % loaded, where the CPU samples. */
static void add_parts(struct figure_data *data, struct figure_data_panel *p, int gpus, struct parts x)
{
    int at = figure_data_category(data, p, gpus == 1 ? "1 GPU" : "4 GPUs");
    figure_data_add(data, p, "sampling by the CPU", at, x.sample);
    figure_data_add(data, p, "fetching and training", at, x.rest);
    if (gpus == 1) figure_data_state(data, p, "paper, whole epoch", at, 23.5);
}

/* Four GPUs with 0, 5, .. 30 % of the features. */
static enum st sweep(struct repro *repro, const struct repro_graph *g, bool gpus, struct figure_data_panel *const p[3],
                     struct err *err)
{
    enum st st = ST_OK;
    doc *out = NULL;
    struct study_cell cells[POINTS] = {{.policy = NULL}};
    struct repro_setup u = setup;
    struct sizes all = sizes_of(g);
    u.servers = SERVER;
    for (int k = 0; k < POINTS; k++) {
        char budget[32];
        double share = 0.01 * STEP * k; /* 1 % more topology, because its rows fit no GPU evenly */
        snprintf(budget, sizeof budget, "%.0f", ceil((share * all.features + gpus * 1.01 * all.topology) / GPUS));
        cells[k] = (struct study_cell){.options_given = true, .option = {0, gpus}};
        TRY(policy_find("data-tiering", &cells[k].policy, err));
        TRY(budget_parse(budget, false, "budget", &cells[k].budget, err));
    }
    TRY(repro_cells(repro, &u, cells, POINTS, &out, err));
    for (int k = 0; k < POINTS; k++) {
        struct parts x = parts_of(doc_at(out, (uint64_t)k));
        double time = seconds(x, gpus), share = 0.01 * STEP * k;
        figure_data_add(repro->data, p[0], ways[gpus], STEP * k, time);
        figure_data_add(repro->data, p[1], ways[gpus],
                        rint((share * all.features + gpus * all.topology) / g->scale / 1e9), time);
        if (!gpus && k == 1) add_parts(repro->data, p[2], GPUS, x);
    }
done:
    doc_free(out);
    return st;
}

/* One GPU with 5 % of the features, as in figure 8. */
static enum st single(struct repro *repro, struct figure_data_panel *const p[3], struct err *err)
{
    enum st st;
    doc *out = NULL;
    struct study_cell cell = {.policy = NULL};
    struct repro_setup u = setup;
    u.servers = SERVER ":1";
    TRY(policy_find("data-tiering", &cell.policy, err));
    TRY(budget_parse("5%V", false, "budget", &cell.budget, err));
    TRY(repro_cells(repro, &u, &cell, 1, &out, err));
    add_parts(repro->data, p[2], 1, parts_of(doc_at(out, 0)));
done:
    doc_free(out);
    return st;
}

static enum st measure(struct repro *repro, struct err *err)
{
    enum st st;
    const struct repro_graph *g;
    static const char axis[] = "features on the GPUs (% of the vertices)", s[] = "s per epoch, model";
    struct figure_data_panel *const p[3] = {figure_data_panel(repro->data, FIGURE_DATA_LINES, "MAG240M on four GPUs",
                                                              axis, s),
                                            figure_data_panel(repro->data, FIGURE_DATA_LINES, "The same over memory",
                                                              "memory of the four GPUs (whole GB)", s),
                                            figure_data_panel(repro->data, FIGURE_DATA_BARS,
                                                              "5 % loaded, the CPU samples", "",
                                                              "s per epoch, by the model")};
    TRY(repro_graph(repro, setup.set, setup.train_share, &g, err));
    TRY(single(repro, p, err));
    for (int gpus = 0; gpus < 2; gpus++) TRY(sweep(repro, g, gpus, p, err));
done:
    return st;
}

static void judge(const struct figure_data *data, struct finding *f)
{
    const struct figure_data_series *cpu = figure_data_find(data, 0, ways[0]),
                                    *gpu = figure_data_find(data, 0, ways[1]);
    double none = figure_data_at(data, 0, ways[0], 0), five = figure_data_at(data, 0, ways[0], STEP),
           best = figure_data_least(cpu), best_gpu = figure_data_least(gpu);
    double sample[2], rest[2]; /* of one GPU, of four */
    for (int k = 0; k < 2; k++) {
        sample[k] = figure_data_at(data, 2, "sampling by the CPU", k);
        rest[k] = figure_data_at(data, 2, "fetching and training", k);
    }
    double known[] = {none, five, best, best_gpu, sample[0], rest[0], sample[1], rest[1]};
    double saved[] = {100 * (1 - five / none), 100 * (five - best) / none}, one = fmax(sample[0], rest[0]),
           less = 100 * (1 - best / one);
    if (finding_known(&f[0], known, 3))
        finding_set(&f[0], saved[0] >= 10 && saved[1] <= saved[0] / 2,
                    "%.1f %% of the time saved by the first 5 %%, %.1f %% by up to 25 %% more", saved[0], saved[1]);
    if (finding_known(&f[1], known, 6))
        finding_set(&f[1], fabs(less - 100 * 3 / 23.5) <= 5, "%.1f %% less: %.1f s, %.1f s on one GPU", less, best,
                    one);
    if (finding_known(&f[2], known + 4, 4))
        finding_set(&f[2], sample[0] < rest[0] && sample[1] > rest[1],
                    "sampling %.1f s; fetching and training %.1f s on one GPU, %.1f s on four", sample[1], rest[0],
                    rest[1]);
    if (finding_known(&f[3], known, 4))
        finding_set(&f[3], best_gpu <= 0.9 * best, "at the best %.1f s, %.1f s where the CPU samples", best_gpu, best);
}

const struct paper_figure paper_figure_data_tiering_fig11 =
    {.name = "data-tiering-fig11",
     .title = "Training time on four GPUs, sampling by the CPU or by the GPUs",
     .paper = "Data Tiering (KDD'22)",
     .place = "figure 11, section 5.5",
     .caption = "Seconds of an epoch of MAG240M with a part of the features interleaved over four GPUs. The CPU "
                "samples "
                "ahead, so the longer of sampling and the rest counts. GPUs that sample hold the topology, too, and do "
                "one after the other.",
     .differs = "As for figure 8. The CPU's sampling rate is assumed: 2 million edges per second and core, on 40 "
                "cores. "
                "The topology takes 6 GB, the paper's 30: 4-byte ids, and citations alone.",
     .seconds = 1,
     .claim = {{"Where the CPU samples, time drops sharply with 5 % of the features loaded, and little beyond.",
                "at least 10 % less time with 5 %, and at most half as much saved by all further loading, up to 30 %",
                "10 % and half: conventions of ours for 'sharp' and 'marginal'",
                "we observe a sharp drop of training time with 5% of node feature loaded into GPU memory. Beyond that, "
                "we observe only marginal performance improvements"},
               {"Four GPUs take only 3 s less than one GPU's 23.5 s.",
                "the shortest time of four GPUs is 12.8 % (3 of 23.5 s) less than one GPU's, within 5 points",
                "5 points, because the paper says about",
                "with four GPUs, we can reduce only about 3 seconds of training time further",
                .again = "hotset reproduce --only data-tiering-fig11 --change "
                         "data-tiering-4xv100:cpu_sampling_edges_per_second=11000000 -o R: with a CPU that samples 11 "
                         "million edges per second (here 80 million are assumed), it holds"},
               {"Sampling by the CPU keeps up with one GPU and throttles four.",
                "with 5 % loaded, sampling takes less time than the rest on one GPU, and more than the rest on four",
                "less and more, as the paper says; no tolerance",
                "in the multi-GPU training, the neighbor sampling process itself starts to throttle the whole training "
                "process",
                .again = "hotset reproduce --only data-tiering-fig11 --change "
                         "data-tiering-4xv100:cpu_sampling_edges_per_second=11000000 -o R: with a CPU that samples 11 "
                         "million edges per second (here 80 million are assumed), it holds"},
               {"Sampling by the GPUs removes that bottleneck and is notably faster.",
                "the shortest time at least 10 % below that where the CPU samples",
                "10 %: a convention of ours for 'notably'",
                "the GPU sampling method removes the CPU sampling bottleneck and notably increases the training speed "
                "in the multi-GPU setup",
                .again = "hotset reproduce --only data-tiering-fig11 --change "
                         "data-tiering-4xv100:cpu_sampling_edges_per_second=11000000 -o R: with a CPU that samples 11 "
                         "million edges per second (here 80 million are assumed), it holds"}},
     .measure = measure,
     .judge = judge};
