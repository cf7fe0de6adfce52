/* place_greedy.h - a good solution of a problem of places in about rows * log(rows) steps.
 *
 * First every row gets a home: rows go to the cheapest home with room, those first for which the second cheapest would
 * cost most more per byte. Then copies: over and over the copy that saves most per byte, where it fits. What a copy
 * saves does not grow by other copies of the row, so each row waits with its best next copy only.
 */
#ifndef PLANNER_PLACES_PLACE_GREEDY_H
#define PLANNER_PLACES_PLACE_GREEDY_H

#include "planner/places/place_problem.h"

/* *out: zeroed by the caller, to be released; judged (place_judge). p: checked; fewer than 2^32 rows. Takes 18 bytes
 * per row. The same on every machine; ties go to the lower row and place. ST_NO, with a sentence, when the homes do not
 * hold all rows; ST_LIMIT without memory. */
enum st place_greedy(const struct place_problem *p, struct place_solution *out, struct err *err) MUST_USE;

#endif
