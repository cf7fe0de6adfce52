/* figure_places.h - where values stand in a panel, so that they can be pointed at and focused. */
#ifndef REPORTS_FIGURES_FIGURE_PLACES_H
#define REPORTS_FIGURES_FIGURE_PLACES_H

#include "reports/figures/figure_axes.h"
#include "reports/figures/figure_panels.h"

/* A panel and what its axes show from end to end, in the units of the axes; of an axis from top to bottom high is the
 * lower end. */
struct figure_places {
    struct box box;
    struct range x, y;
};

/* The places of a panel whose axes figure_axis_write writes. */
struct figure_places figure_places_make(const struct box *box, const struct figure_axis *x,
                                        const struct figure_axis *y);
/* A linear range that figure_axis_write does not write. */
struct range figure_span(double low, double high);

/* Where values stand, in pixels from the lower left corner of the figure; outside ones at the nearer end. */
double figure_pixel_x(const struct figure_places *at, double x);
double figure_pixel_y(const struct figure_places *at, double y);

/* The point of a value at (x, y), which says the text; a value that is NaN or outside has none. figure_series is called
 * before. */
void figure_dot(const struct figures *figures, const struct figure_places *at, double x, double y, const char *format,
                ...) PRINTF_LIKE(5, 6);
/* The same of a bar or cell between two corners, at least a few pixels wide and tall. */
void figure_bar(const struct figures *figures, const struct figure_places *at, double x0, double y0, double x1,
                double y1, const char *format, ...) PRINTF_LIKE(7, 8);

#endif
