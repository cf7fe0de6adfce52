/* typed_results.h - rows of results/1 for typed graphs: what compare and size write. Private to planner/typed.
 *
 * A row has the members of a homogeneous one, so 'hotset report' draws it; feature_* are feature rows of vertices and
 * edges together. Beyond them, tables[] states every table of rows (a type's features, a relation's topology, its edge
 * features): rows and bytes held by all GPUs, hit rate, transactions; gain{} says what share of the transactions of a
 * plan without types is saved. Where GPUs hold rows rounded, cache_types[] is that of plan.json. With measured errors,
 * expected_error{sum, mean, overflowed_reads} is of the rows that an epoch gets from GPUs rounded, as in tables[].
 */
#ifndef PLANNER_TYPED_TYPED_RESULTS_H
#define PLANNER_TYPED_TYPED_RESULTS_H

#include <stdio.h>
#include "planner/typed/typed_making.h"

/* One row; of a policy that could not plan only what was asked, status and reason. r: the cell's replay; NULL: not
 * simulated. The caller frees it. */
doc *typed_results_row(const struct typed_making *m, const struct typed_cell *c, const struct replay *r);
/* Adds gain{mean-row, single-type} to rows[from..until): the cells of one server and budget, with the two baselines
 * among them; 1 - transactions / the baseline's. */
void typed_results_gain(doc *rows, uint64_t from, uint64_t until);

/* Tables per server and budget: hit rates, bytes held, transactions and, where they were measured, errors of every
 * table of rows, a column per policy. rows: of results/1. */
void typed_results_print(const doc *rows, FILE *to);

#endif
