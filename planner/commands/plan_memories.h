/* plan_memories.h - what `hotset plan` does when memories below GPUs, or several nodes, are asked for. */
#ifndef PLANNER_COMMANDS_PLAN_MEMORIES_H
#define PLANNER_COMMANDS_PLAN_MEMORIES_H

#include "planner/places/memory_args.h"
#include "planner/study/study_memories.h"

/* The server: `name`, or that of --cluster. Where memory options are given, what is below and beside it; below->nodes
 * stays 0 without. own, network and below are zeroed; the first two are released by the caller. *out: borrowed. Errors
 * of memory_args_open. */
enum st plan_memories_open(const struct call *call, const struct memory_args *a, const char *name, struct server *own,
                           struct nodes_network *network, struct memories_request *below, struct server **out,
                           struct err *err) MUST_USE;
/* To plan them with study_memories; released by the caller. */
struct memories plan_memories_of(const struct study_options *o, const struct memories_request *below);
/* Several nodes: a plan for each of them, in one directory. own: an option that is of one node and is given; NULL:
 * none. Errors of study_nodes_make, nodes_plan_make and nodes_plan_save; ST_USAGE for options that are of one node. */
enum st plan_memories_nodes(struct call *call, const char *output, const struct study_options *o,
                            const struct study_cell *cell, const struct memories_request *below, struct err *err)
    MUST_USE;

#endif
