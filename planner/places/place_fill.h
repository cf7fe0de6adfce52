/* place_fill.h - the steps that fill places: homes for rows without one, then copies. place_greedy begins with nothing,
 * place_solve around rows that are placed already.
 */
#ifndef PLANNER_PLACES_PLACE_FILL_H
#define PLANNER_PLACES_PLACE_FILL_H

#include "planner/places/place_problem.h"

/* A row that waits, and what it waits with. */
struct place_next {
    double value; /* per byte: what the second best costs more; what a copy saves */
    uint32_t row, place;
};
/* For qsort: the highest value first, ties to the lower row. */
int place_next_order(const void *x, const void *y);

struct place_filling {
    const struct place_problem *p;
    struct place_table t;
    struct place_solution s;   /* what is held so far */
    uint64_t room[PLACES_MAX]; /* bytes that are free */
    struct place_next *next;   /* [rows + 1], of the step that runs; owned */
    uint64_t waiting;          /* how many */
};

/* Nothing is placed. p: checked. Release g also after an error. ST_LIMIT without memory. */
enum st place_fill_begin(const struct place_problem *p, struct place_filling *g, struct err *err) MUST_USE;
/* Puts a row on a place, which has room for it. */
void place_fill_put(struct place_filling *g, uint64_t row, int place);
/* Where there is no last memory: gives every row without a home the cheapest one with room, those first for which the
 * second cheapest would cost most more per byte; of equal ones that with more room. ST_NO when the homes have no room
 * for a row. */
enum st place_fill_homes(struct place_filling *g, struct err *err) MUST_USE;
/* Over and over puts the copy that saves most per byte where it fits. What a copy saves does not grow by other copies
 * of the row, so each row waits with its best next copy only. */
void place_fill_copies(struct place_filling *g);
/* Hands what is held to *out (zeroed) and judges it. */
enum st place_fill_end(struct place_filling *g, struct place_solution *out, struct err *err) MUST_USE;
void place_fill_release(struct place_filling *g); /* a zeroed struct is allowed */

/* Homes, then copies: about rows * log(rows) steps. *out: zeroed by the caller, to be released; judged.
 * Ties go to the lower row and place. ST_NO, with a sentence, when the homes do not hold all rows; ST_LIMIT. */
enum st place_greedy(const struct place_problem *p, struct place_solution *out, struct err *err) MUST_USE;

#endif
