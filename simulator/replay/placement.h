/* placement.h - which GPU caches which rows, and which GPUs serve each other. The simulator knows nothing else of a
 * policy.
 *
 * GPUs are positions 0..gpus-1, as in the assignment. A list holds numbers of rows of one kind in fill order, hottest
 * first, each at most once: topology rows, or feature rows of vertices and then of edges (vertex ids, of a plain
 * graph). As items (traces/graph/rows.h) feature rows stand behind the topology rows. A reader takes a row from its own
 * memory; otherwise from the first of its peers that holds it (peers are in serving order: widest link first, ties to
 * the lower id); otherwise from the host.
 */
#ifndef SIMULATOR_REPLAY_PLACEMENT_H
#define SIMULATOR_REPLAY_PLACEMENT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"
#include "traces/graph/rows.h"
#include "traces/recording/assignment.h"

/* Which processor samples, and so reads the topology. */
enum topology_access {
    ACCESS_GPU,     /* every GPU samples, from cached rows and by zero-copy reads of the host */
    ACCESS_CPU,     /* the CPU samples; blocks (8 bytes per draw) are copied to the GPU */
    ACCESS_SAMPLERS /* dedicated GPUs with the whole topology sample; blocks reach the trainers through the host */
};

/* Numbers of rows in fill order. */
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
    int peers[GPUS_MAX];                                   /* number of peers */
    int peer[GPUS_MAX][GPUS_MAX];                          /* [reader][0..peers-1] in serving order */
};

void placement_release(struct placement *p); /* frees the lists; a zeroed struct is allowed */
/* Appends an id. ST_LIMIT for memory. */
enum st row_list_add(struct row_list *l, uint32_t id, struct err *err) MUST_USE;
const char *topology_access_name(enum topology_access a); /* "gpu", "cpu", "samplers" */

/* ---- rows of both kinds as items */

/* Appends an item of graph to the list of its kind on GPU g. ST_LIMIT for memory. */
enum st placement_add(struct placement *p, const struct graph *graph, int g, uint64_t item, struct err *err) MUST_USE;
/* How many rows GPU g holds. */
static inline uint64_t placement_count(const struct placement *p, int g)
{
    return p->topology[g].count + p->feature[g].count;
}
/* The i-th of them: topology rows come first. */
static inline uint64_t placement_item(const struct placement *p, const struct graph *graph, int g, uint64_t i)
{
    uint64_t before = p->topology[g].count;
    return i < before ? p->topology[g].id[i] : graph_topology_rows(graph) + p->feature[g].id[i - before];
}

/* Bytes of GPU g's rows of each kind. graph: with the weights of the plan's workload. */
uint64_t placement_topology_bytes(const struct placement *p, int g, const struct graph *graph);
uint64_t placement_feature_bytes(const struct placement *p, int g, const struct graph *graph);
/* Bytes that GPU g holds of each table: bytes, count: [tables], set. Returns the sum of bytes. */
uint64_t placement_held(const struct placement *p, int g, const struct graph *graph, uint64_t *bytes, uint64_t *count);
/* The same of all GPUs together. */
void placement_held_all(const struct placement *p, const struct graph *graph, uint64_t *bytes, uint64_t *count);

/* ---- who serves a row */

/* Finds the source of each row for reader g: where[v] = 0 for the host, else 1 + position of the GPU that serves row v.
 * lists: [gpus], p->topology or p->feature; where: [n]. */
void placement_locate(const struct placement *p, int g, const struct row_list *lists, uint64_t n, uint8_t *where);
/* The same for the rows of both kinds. where: [items]. */
void placement_locate_items(const struct placement *p, int g, const struct graph *graph, uint8_t *where);

#endif
