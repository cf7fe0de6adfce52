/* trace_commands.h - the commands below `hotset trace`. */
#ifndef PLANNER_TRACE_COMMANDS_H
#define PLANNER_TRACE_COMMANDS_H

#include "base/cmd.h"

extern const struct command trace_import_command;

#endif
