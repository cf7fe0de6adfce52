/* placement.h - which GPU caches which rows, and which GPUs serve each other. The simulator knows nothing else of a
 * policy.
 *
 * GPUs are positions 0..gpus-1, as in the assignment. A list holds numbers of rows (traces/graph/rows.h; vertex ids, of
 * a plain graph) in fill order, hottest first, each at
 * most once. A reader takes a row from its own memory; otherwise from the first of its peers that holds it (peers are
 * in serving order: widest link first, ties to the lower id); otherwise from the host.
 */
#ifndef SIMULATOR_REPLAY_PLACEMENT_H
#define SIMULATOR_REPLAY_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"
#include "traces/recording/assignment.h"

/* Which processor samples, and so reads the topology. */
enum topology_access {
    ACCESS_GPU,     /* every GPU samples, from cached rows and by zero-copy reads of the host */
    ACCESS_CPU,     /* the CPU samples; blocks (8 bytes per draw) are copied to the GPU */
    ACCESS_SAMPLERS /* dedicated GPUs with the whole topology sample; blocks reach the trainers through the host */
};

/* Vertex ids in fill order. */
struct row_list {
    uint32_t *id; /* owned */
    uint64_t count, capacity;
};

struct placement {
    int gpus;
    enum topology_access access;
    /* true: a visit of a peer's row is sent to the peer, which sends draws back; false: the reader reads the peer's
     * memory. */
    bool pushes;
    /* true: the CPU gathers the host's feature rows into a buffer that is copied; false: GPUs read them line by line.
     */
    bool copies_features;
    struct row_list topology[GPUS_MAX], feature[GPUS_MAX]; /* topology rows; feature rows of vertices, then of edges */
    /* Of a table whose rows GPUs hold rounded: those of feature[g] that GPU g holds as the host does. Owned, bits by
     * feature row; NULL: none. */
    uint64_t *exact[GPUS_MAX];
    int peers[GPUS_MAX];          /* number of peers */
    int peer[GPUS_MAX][GPUS_MAX]; /* [reader][0..peers-1] in serving order */
};

void placement_release(struct placement *p); /* frees the lists; a zeroed struct is allowed */
/* Appends an id. ST_LIMIT for memory. */
enum st row_list_add(struct row_list *l, uint32_t id, struct err *err) MUST_USE;
const char *topology_access_name(enum topology_access a); /* "gpu", "cpu", "samplers" */

/* Finds the source of each row for reader g: where[v] = 0 for the host, else 1 + position of the GPU that serves row v.
 * lists: [gpus], p->topology or p->feature; where: [n]. */
void placement_locate(const struct placement *p, int g, const struct row_list *lists, uint64_t n, uint8_t *where);

#endif
