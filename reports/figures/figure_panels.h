/* figure_panels.h - the parts of panels: their begin, texts, names beside lines; drawing.h puts them together.
 *
 * A panel is one plot of a figure. figure_panel begins it and drops what the panel before had set; the other functions
 * add to it, and the caller's plot command ends it. Places are pixels of the SVG from its lower left corner; colours
 * are 0xRRGGBB; texts may be anyone's. All write into the script of the open figure.
 */
#ifndef REPORTS_FIGURES_FIGURE_PANELS_H
#define REPORTS_FIGURES_FIGURE_PANELS_H

#include "reports/figures/figures.h"

struct box {
    double left, right, bottom, top;
};

/* Begins a panel in `box`: margins, border, grid lines, no labels and no arrows. The first panel of a figure also
 * writes the figure's title. */
void figure_panel(struct figures *figures, const struct box *box);
/* Makes the panel one of coloured cells: no border, no grid lines, a palette from pale (0) to blue (1). texts: the
 * cells have texts in them; the palette then ends where a dark text (#16191D) is still read well. */
void figure_heat_map(const struct figures *figures, bool texts);

/* Writes a text at (x, y). options: our own words ("left tc rgb '#111111'"). */
void figure_label(const struct figures *figures, double x, double y, const char *text, const char *options);
enum { FIGURE_ENDS_MAX = 72 };
/* The right end of a line, where its name goes. */
struct figure_end_label {
    char text[STYLE_NAME];
    unsigned colour;
    double x;     /* of the line's last point on the horizontal axis; NaN: at the right border */
    double place; /* its height, 0..1 of the plot */
};
/* Writes names right of the plot in `box`, joined by a thin line with the ends of their lines, and a line of text
 * apart. ends: at most FIGURE_ENDS_MAX; sorted here by place, and of two at one place the first stands below. below:
 * how far names may go below the plot, pixels. */
void figure_end_labels(const struct figures *figures, const struct box *box, struct figure_end_label *ends, int count,
                       double below);

#endif
