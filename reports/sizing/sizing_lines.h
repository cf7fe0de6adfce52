/* sizing_lines.h - what the figures of a size question share: their records, a curve as a line, and the target. */
#ifndef REPORTS_SIZING_SIZING_LINES_H
#define REPORTS_SIZING_SIZING_LINES_H

#include "reports/figures/figure_places.h"
#include "reports/sizing/sizing.h"

enum { SIZING_WIDTH = 980, SIZING_AXIS = 84 }; /* pixels: of a figure, left of a plot */
enum { SIZING_COLOURS = 12, SIZING_ANSWER = 0xA32638 /* the colour of the answer */ };
extern const unsigned sizing_colours[SIZING_COLOURS]; /* of curves, 0xRRGGBB */

/* Writes the records of the open figure: one per candidate, in the document's order, so that a curve is a block of
 * lines. Every figure has them all. */
void sizing_records_write(struct figures *figures, const struct sizing *s);
/* The column of a metric in the records, from 1. */
int sizing_column(const char *metric);
/* The most of a metric over `count` points from `from` on; NaN when none has a value. */
double sizing_highest(const struct sizing *s, int from, int count, const char *metric);
/* How many of a curve's points differ: those behind them have the same hits and transactions as the last of these, with
 * everything cached, and are neither answer nor knee. */
int sizing_different(const struct sizing *s, const struct sizing_curve *c);
/* Writes a curve as an element of a plot command: column against cache per GPU in the unit of x. stroke: gnuplot's
 * ("lc rgb '#000000' lw 2"); mark: its point type; first: it begins the command. */
void sizing_line_write(const struct figures *figures, const struct sizing_curve *c, const struct figure_axis *x,
                       int column, const char *stroke, int mark, bool first);
/* The points of a curve in a metric, as a series of that name and colour: what each cache gives. x: the axis of caches.
 * ST_LIMIT: memory is out. */
enum st sizing_points(struct figures *figures, const struct sizing *s, const struct sizing_curve *c, const char *metric,
                      const struct figure_key *key, const struct figure_places *at, const struct figure_axis *x,
                      struct err *err) MUST_USE;
/* Rings the answer at (x, y) in the units of the axes. Gnuplot keeps the ring until `unset object`. */
void sizing_ring_write(const struct figures *figures, double x, double y);
/* Draws the metric's target as a level; false, and nothing, when there is none or it lies outside of y. */
bool sizing_target_line(const struct figures *figures, const struct sizing *s, const char *metric,
                        const struct range *y);
/* Says in the caption what that level is; nothing when there is no target. */
void sizing_target_caption(struct figures *figures, const struct sizing *s, const char *metric);

#endif
