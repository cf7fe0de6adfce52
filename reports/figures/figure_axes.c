/* figure_axes.c - ticks by kind of number; see figure_axes.h. */
#include "reports/figures/figure_axes.h"

#include "reports/formats/gnuplot.h"

static struct figure_axis axis_of(char axis, enum quantity quantity, double most)
{
    static const char *const names[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
    struct figure_axis a = {.axis = axis, .quantity = quantity, .unit = 1};
    if (quantity == QUANTITY_BYTES) {
        int i = 0;
        for (; i < 5 && most >= 1024 * a.unit; i++) a.unit *= 1024;
        snprintf(a.suffix, sizeof a.suffix, "%s", names[i]);
    }
    return a;
}

struct figure_axis figure_axis_make_log(char axis, enum quantity quantity, double least, double most)
{
    const double clear = 1.1; /* of the ends, where half of a dot would be cut */
    struct figure_axis a = axis_of(axis, quantity, most);
    a.range = layout_range(least / a.unit / clear, most / a.unit * clear, true);
    return a;
}

struct figure_axis figure_axis_make(char axis, enum quantity quantity, double most)
{
    struct figure_axis a = axis_of(axis, quantity, most);
    if (!(most > (quantity == QUANTITY_RATE ? 1 : 0))) a.range = layout_range(0, 1, false);
    else a.range = layout_range(0, most / a.unit, false);
    return a;
}

static void tick_text(const struct figure_axis *a, double v, char out[STYLE_TEXT])
{
    switch (a->quantity) {
    case QUANTITY_BYTES: snprintf(out, STYLE_TEXT, "%.6g%s", v, v == 0 ? "" : a->suffix); break;
    case QUANTITY_RATE: snprintf(out, STYLE_TEXT, "%.4g %%", 100 * v); break;
    case QUANTITY_COUNT: style_tick(out, v); break;
    default: style_quantity(out, a->quantity, v);
    }
}

struct range figure_axis_span(const struct figure_axis *a)
{
    struct range r = a->range;
    double pad = a->axis == 'x' && !r.log ? (r.high - r.low) * 0.02 : 0;
    r.low -= pad;
    r.high += pad;
    return r;
}

void figure_axis_write(FILE *to, const struct figure_axis *a)
{
    const struct range *r = &a->range, span = figure_axis_span(a);
    fprintf(to, "set %ctics (", a->axis);
    for (int i = 0; i < r->count; i++) {
        char text[STYLE_TEXT];
        tick_text(a, r->tick[i], text);
        if (a->axis == 'x' && r->count > 6 && i % 2) *text = 0; /* they would touch */
        gnuplot_tic(to, text, r->tick[i], i == 0);
    }
    fprintf(to, ")\nset %crange [%.9g:%.9g]\n", a->axis, span.low, span.high);
    if (r->log) fprintf(to, "set logscale %c\n", a->axis);
}
