/* server_commands.h - the commands below `hotset server` that have files of their own. */
#ifndef HWPROFILES_SERVER_COMMANDS_H
#define HWPROFILES_SERVER_COMMANDS_H

#include "base/cmd.h"

extern const struct command server_probe_command;

#endif
