/* refresh_moves.h - what must be loaded to go from one plan to the next, over which links, and what that takes.
 *
 * A row that a GPU did not hold comes over an NVLink from the first of its peers, in the order of the plan before, that
 * held it and has a direct link; all others come from the host over PCIe. Where plans state memories the host has a row
 * from where the plan before reads it: DRAM, SSDs, or another node, over the network. There rows are counted that come
 * into the DRAM of its sockets, too.
 */
#ifndef PLANNER_RUNNING_REFRESH_MOVES_H
#define PLANNER_RUNNING_REFRESH_MOVES_H

#include <math.h>

#include "hwprofiles/model/server.h"
#include "simulator/plan/plan.h"

struct refresh_amount {
    uint64_t kept, loaded, dropped, bytes; /* rows; bytes: of those that are loaded */
    uint64_t peer_rows, peer_bytes;        /* of those that are loaded, over NVLinks */
    uint64_t node_rows, node_bytes;        /* of those that are loaded, from another node */
    uint64_t ssd_bytes;                    /* of those that are loaded, from SSDs */
};
/* By position of the GPU in `before`. */
struct refresh_moves {
    struct refresh_amount feature[GPUS_MAX], topology[GPUS_MAX];
    uint64_t over[GPUS_MAX][GPUS_MAX];           /* bytes that the NVLink [from][to] carries */
    uint64_t rows, bytes, peer_rows, peer_bytes; /* loaded on all GPUs; of these, over NVLinks */
    uint64_t node_bytes;                         /* likewise, from another node */
    uint64_t ssd_bytes;                          /* from SSDs, on GPUs and into DRAM */
    struct refresh_amount dram;                  /* of all sockets, where both plans state memories; else zero */
};
void refresh_amount_add(struct refresh_amount *to, const struct refresh_amount *more);
/* ST_LIMIT without memory for a byte per row. graph: with the weights of the workload. s: of both plans. */
enum st refresh_count(const struct plan *before, const struct plan *after, const struct graph *graph,
                      const struct server *s, struct refresh_moves *out, struct err *err) MUST_USE;

/* Bytes that GPU g loads from the host. */
uint64_t refresh_host_bytes(const struct refresh_moves *m, int g);
/* Seconds of an NVLink (behind an NVSwitch: of the reader's port, for the bytes of this holder); 0 without bytes, NaN
 * where the server does not state the rate. */
double refresh_link_seconds(const struct server *s, const struct refresh_moves *m, int from, int to);

/* The later of two times; NaN where one is not known. */
static inline double refresh_later(double a, double b) { return isnan(a) || a > b ? a : b; }
/* Seconds that reading so many lines of host memory takes, when all GPUs of the server read alike; NaN: unknown. */
double refresh_line_seconds(const struct server *s, double lines);
/* What moving takes and gives, in seconds; NaN where the server does not state its rates. */
struct refresh_pay {
    double bytes_per_second;          /* of each GPU's loads from the host, with all GPUs at work; NaN: not known */
    double uplink_bytes_per_second;   /* of all GPUs below one PCIe uplink together; NaN likewise */
    double seconds_to_load[GPUS_MAX]; /* of each GPU: host and NVLinks side by side, the slowest of them */
    double seconds_below;             /* of what comes over the network and from SSDs, into GPUs and DRAM */
    double seconds_to_move;           /* of the GPU that takes longest, or seconds_below where that is more */
    double seconds_to_stay;           /* the same where GPUs keep their rows, and DRAM alone is filled anew */
    double seconds_gained;            /* per epoch, by GPUs that train */
};
/* model/memories.md. before: the plan whose SSDs are read. seconds: per epoch that the transfer stage is expected
 * to become shorter (refresh_reads.h); NaN: not known, and what counts is the time of the transactions that are saved,
 * `gain` per epoch. network: GB/s that the node receives from others. seconds_to_stay is left to the caller. */
struct refresh_pay refresh_pays(const struct plan *before, const struct server *s, const struct assignment *a,
                                const struct refresh_moves *m, double network, double seconds, double gain);
/* Whether so many epochs gain more than moving takes beyond what staying does; false where one is not known. */
static inline bool refresh_worth(const struct refresh_pay *p, double epochs)
{
    return p->seconds_gained * epochs > p->seconds_to_move - p->seconds_to_stay;
}

#endif
