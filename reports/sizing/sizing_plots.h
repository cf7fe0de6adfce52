/* sizing_plots.h - the figures of a size question.
 */
#ifndef REPORTS_SIZING_SIZING_PLOTS_H
#define REPORTS_SIZING_SIZING_PLOTS_H

#include "reports/figures/drawing.h"
#include "reports/sizing/sizing.h"

enum { SIZING_COLOURS = 12, SIZING_ANSWER = 0xA32638 /* the colour of the answer */ };
extern const unsigned sizing_colours[SIZING_COLOURS]; /* of curves, 0xRRGGBB */

/* How many of a curve's points differ: those behind them have the same hits and transactions as the last of these, with
 * everything cached, and are neither answer nor knee. */
int sizing_different(const struct sizing *s, const struct sizing_curve *c);
/* Draws the metric's target as a level of the last panel, and says in the caption what it is; nothing where there is no
 * target. */
void sizing_target_add(struct drawing *d, const struct sizing *s, const char *metric);

/* Of the shown curve, which has points: what each cache size gives, and the stages of an iteration. ST_LIMIT: memory or
 * disk is out. */
enum st sizing_plot_curve(struct figures *figures, const struct sizing *s, struct err *err) MUST_USE;
/* Of all curves. subject: names the figures. ST_LIMIT as above. */
enum st sizing_plot_choices(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                            struct err *err) MUST_USE;
/* All candidates as dots, with those that no other beats; two quantities against each other as coloured cells. Errors
 * and subject as above. */
enum st sizing_plot_frontier(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                             struct err *err) MUST_USE;
/* Of what can be bought: epoch times with their intervals, filling SSDs and training, host memory. Errors and subject
 * as above. */
enum st sizing_plot_options(struct figures *figures, const struct sizing *s, const struct figure_subject *subject,
                            struct err *err) MUST_USE;

#endif
