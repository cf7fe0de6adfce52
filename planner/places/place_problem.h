/* place_problem.h - rows, the places that may hold them, and the readers that need them.
 *
 * A row is held by a set of places. A reader takes it from that place of the set which is cheapest for it, so a
 * solution costs sum over rows i and readers r of  demand[r][i] * min over the places p that hold i of cost[r][p].
 * Every row is held by at least one home: a place that all readers can read. Other places hold copies only (the memory
 * of a GPU that its neighbours cannot read). The rows of a place take at most its capacity. Demand and cost have any
 * units whose product is wanted: reads per epoch and seconds per read, or bytes and seconds per byte.
 */
#ifndef PLANNER_PLACES_PLACE_PROBLEM_H
#define PLANNER_PLACES_PLACE_PROBLEM_H

#include <stdint.h>
#include "base/status.h"

enum { PLACES_MAX = 12, PLACE_READERS_MAX = 72 };

typedef uint16_t place_set; /* bit p: place p holds the row */

struct place_problem { /* arrays are borrowed */
    uint64_t rows;     /* fewer than 2^32 */
    int readers, places;
    const uint64_t *bytes;                      /* [rows], at least 1 each */
    const float *demand[PLACE_READERS_MAX];     /* [readers] arrays of [rows], finite, >= 0 */
    double cost[PLACE_READERS_MAX][PLACES_MAX]; /* >= 0; INFINITY: that reader cannot read that place */
    uint64_t capacity[PLACES_MAX];              /* bytes; UINT64_MAX: no limit */
    place_set homes;                            /* of finite cost for every reader */
};

struct place_solution {
    place_set *held; /* [rows]; owned */
    uint64_t used[PLACES_MAX];
    double cost;
};
void place_solution_release(struct place_solution *s); /* a zeroed struct is allowed */

/* ST_USAGE, with a sentence, for numbers that are not as described above; ST_LIMIT for 2^32 rows or more. */
enum st place_check(const struct place_problem *p, struct err *err) MUST_USE;
/* What the reads of row i cost when `held` (not empty) holds it; INFINITY when a reader that needs it cannot. */
double place_row_cost(const struct place_problem *p, uint64_t i, place_set held);
/* Sets used and cost from held. ST_INPUT, naming the row or place, for a row without a home or a place that is too
 * full: a solver of this room is checked by it. */
enum st place_judge(const struct place_problem *p, struct place_solution *s, struct err *err) MUST_USE;

#endif
