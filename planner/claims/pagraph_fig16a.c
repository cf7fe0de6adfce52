/* PaGraph, figure 16 (a): hit rate with and without partitions. */
#include <math.h>
#include <stdio.h>

#include "planner/exhibit.h"

static const char *const servers[] = {"pagraph-4x1080ti:1", "pagraph-4x1080ti:2", "pagraph-4x1080ti"};

static enum st measure(struct lab *l, struct err *err)
{
    enum st st;
    doc *rows = NULL;
    struct lab_setup u = {LAB_PAGRAPH, .set = "enwiki", .policies = "pagraph", .budgets = "20%V", .servers = "pagraph-4x1080ti:1,pagraph-4x1080ti:2,pagraph-4x1080ti"};
    struct evidence_panel *p = evidence_panel(l->evidence, EVIDENCE_LINES, "enwiki, 20 % of the vertices cached per GPU", "GPUs", "feature hit rate (% of rows)");
    for (int global = 0; global < 2; global++) {
        if (global) { /* DGL+Cache: the same ranking and cache on every GPU, training vertices dealt at random */
            u.policies = "quiver";
            u.hotness = "degree-out";
        }
        TRY(lab_compare(l, &u, &rows, err));
        for (int k = 0; k < 3; k++)
            evidence_add(l->evidence, p, global ? "DGL+Cache" : "PaGraph", 1 << k, 100 * lab_value(lab_row(rows, servers[k], u.policies, NULL), "feature_hit_rate"));
        doc_free(rows);
        rows = NULL;
    }
done:
    doc_free(rows);
    return st;
}

static void judge(const struct evidence *e, struct finding *f)
{
    char text[EVIDENCE_TEXT];
    const struct evidence_series *with = evidence_find(e, 0, "PaGraph"), *without = evidence_find(e, 0, "DGL+Cache");
    double known[] = {evidence_mean(with), evidence_mean(without)};
    if (finding_known(&f[0], known, 1)) finding_set(&f[0], evidence_rises(with, 0.005), "1, 2, 4 GPUs: %s %%", evidence_list(with, 2, text));
    if (finding_known(&f[1], known + 1, 1)) finding_set(&f[1], evidence_falls(without, 0.005), "1, 2, 4 GPUs: %s %%", evidence_list(without, 2, text));
}

const struct exhibit exhibit_pagraph_fig16a = {
    .name = "pagraph-fig16a", .title = "Hit rate with and without partitions", .paper = "PaGraph (SoCC'20)", .place = "figure 16 (a), section 5.6",
    .caption = "Share of feature rows read that the GPU's own cache holds. DGL+Cache: the same ranking, the whole graph on every GPU.",
    .differs = "The paper does not state the cache's size for this figure: 20 % of the vertices per GPU. Mini-batches of each GPU keep their size as GPUs are added.",
    .seconds = 7,
    .claim = {{"With partitions the hit rate keeps rising with more GPUs.", "higher by at least 0.5 % of its value at each doubling"},
              {"Without partitions (DGL+Cache) it decreases.", "lower by at least 0.5 % of its value at each doubling"}},
    .measure = measure, .judge = judge};
