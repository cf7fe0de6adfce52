/* HyScale-GNN, figure 11: what each optimisation adds. */
#include <math.h>

#include "planner/claims/paper_figure.h"

enum { STEPS = 4, SETS = 3 };
static const struct {
    const char *name, *prefetch;
    double balance; /* policy hyscale: 0 nothing to the CPU, 1 a share found once, 2 step by step */
} step[STEPS] = {{"baseline", "one-stage", 0},
                 {"hybrid, static", "one-stage", 1},
                 {"hybrid, DRM", "one-stage", 2},
                 {"hybrid, DRM, TFP", "two-stage", 2}};
static const struct {
    const char *set, *name;
    double train_share;
    int64_t classes;
} graphs[SETS] = {{"products", "products", 0.08, 47},
                  {"papers100m", "papers100M", 0.011, 172},
                  {"mag240m", "MAG240M", 0.009, 153}};
static const char *const models[] = {"gcn", "sage"};

/* *time: `epoch_time` with one of the steps; the caller frees it. */
static enum st epoch(struct repro *repro, struct repro_setup *u, int k, doc **time, struct err *err)
{
    enum st st;
    doc *rows = NULL;
    struct study_cell cell = {.options_given = true};
    TRY(policy_find("hyscale", &cell.policy, err));
    TRY(budget_parse("0", false, "budget", &cell.budget, err));
    cell.option[0] = step[k].balance;
    u->prefetch = step[k].prefetch;
    TRY(repro_cells(repro, u, &cell, 1, &rows, err));
    *time = doc_copy(doc_get(doc_get(doc_at(rows, 0), "simulated"), "epoch_time"));
done:
    doc_free(rows);
    return st;
}

/* The stages of an iteration before TFP. */
static void add_stages(struct figure_data *data, const char *name, const doc *time)
{
    static const char *const stages[] = {"sample", "load", "transfer", "propagate"};
    struct figure_data_panel *p = data->count > 1
                                      ? &data->panel[1]
                                      : figure_data_panel(data, FIGURE_DATA_BARS,
                                                          "Stages of an iteration with DRM, before TFP", "stage", "ms");
    for (int i = 0; i < 4; i++)
        figure_data_add(data, p, name, figure_data_category(data, p, stages[i]),
                        1e3 * doc_real_value(doc_get(doc_get(time, "stages"), stages[i]), NAN));
}

static enum st measure(struct repro *repro, struct err *err)
{
    enum st st = ST_OK;
    doc *time = NULL;
    struct figure_data_panel *p = figure_data_panel(repro->data, FIGURE_DATA_BARS,
                                                    "HyScale on two EPYC and four U250, by the model", "",
                                                    "speed-up over the baseline");
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < SETS; i++) {
            char name[40];
            double one = NAN;
            snprintf(name, sizeof name, "%s %s", m ? "SAGE" : "GCN", graphs[i].name);
            int at = figure_data_category(repro->data, p, name);
            struct repro_setup u = {.set = graphs[i].set,
                                    .train_share = graphs[i].train_share,
                                    .batch = 1024,
                                    .fanout = {2, {25, 10}},
                                    .presample_epochs = 1,
                                    .servers = "hyscale-4xu250",
                                    .reserve = "0",
                                    .model = models[m],
                                    .classes = graphs[i].classes,
                                    .unoverlapped = "0",
                                    .full_size = true};
            for (int k = 0; k < STEPS; k++) {
                doc_free(time);
                time = NULL;
                TRY(epoch(repro, &u, k, &time, err));
                double seconds = doc_real_value(doc_get(time, "seconds"), NAN);
                one = k ? one : seconds;
                if (k == 2 && m && i < 2) add_stages(repro->data, name, time);
                figure_data_add(repro->data, p, step[k].name, at, one / seconds);
            }
        }
done:
    doc_free(time);
    return st;
}

static void judge(const struct figure_data *data, struct finding *f)
{
    static const char *const stages[] = {"sample", "load", "transfer", "propagate"};
    double most[STEPS] = {0}, gain[STEPS] = {0}, all[STEPS * 2 * SETS];
    bool grows = true;
    int longest = 0;
    int count = 0;
    for (int k = 0; k < STEPS; k++)
        for (int i = 0; i < 2 * SETS; i++) {
            double v = all[count++] = figure_data_at(data, 0, step[k].name, i);
            most[k] = fmax(most[k], v);
            if (!k) continue;
            double before = figure_data_at(data, 0, step[k - 1].name, i);
            gain[k] = fmax(gain[k], v / before);
            grows &= v >= before * (1 - 1e-9);
        }
    double tfp = figure_data_at(data, 0, step[3].name, SETS + 1) / figure_data_at(data, 0, step[2].name, SETS + 1);
    if (finding_known(&f[0], all, count))
        finding_set(&f[0], grows && gain[1] >= 1.02 && gain[2] >= 1.02 && gain[3] >= 1.02,
                    "at most %.2f times as fast with a share for the CPU, %.2f times with DRM, %.2f times with TFP%s",
                    gain[1], gain[2], gain[3], grows ? "" : "; a step is slower than the one before it on some graph");
    if (finding_known(&f[1], all, count))
        finding_set(&f[1],
                    fabs(most[1] / 1.13 - 1) <= 0.15 && fabs(most[2] / 1.33 - 1) <= 0.15 &&
                        fabs(most[3] / 1.79 - 1) <= 0.15,
                    "at most: static %.2f (paper 1.13), DRM %.2f (1.33), TFP %.2f (1.79)", most[1], most[2], most[3]);
    if (!finding_known(&f[2], all, count)) return;
    finding_set(&f[2], tfp <= 1.02, "%.2f times as fast with TFP", tfp);
    for (int i = 1; i < 4; i++)
        if (figure_data_at(data, 1, "SAGE papers100M", i) > figure_data_at(data, 1, "SAGE papers100M", longest))
            longest = i;
    if (f[2].verdict == VERDICT_FAILS)
        finding_because(&f[2], "Before TFP the longest stage here is %s%s.", stages[longest],
                        longest ? ", by the paper's own equations" : ", whose rate the paper does not state");
}

const struct paper_figure paper_figure_hyscale_fig11 =
    {.name = "hyscale-fig11",
     .title = "What each optimisation adds",
     .paper = "HyScale-GNN",
     .place = "figure 11, section VI-F",
     .caption = "Epoch time of the baseline, in which the FPGAs train everything and rows are prefetched in one stage, "
                "over that with hybrid training (a share for the CPU found once), with dynamic resource management "
                "(DRM: algorithm 1), and with two-stage feature prefetching (TFP).",
     .differs = "All times are the paper's performance model (equations 5 to 13) on simulated counts at the published "
                "size, with the longest stage alone (equation 6); the paper measures. Sampling rates are assumed (the "
                "server's file says how).",
     .seconds = 6,
     .claim = {{"Hybrid training, DRM and TFP each make an epoch faster on some graph, and none makes it slower.",
                "no step slower than the one before on any of six graphs and models, and each at least 2 % faster on "
                "one",
                "2 %: less counts as no change, a convention of ours",
                "we apply hybrid CPU-FPGA training with a static task mapping; this leads to up to 1.13\xC3\x97"
                " speedup. The system achieves up to 1.33\xC3\x97"
                " speedup after applying the DRM optimization"},
               {"The largest speed-ups are 1.13, 1.33 and 1.79.",
                "each within 15 %, twice the mean error that the "
                "paper states of its model (5 to 14 %)",
                "15 %: twice the mean error that the paper states of its model, as the test says",
                "With the TFP (Section IV-B) optimization applied, HyScale-GNN achieves up to 1.79\xC3\x97"
                " speedup.",
                .again = "hotset reproduce --only hyscale-fig11 --change "
                         "hyscale-4xu250:tflops=0.4,hyscale-4xu250:cpu_tflops=0.5 -o R: with a third of the "
                         "accelerators' and 7 % of the CPUs' nominal rates it holds (1.08, 1.21, 1.76): the paper's "
                         "equations take nominal rates, its machine did not reach them"},
               {"Where propagation dominates (GraphSAGE on papers100M), TFP gives no speed-up.",
                "at most 2 % faster "
                "with TFP than "
                "without",
                "2 %: less counts as no change, a convention of ours",
                "if the training is dominated by the GNN propagation stage (e.g., GraphSAGE model on the "
                "ogbn-papers100M in Figure 11), then the TFP optimization does not provide speedup",
                .again = "hotset reproduce --only hyscale-fig11 --change "
                         "hyscale-4xu250:tflops=0.3,hyscale-4xu250:cpu_tflops=0.3 -o R: with a quarter of the "
                         "accelerators' and 4 % of the CPUs' nominal rates, propagation dominates, and it holds: "
                         "nominal rates make it too short"}},
     .measure = measure,
     .judge = judge};
