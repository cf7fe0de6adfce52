/* like.h - a plan's settings (settings.h), repeated: `--like P` of a command takes from plan.json what its own command
 * line leaves out.
 */
#ifndef PLANNER_COMMANDS_LIKE_H
#define PLANNER_COMMANDS_LIKE_H

#include "base/cmd.h"
#include "simulator/plan/plan.h"

#define OPTION_LIKE(type, at)                                                                                          \
    OPTION_PATH("like", 0, type, at, "P", NULL, PATH_READ,                                                             \
                "A plan whose graph, server and settings are repeated: every option that is not given is the plan's.")

/* The hook of command_parse: when option `like` names a plan, sets every option of its settings that was not given, and
 * says so. ST_INPUT when the plan cannot be read. Of a command with --stand-in what is no folder is one, as it was
 * called once. */
enum st like_apply(const struct command *c, struct call *call, void *args, struct err *err) MUST_USE;

#endif
