/* graph_commands.h - hotset graph import, synth, info: children of the group that planner/cmd_graph.c registers. */
#ifndef TRACES_GRAPH_COMMANDS_H
#define TRACES_GRAPH_COMMANDS_H

#include "base/cmd.h"

extern const struct command graph_import_command, graph_synth_command, graph_info_command;

#endif
