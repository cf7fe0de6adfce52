/* graph_result.h - the last step of every command that makes a graph. */
#ifndef TRACES_COMMANDS_GRAPH_RESULT_H
#define TRACES_COMMANDS_GRAPH_RESULT_H

#include "base/cmd.h"
#include "traces/builder/graph_save.h"

/* Prints what was made as a table or, with --json, as the document graph-made/1, and ends the call. Errors: those of
 * call_finish. */
enum st graph_result_print(struct call *call, const struct graph_summary *s, struct err *err) MUST_USE;

/* The same for a directory of schema graph/2, which is opened again: prints what `graph info` does. Errors of
 * graph_open_any likewise. */
enum st graph_result_types(struct call *call, const char *path, struct err *err) MUST_USE;

#endif
