/* HyScale-GNN, figure 9: scaling ends where host memory is saturated. */
#include <math.h>

#include "planner/claims/paper_figure.h"

static const int gpus[] = {1, 2, 4, 8, 12, 16};
static const struct {
    const char *set, *name;
    double train_share;
} graphs[] = {{"products", "ogbn-products", 0.08},
              {"papers100m", "ogbn-papers100M", 0.011},
              {"mag240m", "MAG240M", 0.009}};

static enum st measure(struct repro *repro, struct err *err)
{
    enum st st = ST_OK;
    doc *out = NULL;
    const struct repro_graph *g;
    char server[PATH_BYTES];
    struct figure_data_panel *p = figure_data_panel(repro->data, FIGURE_DATA_LINES,
                                                    "HyScale on accelerators without NVLink", "accelerators",
                                                    "speed-up over one, by the model");
    for (int i = 0; i < 3; i++) {
        double one = NAN;
        for (int k = 0; k < 6; k++) {
            struct study_cell cell = {.policy = NULL};
            struct repro_setup u = {.set = graphs[i].set,
                                    .train_share = graphs[i].train_share,
                                    .batch = 1024,
                                    .fanout = {2, {25, 10}},
                                    .presample_epochs = 1,
                                    .servers = server,
                                    .reserve = "0",
                                    .cpu_share = "0"};
            TRY(repro_wider_server(repro, "hyscale-4xu250", gpus[k], server, err));
            TRY(policy_find("hyscale", &cell.policy, err));
            TRY(budget_parse("0", false, "budget", &cell.budget, err));
            TRY(repro_cells(repro, &u, &cell, 1, &out, err));
            TRY(repro_graph(repro, u.set, u.train_share, &g, err));
            double seconds = repro_epoch_beside_sampling(doc_at(out, 0), g->scale);
            one = k ? one : seconds;
            figure_data_add(repro->data, p, graphs[i].name, gpus[k], one / seconds);
            doc_free(out);
            out = NULL;
        }
    }
done:
    doc_free(out);
    return st;
}

static void judge(const struct figure_data *data, struct finding *f)
{
    double late[3], early[3], whole[3];
    int grows = 0, ends = 0;
    for (int i = 0; i < 3; i++) {
        late[i] = figure_data_at(data, 0, graphs[i].name, 16) / figure_data_at(data, 0, graphs[i].name, 12);
        early[i] = figure_data_at(data, 0, graphs[i].name, 12) / figure_data_at(data, 0, graphs[i].name, 8);
        whole[i] = figure_data_at(data, 0, graphs[i].name, 12);
        grows += early[i] >= 1.2;
        ends += early[i] >= 1.2 && late[i] < 1.2;
    }
    if (finding_known(&f[0], early, 3))
        finding_set(&f[0], grows >= 2 && whole[0] < whole[1] && whole[0] < whole[2],
                    "from 8 to 12 accelerators: products %.2f, papers100M %.2f, MAG240M %.2f times as fast (1.5 would "
                    "be linear); from 1 to 12: %.2f, %.2f, %.2f",
                    early[0], early[1], early[2], whole[0], whole[1], whole[2]);
    else finding_missing(&f[0], "The simulation states no epoch time.");
    if (finding_known(&f[1], late, 3))
        finding_set(&f[1], ends >= 2,
                    "from 12 to 16 accelerators: products %.2f, papers100M %.2f, MAG240M %.2f times as fast (1.33 "
                    "would be linear)",
                    late[0], late[1], late[2]);
    else finding_missing(&f[1], "The simulation states no epoch time.");
}

const struct paper_figure paper_figure_hyscale_fig9 = {.name = "hyscale-fig9",
                                                       .title = "Speed-up with more accelerators",
                                                       .paper = "HyScale-GNN",
                                                       .place = "figure 9, section VI-D",
                                                       .caption = "Epoch time on one accelerator over that on several, "
                                                                  "by the paper's own performance model on simulated "
                                                                  "counts.",
                                                       .differs = "Each accelerator (U250) has a PCIe link of its own; "
                                                                  "host memory is the paper's 205 GB/s; the CPU "
                                                                  "trains no share. Sampling is left out: the paper "
                                                                  "measures it and states no rate.",
                                                       .seconds = 5,
                                                       .claim = {{"The system scales well up to 12 accelerators, least "
                                                                  "well on products.",
                                                                  "12 are at least 1.2 times as "
                                                                  "fast as 8, on two of the "
                                                                  "three data sets, and products "
                                                                  "has the smallest speed-up "
                                                                  "from 1 to 12",
                                                                  "1.2 of the 1.5 that linear scaling gives is 80 % "
                                                                  "efficiency, a convention of ours",
                                                                  "The first set of experiments which runs a GCN model "
                                                                  "on the ogbn-products dataset shows lower "
                                                                  "scalability than other sets of experiments.",
                                                                  .again = "hotset reproduce --only hyscale-fig9 "
                                                                           "--change "
                                                                           "hyscale-4xu250:host_memory_gbps=2000 -o R: "
                                                                           "with ten times the memory bandwidth, "
                                                                           "nothing changes from 1 to 12 accelerators: "
                                                                           "each has a PCIe link of its own, which "
                                                                           "limits all three data sets alike, and "
                                                                           "their speed-ups differ by less than 4 %"},
                                                                 {"CPU memory bandwidth limits scaling; it starts to "
                                                                  "saturate beyond 12 accelerators.",
                                                                  "12 are at least 1.2 times as fast as 8, and 16 less "
                                                                  "than 1.2 times as fast as 12, on two of the three "
                                                                  "data sets",
                                                                  "1.2, as before: the same bound on both sides of "
                                                                  "12",
                                                                  "We observe that the CPU memory starts to saturate "
                                                                  "when more than 12 accelerators are used on the "
                                                                  "heterogeneous platform."}},
                                                       .measure = measure,
                                                       .judge = judge};
