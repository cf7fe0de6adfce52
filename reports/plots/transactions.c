/* transactions.c - PCIe transactions per epoch against the budget. */
#include "reports/plots/chart.h"
#include "reports/plots/plots.h"

enum st plot_transactions(struct figures *figures, const struct grid *grid, struct err *err)
{
    const struct chart_panel panel = {.axis = "PCIe transactions per epoch (cache lines)",
                                      .column = "transactions per epoch [cache lines]",
                                      .value = row_total,
                                      .scale = CHART_COUNT,
                                      .intervals = true,
                                      .reference = grid->uncached,
                                      .reference_name = "nothing cached"};
    return chart_draw(figures, grid, "transactions", "PCIe transactions per epoch",
                      "Fewer is better. A transaction is one cache line that a GPU reads from host memory over PCIe. "
                      "Topology and features are added up over all GPUs, per epoch. Whiskers show the confidence "
                      "interval over the simulated epochs, where a document states one. The dashed line shows an epoch "
                      "with nothing cached. That number depends on which GPUs sample and which train; the largest of "
                      "all policies is drawn.",
                      &panel, 1, err);
}
