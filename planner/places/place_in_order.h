/* place_in_order.h - tier by tier, as systems with a fixed order of memories do it: a reference for place_solve.
 *
 * First every row has a home: on a home without a limit where there is one (an SSD), else the cheapest for its readers
 * (place_fill.h). Then the tiers are filled one after the other, nearest first. A place of a tier is filled for its own
 * readers alone, those for which no place of the tier is cheaper: with the rows that save them most per byte, compared
 * with where they would find them by then, until none fits.
 */
#ifndef PLANNER_PLACES_PLACE_IN_ORDER_H
#define PLANNER_PLACES_PLACE_IN_ORDER_H

#include "planner/places/place_problem.h"

/* tier[0..tiers): sets of places, nearest first. *out: zeroed by the caller, to be released; judged. p: checked. Takes
 * 18 bytes per row. Ties go to the lower row. ST_NO, with a sentence, when the homes do not hold all rows; ST_LIMIT
 * without memory. */
enum st place_in_order(const struct place_problem *p, const place_set *tier, int tiers, struct place_solution *out,
                       struct err *err) MUST_USE;

#endif
