/* Legion, figure 4 (b): what a growing cache of either kind takes away on one GPU. */
#include "planner/claims/paper_figure.h"

enum { POINTS = 11 };
static const double shares[POINTS] = {0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1};

static enum st measure(struct repro *repro, struct err *err)
{
    enum st st = ST_OK;
    struct repro_setup u = {REPRO_LEGION, .set = "papers100m"};
    double reduced[POINTS];
    struct figure_data_panel *p = figure_data_panel(repro->data, FIGURE_DATA_LINES,
                                                    "One GPU, filled in the order of pre-sampling",
                                                    "cache (% of that kind's bytes)",
                                                    "PCIe transactions of that kind saved (%)");
    for (int topology = 0; topology < 2; topology++) {
        TRY(repro_reduction(repro, &u, topology, shares, POINTS, reduced, NULL, err));
        for (int i = 0; i < POINTS; i++)
            figure_data_add(repro->data, p, topology ? "topology cache" : "feature cache", 100 * shares[i],
                            100 * reduced[i]);
    }
done:
    return st;
}

static void judge(const struct figure_data *data, struct finding *f)
{
    double v[] = {figure_data_at(data, 0, "feature cache", 10), figure_data_at(data, 0, "feature cache", 20),
                  figure_data_at(data, 0, "feature cache", 40), figure_data_at(data, 0, "feature cache", 50),
                  figure_data_at(data, 0, "topology cache", 10)};
    double first = v[0] / 10, later = (v[3] - v[2]) / 10;
    if (finding_known(&f[0], v, 4))
        finding_set(&f[0], later < first / 2,
                    "points per percent of the features held: %.2f over the first 10 %%, %.2f between 40 and 50 %%",
                    first, later);
    if (finding_known(&f[1], v + 4, 1))
        finding_set(&f[1], v[4] >= 20, "a tenth of the topology's bytes saves %.1f %% of its transactions", v[4]);
}

const struct paper_figure paper_figure_legion_fig4b = {.name = "legion-fig4b",
                                                       .title = "PCIe transactions saved by a growing cache",
                                                       .paper = "Legion (ATC'23)",
                                                       .place = "figure 4 (b), section 3.2",
                                                       .caption = "Transactions of feature reads and of sampling on "
                                                                  "one GPU, relative to nothing cached. Each cache is "
                                                                  "filled with the rows that pre-sampling found "
                                                                  "hottest.",
                                                       .differs = "The paper's axis is gigabytes of Papers100M; here "
                                                                  "it is the share of that kind's bytes.",
                                                       .seconds = 1,
                                                       .claim = {{"The gain per unit of feature cache drops once the "
                                                                  "cache exceeds a threshold.",
                                                                  "between 40 and 50 % of the features, less than half "
                                                                  "the gain per byte of the first 10 %",
                                                                  "half: a convention of ours for 'drops'",
                                                                  "the performance gain of the per-unit feature cache "
                                                                  "decreases once the cache capacity exceeds a "
                                                                  "threshold"},
                                                                 {"A relatively small topology cache clearly reduces "
                                                                  "the transactions of sampling: accesses to topology "
                                                                  "are skewed, too.",
                                                                  "10 % of the topology's bytes save at least 20 "
                                                                  "% of its transactions",
                                                                  "20 %: twice what reads without skew would save",
                                                                  "a relatively small topology cache can obviously "
                                                                  "reduce the number of PCIe transactions incurred by "
                                                                  "GPU sampling"}},
                                                       .measure = measure,
                                                       .judge = judge};
