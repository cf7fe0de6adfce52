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
/* Fills gaps of `into` from `from`, which has the same numbers: whole lists, and the rates and rails of NICs of the
 * same name. taken[4]: which of numa, socket_links, nics, nvme got something. */
void places_fill(struct server_places *into, const struct server_places *from, bool taken[4]);
/* Names of the four lists, as in the document. */
extern const char *const places_members[4];

/* Bytes of DRAM of a socket: the sum of its NUMA nodes; 0 when none states it, or one does not. */
uint64_t places_socket_memory(const struct server_places *p, int socket);
/* GB/s of the links between two sockets in one direction; 0 unknown. */
double places_socket_gbps(const struct server_places *p, int a, int b);

#endif
