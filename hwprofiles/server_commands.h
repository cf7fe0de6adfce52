/* server_commands.h - the commands below `hotset server` that have files of their own. */
#ifndef HWPROFILES_SERVER_COMMANDS_H
#define HWPROFILES_SERVER_COMMANDS_H

#include "base/cmd.h"
#include "hwprofiles/server.h"

extern const struct command server_probe_command;

/* Ends a command whose result is a server: the picture, or its document under --json. */
enum st server_show_result(struct call *call, const struct server *s, struct err *err) MUST_USE;

#endif
