/* errors.c - how far predictions are from simulation. */
#include <math.h>
#include "reports/plots/chart.h"
#include "reports/plots/plots.h"

static double error_of(const struct result_row *r)
{
    double error = style_is_yardstick(r->policy) ? NAN : row_error(r); /* its epochs were not held out */
    return fabs(error) < 1e12 ? error : NAN;
}

enum st plot_errors(struct figures *figures, const struct grid *grid, struct err *err)
{
    const struct chart_panel panel = {.axis = "predicted / simulated total - 1",
                                      .column = "prediction error [% of simulated transactions]",
                                      .value = error_of,
                                      .scale = CHART_ERROR,
                                      .reference = 0};
    return chart_draw(figures, grid, "errors", "Prediction error",
                      "Near zero is better. The error compares the transactions that a plan predicts with those of the "
                      "held-out epochs: below zero the plan predicted too few, above zero too many. Where the error is "
                      "small, a prediction can be trusted without a simulation. Policies that know the held-out epochs "
                      "are left out.",
                      &panel, 1, err);
}
