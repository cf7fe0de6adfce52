/* place_bound.h - a lower bound for every solution of a problem of places.
 *
 * Weak duality: with a price per byte of each place, the sum over rows of the cheapest allowed set, reads and prices of
 * the bytes together, less the prices of all capacities, is at most the cost of any solution. Prices are searched for
 * places alike of all nodes together, then place by place, exactly, and for all homes together, by bisection of the
 * slope, then by projected subgradients with Polyak's step towards a known solution; the best value of all rounds is
 * kept, and any round would be valid. Where rows are many and small, the best prices come within a few rows of the
 * optimum.
 */
#ifndef PLANNER_PLACES_PLACE_BOUND_H
#define PLANNER_PLACES_PLACE_BOUND_H

#include "planner/places/place_problem.h"

struct place_prices {
    double value;             /* the bound */
    double price[PLACES_MAX]; /* per byte */
};

/* The best of `rounds` rounds; the search ends early within 0.1 % of `known`, the cost of a solution. from: prices to
 * begin with; NULL: none, and where rows are many, those that 400 rounds on every so-many-th row find. Sums are made in
 * the order of rows, in blocks, so threads do not change them. p: checked. ST_LIMIT without memory. */
enum st place_bound(const struct place_problem *p, double known, const struct place_prices *from, int rounds,
                    int threads, struct place_prices *out, struct err *err) MUST_USE;

#endif
