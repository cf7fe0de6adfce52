/* plan_server.h - what a plan takes over from its server. */
#ifndef SIMULATOR_PLAN_PLAN_SERVER_H
#define SIMULATOR_PLAN_PLAN_SERVER_H

#include "hwprofiles/model/server.h"
#include "simulator/plan/plan.h"

/* Sets name, fingerprint, line_bytes, switches, sockets and NVLinks of a zeroed plan, and as peers of every GPU the
 * others of its clique. */
void plan_set_server(struct plan *p, const struct server *s);

/* The server of a plan: the one that is named (may be NULL), else the document in the plan, else, of plans of older
 * versions, a file or shipped profile of the plan's server's name with the same fingerprint. ST_INPUT when there is
 * none. *out: to be released. */
enum st plan_server_load(const struct plan *p, const char *named, struct server *out, struct err *err) MUST_USE;

#endif
