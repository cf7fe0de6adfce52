/* server_places.h - NUMA nodes, links between sockets, NICs and NVMe drives of a server: what they must be to each
 * other and to its GPUs, and taking them over from another description of the same machine. Their keys:
 * server_fields.h.
 */
#ifndef HWPROFILES_MODEL_SERVER_PLACES_H
#define HWPROFILES_MODEL_SERVER_PLACES_H

#include "hwprofiles/model/server.h"

/* Checks s->places as a document states them, and puts the lower socket of a link first: a device and a GPU below one
 * switch must be on one socket, and the DRAM of the nodes must be within the host's memory. where: the file's name.
 * ST_INPUT names file and member. */
enum st places_check(struct server *s, const char *where, struct err *err) MUST_USE;

/* Renumbers switches (or sockets) of p from those of `old` to those of `now`, two descriptions of the same GPUs.
 * Numbers that no GPU of `old` has become unknown: nothing says what `now` calls them. */
void places_renumber(struct server_places *p, bool sockets, const struct server *old, const struct server *now);
/* Fills the rates, rails and places of NICs that both name from `from`, which has the same numbers. True: it had some.
 */
bool places_fill_nics(struct server_places *into, const struct server_places *from);

/* Bytes of DRAM of a socket: the sum of its NUMA nodes; 0 when none states it, or one does not. */
uint64_t places_socket_memory(const struct server_places *p, int socket);
/* GB/s of the links between two sockets in one direction; 0 unknown. */
double places_socket_gbps(const struct server_places *p, int a, int b);

#endif
