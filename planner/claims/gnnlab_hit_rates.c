/* GNNLab's artifact: hit rates of a 10 % cache by ranking. */
#include <math.h>
#include <stdio.h>

#include "planner/claims/paper_figure.h"

static const char *const metrics[] = {"degree-out", "presample", "optimal"}, *const names[] = {"degree", "pre-sampling",
                                                                                               "optimal"};
static const struct {
    const char *set, *name;
    double train_share, paper[3];
} graphs[] = {{"papers100m", "Papers100M", 0.011, {49.6, 98.3, 100}},
              {"uk-union", "UK", 0.013, {28.0, 61.3, 65.2}},
              {"products", "Products", 0.08, {19.1, 20.4, 20.7}}};

static enum st measure(struct repro *repro, struct err *err)
{
    enum st st = ST_OK;
    static const double share = 0.1;
    double covered[3];
    char name[FIGURE_DATA_TEXT];
    struct figure_data_panel *p = figure_data_panel(repro->data, FIGURE_DATA_BARS,
                                                    "10 % of the vertices cached on one GPU", "graph",
                                                    "feature hit rate (% of rows)");
    for (int i = 0; i < 3; i++) {
        struct repro_setup u = {.set = graphs[i].set,
                                .train_share = graphs[i].train_share,
                                .batch = 8000,
                                .fanout = {3, {15, 10, 5}},
                                .frontier = FRONTIER_ALL,
                                .presample_epochs = 1};
        TRY(repro_coverage(repro, &u, metrics, 3, &share, 1, covered, NULL, err));
        int at = figure_data_category(repro->data, p, graphs[i].name);
        for (int m = 0; m < 3; m++) figure_data_add(repro->data, p, names[m], at, 100 * covered[m]);
        for (int m = 0; m < 3; m++) {
            snprintf(name, sizeof name, "paper, %s", names[m]);
            figure_data_state(repro->data, p, name, at, graphs[i].paper[m]);
        }
    }
done:
    return st;
}

static void judge(const struct figure_data *data, struct finding *f)
{
    double v[3][3], least = 1, off = 0;
    bool above = true;
    int far = 0, by = 0;
    for (int i = 0; i < 3; i++) {
        for (int m = 0; m < 3; m++) v[i][m] = figure_data_at(data, 0, names[m], i);
        above &= v[i][1] > v[i][0];
        least = fmin(least, v[i][1] / v[i][2]);
        for (int m = 0; m < 3; m++) {
            if (!(fabs(v[i][m] - graphs[i].paper[m]) > off)) continue;
            off = fabs(v[i][m] - graphs[i].paper[m]);
            far = i;
            by = m;
        }
    }
    if (finding_known(&f[0], v[0], 9))
        finding_set(&f[0], above, "pre-sampling/degree: Papers100M %.1f/%.1f, UK %.1f/%.1f, Products %.1f/%.1f %%",
                    v[0][1], v[0][0], v[1][1], v[1][0], v[2][1], v[2][0]);
    if (finding_known(&f[1], v[0], 9))
        finding_set(&f[1], least >= 0.9, "at least %.1f %% of the optimal hit rate", 100 * least);
    if (finding_known(&f[2], v[0], 9)) {
        finding_set(&f[2], off <= 10, "up to %.1f percentage points away: %s by %s %.1f %%, published %.1f %%", off,
                    graphs[far].name, names[by], v[far][by], graphs[far].paper[by]);
        if (off > 10)
            finding_because(&f[2],
                            "The optimal ranking reaches %.1f, %.1f and %.1f %% here, published are %.1f, %.1f and "
                            "%.1f %%: reads are spread %s over the stand-in of %s.",
                            v[0][2], v[1][2], v[2][2], graphs[0].paper[2], graphs[1].paper[2], graphs[2].paper[2],
                            v[far][by] < graphs[far].paper[by] ? "more widely" : "less widely", graphs[far].name);
    }
}

const struct paper_figure paper_figure_gnnlab_hit_rates =
    {.name = "gnnlab-hit-rates",
     .title = "Hit rates of a 10 % cache by ranking",
     .paper = "GNNLab (EuroSys'22)",
     .place = "published artifact",
     .caption = "Share of feature rows read that are among the 10 % ranked first. Optimal ranks by the held-out "
                "epochs' own counts; pre-sampling saw one other epoch.",
     .differs = "UK-Union's stand-in takes the place of UK-2006; Twitter has none. The stand-ins of Papers100M and "
                "Products were set by these published hit rates, so the third claim tests UK alone. Training vertices "
                "have the published share. Three hops of 15, 10, 5, mini-batches of 8000.",
     .seconds = 2,
     .claim = {{"Pre-sampling has a higher hit rate than degree.", "higher on each graph",
                "strictly, as published on each graph",
                .again = "hotset reproduce --only gnnlab-hit-rates --change products:span=0.3 -o R: it holds where "
                         "training vertices are a part of the graph, as the best-selling products are; where they are "
                         "random, reads follow the degree"},
               {"Pre-sampling is close to the optimum (94 to 99 % of it).",
                "at least 90 % of the optimal hit rate on "
                "each graph",
                "90 %: the published 94 % less 4 points, a convention of ours"},
               {"Papers100M 49.6/98.3/100, UK 28.0/61.3/65.2, Products 19.1/20.4/20.7 % (degree/pre-sampling/optimal).",
                "each within 10 percentage points",
                "10 points: a convention of ours for numbers of the published graphs",
                .again = "hotset reproduce --only gnnlab-hit-rates --change uk-union:span=0.3 -o R: with training "
                         "vertices from 30 % of the ids, UK's rates are near (64.6, optimal 65.7 %); the degree's rate "
                         "of Papers100M then is farthest (11 points)"}},
     .measure = measure,
     .judge = judge};
