/* PaGraph, figure 9: training on one GPU against DGL. */
#include <math.h>
#include <stdio.h>

#include "planner/claims/pagraph_epochs.h"
#include "planner/claims/paper_figure.h"

enum { SETS = 3, MODELS = 2, REDDIT = 0, LIVEJOURNAL = 1 };
static const struct {
    const char *set, *cached; /* the budgets of figure 10 */
} graphs[SETS] = {{"reddit", "100%V"}, {"livejournal", "81%V"}, {"enwiki", "54%V"}};
static const struct {
    const char *model, *name;
    double paper[SETS]; /* speed-ups that the text states; NaN: it gives the range alone */
    double least, most; /* of its six graphs */
} models[MODELS] = {{"gcn", "GCN", {3.7, NAN, NAN}, 1.7, 3.7}, {"sage", "GraphSAGE", {4.8, NAN, 2.1}, 2.1, 4.8}};

/* Share of DGL's epoch that is loading. */
static double loading(const double *stage)
{
    double load = stage[STAGE_LOAD] + stage[STAGE_TRANSFER];
    return load / (load + stage[STAGE_PROPAGATE]);
}

static enum st measure(struct repro *repro, struct err *err)
{
    enum st st = ST_OK;
    struct pagraph_epoch e[PAGRAPH_SYSTEMS];
    char name[32];
    struct figure_data_panel *p = figure_data_panel(repro->data, FIGURE_DATA_BARS, "PaGraph on one GPU, by the model",
                                                    "graph", "speed (DGL = 1)");
    struct figure_data_panel *t = figure_data_panel(repro->data, FIGURE_DATA_BARS, "DGL on one GPU, by the model",
                                                    "graph", "data loading (% of the epoch)");
    for (int i = 0; i < SETS; i++) {
        int at = figure_data_category(repro->data, p, graphs[i].set);
        figure_data_category(repro->data, t, graphs[i].set);
        for (int m = 0; m < MODELS; m++) {
            TRY(pagraph_epochs(repro, graphs[i].set, "pagraph-4x1080ti:1", models[m].model, graphs[i].cached, e, err));
            figure_data_add(repro->data, p, models[m].name, at, e[SYSTEM_DGL].seconds / e[SYSTEM_PAGRAPH].seconds);
            figure_data_add(repro->data, t, models[m].name, at, 100 * loading(e[SYSTEM_DGL].stage));
        }
    }
    for (int m = 0; m < MODELS; m++) {
        snprintf(name, sizeof name, "paper, %s", models[m].name);
        for (int i = 0; i < SETS; i++)
            if (!isnan(models[m].paper[i])) figure_data_state(repro->data, p, name, i, models[m].paper[i]);
    }
    figure_data_state(repro->data, t, "paper, GCN", LIVEJOURNAL, 74);
done:
    return st;
}

/* Whether a model's speed-ups are those of the paper, each within 20 %. */
static bool near(int m, const double *v)
{
    bool good = true;
    for (int i = 0; i < SETS; i++)
        good &= isnan(models[m].paper[i]) ? v[i] >= 0.8 * models[m].least && v[i] <= 1.2 * models[m].most
                                          : fabs(v[i] / models[m].paper[i] - 1) <= 0.2;
    return good;
}

static void judge(const struct figure_data *data, struct finding *f)
{
    double v[MODELS][SETS], load = figure_data_at(data, 1, "GCN", LIVEJOURNAL);
    bool most = true;
    for (int m = 0; m < MODELS; m++) {
        for (int i = 0; i < SETS; i++) {
            v[m][i] = figure_data_at(data, 0, models[m].name, i);
            most &= i == REDDIT || v[m][i] < v[m][REDDIT];
        }
        if (!finding_known(&f[m], v[m], SETS)) continue;
        finding_set(&f[m], near(m, v[m]), "reddit %.1f, livejournal %.1f, enwiki %.1f times as fast", v[m][0], v[m][1],
                    v[m][2]);
        if (f[m].verdict == VERDICT_FAILS && !isnan(load))
            finding_because(&f[m],
                            "Loading takes %.0f %% of DGL's epoch of GCN on livejournal here; section 2.3 states 74 "
                            "%%. "
                            "What is not loading cannot be saved.",
                            load);
    }
    if (finding_known(&f[2], v[0], SETS * MODELS))
        finding_set(&f[2], most, "GCN: reddit %.1f, others %.1f, %.1f; GraphSAGE: reddit %.1f, others %.1f, %.1f times",
                    v[0][0], v[0][1], v[0][2], v[1][0], v[1][1], v[1][2]);
}

const struct paper_figure paper_figure_pagraph_fig9 =
    {.name = "pagraph-fig9",
     .title = "Training on one GPU",
     .paper = "PaGraph (SoCC'20)",
     .place = "figure 9, section 5.2",
     .caption = "Epochs per second over DGL's, which caches nothing, and what share of DGL's epoch is loading. Both "
                "sample and gather rows on the CPU. Sampling runs beside loading, and loading precedes training "
                "(section 2.3).",
     .differs = "Times are the model's, on simulated counts at the published size. Three of the paper's six graphs, "
                "with the caches of pagraph-fig10; lj-large, with the smallest speed-up of GCN, has no stand-in. "
                "Training with preprocessing (PP) is left out: the time model has no model without a first layer.",
     .seconds = 2,
     .claim = {{"GCN trains 1.7 (lj-large) to 3.7 (reddit) times as fast as with DGL.",
                "3.7 times on reddit, within 20 %; on livejournal and enwiki 1.7 to 3.7 times, 20 % beyond allowed",
                "20 %: two epochs, of each the largest error of the time model over GNNLab's published pipelined "
                "epochs "
                "(9.5 %)",
                "PaGraph achieves training performance speedups from 1.7\xC3\x97 (lj-large) to 3.7\xC3\x97 (reddit) "
                "for GCN",
                .again = "hotset reproduce --only pagraph-fig9 --change pagraph-4x1080ti:training_efficiency=0.073 "
                         "-o R: it holds (3.8, 3.8, 3.1 times) with training as slow as section 2.3 says; the shipped "
                         "0.175 of the peaks was fitted to GNNLab on a V100"},
               {"GraphSAGE trains 2.1 (enwiki) to 4.8 (reddit) times as fast.",
                "4.8 times on reddit and 2.1 times on enwiki, within 20 %; on livejournal 2.1 to 4.8 times, 20 % "
                "beyond "
                "allowed",
                "20 %: as above", "from 2.1\xC3\x97 (enwiki) to 4.8\xC3\x97 (reddit) for GraphSAGE, compared to DGL",
                .again = "hotset reproduce --only pagraph-fig9 --change "
                         "pagraph-4x1080ti:training_efficiency=0.075,enwiki:a=0.3 -o R: it holds (3.9, 3.9, 2.4 times) "
                         "with training so slow and enwiki's degrees less skewed (R-MAT a = 0.3, stand-in 0.57): the "
                         "stand-in's cache leaves 10 % to load, the paper's 19 % (table 5)"},
               {"Both models gain most on reddit.",
                "a higher speed-up on reddit than on each other graph, for both models",
                "strictly, as the paper names reddit's as the largest",
                "PaGraph achieves training performance speedups from 1.7\xC3\x97 (lj-large) to 3.7\xC3\x97 (reddit) "
                "for GCN and from 2.1\xC3\x97 (enwiki) to 4.8\xC3\x97 (reddit) for GraphSAGE"}},
     .measure = measure,
     .judge = judge};
