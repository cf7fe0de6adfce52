/* graph_result.h - how every command that makes a graph ends. */
#ifndef TRACES_COMMANDS_GRAPH_RESULT_H
#define TRACES_COMMANDS_GRAPH_RESULT_H

#include "base/cmd.h"
#include "traces/builder/graph_save.h"

/* Prints what was made for people or, with --json, its document. Errors: those of call_finish. */
enum st graph_result_print(struct call *call, const struct graph_summary *s, struct err *err) MUST_USE;

#endif
