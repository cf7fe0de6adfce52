/* stream.h - the requests that a dynamic cache sees: (reader, mini-batch, distinct vertices in the order of
 * discovery).
 *
 * One stream is what one cache serves: the mini-batches of one GPU, or of the GPUs of a clique that share a cache,
 * interleaved round robin by number: epoch 0's mini-batch 0 of the first GPU, of the second, .., then mini-batch 1,
 * and so on; a GPU that has no more mini-batches in an epoch is passed over. Positions are 32 bits wide: a stream has
 * at most STREAM_NEVER - 1 requests.
 */
#ifndef SIMULATOR_REPLAY_STREAM_H
#define SIMULATOR_REPLAY_STREAM_H

#include "base/progress.h"
#include "simulator/replay/replay.h"

#define STREAM_NEVER UINT32_MAX

struct stream_batch {
    uint64_t from;          /* position of its first request; it ends where the next one begins */
    uint32_t epoch, number; /* of the mini-batch on its reader */
    uint32_t reader;        /* position of the GPU; 0 for streams from files */
};

struct stream {
    uint64_t ids; /* ids are below */
    uint64_t requests, batches;
    uint32_t *id;               /* owned, [requests] */
    struct stream_batch *batch; /* owned, [batches] */
    uint64_t room, batch_room;  /* reserved */
};

static inline uint64_t stream_end(const struct stream *s, uint64_t batch)
{
    return batch + 1 < s->batches ? s->batch[batch + 1].from : s->requests;
}

void stream_release(struct stream *s); /* zeroed is allowed */

/* Appends a mini-batch (`from` is set here). ST_LIMIT when positions run out. */
enum st stream_add(struct stream *s, struct stream_batch batch, const uint32_t *ids, uint64_t count, struct err *err)
    MUST_USE;

/* Draws the mini-batches of the GPUs readers[0..count) (positions, ascending) over epochs 0..epochs-1 of r->seed: the
 * same mini-batches that replay_run judges. *out is zeroed by the caller. Takes 4 bytes per request, 8 while several
 * readers are interleaved. */
enum st stream_draw(const struct replay_request *r, const int *readers, int count, struct progress *bar,
                    struct stream *out, struct err *err) MUST_USE;

/* next[i] = position of the next request of id[i], or STREAM_NEVER. *out: [requests], owned by the caller (mem_free).
 * Takes 4 bytes per id more. */
enum st stream_next(const struct stream *s, uint32_t **out, struct err *err) MUST_USE;

#endif
