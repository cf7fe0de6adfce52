/* PaGraph, table 5: what a cache of the stated size saves of an epoch's loading. */
#include <math.h>
#include <stdio.h>

#include "planner/claims/paper_figure.h"

static enum st measure(struct repro *repro, struct err *err)
{
    enum st st;
    static const double cached = 0.54;
    static const char *const metric[] = {"degree-out"};
    double covered = NAN;
    struct repro_setup u = {REPRO_PAGRAPH, .set = "enwiki"};
    struct figure_data_panel *p = figure_data_panel(repro->data, FIGURE_DATA_BARS,
                                                    "enwiki, 54 % of the vertices cached", "",
                                                    "loaded data volume (% of nothing cached)");
    TRY(repro_coverage(repro, &u, metric, 1, &cached, 1, &covered, NULL, err));
    int at = figure_data_category(repro->data, p, "enwiki");
    figure_data_add(repro->data, p, "hotset", at, 100 * (1 - covered));
    figure_data_state(repro->data, p, "paper", at, 19);
done:
    return st;
}

static void judge(const struct figure_data *data, struct finding *f)
{
    double left = figure_data_at(data, 0, "hotset", 0);
    if (finding_known(f, &left, 1)) finding_set(f, fabs(100 - left - 81) <= 5, "%.1f %% less", 100 - left);
}

const struct paper_figure paper_figure_pagraph_table5 = {.name = "pagraph-table5",
                                                         .title = "Data loaded per epoch with PaGraph's cache",
                                                         .paper = "PaGraph (SoCC'20)",
                                                         .place = "table 5, section 5.3",
                                                         .caption = "Feature bytes that one GPU loads from the host "
                                                                    "per epoch, with the vertices that are listed most "
                                                                    "often cached.",
                                                         .differs = "enwiki only: lj-link and lj-large have no "
                                                                    "stand-in.",
                                                         .seconds = 1,
                                                         .claim = {{"With 54 % of enwiki cached, 81.0 % less is "
                                                                    "loaded.",
                                                                    "81 % less, within 5 points on either side",
                                                                    "5 points on either side: a convention of ours for "
                                                                    "one stated number",
                                                                    "Overall, we achieve 91.8%, 80.9% and 81.0% "
                                                                    "loading reductions for lj-link, lj-large and "
                                                                    "enwiki datasets, respectively.",
                                                                    .again = "hotset reproduce --only pagraph-table5 "
                                                                             "--change enwiki:a=0.35 -o R: with "
                                                                             "degrees less skewed (R-MAT a = 0.35, "
                                                                             "stand-in 0.57), it holds (83 % less)"}},
                                                         .measure = measure,
                                                         .judge = judge};
