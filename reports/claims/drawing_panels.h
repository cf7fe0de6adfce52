/* drawing_panels.h - one panel of a figure/1 document: lines, bars or a matrix. */
#ifndef REPORTS_CLAIMS_DRAWING_PANELS_H
#define REPORTS_CLAIMS_DRAWING_PANELS_H

#include "reports/claims/drawing_legend.h"
#include "reports/figures/figure_panels.h"

/* Draws a panel into its box, which figure_panel has begun. The legend has the colours of its series. */
void drawing_panel_draw(struct figures *figures, const struct drawing_panel *p, const struct drawing_legend *l,
                        const struct box *box);

#endif
