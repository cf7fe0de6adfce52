/* drawing_legend.h - the names and colours of all series of a figure. */
#ifndef REPORTS_CLAIMS_DRAWING_LEGEND_H
#define REPORTS_CLAIMS_DRAWING_LEGEND_H

#include "reports/claims/drawing.h"
#include "reports/figures/figures.h"

struct drawing_legend {
    const char *name[DRAWING_SERIES]; /* borrowed from the drawing */
    bool stated[DRAWING_SERIES];      /* by the paper */
    int count;
};

/* The names of all series, in their order; matrices have none. */
struct drawing_legend drawing_legend_make(const struct drawing *d);
/* The index of a name; 0 when it is not there. */
int drawing_legend_at(const struct drawing_legend *l, const char *name);
/* The colour of a name, 0xRRGGBB; "paper, X" has X's, where there is one. */
unsigned drawing_legend_colour(const struct drawing_legend *l, const char *name);
/* How many rows the legend takes on a figure of `width` pixels. */
int drawing_legend_rows(const struct drawing_legend *l, int width);
/* Writes the legend into the open figure, below the title: `top` pixels below the upper edge, rows `row` pixels apart.
 */
void drawing_legend_write(const struct drawing_legend *l, const struct figures *figures, int top, int row);

#endif
