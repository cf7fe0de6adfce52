/* drawing_legend.h - the names and looks of all series of a figure.
 *
 * A look is a colour, a mark and a dash for lines, and a hatching for bars, so that series can be told apart where a
 * figure is printed without colours.
 */
#ifndef REPORTS_CLAIMS_DRAWING_LEGEND_H
#define REPORTS_CLAIMS_DRAWING_LEGEND_H

#include "reports/claims/drawing.h"
#include "reports/figures/figures.h"

struct drawing_legend {
    const char *name[DRAWING_SERIES]; /* borrowed from the drawing */
    bool stated[DRAWING_SERIES];      /* by the paper */
    bool line[DRAWING_SERIES];        /* first drawn as a line, else as bars */
    int count;
};

/* The names of all series, in their order; matrices have none. */
struct drawing_legend drawing_legend_make(const struct drawing *d);
/* The index of a name; 0 when it is not there. */
int drawing_legend_at(const struct drawing_legend *l, const char *name);
/* The colour of a name, 0xRRGGBB; "paper, X" has X's, where there is one. */
unsigned drawing_legend_colour(const struct drawing_legend *l, const char *name);
/* The mark of a line (gnuplot's pt), hollow for what the paper states, and its dash (dt). */
int drawing_legend_mark(const struct drawing_legend *l, const char *name);
const char *drawing_legend_dash(const struct drawing_legend *l, const char *name);
/* Writes the fill of a bar: "fs pattern 4 border rgb '#D55E00'". */
void drawing_legend_fill(const struct drawing_legend *l, const char *name, FILE *to);
/* How many rows the legend takes on a figure of `width` pixels. */
int drawing_legend_rows(const struct drawing_legend *l, int width);
/* Writes the legend into the open figure: `top` pixels below the upper edge, rows `row` pixels apart.
 */
void drawing_legend_write(const struct drawing_legend *l, const struct figures *figures, int top, int row);

#endif
