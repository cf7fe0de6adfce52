/* layout.h - where things go on a figure: ranges, ticks and labels that do not touch. Pure arithmetic. */
#ifndef REPORTS_FIGURES_LAYOUT_H
#define REPORTS_FIGURES_LAYOUT_H

#include <stdbool.h>

enum { TICKS_MAX = 24 };

struct range {
    double low, high;
    bool log;
    int count;
    double tick[TICKS_MAX]; /* ascending, inside the range */
};

/* A range with round ends around low..high and 3 to 8 ticks. log: low must be > 0; ends are then 1, 2 or 5 times a
 * power of ten. */
struct range layout_range(double low, double high, bool log);
/* Where v stands in the range, 0..1 (outside values are moved to the nearer end). */
double layout_place(const struct range *r, double v);
/* Moves n ascending positions as little as possible so that neighbours are `gap` apart and all stay in low..high (if
 * they fit at all). */
void layout_spread(double *at, int n, double gap, double low, double high);

#endif
