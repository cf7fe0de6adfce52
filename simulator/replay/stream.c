#include "simulator/replay/stream.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "simulator/replay/batch_rows.h"

void stream_release(struct stream *s)
{
    mem_free(s->id);
    mem_free(s->batch);
    memset(s, 0, sizeof *s);
}

enum st stream_add(struct stream *s, struct stream_batch batch, const uint32_t *ids, uint64_t count, struct err *err)
{
    enum st st = ST_OK;
    if (count >= STREAM_NEVER - s->requests)
        FAIL(ST_LIMIT, "one cache has more than 2^32 - 2 requests; simulate fewer epochs, or one cache per GPU");
    if (s->requests + count > s->room) {
        uint64_t room = s->room + s->room / 2 + count;
        GROW(s->id, room, "the requests of a cache");
        s->room = room;
    }
    if (s->batches == s->batch_room) {
        uint64_t room = s->batch_room ? 2 * s->batch_room : 64;
        GROW(s->batch, room, "the mini-batches of a cache");
        s->batch_room = room;
    }
    if (count) memcpy(s->id + s->requests, ids, count * sizeof *ids);
    batch.from = s->requests;
    s->batch[s->batches++] = batch;
    s->requests += count;
done:
    return st;
}

/* Which rows a stream asks for. */
enum rows_of { ROWS_OF_VERTICES, ROWS_OF_FEATURES, ROWS_OF_TOPOLOGY };

/* The rows of the mini-batch that a thread has drawn; *ids, *count: its vertices, replaced by the rows. */
static enum st rows_drawn(const struct graph *g, struct sampler *s, enum rows_of what, struct batch_rows *rows,
                          const uint32_t **ids, uint64_t *count, struct err *err)
{
    const struct sample_steps *steps;
    if (what == ROWS_OF_VERTICES) return ST_OK;
    PASS(sampler_steps(s, omp_get_thread_num(), &steps, err));
    if (what == ROWS_OF_TOPOLOGY) {
        *ids = steps->visited;
        *count = steps->end[steps->levels - 1].visits;
        return ST_OK;
    }
    PASS(batch_rows_list(g, *ids, *count, steps, rows, err));
    *ids = rows->id;
    *count = rows->count;
    return ST_OK;
}

/* Appends all mini-batches of the sampler's current GPU. Threads draw them side by side; they are appended in order.
 * rows: [threads]. */
static enum st draw_reader(const struct replay_request *r, struct sampler *s, int reader, enum rows_of what,
                           struct batch_rows *rows, struct progress *bar, struct stream *out, struct err *err)
{
    enum st st = ST_OK;
    uint64_t batches = sampler_batches(s), tasks = batches * r->epochs;
#pragma omp parallel for schedule(static, 1) ordered num_threads(r->threads)
    for (uint64_t task = 0; task < tasks; task++) {
        const uint32_t *ids;
        struct err mine = {0};
        uint64_t count = sampler_batch(s, omp_get_thread_num(), task, NULL, &ids);
        enum st drawn = rows_drawn(r->graph, s, what, &rows[omp_get_thread_num()], &ids, &count, &mine);
#pragma omp ordered
        {
            struct stream_batch b = {.epoch = (uint32_t)(task / batches),
                                     .number = (uint32_t)(task % batches),
                                     .reader = (uint32_t)reader};
            if (st == ST_OK && drawn != ST_OK) {
                st = drawn;
                *err = mine;
            }
            if (st == ST_OK) st = stream_add(out, b, ids, count, err);
        }
        progress_add(bar, 1);
    }
    return st;
}

/* A mini-batch and its length, for sorting. */
struct piece {
    struct stream_batch batch;
    uint64_t count;
};

static int by_number(const void *x, const void *y)
{
    const struct stream_batch *a = &((const struct piece *)x)->batch, *b = &((const struct piece *)y)->batch;
    if (a->epoch != b->epoch) return a->epoch < b->epoch ? -1 : 1;
    if (a->number != b->number) return a->number < b->number ? -1 : 1;
    return a->reader < b->reader ? -1 : a->reader > b->reader;
}

/* Reorders the mini-batches, one reader after the other, to round robin. */
static enum st interleave(struct stream *s, struct err *err)
{
    OWNED_BY(stream_release) struct stream mixed = {.ids = s->ids, .room = s->requests, .batch_room = s->batches};
    OWNED_NEW(struct piece, piece, s->batches, "the mini-batches of a cache");
    MAKE(mixed.id, s->requests, "the requests of a cache");
    MAKE(mixed.batch, s->batches, "the mini-batches of a cache");
    for (uint64_t i = 0; i < s->batches; i++)
        piece[i] = (struct piece){s->batch[i], stream_end(s, i) - s->batch[i].from};
    qsort(piece, s->batches, sizeof *piece, by_number);
    for (uint64_t i = 0; i < s->batches; i++)
        PASS(stream_add(&mixed, piece[i].batch, s->id + piece[i].batch.from, piece[i].count, err));
    stream_release(s);
    *s = mixed;
    memset(&mixed, 0, sizeof mixed);
    return ST_OK;
}

static enum st draw(const struct replay_request *r, const int *readers, int count, enum rows_of what,
                    struct progress *bar, struct stream *out, struct err *err)
{
    enum st st;
    struct stream s = {.ids = what == ROWS_OF_VERTICES ? r->graph->n
                                                       : graph_kind_rows(r->graph, what == ROWS_OF_TOPOLOGY)};
    struct batch_rows *rows = NULL;
    struct workload w = *r->workload;
    struct sampler *sampler = NULL;
    const struct assignment *a = r->assignment;
    w.seed = r->seed;
    if (w.frontier == FRONTIER_LAYERS)
        FAIL(ST_USAGE, "the frontier rule `layers` reads a row once per layer, but a dynamic cache is asked for it "
                       "once per mini-batch; take --frontier new or all");
    TRY(sampler_new(r->graph, &w, r->line_bytes, r->threads, &sampler, err));
    NEW(rows, r->threads, "the rows of mini-batches");
    if (what != ROWS_OF_VERTICES) TRY(sampler_keep_steps(sampler, err));
    for (int i = 0; i < count; i++) {
        int g = readers[i];
        TRY(sampler_gpu(sampler, a->id[g], assignment_seeds(a, g), a->train_count[g], r->epochs, err));
        TRY(draw_reader(r, sampler, g, what, rows, bar, &s, err));
    }
    if (count > 1 && s.batches) TRY(interleave(&s, err));
    *out = s;
    memset(&s, 0, sizeof s);
done:
    sampler_free(sampler);
    for (int i = 0; rows && i < r->threads; i++) batch_rows_release(&rows[i]);
    mem_free(rows);
    stream_release(&s);
    return st;
}

enum st stream_draw(const struct replay_request *r, const int *readers, int count, struct progress *bar,
                    struct stream *out, struct err *err)
{
    return draw(r, readers, count, ROWS_OF_VERTICES, bar, out, err);
}

enum st stream_draw_rows(const struct replay_request *r, const int *readers, int count, bool topology,
                         struct progress *bar, struct stream *out, struct err *err)
{
    enum rows_of what = topology ? ROWS_OF_TOPOLOGY : graph_plain(r->graph) ? ROWS_OF_VERTICES : ROWS_OF_FEATURES;
    return draw(r, readers, count, what, bar, out, err);
}

enum st stream_next(const struct stream *s, uint32_t **out, struct err *err)
{
    enum { AHEAD = 32 };
    enum st st = ST_OK;
    uint32_t *next = NULL, *seen = NULL; /* seen[id]: 1 + position of its first request behind position i */
    NEW(next, s->requests, "the next requests");
    NEW(seen, s->ids, "the next requests");
    for (uint64_t i = s->requests; i-- > 0;) {
        if (i >= AHEAD) __builtin_prefetch(&seen[s->id[i - AHEAD]], 1);
        next[i] = seen[s->id[i]] - 1; /* 0 - 1 is STREAM_NEVER */
        seen[s->id[i]] = (uint32_t)i + 1;
    }
    *out = TAKE(next);
done:
    mem_free(next);
    mem_free(seen);
    return st;
}
