/* hit_rates.c - hit rates of features and of topology against the budget. */
#include <math.h>
#include "reports/plots/chart.h"
#include "reports/plots/plots.h"

enum st plot_hit_rates(struct figures *figures, const struct grid *grid, struct err *err)
{
    const struct chart_panel panels[] = {{.heading = "Features",
                                          .axis = "hit rate (share of feature rows)",
                                          .column = "feature hit rate [% of feature rows]",
                                          .value = row_feature_hit,
                                          .scale = CHART_RATE,
                                          .reference = NAN},
                                         {.heading = "Topology",
                                          .axis = "hit rate (share of topology visits)",
                                          .column = "topology hit rate [% of topology visits]",
                                          .value = row_topology_hit,
                                          .scale = CHART_RATE,
                                          .reference = NAN}};
    return chart_draw(figures, grid, "hit-rates", "Hit rates",
                      "Higher is better. A hit is read from the GPU's own memory or from a peer over NVLink; a miss is "
                      "read from the host. Features: share of the feature rows that mini-batches gather. Topology: "
                      "share of the visits while sampling. A policy can trade one for the other, so the transactions "
                      "decide which policy is better.",
                      panels, 2, err);
}
