/* execute_batches.cu - drawing and gathering mini-batches on a GPU (declared in execute_engine.cuh). */
#include <string.h>
#include <system_error>
#include <thread>

#include "simulator/execute/execute_engine.cuh"
extern "C" {
#include "base/progress.h"
#include "traces/sampling/seeds.h"
}

enum { EACH_LOOK_UP = 16 }; /* rows per thread */

/* ---- one mini-batch ---- */

/* Size of a buffer for a mini-batch of `count`: a quarter more, but at most the largest mini-batch. */
static uint64_t room_for(const struct execute_engine *e, uint64_t count)
{
    uint64_t spared = count + count / 4;
    return spared < e->largest || count > e->largest ? spared : e->largest;
}

/* Grows the arrays of ids to `count`. */
static enum st grow_drawn(const struct execute_engine *e, struct execute_drawn *d, uint64_t count, struct err *err)
{
    if (count <= d->room) return ST_OK;
    uint64_t room = room_for(e, count);
    d->room = 0;
    d->ids.release();
    mem_free(d->host);
    d->host = static_cast<uint32_t *>(mem_array(room, sizeof *d->host, "a mini-batch", err));
    if (!d->host) return err->code;
    CUDA_TRY(d->ids.allocate(room, "a mini-batch", err));
    d->room = room;
    return ST_OK;
}

/* Draws on the GPU. The ids are copied, because the next draw may run beside the gathers of this one. */
static enum st draw_on_gpu(struct execute_engine *e, uint64_t task, struct execute_drawn *d, struct err *err)
{
    struct sampling_batch b;
    int sources = 1 + e->setup->plan->placement.peers[e->reader->gpu];
    CUDA_TRY(e->sampling->batch(e->session, task, &b, err));
    CUDA_TRY(grow_drawn(e, d, b.count, err));
    d->count = b.count;
    d->batch.seconds[EXECUTE_SAMPLE] = b.seconds;
    d->batch.visits[TIER_OWN] = b.visits[0];
    for (int s = 1; s < sources; s++) d->batch.visits[TIER_PEER] += b.visits[s];
    d->batch.visits[TIER_HOST] = b.visits[sources];
    d->batch.topology = b.lines[sources];
    d->from[1] = b.count; /* the graph is plain */
    CUDA_TRY(cuda_check(cudaMemcpy(d->ids.at, b.ids, b.count * sizeof *b.ids, cudaMemcpyDeviceToDevice),
                        "copying a mini-batch", err));
    return d->ids.copy_out(d->host, d->count, err);
}

/* Draws on the CPU. Copying the ids to the GPU is part of the stage. */
static enum st draw_on_cpu(struct execute_engine *e, uint64_t task, struct execute_drawn *d, struct err *err)
{
    struct execute_ids ids;
    CUDA_TRY(execute_draw(e->drawer, task, &d->batch, &ids, err));
    d->count = ids.from[e->setup->tables];
    CUDA_TRY(grow_drawn(e, d, d->count, err));
    memcpy(d->host, ids.id, d->count * sizeof *ids.id);
    memcpy(d->from, ids.from, (size_t)(e->setup->tables + 1) * sizeof *ids.from);
    double began = clock_seconds();
    CUDA_TRY(d->ids.copy_in(d->host, d->count, err));
    CUDA_TRY(cuda_check(cudaStreamSynchronize(0), "copying a mini-batch",
                        err)); /* the copy may return before it has arrived */
    d->batch.seconds[EXECUTE_SAMPLE] += clock_seconds() - began;
    return ST_OK;
}

static enum st draw(struct execute_engine *e, uint64_t task, struct execute_drawn *d, struct err *err)
{
    CUDA_TRY(cuda_check(cudaSetDevice(e->device), "choosing a GPU", err)); /* for this thread */
    d->batch = execute_batch();
    return e->session ? draw_on_gpu(e, task, d, err) : draw_on_cpu(e, task, d, err);
}

/* Grows the buffers of a gather to `count` rows. */
static enum st grow_gathered(struct execute_engine *e, uint64_t count, struct err *err)
{
    if (count <= e->room) return ST_OK;
    uint64_t room = room_for(e, count);
    e->room = 0;
    e->order.release();
    e->out.release();
    CUDA_TRY(e->order.allocate(TIERS * room, "the rows of a mini-batch", err));
    CUDA_TRY(e->out.allocate(room * execute_rows_widest(e->setup), "the rows of a mini-batch", err));
    e->room = room;
    return ST_OK;
}

static __device__ inline int device_tier(uint8_t at, uint8_t own)
{
    return !at ? TIER_HOST : at == own ? TIER_OWN : TIER_PEER;
}

/* Sorts indexes 0..count-1 into the lists of their tiers, order[t * room ..], in any order. Each of `threads` threads
 * takes every threads-th index and reserves its places in a list by one atomic. counts: [TIERS], zero before. */
static __global__ void look_up(const uint32_t *ids, uint64_t count, uint64_t threads, const uint8_t *at, uint8_t own,
                               uint32_t *order, uint64_t room, u64 *counts)
{
    CUDA_EACH(i, threads)
    {
        u64 mine[TIERS] = {0}, next[TIERS];
        for (uint64_t k = i; k < count; k += threads) mine[device_tier(at[ids[k]], own)]++;
        for (int t = 0; t < TIERS; t++) next[t] = t * room + (mine[t] ? atomicAdd(&counts[t], mine[t]) : 0);
        for (uint64_t k = i; k < count; k += threads) order[next[device_tier(at[ids[k]], own)]++] = (uint32_t)k;
    }
}

enum st execute_engine_mark(struct execute_engine *e, int stage, bool end, struct err *err)
{
    return e->mark[2 * stage + end].record(e->stream.at, err);
}

enum st execute_engine_seconds(const struct execute_engine *e, int stage, double *out, struct err *err)
{
    float ms = 0;
    CUDA_TRY(
        cuda_check(cudaEventElapsedTime(&ms, e->mark[2 * stage].at, e->mark[2 * stage + 1].at), "timing a stage", err));
    *out = 1e-3 * ms;
    return ST_OK;
}

/* Sorts rows first..first + count - 1 of the mini-batch by tier. Waits, because the gathers need the counts. */
static enum st look_up_rows(struct execute_engine *e, const uint32_t *ids, uint64_t count, uint64_t rows[TIERS],
                            double *seconds, struct err *err)
{
    u64 counts[TIERS];
    double took;
    uint64_t threads = (count + EACH_LOOK_UP - 1) / EACH_LOOK_UP;
    uint8_t own = (uint8_t)(1 + e->reader->gpu);
    CUDA_TRY(execute_engine_mark(e, EXECUTE_LOOKUP, false, err));
    CUDA_TRY(cuda_clear(e->counts.at, TIERS * sizeof(u64), e->stream.at, err));
    CUDA_LAUNCH(look_up, threads, e->stream.at, ids, count, threads, e->places.at, own, e->order.at, e->room,
                e->counts.at);
    CUDA_TRY(cuda_check(cudaGetLastError(), "looking rows up", err));
    CUDA_TRY(execute_engine_mark(e, EXECUTE_LOOKUP, true, err));
    CUDA_TRY(e->stream.wait("looking rows up", err));
    CUDA_TRY(e->counts.copy_out(counts, TIERS, err));
    for (int t = 0; t < TIERS; t++) rows[t] = counts[t];
    CUDA_TRY(execute_engine_seconds(e, EXECUTE_LOOKUP, &took, err));
    *seconds += took;
    return ST_OK;
}

static enum st compare(struct execute_engine *e, const struct execute_rows *r, const uint32_t *ids, uint64_t count,
                       struct execute_batch *b, struct err *err)
{
    uint64_t bytes = count * r->row_bytes;
    uint8_t *rows = static_cast<uint8_t *>(mem_array(bytes, 1, "the rows of a mini-batch", err));
    if (!rows) return err->code;
    enum st st = e->out.copy_out(rows, bytes, err);
    b->verified += count;
    if (st == ST_OK)
        b->wrong += execute_rows_wrong(r, e->reader->at_feature, ids, count, rows, NULL, e->setup->threads);
    mem_free(rows);
    return st;
}

void execute_engine_ask_counter(struct execute_engine *e)
{
    if (!e->counter || pcie_bytes_read(e->counter, &e->received)) return;
    pcie_bytes_close(e->counter);
    e->counter = nullptr;
    e->no_counter = "the driver stopped answering for the GPU's PCIe counter, or the counter was reset";
}

/* Gathers the rows of one table. */
static enum st gather_table(struct execute_engine *e, const struct execute_drawn *d, int table, bool verify,
                            struct execute_batch *b, struct err *err)
{
    const struct execute_rows *r = &e->setup->rows[table];
    const uint32_t *ids = d->ids.at + d->from[table];
    uint64_t count = d->from[table + 1] - d->from[table], rows[TIERS];
    double seconds;
    if (verify)
        CUDA_TRY(cuda_check(cudaMemsetAsync(e->out.at, 0xA5, count * r->row_bytes, e->stream.at), "clearing GPU memory",
                            err)); /* no row of an earlier mini-batch may be taken for right */
    CUDA_TRY(look_up_rows(e, ids, count, rows, &b->seconds[EXECUTE_LOOKUP], err));
    for (int t = 0; t < TIERS; t++) {
        CUDA_TRY(execute_engine_mark(e, EXECUTE_OWN + t, false, err));
        if (rows[t])
            CUDA_TRY(gather(e->order.at + t * e->room, rows[t], ids, execute_places_of(e, table), r->row_bytes,
                            e->out.at, e->stream.at, err));
        CUDA_TRY(execute_engine_mark(e, EXECUTE_OWN + t, true, err));
    }
    CUDA_TRY(e->stream.wait("gathering rows", err));
    for (int t = 0; t < TIERS; t++) {
        if (!rows[t]) continue;
        CUDA_TRY(execute_engine_seconds(e, EXECUTE_OWN + t, &seconds, err));
        b->seconds[EXECUTE_OWN + t] += seconds;
    }
    execute_count_rows(e->setup, e->reader, r, d->host + d->from[table], count, rows, b);
    return verify ? compare(e, r, d->host + d->from[table], count, b, err) : ST_OK;
}

static enum st gather_all(struct execute_engine *e, const struct execute_drawn *d, bool verify, struct execute_batch *b,
                          struct err *err)
{
    *b = d->batch;
    CUDA_TRY(grow_gathered(e, d->count, err));
    for (int k = 0; k < e->setup->tables; k++)
        if (d->from[k + 1] > d->from[k] || e->setup->tables == 1) CUDA_TRY(gather_table(e, d, k, verify, b, err));
    execute_engine_ask_counter(e);
    return ST_OK;
}

/* Draws `task` on a thread of its own while this one gathers; when no thread can be started, one after the other. */
static enum st gather_beside(struct execute_engine *e, const struct execute_drawn *d, bool verify,
                             struct execute_batch *b, uint64_t task, struct execute_drawn *next, struct err *err)
{
    struct err other = {};
    enum st drew = ST_OK, st;
    std::thread drawing;
    try {
        drawing = std::thread([&] { drew = draw(e, task, next, &other); });
    } catch (const std::system_error &) {
        CUDA_TRY(gather_all(e, d, verify, b, err));
        return draw(e, task, next, err);
    }
    st = gather_all(e, d, verify, b, err);
    drawing.join();
    if (st == ST_OK && drew != ST_OK) *err = other;
    return st == ST_OK ? drew : st;
}

enum st execute_engine_run(void *state, uint64_t first, uint64_t count, bool verify, struct execute_batch *out,
                           struct err *err)
{
    struct execute_engine *e = static_cast<struct execute_engine *>(state);
    if (count) CUDA_TRY(draw(e, first, &e->drawn[0], err));
    for (uint64_t i = 0; i < count; i++) {
        struct execute_drawn *now = &e->drawn[i % 2], *next = &e->drawn[(i + 1) % 2];
        if (e->setup->overlap && i + 1 < count) {
            CUDA_TRY(gather_beside(e, now, verify, &out[i], first + i + 1, next, err));
            continue;
        }
        CUDA_TRY(gather_all(e, now, verify, &out[i], err));
        if (i + 1 < count) CUDA_TRY(draw(e, first + i + 1, next, err));
    }
    return ST_OK;
}

/* ---- before the first mini-batch ---- */

/* Allocates the buffers of the largest mini-batch, so that no timed stage allocates. When they do not fit, buffers grow
 * as mini-batches need them. */
static enum st allocate_buffers(struct execute_engine *e, struct err *err)
{
    size_t available = 0, unused = 0;
    uint64_t of_host;
    CUDA_TRY(cuda_check(cudaMemGetInfo(&available, &unused), "asking for free GPU memory", err));
    if (execute_engine_buffer_bytes_left(e) + execute_engine_measure_bytes(e->setup, &of_host) >
        available - available / 16)
        return ST_OK; /* measuring needs memory as well */
    CUDA_TRY(grow_gathered(e, e->largest, err));
    for (struct execute_drawn &d : e->drawn) CUDA_TRY(grow_drawn(e, &d, e->largest, err));
    return ST_OK;
}

enum st execute_engine_warm(struct execute_engine *e, struct err *err)
{
    const struct execute_setup *s = e->setup;
    const struct assignment *a = &s->plan->assignment;
    struct execute_batch unused = {};
    int own = e->reader->gpu;
    if (!s->epochs || !seeds_batches(s->workload, s->graph, a->train[own], a->train_count[own])) return ST_OK;
    CUDA_TRY(allocate_buffers(e, err));
    CUDA_TRY(draw(e, 0, &e->drawn[0], err));
    return gather_all(e, &e->drawn[0], false, &unused, err);
}
