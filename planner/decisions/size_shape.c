#include "planner/decisions/size_shape.h"

#include <math.h>

int shape_knee(const double *x, const double *y, int count)
{
    int first = 0, last = count - 1, best = -1, known = 0;
    double far = 1e-9; /* a straight line has no knee */
    while (first < count && isnan(y[first])) first++;
    while (last > first && isnan(y[last])) last--;
    if (last <= first || !(x[last] > x[first]) || y[last] == y[first]) return -1;
    for (int i = first; i <= last; i++) {
        double along = (x[i] - x[first]) / (x[last] - x[first]), gained = (y[i] - y[first]) / (y[last] - y[first]);
        known += !isnan(y[i]);
        if (!isnan(y[i]) && gained - along > far) { /* in units of the axes, sqrt(2) times the distance */
            far = gained - along;
            best = i;
        }
    }
    return known < 3 ? -1 : best;
}

void shape_frontier(const double *x, const double *y, int count, bool *kept)
{
    for (int i = 0; i < count; i++) {
        kept[i] = !isnan(x[i]) && !isnan(y[i]);
        for (int k = 0; k < count && kept[i]; k++) {
            bool as_good = x[k] <= x[i] && y[k] <= y[i], better = x[k] < x[i] || y[k] < y[i];
            kept[i] = !(as_good && (better || k < i));
        }
    }
}

double shape_between(const double *x, const double *y, int count, double at)
{
    int before = -1;
    for (int i = 0; i < count; i++) {
        if (isnan(y[i])) continue;
        if (x[i] == at) return y[i];
        if (x[i] > at) return before < 0 ? NAN : y[before] + (y[i] - y[before]) * (at - x[before]) / (x[i] - x[before]);
        before = i;
    }
    return NAN;
}
