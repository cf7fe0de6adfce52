/* place_exact.h - the optimum of a problem of places with few rows, by branch and bound.
 *
 * Rows are decided one after the other, those first whose reads cost most without copies; the sets of a row in the
 * order of reads and prices (place_bound.h). A branch ends when its cost so far, with the cheapest sets of the rows
 * that are left at the same prices, is not below the best solution known; greedy gives the first.
 */
#ifndef PLANNER_PLACES_PLACE_EXACT_H
#define PLANNER_PLACES_PLACE_EXACT_H

#include <stdbool.h>
#include "planner/places/place_problem.h"

enum { PLACE_EXACT_ROWS_MAX = 64 };

/* *out: the best solution found, zeroed by the caller, to be released; *proven: it is the optimum, because fewer than
 * `nodes` branches were needed. p: checked. ST_LIMIT for more than PLACE_EXACT_ROWS_MAX rows, or without memory; ST_NO
 * when no solution was found. */
enum st place_exact(const struct place_problem *p, uint64_t nodes, struct place_solution *out, bool *proven,
                    struct err *err) MUST_USE;

#endif
