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
                      "Higher is better. A hit is served from the reader's own memory or from a peer over NVLink; a "
                      "miss goes to the host. Features: share of the feature rows that mini-batches gather. Topology: "
                      "share of the visits while sampling. Policies trade one for the other, so only the transactions "
                      "say who wins.",
                      panels, 2, err);
}
