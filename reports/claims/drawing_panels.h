/* drawing_panels.h - one panel of a figure/1 document: lines, bars or a matrix. */
#ifndef REPORTS_CLAIMS_DRAWING_PANELS_H
#define REPORTS_CLAIMS_DRAWING_PANELS_H

#include "reports/claims/drawing_legend.h"
#include "reports/figures/figure_panels.h"
#include "reports/figures/layout.h"

/* The vertical axis of panels that stand in one row: from 0 (or the least number) to their largest number or range. */
struct range drawing_panels_axis(const struct drawing_panel *const *panels, int count);
/* Draws a panel into its box, which figure_panel has begun. The legend has the looks of its series. y: its vertical
 * axis; written: with names and title, which the panels right of the first one share. A matrix has its own. ST_LIMIT:
 * memory is out. */
enum st drawing_panel_draw(struct figures *figures, const struct drawing_panel *p, const struct drawing_legend *l,
                           const struct range *y, bool written, const struct box *box, struct err *err) MUST_USE;

#endif
