/* plots.h - the figures of a scene, one per file. Each adds nothing when the rows have nothing for it. */
#ifndef REPORTS_PLOTS_PLOTS_H
#define REPORTS_PLOTS_PLOTS_H

#include "reports/figures/figures.h"

enum st plot_transactions(struct figures *s, const struct grid *grid, struct err *err)
    MUST_USE; /* per epoch against budget */
enum st plot_hit_rates(struct figures *s, const struct grid *grid, struct err *err)
    MUST_USE; /* features and topology against budget */
enum st plot_errors(struct figures *s, const struct grid *grid, struct err *err)
    MUST_USE; /* prediction against simulation */
enum st plot_gpus(struct figures *s, const struct grid *grid, struct err *err) MUST_USE; /* own, peer, host per GPU */
enum st plot_traffic(struct figures *s, const struct grid *grid, struct err *err) MUST_USE; /* reader x source */
enum st plot_alpha(struct figures *s, const struct grid *grid, struct err *err) MUST_USE;   /* the sweep per clique */

#endif
