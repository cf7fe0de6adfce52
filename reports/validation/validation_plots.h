/* validation_plots.h - the figures of the validation page. */
#ifndef REPORTS_VALIDATION_VALIDATION_PLOTS_H
#define REPORTS_VALIDATION_VALIDATION_PLOTS_H

#include "reports/figures/figures.h"
#include "reports/validation/validation_read.h"

/* Adds "predicted": predicted against measured values on a log-log plot, a panel for each of the first six units. */
enum st validation_scatter(struct figures *figures, const struct validation_read *v, struct err *err) MUST_USE;
/* Adds "errors": the error of every point, a row for each case, the worst on top. */
enum st validation_errors(struct figures *figures, const struct validation_read *v, struct err *err) MUST_USE;

#endif
