/* plan_check.h - checks a placement against the rules, independently of the policy that made it.
 *
 * Rules: every number is one of the graph's rows; no list holds one twice, and none a row without bytes; no GPU holds
 * more bytes than its budget; rows noted as exact are held, and of tables that are rounded; peers are other GPUs, each
 * listed once, and NVLinks lead to every one of them. Costs one pass over the rows and a bit per row and thread.
 */
#ifndef SIMULATOR_PLAN_PLAN_CHECK_H
#define SIMULATOR_PLAN_PLAN_CHECK_H

#include "simulator/plan/plan.h"

/* Checks p->placement against p->budget, p->links and the graph. threads: at least 1; the sentence is that of the first
 * GPU that breaks a rule, on any number of threads. ST_INPUT with the GPU, the list, what was found and what is
 * allowed; ST_LIMIT when memory runs out. */
enum st plan_check(const struct plan *p, const struct graph *graph, int threads, struct err *err) MUST_USE;
/* The same without links. id: [gpus] of GPUs, for messages. */
enum st plan_check_placement(const struct placement *p, const struct graph *graph, const int *id,
                             const uint64_t *budget, int threads, struct err *err) MUST_USE;

#endif
