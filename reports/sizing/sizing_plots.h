/* sizing_plots.h - the figures of a size question, one per file. Each fails with ST_LIMIT when memory or disk is out.
 */
#ifndef REPORTS_SIZING_SIZING_PLOTS_H
#define REPORTS_SIZING_SIZING_PLOTS_H

#include "reports/figures/figures.h"
#include "reports/sizing/sizing.h"

/* The shown curve: hit rates, and epoch time or transactions, against cache per GPU. s->shown is a curve with points.
 */
enum st sizing_plot_curve(struct figures *figures, const struct sizing *s, struct err *err) MUST_USE;
/* The stages of an iteration by cache size; nothing when no stage is known. s->shown is a curve with points. */
enum st sizing_plot_stages(struct figures *figures, const struct sizing *s, struct err *err) MUST_USE;
/* All curves against cache per GPU; nothing when fewer than two have numbers. subject: names the figure. */
enum st sizing_plot_choices(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                            struct err *err) MUST_USE;
/* All candidates as dots, with those that no other beats. subject: names the figure. */
enum st sizing_plot_frontier(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                             struct err *err) MUST_USE;
/* Two quantities against each other as coloured cells; nothing when the document has no map. subject: names the
 * figure. */
enum st sizing_plot_map(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                        struct err *err) MUST_USE;
/* Time of filling SSDs and of the epochs, by option; nothing where no SSD is filled. subject: names the figure. */
enum st sizing_plot_filling(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                            struct err *err) MUST_USE;
/* What of host memory is needed, and what is left to the page cache, by option that fits; nothing where no SSD is
 * filled. subject: names the figure. */
enum st sizing_plot_host(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                         struct err *err) MUST_USE;

#endif
