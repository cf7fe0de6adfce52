/* GNNLab's artifact, table 4: epochs on eight GPUs by system. */
#include <math.h>
#include <stdio.h>

#include "planner/claims/gnnlab_epochs.h"
#include "planner/claims/paper_figure.h"

static const struct {
    int samplers; /* published */
    double seconds[GNNLAB_SYSTEMS];
} paper[GNNLAB_CELLS] = {{3, {1.23, 0.23, 0.33}},
                         {2, {4.14, 2.68, 0.81}},
                         {4, {0.71, 0.11, 0.13}},
                         {2, {2.34, 1.00, 0.28}}};

static enum st measure(struct repro *repro, struct err *err)
{
    enum st st = ST_OK;
    struct gnnlab_epoch e[GNNLAB_SYSTEMS];
    char name[32];
    struct figure_data_panel *p = figure_data_panel(repro->data, FIGURE_DATA_BARS, "Epochs on eight V100, by the model",
                                                    "", "times GNNLab's epoch");
    for (int c = 0; c < GNNLAB_CELLS; c++) {
        struct gnnlab_setup on = {{"dgx-v100", "dgx-v100", "dgx-v100"}, "degree-out", paper[c].samplers};
        TRY(gnnlab_epochs(repro, &gnnlab_cells[c], &on, e, err));
        int at = figure_data_category(repro->data, p, gnnlab_cells[c].name);
        for (int i = 0; i < GNNLAB_OWN; i++)
            figure_data_add(repro->data, p, gnnlab_system_name[i], at, e[i].seconds / e[GNNLAB_OWN].seconds);
    }
    for (int i = 0; i < GNNLAB_OWN; i++) {
        snprintf(name, sizeof name, "paper, %s", gnnlab_system_name[i]);
        for (int c = 0; c < GNNLAB_CELLS; c++)
            figure_data_state(repro->data, p, name, c, paper[c].seconds[i] / paper[c].seconds[GNNLAB_OWN]);
    }
done:
    return st;
}

static void judge(const struct figure_data *data, struct finding *f)
{
    double v[GNNLAB_OWN][GNNLAB_CELLS];
    bool order = true, near[GNNLAB_OWN] = {true, true};
    for (int i = 0; i < GNNLAB_OWN; i++)
        for (int c = 0; c < GNNLAB_CELLS; c++) {
            double published = paper[c].seconds[i] / paper[c].seconds[GNNLAB_OWN];
            v[i][c] = figure_data_at(data, 0, gnnlab_system_name[i], c);
            order &= published > 1 ? v[i][c] > 1 : v[i][c] < 1;
            near[i] &= fabs(v[i][c] / published - 1) <= 0.2;
        }
    if (!finding_known(&f[0], v[0], GNNLAB_OWN * GNNLAB_CELLS)) {
        finding_known(&f[1], v[0], GNNLAB_OWN * GNNLAB_CELLS);
        finding_known(&f[2], v[0], GNNLAB_OWN * GNNLAB_CELLS);
        return;
    }
    finding_set(&f[0], order, "T_SOTA takes %.2f, %.2f (PR) and %.2f, %.2f (PA) times as long, DGL at least %.2f times",
                v[GNNLAB_T_SOTA][0], v[GNNLAB_T_SOTA][2], v[GNNLAB_T_SOTA][1], v[GNNLAB_T_SOTA][3],
                fmin(fmin(v[0][0], v[0][1]), fmin(v[0][2], v[0][3])));
    for (int i = 0; i < GNNLAB_OWN; i++) {
        finding_set(&f[1 + i], near[i], "GCN: PR %.2f, PA %.2f; GraphSAGE: PR %.2f, PA %.2f", v[i][0], v[i][1], v[i][2],
                    v[i][3]);
        if (!near[i])
            finding_because(&f[1 + i], "The model gathers rows as fast as the host's memory can be read (HyScale-GNN, "
                                       "equation 7); these systems do not.");
    }
}

const struct paper_figure paper_figure_gnnlab_table4 =
    {.name = "gnnlab-table4",
     .title = "Epochs on eight GPUs by system",
     .paper = "GNNLab (EuroSys'22)",
     .place = "table 4, published artifact",
     .caption = "Epoch time over GNNLab's, whose stages overlap; those of DGL and T_SOTA follow each other. T_SOTA "
                "caches the same vertices of the highest degree on every GPU. PR: Products, where all features fit, "
                "PA: Papers100M.",
     .differs = "Times are the model's, on simulated counts at the published size. A mini-batch of PA's stand-in reads "
                "2.5 times the bytes that are published (GCN: 291 MB). GNNLab's samplers and the caches' shares are "
                "the "
                "published ones. Twitter and UK-2006 have no stand-in, PyG samples in its own way on the CPU, and "
                "PinSAGE's random walks have no time model.",
     .seconds = 2,
     .claim = {{"GNNLab is faster than DGL on each graph; than T_SOTA where not all features fit (PA), and slower "
                "where "
                "they do (PR).",
                "each of eight ratios on the published side of 1", "strictly, as published"},
               {"An epoch of DGL takes 3.7 and 5.1 (GCN on PR and PA), 5.5 and 8.4 (GraphSAGE) times as long.",
                "each within 20 %",
                "20 %: two epochs, of each the largest error of the time model over GNNLab's published pipelined "
                "epochs (9.5 %)",
                .again = "hotset reproduce --only gnnlab-table4 --change dgx-v100:host_memory_gbps=18.4 -o R: it holds "
                         "(3.9, 4.8, 5.6, 9.2 times) with rows gathered at 18.4 GB/s; gathering and copying then reach "
                         "the 7.6 GB/s that GNNLab's published copy times give"},
               {"An epoch of T_SOTA takes 0.70 and 3.3 (GCN), 0.85 and 3.6 (GraphSAGE) times as long.",
                "each within 20 %", "20 %: as above",
                .again = "hotset reproduce --only gnnlab-table4 --change "
                         "papers100m:edges=0.4,dgx-v100:host_memory_gbps=18.4 -o R: three of four are near (0.70, 3.7, "
                         "3.7) with mini-batches as large as published and rows gathered at 18.4 GB/s; the fourth is "
                         "0.60, because T_SOTA's published epoch (0.11 s) is twice an eighth of its stages on one GPU "
                         "(table 5)"}},
     .measure = measure,
     .judge = judge};
