/* plan_cached.h - 'hotset plan --cache-type' on graphs of one type: GPUs hold features in a smaller element type than
 * the host, and --features measures what that loses. Private to planner/commands. */
#ifndef PLANNER_COMMANDS_PLAN_CACHED_H
#define PLANNER_COMMANDS_PLAN_CACHED_H

#include "base/cmd.h"
#include "planner/study/study.h"

/* Lets GPUs hold the features of g as `word` says. runtime: of --for, or NULL. features: to be measured, or NULL.
 * ST_USAGE for another word, rows that would not get smaller, or with a runtime, which holds rows as the host does;
 * ST_INPUT for features that are not those of g. */
enum st plan_cached_set(const char *word, const char *runtime, const char *features, struct graph *g, struct err *err)
    MUST_USE;
/* Measures the features that the cell's plan holds, into its member `rounding`. Errors of rounding_measure. */
enum st plan_cached_measure(const struct call *call, const char *file, const struct study *s, struct study_cell *cell,
                            struct err *err) MUST_USE;
/* What was measured, as a table; nothing when nothing was. */
void plan_cached_print(const struct plan *p, FILE *to);

#endif
