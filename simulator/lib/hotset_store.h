/* hotset_store.h - the rows of a plan for one GPU of a running job: its own memory filled, its peers' opened, the
 * host's pinned, and every mini-batch gathered by one launch of hotset_cuda_gather, with nothing allocated or waited
 * for.
 *
 * A store belongs to the process of one GPU. Calls return when work is in a stream; they may come from one thread at a
 * time. Lifetime: hotset_store_create; in every process hotset_store_handle, and hotset_store_open of each peer of its
 * own clique (hotset_peers) with what that peer's process gave; mini-batches; hotset_store_free, peers first.
 *
 *     hotset_store_ahead(s, ids, 8, n, HOTSET_STORE_ON_HOST, out, stream, &ticket, &error);   // mini-batch k + 1
 *     train(k);                                                                               // in `stream`
 *     hotset_store_wait(s, ticket, stream, &error);            // what comes now in `stream` finds the rows in `out`
 *
 * Where the plan rounds rows (HOTSET_TEXT_CACHE_TYPE), `fill` makes them, and each mini-batch comes out as float32.
 */
#ifndef SIMULATOR_LIB_HOTSET_STORE_H
#define SIMULATOR_LIB_HOTSET_STORE_H

#include "simulator/lib/hotset_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

typedef struct hotset_store hotset_store;

enum { HOTSET_STORE_DEPTH_MAX = 16, HOTSET_STORE_IPC_BYTES = 64 };
enum hotset_ids_place { HOTSET_STORE_ON_DEVICE = 0, HOTSET_STORE_ON_HOST = 1 };

/* Writes rows of these vertices as a GPU holds them, one behind the other, to `rows` in host memory. 0, or anything
 * else to end the call with HOTSET_INPUT. */
typedef int hotset_store_fill(const uint32_t *ids, uint64_t count, void *rows, void *context);

struct hotset_store_request {
    uint32_t struct_bytes;             /* sizeof(struct hotset_store_request) */
    int32_t device;                    /* CUDA's number of the GPU that reads */
    uint32_t memories, own;            /* GPUs of the plan; the reader's position among them */
    const struct hotset_lookup *table; /* of the reader, over features (hotset_lookup_build), in host memory */
    const uint32_t *ids;               /* [rows] vertices that it holds, in slot order (hotset_ids) */
    uint64_t rows;
    uint64_t room; /* rows that its memory has room for, for plans to come; fewer than `rows` are taken as so many */
    struct hotset_rows host; /* of all vertices; pinned once where several stores have the same */
    uint64_t row_bytes;
    uint64_t batch;  /* most ids of a mini-batch; where more come, or this is 0, pinned memory for ids grows */
    uint32_t depth;  /* mini-batches on their way at a time, at most HOTSET_STORE_DEPTH_MAX; 0: 2 */
    uint32_t pinned; /* 1: host.base is pinned already (cudaHostAlloc, or registered by the caller) */
    uint32_t held;   /* enum hotset_held; other than HOTSET_HELD_AS_HOST: rows of the host are float32 */
    uint32_t reserved;
    hotset_store_fill *fill; /* where rows are held in another form; called while the store is made or reloads */
    void *fill_context;
};

/* What another process needs to read a store's memory. Bytes to hand over as they are. */
struct hotset_store_handle {
    uint64_t process[2], base, room, row_bytes;
    uint32_t own;
    int32_t device;
    uint32_t held, reserved; /* enum hotset_held */
    unsigned char ipc[HOTSET_STORE_IPC_BYTES];
};

/* Bytes that a store takes: on its GPU, and of host memory that it pins (0 where it is pinned already). Does nothing.
 */
int hotset_store_bytes(const struct hotset_store_request *request, uint64_t *device, uint64_t *pinned,
                       struct hotset_error *error);
/* Pins the host's rows, takes memory on the GPU and fills it. Waits until it is filled. ids, table and the request may
 * go when it returns; the host's rows must stay. HOTSET_USAGE: a wrong argument; HOTSET_LIMIT: no memory, on the GPU or
 * to pin; HOTSET_MISSING: the device refused something else. */
int hotset_store_create(const struct hotset_store_request *request, hotset_store **out, struct hotset_error *error);
/* For the processes of peers. */
int hotset_store_handle(hotset_store *store, struct hotset_store_handle *out, struct hotset_error *error);
/* Opens the memory of a peer: by an IPC handle, or, where its store is of this process, by peer access. */
int hotset_store_open(hotset_store *store, const struct hotset_store_handle *peer, struct hotset_error *error);
/* The same for memory that the caller has opened (symmetric memory, WholeGraph): the GPU at this position. Rows are
 * held as the store's are, hotset_held_bytes each. */
int hotset_store_lend(hotset_store *store, uint32_t position, struct hotset_rows rows, struct hotset_error *error);

/* One launch in `stream` (a cudaStream_t): out [count][row_bytes] on the device. ids: [count] of 4 or 8 bytes, that the
 * device can read when `stream` comes to it. */
int hotset_store_gather(hotset_store *store, const void *ids, uint32_t id_bytes, uint64_t count, void *out,
                        void *stream, struct hotset_error *error);
/* The same in the store's own stream, after what `stream` holds now (what fills ids, or still reads out). Ids that lie
 * on the host, in any memory, are copied before the call returns. *ticket: for hotset_store_wait, which must follow
 * before `depth` more are begun; a call waits for the host only where as many are still running. */
int hotset_store_ahead(hotset_store *store, const void *ids, uint32_t id_bytes, uint64_t count,
                       enum hotset_ids_place place, void *out, void *stream, uint64_t *ticket,
                       struct hotset_error *error);
/* What is put into `stream` from now on comes after the mini-batch of the ticket. */
int hotset_store_wait(hotset_store *store, uint64_t ticket, void *stream, struct hotset_error *error);

/* Goes on with another plan of the same graph, between two mini-batches: after what `stream` and the store's own stream
 * hold now, rows whose slot has another vertex are read from the host, and the table is replaced. Waits until they are.
 * *moved: rows read. Peers must not gather meanwhile: order their streams by events, or have all processes wait before
 * and after. HOTSET_LIMIT: more rows than the store has room for; nothing has changed then. Of other failures the store
 * is of two plans, until a reload succeeds. */
int hotset_store_reload(hotset_store *store, const struct hotset_lookup *table, const uint32_t *ids, uint64_t rows,
                        void *stream, uint64_t *moved, struct hotset_error *error);

/* counts: [memories + 2] rows by the place that served them since the store was made: as hotset_gather's. Waits for the
 * store's stream; what is in other streams is counted as far as they have come. Once per epoch. */
int hotset_store_counts(hotset_store *store, uint64_t *counts, struct hotset_error *error);
/* Waits for the store's stream, closes peers, unpins what it pinned and frees. NULL is allowed. */
void hotset_store_free(hotset_store *store);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
