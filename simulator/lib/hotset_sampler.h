/* hotset_sampler.h - mini-batches drawn on one GPU of a running job from the neighbour lists of a plan: those that its
 * own memory holds, those of its peers, and the host's graph, which is pinned.
 *
 * Vertices and edges are those of hotset's uniform sampler with the same seed, GPU, epoch and number of the mini-batch,
 * in the same order, so what is counted is what `hotset simulate` counts. Graphs of one type, without weights, fan-outs
 * of 1 to 64.
 *
 * Rules and lifetime are those of hotset_store.h. Nothing is allocated per mini-batch: arrays of the largest size are
 * made at the start. Hops follow each other on the GPU, which alone knows their sizes; the host waits once per
 * mini-batch, in hotset_sampler_sizes, to know how much there is to take.
 *
 *     hotset_sampler_begin(s, seeds, 8, n, HOTSET_STORE_ON_HOST, epoch, k + 1, stream, &ticket, &error);
 *     train(k);
 *     hotset_sampler_sizes(s, ticket, &sizes, &error);               // waits; now make arrays of these sizes
 *     hotset_sampler_take(s, ticket, vertices, rows, columns, edges, stream, &error);
 */
#ifndef SIMULATOR_LIB_HOTSET_SAMPLER_H
#define SIMULATOR_LIB_HOTSET_SAMPLER_H

#include "simulator/lib/hotset_store.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

typedef struct hotset_sampler hotset_sampler;

enum { HOTSET_SAMPLER_FANOUT_MAX = 64 };

struct hotset_sampler_request {
    uint32_t struct_bytes;             /* sizeof(struct hotset_sampler_request) */
    int32_t device;                    /* CUDA's number of the GPU that reads */
    uint32_t memories, own;            /* GPUs of the plan; the reader's position among them */
    const struct hotset_lookup *table; /* of the reader, over topology (hotset_lookup_build), in host memory */
    const uint32_t *ids;               /* [rows] vertices whose lists it holds, in slot order (hotset_ids) */
    uint64_t rows;
    uint64_t rows_room, entries_room; /* lists and neighbours for which its memory has room, for plans to come */
    const int64_t *indptr;            /* [vertices + 1] of the graph; pinned, as indices are; they must stay */
    const uint32_t *indices;          /* [edges] */
    uint64_t vertices, edges;
    uint64_t seed;
    uint32_t gpu;    /* the server's number of the GPU, below 256: draws depend on it */
    uint32_t hops;   /* 1 to HOTSET_HOPS_MAX */
    uint32_t every;  /* 1: a hop expands all vertices found so far (`frontier` all); 0: those of the hop before */
    uint32_t places; /* 1: edges can be taken; 8 bytes more per list that a GPU holds. The same on all GPUs */
    uint32_t fanout[HOTSET_HOPS_MAX];
    uint64_t batch;      /* most seeds of a mini-batch */
    uint64_t line_bytes; /* of a transaction, a power of two; 0: 64 */
    uint32_t depth;      /* mini-batches on their way at a time, at most HOTSET_STORE_DEPTH_MAX; 0: 2 */
    uint32_t pinned;     /* 1: indptr and indices are pinned already */
};

/* As struct hotset_store_handle, of neighbour lists. */
struct hotset_sampler_handle {
    uint64_t process[2], base, rows, entries;
    uint32_t own, places;
    int32_t device, reserved;
    unsigned char ipc[HOTSET_STORE_IPC_BYTES];
};

/* Sizes of a mini-batch, by level: level 0 is the seeds, level h + 1 hop h. */
struct hotset_sampled {
    uint32_t struct_bytes; /* sizeof(struct hotset_sampled), set by the caller */
    uint32_t levels;       /* hops + 1 */
    uint64_t vertices, draws;
    uint64_t found[HOTSET_HOPS_MAX + 1]; /* distinct vertices up to the end of the level */
    uint64_t drawn[HOTSET_HOPS_MAX + 1]; /* draws up to the end of the level; drawn[0] is 0 */
};

/* What has been counted since the sampler was made. */
struct hotset_sampler_counts {
    uint32_t struct_bytes; /* sizeof(struct hotset_sampler_counts), set by the caller */
    uint32_t memories;
    uint64_t visits[HOTSET_MEMORIES_MAX + 2]; /* lists read, by the GPU that serves; then the host's, then those that
                                                 could not be read, with seeds and neighbours beyond the graph */
    uint64_t lines;                           /* of host memory that visits read: offsets and drawn neighbours */
};

/* Bytes that a sampler takes: on its GPU, and of host memory that it pins. Does nothing. */
int hotset_sampler_bytes(const struct hotset_sampler_request *request, uint64_t *device, uint64_t *pinned,
                         struct hotset_error *error);
/* Errors as hotset_store_create; HOTSET_LIMIT also for mini-batches of 2^32 draws. */
int hotset_sampler_create(const struct hotset_sampler_request *request, hotset_sampler **out,
                          struct hotset_error *error);
int hotset_sampler_handle(hotset_sampler *sampler, struct hotset_sampler_handle *out, struct hotset_error *error);
int hotset_sampler_open(hotset_sampler *sampler, const struct hotset_sampler_handle *peer, struct hotset_error *error);

/* Begins mini-batch `number` of `epoch` (below 2^24) in the sampler's own stream. seeds: [count] of 4 or 8 bytes, at
 * most `batch`; where they are repeated, the first counts. Those on the device are read after what `stream` holds now.
 * Those on the host are copied before the call returns, which waits only where `depth` mini-batches are still running,
 * and nothing waits for `stream` but for what was taken `depth` mini-batches before. */
int hotset_sampler_begin(hotset_sampler *sampler, const void *seeds, uint32_t id_bytes, uint64_t count,
                         enum hotset_ids_place place, uint64_t epoch, uint64_t number, void *stream, uint64_t *ticket,
                         struct hotset_error *error);
/* Waits until the mini-batch is drawn. HOTSET_INPUT: a list could not be read (a graph or plan that is damaged, a peer
 * that was not opened), or a seed is beyond the graph; all else is drawn. */
int hotset_sampler_sizes(hotset_sampler *sampler, uint64_t ticket, struct hotset_sampled *out,
                         struct hotset_error *error);
/* Copies a mini-batch in `stream`, before `depth` more are begun: its vertices in the order of discovery; of every draw
 * the place in them of the vertex that drew (rows) and of the neighbour (columns), and its position in indices (edges).
 * Arrays lie on the device; any of them may be NULL. */
int hotset_sampler_take(hotset_sampler *sampler, uint64_t ticket, int64_t *vertices, int64_t *rows, int64_t *columns,
                        int64_t *edges, void *stream, struct hotset_error *error);

/* Goes on with another plan of the same graph, between two mini-batches, as hotset_store_reload: peers must have drawn
 * what they began (hotset_sampler_sizes), and begin nothing meanwhile. All lists are read from the host. HOTSET_LIMIT:
 * more lists or neighbours than there is room for; nothing has changed then. */
int hotset_sampler_reload(hotset_sampler *sampler, const struct hotset_lookup *table, const uint32_t *ids,
                          uint64_t rows, void *stream, struct hotset_error *error);
/* Waits for the sampler's stream. Once per epoch. */
int hotset_sampler_count(hotset_sampler *sampler, struct hotset_sampler_counts *out, struct hotset_error *error);
/* Waits for what was begun and taken, closes peers, unpins and frees. NULL is allowed. */
void hotset_sampler_free(hotset_sampler *sampler);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
