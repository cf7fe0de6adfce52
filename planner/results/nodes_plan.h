/* nodes_plan.h - the plan of several nodes: a directory with a plan for each (plan-nodes/1).
 *
 * plan.json: {schema, policy, nodes, server, graph{..}, workload{..}, partition{method, cut_share}, network{nic_gbps,
 * cluster}, traffic{..}, predicted_seconds, tier_by_tier_seconds, bound_seconds, above_bound, parts[]{node, path,
 * train_vertices, predicted{..}, simulated{..}}}: seconds as in the member `memories` of a part (plan_places.h),
 * predicted and simulated as in its plan.json; cluster and traffic as in nodes_network_document.h, traffic where
 * held-out epochs of a cluster file were simulated. The parts are node0/, node1/, ..: plans like any other, whose
 * places state the other nodes.
 */
#ifndef PLANNER_RESULTS_NODES_PLAN_H
#define PLANNER_RESULTS_NODES_PLAN_H

#include <stdio.h>
#include "planner/engine/study_memories.h"

#define NODES_PLAN_SCHEMA "plan-nodes/1"

/* Writes the directory of a cell that was planned on several nodes. *out: plan.json, the caller's to free. ST_INPUT
 * when the path is taken; ST_LIMIT. */
enum st nodes_plan_save(const struct study_nodes *nodes, const struct study_cell *c, const char *path, doc **out,
                        struct err *err) MUST_USE;
/* Reads the plan.json at `path`: its checksum holds, and parts[] are node0, node1, .. as many as it has nodes.
 * ST_INPUT; the caller frees *out. */
enum st nodes_plan_load(const char *path, doc **out, struct err *err) MUST_USE;
/* For people: a line per node, and the answer: what an epoch takes on the slowest, what is still read over PCIe, and
 * how sure that is. explain: also what columns mean. */
void nodes_plan_print(const doc *d, bool explain, FILE *to);
/* The same of what was just planned; explain: also the plan of each node. d: what was written. */
void nodes_plan_show(const struct study_nodes *nodes, const struct study_cell *c, const doc *d, bool explain, FILE *to);

#endif
