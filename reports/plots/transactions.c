/* transactions.c - PCIe transactions per epoch against the budget. */
#include <math.h>
#include <stdio.h>
#include "base/text.h"
#include "reports/plots/chart.h"
#include "reports/plots/plots.h"

static bool any_interval(const struct grid *grid)
{
    for (int p = 0; p < grid->policy_count; p++)
        for (int b = 0; b < grid->budget_count; b++)
            if (grid_row(grid, p, b) && !isnan(grid_row(grid, p, b)->low)) return true;
    return false;
}

/* Explains what is drawn, and nothing else. */
static void caption_write(const struct grid *grid, char *out, size_t size)
{
    out[0] = 0;
    text_append(out, size, "%s",
                "Fewer is better. A transaction is one cache line that a GPU reads from host memory over PCIe. "
                "Topology and features are added up over all GPUs, per epoch.");
    if (any_interval(grid))
        text_append(out, size, "%s", " Whiskers show the confidence interval over the simulated epochs.");
    if (!isnan(grid->uncached)) text_append(out, size, "%s", " The dashed line shows an epoch with nothing cached.");
    if (grid->uncached > grid->uncached_least)
        text_append(out, size, "%s",
                    " That number depends on which GPUs sample and which train; the largest of all policies is drawn.");
}

enum st plot_transactions(struct figures *figures, const struct grid *grid, struct err *err)
{
    char caption[800];
    const struct chart_panel panel = {.axis = "PCIe transactions per epoch (cache lines)",
                                      .column = "transactions per epoch [cache lines]",
                                      .value = row_total,
                                      .scale = CHART_COUNT,
                                      .intervals = true,
                                      .reference = grid->uncached,
                                      .reference_name = "nothing cached"};
    caption_write(grid, caption, sizeof caption);
    return chart_draw(figures, grid, "transactions", "PCIe transactions per epoch", caption, &panel, 1, err);
}
