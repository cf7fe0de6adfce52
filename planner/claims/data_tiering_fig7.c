/* Data Tiering, figure 7: how well scores predict which vertices are read. */
#include <math.h>
#include <stdio.h>

#include "planner/claims/paper_figure.h"

static const char *const metrics[] = {"degree-out", "rpagerank", "wrpagerank"};
static const char *const names[] = {"degree", "reverse PageRank", "weighted reverse PageRank"};
enum { POINTS = 11 };
static const double shares[POINTS] = {0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 0.75, 1};

static enum st measure(struct repro *repro, struct err *err)
{
    enum st st = ST_OK;
    const struct {
        const char *title;
        struct repro_setup u;
    } graphs[] = {{"papers100M, fan-outs 12,12,12",
                   {.set = "papers100m", .train_share = 0.011, .batch = 1024, .fanout = {3, {12, 12, 12}}}},
                  {"MAG240M, fan-outs 25,15",
                   {.set = "mag240m", .train_share = 0.009, .batch = 1024, .fanout = {2, {25, 15}}}}};
    double covered[3 * POINTS];
    for (int g = 0; g < 2; g++) {
        struct figure_data_panel *p = figure_data_panel(repro->data, FIGURE_DATA_LINES, graphs[g].title,
                                                        "vertices, highest score first (%)",
                                                        "share of feature reads (%)");
        TRY(repro_coverage(repro, &graphs[g].u, metrics, 3, shares, POINTS, covered, NULL, err));
        for (int m = 0; m < 3; m++)
            for (int k = 0; k < POINTS; k++)
                figure_data_add(repro->data, p, names[m], 100 * shares[k], 100 * covered[m * POINTS + k]);
    }
done:
    return st;
}

static void judge(const struct figure_data *data, struct finding *f)
{
    double at[2][3], wide[2][3], least = 100, least_wide = 100;
    for (int g = 0; g < 2; g++)
        for (int m = 0; m < 3; m++) {
            at[g][m] = figure_data_at(data, g, names[m], 10);
            wide[g][m] = figure_data_at(data, g, names[m], 25);
            least = fmin(least, at[g][m]);
            least_wide = fmin(least_wide, wide[g][m]);
        }
    if (finding_known(&f[0], at[0], 6)) finding_set(&f[0], least >= 35, "at least %.1f %%", least);
    if (finding_known(&f[1], wide[0], 6)) finding_set(&f[1], least_wide >= 56, "at least %.1f %%", least_wide);
    if (finding_known(&f[2], at[0], 6))
        finding_set(&f[2], at[0][2] > at[0][1] && at[0][1] > at[0][0] && at[1][2] > at[1][1] && at[1][1] > at[1][0],
                    "top 10 %%, weighted/plain/degree: papers100M %.1f/%.1f/%.1f %%, MAG240M %.1f/%.1f/%.1f %%",
                    at[0][2], at[0][1], at[0][0], at[1][2], at[1][1], at[1][0]);
}

const struct paper_figure paper_figure_data_tiering_fig7 =
    {.name = "data-tiering-fig7",
     .title = "Feature reads of the vertices ranked first by structural scores",
     .paper = "Data Tiering (KDD'22)",
     .place = "figure 7, section 5.2",
     .caption = "Cumulative share of feature rows read on one GPU that belong to the vertices with the highest scores.",
     .differs = "Training vertices are 1.1 % (papers100M) and 0.9 % (MAG240M) of the vertices, in 6 % of the ids, "
                "which are few fields; in the paper they are papers of one kind. Stand-ins are citation graphs, set by "
                "published hit rates of papers100M. WikiKG90M has no stand-in. The paper does not state the "
                "mini-batch: 1024.",
     .seconds = 1,
     .claim = {{"The top 10 % of the vertices get at least 35 % of the reads, whatever the score and graph.",
                "at least 35 % for each score and graph",
                "the paper's own smallest value; a threshold below it would test nothing",
                "when we keep top 10% of nodes, we can expect at least 35% of hit during the training regardless of "
                "the dataset"},
               {"The top 25 % get at least 56 %.", "at least 56 % for each score and graph",
                "the paper's own smallest value",
                "If we increase the ratio to 25%, the minimum hit ratio further increases to 56%."},
               {"Weighted reverse PageRank predicts best.",
                "at 10 %: weighted above plain reverse PageRank above "
                "degree, on each graph",
                "strictly above, as the paper orders the three scores; no tolerance",
                "we find the weighted reverse pagerank is more preferable in general because it consistently gives the "
                "best prediction result"}},
     .measure = measure,
     .judge = judge};
