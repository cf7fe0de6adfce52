/* export_planned.h - what exports share whose runtimes take rows from anywhere: the lists that PlannedRows of
 * scripts/planned.py reads, and what becomes of a plan there.
 */
#ifndef PLANNER_EXPORTS_EXPORT_PLANNED_H
#define PLANNER_EXPORTS_EXPORT_PLANNED_H

#include "planner/exports/export.h"

/* The package by which scripts gather on GPUs: of what to install. */
#define EXPORT_WHEEL                                                                                                   \
    "the wheel of hotset ('make wheel' in its source folder; planner/RUNTIMES.md there): on GPUs its libhotset_cuda "  \
    "gathers a mini-batch by one launch; without it, or without a GPU, torch gathers place by place, the same rows "   \
    "with the same counts"

/* The lists that PlannedRows reads: gpu<i>_feature.npy, int64, for each type with rows. ST_LIMIT without memory or
 * disk.
 */
enum st export_planned_lists(const struct export_input *in, struct export_folder *to, struct err *err) MUST_USE;
/* Adds what such a runtime cannot honour, and how it will run: the plan without its topology rows, as t->made says.
 * ST_LIMIT without memory. */
enum st export_planned_runs(const struct export_input *in, struct export_runs *to, const char *runtime,
                            const struct export_target *t, struct err *err) MUST_USE;

#endif
