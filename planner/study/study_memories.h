/* study_memories.h - plans with the memories below the GPUs, of one node or of several.
 *
 * Several nodes train parts of the graph of their own: each gets a study of the graph with the training vertices of its
 * part, so policies, deals and samplers are what they are on one node. Then all memories are planned together
 * (planner/places/memories.h).
 */
#ifndef PLANNER_STUDY_STUDY_MEMORIES_H
#define PLANNER_STUDY_STUDY_MEMORIES_H

#include "planner/places/memories.h"
#include "planner/study/options.h"
#include "traces/graph/graph_union.h"

/* One node. The study and the cell are the caller's where there is one node only. */
struct study_node {
    struct graph view; /* the graph with the node's training vertices */
    uint32_t *train;   /* owned */
    /* Of several types: those with the node's training vertices, and the graph of connections with their ids; owned. */
    struct graph_type *type;
    struct graph_union joined; /* all but the ids is the graph's */
    uint32_t *ids;
    struct study s;
    struct study_cell cell;
};
struct study_nodes {
    int nodes;
    struct study_node *node; /* owned */
    struct partition_report parts;
};

/* Plans the GPUs of every node: o and cell say how, and are copied. *out: zeroed by the caller, to be released also
 * after an error. method: how the graph is split among nodes. ST_NO, with the policy's reason, when it cannot make the
 * plan; errors of studies and of partition_graph. */
enum st study_nodes_make(const struct study_options *o, const struct study_cell *cell, int nodes, const char *method,
                         struct study_nodes *out, struct err *err) MUST_USE;
void study_nodes_release(struct study_nodes *x); /* zeroed is allowed */

/* Refuses what takes more than --memory, before any is taken, and says what it takes from 1 GiB on. ST_LIMIT. */
enum st study_memories_check(const struct call *call, const struct memories_request *r, const struct graph *g,
                             struct err *err) MUST_USE;
/* Plans the memories of one node, or of all: s and cell are [nodes] pointers to what was planned. m: with what its
 * caller sets but joint, which the cells' policy decides; released by the caller. Then plans have places, and where
 * lists changed, new predictions. ST_NO for dynamic caches. */
enum st study_memories(struct study *const *s, struct study_cell *const *cell, struct memories *m, struct err *err)
    MUST_USE;
/* Simulates the cell on its held-out epochs, the memories below its GPUs, too; of several types also what plans that
 * know no types leave (study_baselines.h). */
enum st study_memories_simulate(struct study *s, struct study_cell *cell, struct err *err) MUST_USE;

#endif
