/* plan_server.h - what a plan takes over from its server. */
#ifndef SIMULATOR_PLAN_PLAN_SERVER_H
#define SIMULATOR_PLAN_PLAN_SERVER_H

#include "hwprofiles/model/server.h"
#include "simulator/plan/plan.h"

/* Sets name, fingerprint, line_bytes, switches, sockets and NVLinks of a zeroed plan, and as peers of every GPU the
 * others of its clique. */
void plan_set_server(struct plan *p, const struct server *s);

#endif
