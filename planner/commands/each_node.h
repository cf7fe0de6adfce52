/* each_node.h - a command that takes the plan of one node, given a plan of several: it runs for the plan of each.
 *
 * The plan of several nodes is a directory with a folder per node (node0, node1, ..). Every word and option that names
 * a path with such a folder in it means that folder's; an output is written per node, too: `-o D` gives D/node0, ..,
 * and `-o X.json` gives X.node0.json, ... The document is {schema: "parts/1", parts[]{node, result}}.
 */
#ifndef PLANNER_COMMANDS_EACH_NODE_H
#define PLANNER_COMMANDS_EACH_NODE_H

#include "base/cmd.h"

/* Runs the command: once, or once per node. args: the argument struct, changed and restored. Errors of the command;
 * ST_NO of a node is returned when all have run. */
enum st each_node_run(const struct command *c, struct call *call, void *args, struct err *err) MUST_USE;

#endif
