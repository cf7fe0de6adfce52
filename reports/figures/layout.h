/* layout.h - where things go on a figure: ranges, ticks and labels that do not touch. Pure arithmetic; any thread may
 * call.
 */
#ifndef REPORTS_FIGURES_LAYOUT_H
#define REPORTS_FIGURES_LAYOUT_H

#include <stdbool.h>

enum { TICKS_MAX = 24, LAYOUT_SPREAD_MAX = 256 };

struct range {
    double low, high;
    bool log;
    double broken; /* log: above this the axis is whole; low itself stands for 0. 0: the axis is not broken */
    int count;
    double tick[TICKS_MAX]; /* ascending, inside the range */
};

/* A range with round ends around low..high and 3 to 8 ticks. log: low must be > 0, and the ends are 1, 2 or 5 times a
 * power of ten. Both ends are finite. */
struct range layout_range(double low, double high, bool log);
/* Where v stands in the range, 0..1; values outside are moved to the nearer end. */
double layout_place(const struct range *r, double v);
/* Widens low..high to v. A NaN changes nothing; an end that is NaN becomes v. */
void layout_include(double v, double *low, double *high);

/* Moves n <= LAYOUT_SPREAD_MAX ascending positions as little as possible, so that neighbours are `gap` apart and all
 * stay in low..high, if they fit at all. More positions stay as they are. */
void layout_spread(double *at, int n, double gap, double low, double high);
/* Whether the label of a tick, centred at pixel `at`, keeps clear of the labels left of it. *taken: the right end of
 * the last label that did, in pixels (very negative before the first); moved when this one does, too. */
bool layout_label_fits(double at, int characters, double *taken);

#endif
