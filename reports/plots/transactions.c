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
                      "Lower is better. Each transaction is one cache line that a GPU reads from host memory over "
                      "PCIe, for topology and features together, summed over all GPUs and given per epoch. Whiskers "
                      "are the confidence interval over the simulated epochs where one was stated. The dashed level is "
                      "what an epoch needs with nothing cached, the most of all policies: it depends on who samples "
                      "and who trains what.",
                      &panel, 1, err);
}
