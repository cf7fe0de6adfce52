/* transfer.h - the transfer stage of an epoch as sums of bytes: which links and memories a read passes, and for how
 * many seconds per byte (epoch_time.h, eq. 8 with contention; model/optimum.md and model/time.md).
 *
 * A resource is a PCIe uplink of a switch, a GPU's PCIe link in one direction, an NVLink in one direction (or the port
 * of a GPU behind an NVSwitch), a GPU's memory, or the host's memory. Reads of row r by GPU g from source s load every
 * resource on their path, and the stage lasts as long as its busiest resource. That time is a maximum of linear
 * functions of the placement, so for any weights w >= 0 that add up to 1 the weighted sum of all resources' times is at
 * most the stage: policies minimise weighted sums, and bounds are proven by them (transfer_bound.h).
 *
 * Bytes are those that the calibrated estimates expect per epoch. GPUs sample for themselves (ACCESS_GPU).
 */
#ifndef PLANNER_OPTIMUM_TRANSFER_H
#define PLANNER_OPTIMUM_TRANSFER_H

#include "planner/optimum/blocks.h"
#include "simulator/plan/routes.h"
#include "simulator/replay/placement.h"

/* Where reads of one kind by one GPU from one source go. */
enum { TRANSFER_STEPS = 12 };
struct transfer_path {
    int steps;
    int resource[TRANSFER_STEPS];
    double seconds[TRANSFER_STEPS]; /* per byte */
};

enum transfer_kind {
    TRANSFER_UPLINK,
    TRANSFER_PCIE_IN,
    TRANSFER_PCIE_OUT,
    TRANSFER_NVLINK,
    TRANSFER_MEMORY,
    TRANSFER_HOST
};
struct transfer_resource {
    enum transfer_kind kind;
    int a, b; /* switch number; GPU, and the switch above it (-1: unknown); reader and holder of an NVLink (b -1: a
                 port) */
};

struct transfer {
    int gpus, resources, capacity;
    struct transfer_resource *resource; /* [resources], owned */
    struct transfer_path *path;         /* [gpus][gpus + 1][2]: reader, source (gpus: the host), kind; owned */
    const struct items *items;          /* borrowed */
    const int *clique_of, *clique_size; /* borrowed from the server */
    struct reader_rates *readers;       /* [cliques] how a clique's reads divide among its GPUs; owned; NULL: evenly */
    double line_bytes, row_bytes, cached_bytes; /* row_bytes: of a feature row on the host; cached_bytes: on GPUs; of
                                                   several types means over the reads */
    double draws;                               /* neighbours that a visit draws, a mean over the recorded hops */
    double visit_bytes, peer_visit_bytes;       /* of a request for topology, from the host and from a peer; means */
    bool by_gpu; /* reads of the host wait for the GPUs' own links, not for the uplinks */
};

/* Where GPUs read each other as `p->peer` says. ST_USAGE, naming the key of the server file, where a bandwidth that
 * the stage depends on is unknown. Release *out with transfer_release. */
enum st transfer_make(const struct server *s, const struct placement *p, const struct items *items,
                      struct transfer *out, struct err *err) MUST_USE;
/* Zeroed is allowed. */
void transfer_release(struct transfer *t);

static inline const struct transfer_path *transfer_path(const struct transfer *t, int reader, int source, bool topology)
{
    return &t->path[(reader * (t->gpus + 1) + source) * 2 + topology];
}
/* Weighted seconds per byte of a path; weight: [resources]. */
double transfer_price(const struct transfer_path *p, const double *weight);

/* Whether GPUs read each other over the resource; PCIe links of GPUs count where they do so below a switch. */
bool transfer_between(const struct transfer *t, int resource);
/* Weights that add up to 1: lambda in equal parts for everything between GPUs, the rest in equal parts for the PCIe
 * uplinks. weight: [resources]. */
void transfer_weigh(const struct transfer *t, double lambda, double *weight);

/* GPUs that read each other, directly or through others: memory of one island never serves another. */
struct transfer_island {
    int gpus, gpu[GPUS_MAX]; /* ascending */
};
struct transfer_islands {
    int count;
    struct transfer_island of[GPUS_MAX];
};
void transfer_islands(const struct transfer *t, struct transfer_islands *out);

/* Bytes of item x that each GPU reads per epoch: from the host (whole transactions), or from GPU memory. out: [gpus];
 * of all GPUs at once, because the counts of all tell the share of each. */
struct transfer_bytes {
    double host, gpu;
};
void transfer_bytes(const struct transfer *t, uint64_t x, struct transfer_bytes *out);

/* Loads: bytes by [reader][source][kind], in units of 2^-10 bytes, so that sums do not depend on the order. */
#define TRANSFER_LOADS(t) ((size_t)(t)->gpus * (size_t)((t)->gpus + 1) * 2)
/* Seconds of every resource under such loads; seconds: [resources]. Returns the largest; *busiest: which one. */
double transfer_seconds(const struct transfer *t, const uint64_t *loads, double *seconds, int *busiest);

/* Seconds that the stage is expected to take per epoch under a placement (whose peers are in serving order).
 * seconds: [resources] or NULL. ST_LIMIT without memory. */
enum st transfer_cost(const struct transfer *t, const struct placement *p, double *seconds, double *stage, int *busiest,
                      struct err *err) MUST_USE;

/* "PCIe switch 0", "NVLink from GPU 3 to GPU 1", .. id: [gpus] ids of the GPUs. Returns out. */
enum { TRANSFER_NAME = 48 };
const char *transfer_name(const struct transfer *t, int resource, const int *id, char out[TRANSFER_NAME]);

#endif
