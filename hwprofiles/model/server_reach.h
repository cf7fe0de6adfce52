/* server_reach.h - how far a GPU reads: a property of the server and of the runtime that trains on it
 * (model/cliques.md).
 *
 *   own      its own memory only
 *   direct   also GPUs that an NVLink joins it to
 *   forward  also GPUs at the end of a chain of NVLinks; GPUs between forward the bytes (DSP, section 1)
 *   p2p      also GPUs below the same PCIe switch, over PCIe: neither the uplink nor the host takes part
 *
 * Each includes the ones before. GPUs that all reach each other form a clique, so the cliques depend on the reach.
 */
#ifndef HWPROFILES_MODEL_SERVER_REACH_H
#define HWPROFILES_MODEL_SERVER_REACH_H

#include "hwprofiles/model/server.h"

#define REACH_WORDS "own|direct|forward|p2p"

/* "own", "direct", "forward", "p2p"; "direct" for REACH_DEFAULT. */
const char *reach_name(enum server_reach r);
/* The reach of that name; REACH_DEFAULT for NULL and for other words. */
enum server_reach reach_of(const char *name);

/* Sets the reach and finds the cliques again; links, name, fingerprint and document stay. ST_USAGE for p2p on a server
 * whose PCIe switches are unknown. */
enum st server_set_reach(struct server *s, enum server_reach reach, struct err *err) MUST_USE;

/* Whether GPU `reader` reads memory of GPU `holder` at the server's reach. Positions; false for reader == holder. */
bool server_reads(const struct server *s, int reader, int holder);
/* Whether both are below one PCIe switch, which is known: they exchange bytes without the host. */
bool server_same_switch(const struct server *s, int a, int b);

#endif
