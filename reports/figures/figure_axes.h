/* figure_axes.h - an axis with round ticks for one kind of number: rates, counts, seconds, bytes, prices. */
#ifndef REPORTS_FIGURES_FIGURE_AXES_H
#define REPORTS_FIGURES_FIGURE_AXES_H

#include <stdio.h>
#include "reports/figures/layout.h"
#include "reports/formats/style.h"

/* What is drawn along the axis is the CSV's number divided by `unit`. */
struct figure_axis {
    char axis; /* 'x' or 'y' */
    enum quantity quantity;
    double unit;        /* bytes: of a KiB, MiB, ..; else 1 */
    char suffix[8];     /* bytes: " GiB" */
    struct range range; /* in units */
};

/* An axis from 0 to at least `most`; NaN or 0: to one unit. Rates span at least 0..1. */
struct figure_axis figure_axis_make(char axis, enum quantity quantity, double most);
/* The same on a logarithmic scale from `least` to `most`, both > 0. */
struct figure_axis figure_axis_make_log(char axis, enum quantity quantity, double least, double most);
/* What the axis shows from end to end: its range, and a little room at both ends of a horizontal linear one. */
struct range figure_axis_span(const struct figure_axis *a);
/* Writes that range and the ticks into a script. Every other name is left out where more than six would touch. */
void figure_axis_write(FILE *to, const struct figure_axis *a);

#endif
