/* place_solve.h - a solution of a problem of places close to its bound, for any number of rows.
 *
 * Greedy first; then homes again around its copies, because a row that all readers have near needs no near home, and
 * copies again around these homes, while the cost falls. The cost gives prices per byte (place_bound.h), and prices say
 * more than greed about rows that have no preference: they take the places that others need less. So every row takes
 * the set that is cheapest by prices among those with room, those rows first for which the cheapest set without a place
 * of it costs most more per byte; bytes for the homes of the others are kept free. The room that is left is filled as
 * greedy does. The same at prices that differ a little, which breaks ties between places alike. The cheapest solution
 * is kept, and the next turn searches prices for it.
 */
#ifndef PLANNER_PLACES_PLACE_SOLVE_H
#define PLANNER_PLACES_PLACE_SOLVE_H

#include "planner/places/place_bound.h"

/* start: a solution to begin with, too, so that the result is no dearer; NULL: none. *out: zeroed by the caller, to be
 * released; judged. *prices: with the bound. p: checked; fewer than 2^32 rows. Takes about 36 bytes per row. The same
 * on any number of threads. Errors as place_greedy (place_fill.h). */
enum st place_solve(const struct place_problem *p, const struct place_solution *start, int threads,
                    struct place_solution *out, struct place_prices *prices, struct err *err) MUST_USE;

#endif
