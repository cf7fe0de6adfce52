/* server_places.h - NUMA nodes, links between sockets, NICs and NVMe drives of a server: reading them from a document,
 * writing them, and taking them over from another description of the same machine.
 *
 * Members of server/1, each left out where nothing is known:
 *   - numa[]{id, socket, memory_bytes, gbps, distances[]}: distances to every node in the order of the list (10 is
 *     local, as firmware states them)
 *   - socket_links[]{a, b, gbps}: two sockets and GB/s in one direction over all links between them
 *   - nics[]{name, gbps, switch, socket, rail}: GB/s in one direction (a NIC of 200 Gbit/s has 25)
 *   - nvme[]{name, drive, bytes, switch, socket}: drive is a name in hwprofiles/drives
 * null is unknown. References are checked: a socket must be one that a GPU or a NUMA node is on, a device and a GPU
 * below one switch must be on one socket, and the DRAM of the nodes must be within the host's memory.
 */
#ifndef HWPROFILES_MODEL_SERVER_PLACES_H
#define HWPROFILES_MODEL_SERVER_PLACES_H

#include "hwprofiles/model/server.h"

/* Fills s->places from the members above; s has its GPUs and host_memory_bytes. where: the file's name. ST_INPUT, with
 * file and member, for anything that is not as described. */
enum st places_read(const doc *d, const char *where, struct server *s, struct err *err) MUST_USE;
/* Adds the members that are known to d. */
void places_put(const struct server_places *p, doc *d);

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
