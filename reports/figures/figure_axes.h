/* figure_axes.h - axes, legends and marks that the figures of a size question share. */
#ifndef REPORTS_FIGURES_FIGURE_AXES_H
#define REPORTS_FIGURES_FIGURE_AXES_H

#include "reports/figures/layout.h"
#include "reports/sizing/sizing.h"

/* How the values of an axis are scaled and written: what the CSV has, divided by unit. */
struct sizing_axis {
    char axis; /* 'x' or 'y' */
    double unit;
    char suffix[8];     /* " GiB" */
    const char *metric; /* for values that are no bytes: its ticks are written as sizing_text does; NULL: bytes */
    struct range range; /* in units */
};

/* Ticks in KiB, MiB, .. that are round for so many bytes at most. */
struct sizing_axis sizing_axis_bytes(char axis, double most);
/* low..high of a metric; rates always span 0..1. */
struct sizing_axis sizing_axis_metric(char axis, const char *metric, double low, double high);
/* Writes range and ticks. */
void sizing_axis_write(FILE *to, const struct sizing_axis *a);

/* A row of coloured boxes with names, `from_top` pixels below the upper edge. */
struct sizing_key {
    const char *name;
    unsigned colour;
};
void sizing_legend(struct figures *s, int left, int from_top, const struct sizing_key *keys, int count);

/* The answer or the knee: an upright line with its name (or "") right or left of it, at the upper end. */
void sizing_mark(FILE *to, double at, const char *text, unsigned colour, bool right);

#endif
