/* cmd_diff.h - hotset diff for other commands: explain --against. */
#ifndef PLANNER_COMMANDS_CMD_DIFF_H
#define PLANNER_COMMANDS_CMD_DIFF_H

#include "base/cmd.h"

/* Prints what changes when the plan `after` takes the place of `before`, and ends the call. graph: the graph of the
 * second; NULL: the path that it states. ST_INPUT for plans that cannot be read or compared. */
enum st diff_plans(struct call *call, const char *before, const char *after, const char *graph, struct err *err)
    MUST_USE;

#endif
