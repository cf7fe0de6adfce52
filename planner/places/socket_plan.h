/* socket_plan.h - which socket's DRAM holds which rows of topology and features, in one of several ways.
 *
 *   interleave: page after page (4 KiB) on the sockets in turn, as numactl --interleave does; a row is where its first
 *     byte is
 *   replicate: the rows that all readers together read most per byte on every socket, as many as fit; the rest
 *     interleaved
 *   place: a home for every row on the socket whose GPUs read it most, as far as there is room; then copies for the
 *     others, by the bytes that they keep off the link between sockets per byte of DRAM (planner/places)
 * Reads are those that no GPU serves (host_reads.h). `place` comes with a lower bound of the bytes between sockets, for
 * any way to lay rows out, under the same estimates.
 */
#ifndef PLANNER_PLACES_SOCKET_PLAN_H
#define PLANNER_PLACES_SOCKET_PLAN_H

#include "planner/places/place_reads.h"
#include "simulator/storage/places_replay.h"

enum { SOCKETS_MAX = PLACE_SOCKETS_MAX };
enum socket_way { SOCKETS_INTERLEAVE, SOCKETS_REPLICATE, SOCKETS_PLACE, SOCKET_WAYS };
const char *socket_way_name(enum socket_way w); /* "interleave", "replicate", "place" */

struct socket_request { /* borrowed */
    struct place_source reads;
    int sockets;                    /* at least 2 */
    int socket_of[GPUS_MAX];        /* of each GPU, 0..sockets-1 */
    int number[SOCKETS_MAX];        /* of each socket in the server */
    uint64_t capacity[SOCKETS_MAX]; /* bytes for rows */
};

struct socket_plan {
    struct plan_places *way[SOCKET_WAYS];    /* place s: the DRAM of socket s; readers: sockets; owned */
    uint64_t used[SOCKET_WAYS][SOCKETS_MAX]; /* bytes */
    double crossing[SOCKET_WAYS];            /* expected bytes between sockets per epoch */
    double bound;                            /* of that, for any way */
};
void socket_plan_release(struct socket_plan *p); /* a zeroed struct is allowed */

/* Lays the rows out in every way. *out: zeroed by the caller, to be released. Takes 4 bytes per row and socket, 30
 * more, and the estimates of one clique. ST_NO, with a sentence, when the sockets together do not hold topology and
 * features; ST_LIMIT without memory. */
enum st socket_plan_make(const struct socket_request *r, struct socket_plan *out, struct err *err) MUST_USE;

#endif
