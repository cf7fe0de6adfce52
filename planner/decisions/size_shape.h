/* size_shape.h - the shape of a curve: its knee, its Pareto frontier, values between its points. Pure arithmetic; NaN
 * is a value that is not known and is ignored. */
#ifndef PLANNER_DECISIONS_SIZE_SHAPE_H
#define PLANNER_DECISIONS_SIZE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

/* The knee of y over ascending x: both axes scaled to 0..1, the point farthest from the chord between the curve's
 * ends, on the side of more for less (ties: the smaller x). -1: fewer than three known points, a flat curve, or none
 * on that side. */
int shape_knee(const double *x, const double *y, int count);
#define SHAPE_KNEE_RULE "the point farthest from the chord between the curve's ends, both axes scaled to 0..1"

/* kept[i]: no other point has x and y both as low with one of them lower; of equal points the first is kept. x, y:
 * less is better. */
void shape_frontier(const double *x, const double *y, int count, bool *kept);

/* y at `at`, interpolated linearly between the known points of ascending x ([count]); NaN outside of them. */
double shape_between(const double *x, const double *y, int count, double at);

#endif
