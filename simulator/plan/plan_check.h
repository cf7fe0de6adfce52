/* plan_check.h - checks a placement against the rules, independently of the policy that made it.
 *
 * Rules: every id is a vertex of the graph; no list holds an id twice; no GPU holds more bytes than its budget; peers
 * are other GPUs, each listed once, and NVLinks lead to every one of them. Costs one pass over the rows and a bit per
 * vertex and thread.
 */
#ifndef SIMULATOR_PLAN_PLAN_CHECK_H
#define SIMULATOR_PLAN_PLAN_CHECK_H

#include "simulator/plan/plan.h"

/* Checks p->placement against p->budget, p->links and the graph. threads: at least 1; the sentence is that of the first
 * GPU that breaks a rule, on any number of threads. ST_INPUT with the GPU, the list, what was found and what is
 * allowed; ST_LIMIT when memory runs out. */
enum st plan_check(const struct plan *p, const struct graph *graph, int threads, struct err *err) MUST_USE;

#endif
