/* plots.h - the figures of a grid, one per file. Each adds its figures, or nothing when the rows have nothing to draw,
 * and fails with ST_LIMIT when memory or disk is out.
 */
#ifndef REPORTS_PLOTS_PLOTS_H
#define REPORTS_PLOTS_PLOTS_H

#include "reports/figures/figures.h"
#include "reports/plots/grid.h"

/* Seconds of an epoch against the budget, where they are known. */
enum st plot_epochs(struct figures *figures, const struct grid *grid, struct err *err) MUST_USE;
/* PCIe transactions per epoch against the budget. */
enum st plot_transactions(struct figures *figures, const struct grid *grid, struct err *err) MUST_USE;
/* Hit rates of features and of topology against the budget. */
enum st plot_hit_rates(struct figures *figures, const struct grid *grid, struct err *err) MUST_USE;
/* Prediction error against the budget. */
enum st plot_errors(struct figures *figures, const struct grid *grid, struct err *err) MUST_USE;
/* Where each GPU's feature rows and topology visits are served, at the middle budget: two figures. */
enum st plot_gpus(struct figures *figures, const struct grid *grid, struct err *err) MUST_USE;
/* Bytes by reader and source at the middle budget, of the best policy that states them. */
enum st plot_traffic(struct figures *figures, const struct grid *grid, struct err *err) MUST_USE;
/* Predicted transactions against alpha, per clique, at the middle budget, of the best policy that swept alpha. */
enum st plot_alpha(struct figures *figures, const struct grid *grid, struct err *err) MUST_USE;
/* Of graphs with several types: bytes held and reads served of every type and relation, at the middle budget, of the
 * first policy that states them. */
enum st plot_types(struct figures *figures, const struct grid *grid, struct err *err) MUST_USE;

#endif
