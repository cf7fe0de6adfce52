/* tier_node_plan.h - what the GPUs of one node hold and train, as a plan that runtimes load (plan/1). */
#ifndef PLANNER_TIERS_TIER_NODE_PLAN_H
#define PLANNER_TIERS_TIER_NODE_PLAN_H

#include "planner/tiers/tier_plan.h"
#include "simulator/plan/plan.h"

/* Writes the plan directory `path`: policy "tiers", the GPUs with the ids of the server, their training vertices and
 * rows. Predicted is what they ask of all
 * other memories together; nothing is simulated in it.
 * ST_LIMIT, or as plan_save. */
enum st tier_node_plan_save(const struct tier_work *w, const struct tier_result *x, int node, const char *path,
                            struct err *err) MUST_USE;

#endif
