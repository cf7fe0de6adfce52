/* Data Tiering, figure 8: training time on one GPU, by how the feature rows come to it. */
#include <math.h>

#include "planner/claims/paper_figure.h"

enum { SETS = 2, WAYS = 3 };
/* Bytes per second at which DGL's CPU gathers rows at random places and copies them: GNNLab, table 5, papers100M, GCN:
 * 12.73 s of extracting for 151 mini-batches of 290.9 MB (its figure 4b) on two Xeon 8163 and one V100. */
#define GATHER (151 * 290.9e6 / 12.73)

static const struct {
    const char *set, *name, *loaded;
    double train_share;
    uint64_t element_bytes;
    struct int_list fanout;
    int64_t classes;
} graphs[SETS] = {{.set = "papers100m",
                   .name = "papers100M",
                   .loaded = "10%V",
                   .train_share = 0.011,
                   .element_bytes = 4,
                   .fanout = {3, {12, 12, 12}},
                   .classes = 172},
                  {.set = "mag240m",
                   .name = "MAG240M",
                   .loaded = "5%V",
                   .train_share = 0.009,
                   .element_bytes = 2,
                   .fanout = {2, {25, 15}},
                   .classes = 153}};
static const char *const ways[WAYS] = {"CPU gathers", "zero copy", "data tiering"};

/* Seconds of an epoch in one stage, at the published size. */
static double stage(const doc *row, const char *name)
{
    const doc *time = doc_get(doc_get(row, "simulated"), "epoch_time");
    return doc_real_value(doc_get(doc_get(time, "stages"), name), NAN) *
           doc_real_value(doc_get(time, "iterations"), NAN);
}

/* Seconds in which all rows of an epoch are gathered and copied, at the published size. */
static double gathering(const doc *row, double scale)
{
    const doc *total = doc_get(doc_get(doc_get(doc_get(row, "simulated"), "movement"), "pcie"), "total");
    return doc_real_value(doc_get(doc_get(total, "feature"), "useful_bytes"), NAN) / scale / GATHER;
}

static enum st one_graph(struct repro *repro, int i, struct figure_data_panel *const p[2], struct err *err)
{
    enum st st;
    doc *out = NULL;
    const struct repro_graph *g;
    struct study_cell cells[2] = {{.policy = NULL}};
    struct repro_setup u = {.set = graphs[i].set,
                            .train_share = graphs[i].train_share,
                            .batch = 1024,
                            .fanout = graphs[i].fanout,
                            .presample_epochs = 1,
                            .servers = "data-tiering-4xv100:1",
                            .classes = graphs[i].classes,
                            .element_bytes = graphs[i].element_bytes,
                            .full_size = true};
    TRY(repro_graph(repro, u.set, u.train_share, &g, err));
    for (int k = 0; k < 2; k++) {
        TRY(policy_find("data-tiering", &cells[k].policy, err));
        TRY(budget_parse(k ? graphs[i].loaded : "0%V", false, "budget", &cells[k].budget, err));
    }
    TRY(repro_cells(repro, &u, cells, 2, &out, err));
    const doc *none = doc_at(out, 0), *hot = doc_at(out, 1);
    double rows[WAYS] = {gathering(none, g->scale), stage(none, "transfer"), stage(hot, "transfer")};
    for (int k = 0; k < WAYS; k++) {
        double train = stage(k < 2 ? none : hot, "propagate");
        int at = figure_data_category(repro->data, p[0], graphs[i].name);
        figure_data_category(repro->data, p[1], graphs[i].name);
        figure_data_add(repro->data, p[0], ways[k], at, rows[k] + train);
        figure_data_add(repro->data, p[1], ways[k], at, 100 * train / (rows[k] + train));
    }
done:
    doc_free(out);
    return st;
}

static enum st measure(struct repro *repro, struct err *err)
{
    enum st st = ST_OK;
    struct figure_data_panel *const p[] = {figure_data_panel(repro->data, FIGURE_DATA_BARS, "One GPU", "graph",
                                                             "training time (s per epoch, model)"),
                                           figure_data_panel(repro->data, FIGURE_DATA_BARS, "Of it, training itself",
                                                             "graph", "busy GPU (% of the time)")};
    for (int i = 0; i < SETS; i++) TRY(one_graph(repro, i, p, err));
    figure_data_state(repro->data, p[0], "paper, data tiering", 1, 23.5);
done:
    return st;
}

static bool within(const double v[SETS], double low, double high)
{
    return v[0] >= low && v[0] <= high && v[1] >= low && v[1] <= high;
}

static void judge(const struct figure_data *data, struct finding *f)
{
    double zero[SETS], tiered[SETS], busy[SETS], seconds = figure_data_at(data, 0, ways[2], 1);
    for (int i = 0; i < SETS; i++) {
        double at[WAYS];
        for (int k = 0; k < WAYS; k++) at[k] = figure_data_at(data, 0, ways[k], i);
        zero[i] = at[0] / at[1];
        tiered[i] = at[1] / at[2];
        busy[i] = figure_data_at(data, 1, ways[0], i);
    }
    if (finding_known(&f[0], zero, SETS))
        finding_set(&f[0], within(zero, 2.5, 4.6), "papers100M %.2f, MAG240M %.2f times as fast", zero[0], zero[1]);
    if (finding_known(&f[1], tiered, SETS))
        finding_set(&f[1], within(tiered, 1.6, 2.1), "papers100M %.2f, MAG240M %.2f times as fast", tiered[0],
                    tiered[1]);
    if (finding_known(&f[2], busy, SETS))
        finding_set(&f[2], within(busy, 5, 35), "papers100M %.1f, MAG240M %.1f %% of the time", busy[0], busy[1]);
    if (finding_known(&f[3], &seconds, 1)) finding_set(&f[3], fabs(seconds / 23.5 - 1) <= 0.15, "%.1f s", seconds);
}

const struct paper_figure paper_figure_data_tiering_fig8 =
    {.name = "data-tiering-fig8",
     .title = "Training time on one GPU: the CPU gathers, zero copy, data tiering",
     .paper = "Data Tiering (KDD'22)",
     .place = "figure 8, section 5.3",
     .caption = "Seconds of an epoch in which feature rows are fetched and the GPU trains, one after the other; the "
                "CPU "
                "samples meanwhile. Data tiering loads the hottest 10 % (papers100M) or 5 % (MAG240M) of the rows.",
     .differs = "All times are modelled, at the published size. The CPU gathers and copies at 3.45 GB/s: DGL's rate in "
                "GNNLab's table 5, on another server with V100. WikiKG90M has no stand-in; MAG240M's is its papers and "
                "citations, rows of half floats. The paper does not state mini-batch and hidden channels: 1024, 256.",
     .seconds = 1,
     .claim = {{"Zero copy is 2.5 to 4.6 times as fast as gathering by the CPU.", "within that range on both graphs",
                "the paper's own range, which is that of three graphs",
                "By adopting the zero-copy access method, the training performance is visibly improved (2.5-4.6)",
                .again = "hotset reproduce --only data-tiering-fig8 --change "
                         "data-tiering-4xv100:training_efficiency=0.35 -o R: with GPUs that train twice as fast, it "
                         "holds; how fast they train depends on the hidden channels, which the paper does not state"},
               {"Data tiering is 1.6 to 2.1 times as fast as zero copy alone.", "within that range on both graphs",
                "the paper's own range, which is that of three graphs",
                "with our method, the training performance is further improved by 1.6-2.1 on top of the zero-copy only "
                "method",
                .again = "hotset reproduce --only data-tiering-fig8 --change "
                         "data-tiering-4xv100:training_efficiency=0.35 -o R: with GPUs that train twice as fast, it "
                         "holds; how fast they train depends on the hidden channels, which the paper does not state"},
               {"Where the CPU gathers, the GPU is busy for 10 to 30 % of the time.",
                "10 to 30 % on both graphs, within 5 points", "5 points, because the paper says about",
                "we find that the GPU is only about 10-30% utilized and mostly idling"},
               {"With data tiering an epoch of MAG240M takes 23.5 s.", "within 15 %",
                "15 %: twice the mean error that HyScale-GNN states for the model used here",
                "the single GPU training of MAG240M in Figure 8 can reach 23.5 seconds already",
                .again = "hotset reproduce --only data-tiering-fig8 --change mag240m:edges=1.34 -o R: with a third "
                         "more arcs it is nearer (19.1 s): the whole MAG240M has 14.3 arcs per vertex, its papers "
                         "alone 10.7"}},
     .measure = measure,
     .judge = judge};
