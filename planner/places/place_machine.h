/* place_machine.h - the memories of servers as places: who reads them, and what a read costs.
 *
 * Places of a node: the GPUs of each clique together, and homes, as the DRAM of each socket is one; SSDs are the last
 * memory, of every node its own with all rows on it. Where a server has more than PLACE_HOMES_MAX sockets, or does not
 * state those of its GPUs, its DRAM is one place. Readers: the GPUs of one clique on one socket. A cost is the seconds
 * that one read takes a GPU while all GPUs read at once, so what GPUs share (a switch, a link between sockets, a NIC,
 * SSDs) is divided among them; of a reader, the mean over its GPUs.
 */
#ifndef PLANNER_PLACES_PLACE_MACHINE_H
#define PLANNER_PLACES_PLACE_MACHINE_H

#include "hwprofiles/model/drive.h"
#include "hwprofiles/model/server.h"
#include "planner/places/nodes_network.h"
#include "planner/places/place_problem.h"
#include "simulator/plan/plan_places.h"

/* How rows lie on the sockets of a node: where they are read (place_solve.h), or without regard to that
 * (place_pages.h). */
enum socket_rows { SOCKET_ROWS_PLACE, SOCKET_ROWS_INTERLEAVE, SOCKET_ROWS_REPLICATE };

struct memories_request {                /* borrowed */
    const struct server *server;         /* of every node */
    int nodes;                           /* at least 1 */
    double nic_gbps;                     /* that a node receives, shared by its GPUs; without a network */
    const struct nodes_network *network; /* of a cluster file; NULL: none */
    struct drives drives;                /* of a node; count 0: none */
    uint64_t host_bytes, offset_bytes;   /* DRAM of a node; the part of it that offsets take */
    int kinds;                           /* of reads: a line of topology, then a feature row of each size */
    uint64_t read_bytes[PLACE_READ_KINDS_MAX];
    enum socket_rows rows; /* other than place: of one node, and GPUs keep their lists */
};

struct place_reader {
    int clique, socket; /* socket -1: not known */
    int gpus, gpu[SERVER_GPUS_MAX];
};

struct place_machine {
    struct place_problem shape; /* counts, cliques, costs; no rows, no capacities */
    int kinds;                  /* as in the request */
    uint64_t read_bytes[PLACE_READ_KINDS_MAX];
    struct place home[PLACE_HOMES_MAX]; /* of every node */
    struct place_reader reader[PLACE_READERS_MAX];
    int reader_of[SERVER_GPUS_MAX];
};

/* Finds places, readers and costs. line_blocks: SSD blocks that stand for one line of topology. ST_NO, with a sentence,
 * for more places than can be planned, and for a rate that is needed and not stated. */
enum st place_machine_make(const struct memories_request *r, double line_blocks, struct place_machine *out,
                           struct err *err) MUST_USE;
/* The kind of reads of feature rows of so many bytes. */
int place_machine_read(const struct place_machine *m, uint64_t row_bytes);
/* GB/s that a node receives from the others while all of its GPUs do; 0: not known. */
double place_machine_network_gbps(const struct memories_request *r);
/* SSD blocks that a feature row of so many bytes touches on average. */
double place_machine_blocks(const struct memories_request *r, uint64_t row_bytes);
/* How many places a server's DRAM is. */
int place_machine_sockets(const struct server *s);

#endif
