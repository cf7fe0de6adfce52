/* drawing_draw.h - a figure/1 document as a figure: a legend, then its panels in rows. */
#ifndef REPORTS_CLAIMS_DRAWING_DRAW_H
#define REPORTS_CLAIMS_DRAWING_DRAW_H

#include "reports/claims/drawing.h"
#include "reports/figures/figures.h"

/* Adds the figure, under the drawing's name. Sets `first` of each series. ST_LIMIT: memory or disk is out. */
enum st drawing_draw(struct figures *figures, struct drawing *d, struct err *err) MUST_USE;

#endif
