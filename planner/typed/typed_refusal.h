/* typed_refusal.h - commands that work on graphs with one type only say so, and what to type instead. */
#ifndef PLANNER_TYPED_TYPED_REFUSAL_H
#define PLANNER_TYPED_TYPED_REFUSAL_H

#include "base/status.h"

/* ST_USAGE with "<path>: <why>" where the graph directory `graph` (schema graph/2), or the plan directory `plan`
 * (plan/2) has several types; ST_OK for all others, also for what cannot be read. graph NULL: ST_OK. ST_LIMIT without
 * memory. */
enum st typed_graph_refuse(const char *graph, const char *why, struct err *err) MUST_USE;
enum st typed_plan_refuse(const char *plan, const char *why, struct err *err) MUST_USE;

#endif
