/* server_result.h - how every command whose result is a server ends. */
#ifndef HWPROFILES_COMMANDS_SERVER_RESULT_H
#define HWPROFILES_COMMANDS_SERVER_RESULT_H

#include "base/cmd.h"
#include "hwprofiles/model/server.h"

/* Prints the server for people or, with --json, its document server/1. Errors: those of call_finish. */
enum st server_result_print(struct call *call, const struct server *s, struct err *err) MUST_USE;

#endif
