/* dynamic_cache_plan.h - dynamic caches instead of a plan's feature lists, on the plan's own mini-batches. */
#ifndef PLANNER_COMMANDS_DYNAMIC_CACHE_PLAN_H
#define PLANNER_COMMANDS_DYNAMIC_CACHE_PLAN_H

#include "planner/commands/dynamic_cache_args.h"
#include "simulator/movement/epoch_args.h"
#include "simulator/plan/plan.h"

/* Runs every cache of a->cache and appends a row of results/1 for each to `rows`. A row begins as a copy of `row` (the
 * plan's members) and gets `simulated` and `dynamic{cache, rows, share, admission, requests, misses, replaced_rows,
 * replaced_bytes, evicted_rows}`, sums over the epochs. timing, server: for epoch times, as simulated_make takes them.
 * ST_USAGE for an unknown cache or a bad size. */
enum st dynamic_cache_plan(struct call *call, const struct dynamic_cache_args *a, const struct replay_request *r,
                           const struct epoch_options *timing, const struct server *server, const struct plan *p,
                           const doc *row, doc *rows, struct err *err) MUST_USE;

#endif
