/* tier_machine.h - the memories that rows can lie in, who reads them, and what a read costs.
 *
 * Places: of every node the GPUs of each clique together, the DRAM of each socket, and, for all nodes together, the
 * SSDs: every node has all rows on its own. Where that makes more than PLACES_MAX places, the DRAM of a node's sockets
 * is one place. Readers: the GPUs of one clique on one socket of one node. GPUs hold copies only; DRAM and SSDs are
 * homes, so a row that leaves a GPU is still somewhere.
 *
 * A cost is the seconds that one read takes a GPU while all GPUs read at once, so what GPUs share (a switch, a link
 * between sockets, a NIC, SSDs) is divided among them; of a reader, the mean over its GPUs. tier_costs.c has each one.
 */
#ifndef PLANNER_TIERS_TIER_MACHINE_H
#define PLANNER_TIERS_TIER_MACHINE_H

#include "hwprofiles/model/drive.h"
#include "hwprofiles/model/server.h"
#include "planner/nodes/nodes_network.h"
#include "planner/places/place_problem.h"

enum tier_kind { TIER_GPUS, TIER_DRAM, TIER_SSD, TIER_KINDS };
enum tier_row { TIER_TOPOLOGY, TIER_FEATURE, TIER_ROWS }; /* reads of: a line of a neighbour list; a feature row */
enum { TIER_READERS_MAX = PLACE_READERS_MAX / TIER_ROWS };

struct tier_place {
    enum tier_kind kind;
    int node, clique, socket; /* -1: of all nodes; not of this kind; of all sockets, or not known */
    uint64_t capacity;        /* bytes for rows; UINT64_MAX: no limit */
    char name[64];            /* "node 1 socket 0" */
};

struct tier_reader {
    int node, clique, socket;       /* socket -1: not known */
    int gpus, gpu[SERVER_GPUS_MAX]; /* positions in the server */
};

struct tier_request {                    /* borrowed */
    const struct server *server;         /* of every node */
    int nodes;                           /* at least 1 */
    double nic_gbps;                     /* that a node receives, shared by its GPUs; without a network */
    const struct nodes_network *network; /* of a cluster file; NULL: none */
    struct drives drives;                /* of a node; count 0: none */
    uint64_t budget[SERVER_GPUS_MAX];    /* bytes of each GPU */
    uint64_t host_bytes;                 /* DRAM of a node for rows */
    uint64_t row_bytes, line_bytes;      /* of a feature row; of a read of topology */
    double line_blocks;                  /* SSD blocks that stand for one line of topology (tier_rows.h) */
};

struct tier_machine {
    int places, readers;
    bool one_dram; /* the sockets of a node are one place */
    struct tier_place place[PLACES_MAX];
    struct tier_reader reader[TIER_READERS_MAX];
    double cost[TIER_ROWS][TIER_READERS_MAX][PLACES_MAX]; /* seconds per read; INFINITY: it cannot */
};

/* Finds places, readers and costs. ST_NO, with a sentence, for more places or readers than can be planned at once, and
 * for a rate that is needed and not stated. */
enum st tier_machine_make(const struct tier_request *r, struct tier_machine *out, struct err *err) MUST_USE;
/* Sets costs alone; places and readers are there. Errors as above. */
enum st tier_costs_set(const struct tier_request *r, struct tier_machine *m, struct err *err) MUST_USE;
/* The places that rows can be at home in. */
place_set tier_homes(const struct tier_machine *m);
/* Places of one kind. */
place_set tier_places_of(const struct tier_machine *m, enum tier_kind kind);
/* The reader that the GPU at `position` of a node belongs to. */
int tier_reader_of(const struct tier_machine *m, int node, int position);

#endif
