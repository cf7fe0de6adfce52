/* place_table.h - what each reader pays for the cheapest place of every set, so that all sets of a row are valued in
 * one pass over its readers.
 *
 * Sets are those that can be best for some row at some prices: with a home, and without a place that nobody reads
 * because another one of the set is as cheap for every reader. Leaving such a place out takes less room and costs the
 * same.
 */
#ifndef PLANNER_PLACES_PLACE_TABLE_H
#define PLANNER_PLACES_PLACE_TABLE_H

#include "planner/places/place_problem.h"

enum { PLACE_SETS_MAX = 1 << PLACES_MAX };

struct place_table {
    int sets;
    place_set *held; /* [sets] ascending; owned */
    double *least;   /* [readers][sets], owned; INFINITY: the reader can read none of the set */
};

/* p: checked. Release with place_table_release. ST_LIMIT without memory. */
enum st place_table_make(const struct place_problem *p, struct place_table *out, struct err *err) MUST_USE;
void place_table_release(struct place_table *t); /* a zeroed struct is allowed */

/* Sums of the prices of the places of every set: set_price[sets]. */
void place_set_prices(const struct place_table *t, const double price[PLACES_MAX], double *set_price);
/* value[sets]: reads and prices of the bytes of row i in every set. */
void place_row_values(const struct place_problem *p, const struct place_table *t, uint64_t i, const double *set_price,
                      double *value);

#endif
