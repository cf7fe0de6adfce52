#include "reports/figures/figure_places.h"

#include <math.h>
#include <stdarg.h>

enum { DOT = 12, LEAST = 8 /* pixels of a shape */, TEXT = 600 };

struct range figure_span(double low, double high) { return (struct range){.low = low, .high = high}; }

struct figure_places figure_places_make(const struct box *box, const struct figure_axis *x, const struct figure_axis *y)
{
    return (struct figure_places){*box, figure_axis_span(x), figure_axis_span(y)};
}

double figure_pixel_x(const struct figure_places *at, double x)
{
    return at->box.left + layout_place(&at->x, x) * (at->box.right - at->box.left);
}

double figure_pixel_y(const struct figure_places *at, double y)
{
    return at->box.bottom + layout_place(&at->y, y) * (at->box.top - at->box.bottom);
}

static bool shows(const struct range *r, double v) { return v >= fmin(r->low, r->high) && v <= fmax(r->low, r->high); }

void figure_dot(const struct figures *figures, const struct figure_places *at, double x, double y, const char *format,
                ...)
{
    char text[TEXT];
    va_list list;
    if (!shows(&at->x, x) || !shows(&at->y, y)) return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    figure_point(figures, figure_pixel_x(at, x), figure_pixel_y(at, y), DOT, DOT, NULL, text);
}

void figure_bar(const struct figures *figures, const struct figure_places *at, double x0, double y0, double x1,
                double y1, const char *format, ...)
{
    char text[TEXT];
    va_list list;
    if (isnan(x0) || isnan(y0) || isnan(x1) || isnan(y1)) return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const double left = figure_pixel_x(at, x0), right = figure_pixel_x(at, x1), low = figure_pixel_y(at, y0),
                 high = figure_pixel_y(at, y1);
    figure_point(figures, (left + right) / 2, (low + high) / 2, fmax(LEAST, fabs(right - left)),
                 fmax(LEAST, fabs(high - low)), NULL, text);
}
