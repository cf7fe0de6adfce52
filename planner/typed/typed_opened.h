/* typed_opened.h - a plan of a typed graph and the graph that it is for, opened together. Private to planner/typed. */
#ifndef PLANNER_TYPED_TYPED_OPENED_H
#define PLANNER_TYPED_TYPED_OPENED_H

#include "base/cmd.h"
#include "simulator/plan/plan.h"

struct typed_opened {
    struct graph graph;
    struct plan plan;
};

/* Opens the plan directory `path`. graph NULL: the one that the plan states. *out: to be closed by the caller, also
 * after an error. Errors of graph_open and plan_load. */
enum st typed_opened_open(const struct call *call, const char *path, const char *graph, struct typed_opened **out,
                          struct err *err) MUST_USE;
void typed_opened_close(struct typed_opened *x); /* NULL is allowed */

#endif
