/* results_tables.h - rows of results/1 for graphs with several types: what compare and size write beyond the members of
 * a plain graph's row.
 *
 * feature_* are feature rows of vertices and edges together. tables[] states every table of rows (a type's features, a
 * relation's topology, its edge features): rows and bytes held by all GPUs, hit rate, transactions; gain{} says what
 * share of the transactions of a plan without types is saved. Where GPUs hold rows rounded, cache_types[] is that of
 * plan.json. With measured errors, expected_error{sum, mean, overflowed_reads} is of the rows that an epoch gets from
 * GPUs rounded, as in tables[].
 */
#ifndef PLANNER_RESULTS_RESULTS_TABLES_H
#define PLANNER_RESULTS_RESULTS_TABLES_H

#include <stdio.h>
#include "planner/engine/study_recording.h"

/* Adds the members of a planned cell to its row, which has `predicted` and `simulated`. */
void results_tables_put(const struct study *s, const struct study_cell *c, doc *row);

/* The policies that plan without types. */
enum { RESULTS_BASELINES = 2 };
extern const char *const results_baselines[RESULTS_BASELINES];
/* Adds gain{mean-row, single-type} to rows, the two baselines among them: 1 - transactions / those of the baseline on
 * the same server at the same budget. */
void results_tables_gain(doc *rows);

/* Tables per server and budget: hit rates, bytes held, transactions and, where they were measured, errors of every
 * table of rows, a column per policy. rows: of results/1. */
void results_tables_print(const doc *rows, FILE *to);

#endif
