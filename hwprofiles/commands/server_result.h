/* server_result.h - the last step of every command whose result is a server. */
#ifndef HWPROFILES_COMMANDS_SERVER_RESULT_H
#define HWPROFILES_COMMANDS_SERVER_RESULT_H

#include "base/cmd.h"
#include "hwprofiles/model/server.h"

/* Prints the server as tables (explain: in full, with where its numbers come from) or, with --json, as the document
 * server/1, and ends the call. Errors: those of call_finish. */
enum st server_result_print(struct call *call, const struct server *s, bool explain, struct err *err) MUST_USE;

#endif
