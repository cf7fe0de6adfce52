/* sockets.h - a host with several sockets: which socket's DRAM holds which row, and what readers take over the link
 * between sockets.
 *
 * A reader is a GPU below a socket. A row that no GPU in its reach holds is read from its own socket's DRAM where that
 * has it, else from the lowest socket that has it, over the link between the two. Bytes are those of the lines that a
 * read touches (base/cacheline.h), of offsets, neighbours and features. Where the CPU samples or gathers, the threads
 * that serve a GPU are taken to run on its socket. Sampler GPUs hold the topology, and read none here.
 */
#ifndef SIMULATOR_STORAGE_SOCKETS_H
#define SIMULATOR_STORAGE_SOCKETS_H

#include "simulator/plan/plan.h"

enum { SOCKETS_MAX = 8 };

/* [n] each, bit s: the DRAM of socket s holds the row of topology (with its offsets), of features. Borrowed. */
struct socket_layout {
    const uint8_t *topology, *feature;
};

/* Sums over the epochs: bytes that readers on one socket read from the DRAM of another, or of their own. */
struct socket_counts {
    uint64_t topology[SOCKETS_MAX][SOCKETS_MAX], feature[SOCKETS_MAX][SOCKETS_MAX]; /* [reader][holder] bytes */
};

/* Draws the mini-batches of the request (those of replay_run) under the placement, and counts every layout on them.
 * socket_of: [gpus], below SOCKETS_MAX. out: [count], zeroed by the caller. Takes 4 n (3 + hops) bytes, and 2 n.
 * ST_LIMIT without memory. */
enum st sockets_replay(const struct replay_request *r, const struct placement *p, const int *socket_of,
                       const struct socket_layout *layout, int count, struct socket_counts *out, struct err *err)
    MUST_USE;

/* Bytes over the links between sockets, and bytes of all reads. */
uint64_t sockets_crossing(const struct socket_counts *c);
uint64_t sockets_read(const struct socket_counts *c);

#endif
