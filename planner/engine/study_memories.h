/* study_memories.h - studies of one node or of several, with the memories below their GPUs.
 *
 * Several nodes train parts of the graph of their own: each gets a study of the graph with the training vertices of its
 * part, so policies, deals and samplers are what they are on one node. Then all memories are planned together
 * (planner/places/memories.h). One node without memories below it is a study like any other, so commands that plan take
 * this one way:
 *
 *     study_nodes_begin, study_nodes_plan, study_nodes_simulate, .., study_nodes_end
 *
 * A cell is planned on every node: it has its own plan for the first one and those of the others in `other`; what all
 * of them read together is nodes_sum.
 */
#ifndef PLANNER_ENGINE_STUDY_MEMORIES_H
#define PLANNER_ENGINE_STUDY_MEMORIES_H

#include "base/cmd.h"
#include "planner/engine/study.h"
#include "planner/places/memories.h"
#include "planner/engine/train_view.h"

struct study_node {
    struct train_view view; /* with the node's training vertices; not set of one node, which trains all of them */
    struct study s;
};
struct study_nodes {
    const struct graph *graph;            /* borrowed: of all nodes */
    const struct memories_request *below; /* borrowed; NULL: one node, and its host is one memory that has all rows */
    int nodes;
    struct study_node *node;       /* owned */
    struct partition_report parts; /* how the graph is split among several nodes */
};

/* Begins a study per node. below: with nodes 0 it is as NULL. Several nodes keep no checkpoint. *study: zeroed by the
 * caller, to be ended also after an error. ST_INPUT when there are fewer training vertices than GPUs; errors of
 * partition_graph. */
enum st study_nodes_begin(struct study_nodes *study, const struct study_options *o,
                          const struct memories_request *below, struct err *err) MUST_USE;
/* The same where the recording of every node is given, and with it who trains what. o: [nodes]; their traces must
 * outlive the study. ST_INPUT when two nodes train a vertex. */
enum st study_nodes_begin_given(struct study_nodes *nodes, const struct study_options *o,
                                const struct memories_request *below, struct err *err) MUST_USE;
void study_nodes_end(struct study_nodes *nodes); /* zeroed is allowed */

/* study_plan_all on every node, and the memories below. A policy that cannot make the plan on one of the nodes, or
 * whose plan has no lists to plan memories for, says so in the verdict of the cell. Errors of study_plan_all and
 * memories_solve. */
enum st study_nodes_plan(struct study_nodes *nodes, struct study_cell *cells, int count, struct err *err) MUST_USE;
/* study_simulate on every node, the memories below, too; with several nodes sets `together`. */
enum st study_nodes_simulate(struct study_nodes *nodes, struct study_cell *cells, int count, struct err *err) MUST_USE;

/* The same of one planned cell; of several types on one node also what plans that know no types leave
 * (study_memories.c). */
enum st study_nodes_simulate_plan(struct study_nodes *nodes, struct study_cell *cell, struct err *err) MUST_USE;

/* Refuses what takes more than --memory, before any is taken, and says what it takes from 1 GiB on. Nothing without
 * memories below. ST_LIMIT. */
enum st study_memories_check(const struct call *call, const struct memories_request *below, const struct graph *g,
                             struct err *err) MUST_USE;

#endif
