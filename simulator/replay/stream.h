/* stream.h - the requests that one dynamic cache serves, mini-batch by mini-batch.
 *
 * A stream holds the mini-batches of one GPU, or of the GPUs of a clique that share a cache; each is a list of distinct
 * vertices in the order of discovery. Mini-batches of several GPUs are interleaved round robin by number: mini-batch 0
 * of epoch 0 of the first GPU, of the second, .., then mini-batch 1, and so on. A GPU without further mini-batches in
 * an epoch is skipped. Positions have 32 bits: a stream has at most STREAM_NEVER - 1 requests.
 */
#ifndef SIMULATOR_REPLAY_STREAM_H
#define SIMULATOR_REPLAY_STREAM_H

#include "base/progress.h"
#include "simulator/replay/replay.h"

#define STREAM_NEVER UINT32_MAX

struct stream_batch {
    uint64_t from;          /* position of its first request; it ends where the next mini-batch begins */
    uint32_t epoch, number; /* of the mini-batch on its reader */
    uint32_t reader;        /* position of the GPU; 0 for streams from files */
};

struct stream {
    uint64_t ids; /* every id is below this */
    uint64_t requests, batches;
    uint32_t *id;               /* owned, [requests] */
    struct stream_batch *batch; /* owned, [batches] */
    uint64_t room, batch_room;  /* elements that id and batch have memory for */
};

/* Position behind the last request of a mini-batch. */
static inline uint64_t stream_end(const struct stream *s, uint64_t batch)
{
    return batch + 1 < s->batches ? s->batch[batch + 1].from : s->requests;
}

void stream_release(struct stream *s); /* a zeroed struct is allowed */

/* Appends a mini-batch of ids[0..count); batch.from is set here. ST_LIMIT for memory, or when there are too many
 * requests. */
enum st stream_add(struct stream *s, struct stream_batch batch, const uint32_t *ids, uint64_t count, struct err *err)
    MUST_USE;

/* Draws the mini-batches of GPUs readers[0..count) (positions, ascending) over all epochs of the request: the same that
 * replay_run draws. *out: zeroed by the caller, to be released. Takes 4 bytes per request, 8 while several readers are
 * interleaved. Errors as stream_add. */
enum st stream_draw(const struct replay_request *r, const int *readers, int count, struct progress *bar,
                    struct stream *out, struct err *err) MUST_USE;

/* The same for any graph and for both kinds of rows: ids are numbers of feature rows (batch_rows.h), or of topology
 * rows, which come once per visit. Takes 4 n bytes and what a mini-batch drew per thread more, where the graph is not
 * plain or topology is wanted. */
enum st stream_draw_rows(const struct replay_request *r, const int *readers, int count, bool topology,
                         struct progress *bar, struct stream *out, struct err *err) MUST_USE;

/* Finds (*out)[i] = the position of the next request of id[i], or STREAM_NEVER. *out: [requests], owned by the caller
 * (mem_free). Takes 4 bytes per id more. */
enum st stream_next(const struct stream *s, uint32_t **out, struct err *err) MUST_USE;

#endif
