/* validation_fit.h - the least-squares fit of a few positive numbers. */
#ifndef PLANNER_VALIDATION_VALIDATION_FIT_H
#define PLANNER_VALIDATION_VALIDATION_FIT_H

enum { FIT_MAX = 4 };

/* Finds x[count] > 0 with a small cost(of, x), from the values that x holds: the simplex method of Nelder and Mead (The
 * Computer Journal, 1965) over the logarithms, restarted until a restart gains nothing. count: 1 to FIT_MAX. cost may
 * return infinity. A local minimum; the same input gives the same result. */
void validation_minimise(double (*cost)(const void *of, const double *x), const void *of, int count, double *x);

#endif
