/* placement.h - who holds which row, and who serves whom: all that the judge knows of a policy.
 *
 * Positions 0..gpus-1 as in the assignment. A list holds vertex ids in fill order, hottest first, each at most once.
 * A reader is served from its own memory, else by the first of its peers that holds the row (peers are in serving
 * order: widest link, then lower id), else by the host.
 */
#ifndef SIMULATOR_REPLAY_PLACEMENT_H
#define SIMULATOR_REPLAY_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"
#include "traces/recording/assignment.h"

/* How mini-batches come to know the topology. */
enum topology_access {
    ACCESS_GPU,     /* every GPU samples: cached rows, else zero-copy reads of the host's arrays */
    ACCESS_CPU,     /* the CPU samples; blocks (8 bytes per draw) are copied to the GPU */
    ACCESS_SAMPLERS /* dedicated GPUs that hold the whole topology sample; blocks go to the trainers through the host */
};

struct row_list {
    uint32_t *id; /* owned */
    uint64_t count, capacity;
};

struct placement {
    int gpus;
    enum topology_access access;
    bool pushes; /* visits of rows that a peer holds are sent to it and the draws come back; else the reader reads the
                    peer's memory itself */
    bool copies_features; /* the CPU gathers rows of the host into one buffer that is copied; else GPUs read them line
                             by line */
    struct row_list topology[GPUS_MAX], feature[GPUS_MAX];
    int peers[GPUS_MAX];
    int peer[GPUS_MAX][GPUS_MAX];
};

void placement_release(struct placement *p); /* zeroed is allowed */
enum st row_list_add(struct row_list *l, uint32_t id, struct err *err) MUST_USE;
const char *topology_access_name(enum topology_access a); /* "gpu", "cpu", "samplers" */

/* where[v] = 0 when the host serves reader g's reads of row v, else 1 + position of the server. where: [n]. */
void placement_locate(const struct placement *p, int g, const struct row_list *lists, uint64_t n, uint8_t *where);

#endif
