/* cached_types.h - in which element types GPUs hold rows: --cache-type and --features. */
#ifndef PLANNER_OPTIONS_CACHED_TYPES_H
#define PLANNER_OPTIONS_CACHED_TYPES_H

#include <stdio.h>
#include "kernels/kernel.h"
#include "simulator/plan/plan.h"
#include "traces/recording/trace_rows.h"

/* Sets the element types of rows. words: "f16" for every table of floating-point rows that gets smaller, or
 * "paper=f16,author=i8" for the types and relations (their edge features) that are named. ST_USAGE names what is
 * unknown, not floating-point, or would not get smaller. */
enum st cached_types_set(const char *words, struct graph *rows, struct err *err) MUST_USE;

/* Measures the error of the rows of vertices that the plan's GPUs hold rounded, into the plan's rounding: [{kind, type,
 * members of rounding_measure}]. files: one .npy where one type is rounded, or "paper=F.npy,author=G.npy". plan NULL:
 * only checks that the files are such features, before work is done for them; t is not read then. ST_USAGE for a type
 * that is not rounded; errors of rounding_measure. */
enum st cached_types_measure(const char *files, const struct graph *rows, const struct trace *t,
                             const struct kernels *kernels, int threads, struct plan *plan, struct err *err) MUST_USE;

/* The relative errors of the rows of all tables that are rounded. files: as above; every rounded table must have one.
 * *error: [graph_items(rows)], 0 in tables that are not rounded, infinite where a row overflows; owned by the caller
 * (mem_free). ST_USAGE names a table without a file; errors of rounding_errors. */
enum st cached_types_errors(const char *files, const struct graph *rows, int threads, float **error, struct err *err)
    MUST_USE;

/* A sentence per table that GPUs hold in another element type than the host; nothing when there is none. */
void cached_types_print_tables(const struct graph *g, FILE *to);
/* A table per measurement. */
void cached_types_print(const struct plan *p, const struct graph *rows, FILE *to);

#endif
