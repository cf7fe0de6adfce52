#include "traces/sampler.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/mem.h"
#include "traces/draw.h"

/* One thread's work space. */
struct bench {
    uint32_t *stamp;      /* [n] number of the mini-batch (of this thread) in which a vertex was last seen */
    uint32_t *found;      /* distinct vertices of the mini-batch, in the order of discovery */
    uint32_t *picks;      /* neighbour ids (first: places in indices) of one block of the frontier */
    uint64_t *places;
    struct draw_set set;
    uint32_t tick;
    uint64_t count;       /* of found */
};

struct sampler {
    const struct graph *g;
    const struct workload *w;
    uint64_t cls, capacity; /* capacity: of found */
    int threads, block;     /* block: frontier vertices drawn together */
    struct bench *benches;
    int gpu;
    uint64_t train_count, batches, epochs;
    uint32_t *order;        /* [epochs][train_count] shuffled training vertices of the current GPU */
};

enum { STREAM_SHUFFLE = 0x73687566, PICKS = 2048 };

/* ---- set-up ----------------------------------------------------------------------------------------------------------------- */

static uint64_t largest_batch(const struct graph *g, const struct workload *w)
{
    uint64_t level = w->batch, all = w->batch;
    for (int h = 0; h < w->hops; h++) {
        if (__builtin_mul_overflow(w->frontier_all ? all : level, (uint64_t)w->fanout[h], &level) || __builtin_add_overflow(all, level, &all)) return g->n;
        if (all >= g->n) return g->n;
    }
    return all;
}

enum st sampler_new(const struct graph *g, const struct workload *w, uint64_t cls, int threads, struct sampler **out, struct err *err)
{
    enum st st = ST_OK;
    struct sampler *s = NULL;
    uint32_t widest = 1;
    NEW(s, 1, "the sampler");
    *s = (struct sampler){.g = g, .w = w, .cls = cls, .threads = threads, .capacity = largest_batch(g, w)};
    for (int h = 0; h < w->hops; h++)
        if (w->fanout[h] > widest) widest = w->fanout[h];
    s->block = (int)(PICKS / widest) + 1;
    if (s->block > 64) s->block = 64;
    NEW(s->benches, threads, "sampler threads");
    for (int t = 0; t < threads; t++) {
        struct bench *b = &s->benches[t];
        NEW(b->stamp, g->n, "the sampler's stamps");
        NEW(b->found, s->capacity, "the sampler's frontier");
        NEW(b->picks, (uint64_t)s->block * widest, "the sampler's draws");
        NEW(b->places, (uint64_t)s->block * widest, "the sampler's draws");
        TRY(draw_set_new(&b->set, widest, err));
    }
    *out = s;
    s = NULL;
done:
    sampler_free(s);
    return st;
}

void sampler_free(struct sampler *s)
{
    if (!s) return;
    for (int t = 0; s->benches && t < s->threads; t++) {
        struct bench *b = &s->benches[t];
        mem_free(b->stamp);
        mem_free(b->found);
        mem_free(b->picks);
        mem_free(b->places);
        draw_set_free(&b->set);
    }
    mem_free(s->benches);
    mem_free(s->order);
    mem_free(s);
}

static int compare_keys(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* One epoch's order: by a keyed hash of the vertex, so that it depends on the set of training vertices and not on their order in a file. */
static void shuffle(const struct sampler *s, const uint32_t *train, uint64_t epoch, uint64_t *keys, uint32_t *order)
{
    uint32_t who = (uint32_t)s->gpu << 24 | (uint32_t)epoch;
    for (uint64_t i = 0; i < s->train_count; i++) {
        struct rng_block b = rng_philox(s->w->seed, train[i], STREAM_SHUFFLE, who, 0x6f72646eu);
        keys[i] = (uint64_t)b.word[0] << 32 | train[i];
    }
    qsort(keys, s->train_count, sizeof *keys, compare_keys);
    for (uint64_t i = 0; i < s->train_count; i++) order[i] = (uint32_t)keys[i];
}

enum st sampler_gpu(struct sampler *s, int id, const uint32_t *train, uint64_t count, uint64_t epochs, struct err *err)
{
    enum st st = ST_OK;
    uint64_t *keys = NULL;
    s->gpu = id;
    s->train_count = count;
    s->epochs = epochs;
    s->batches = (count + s->w->batch - 1) / s->w->batch;
    mem_free(s->order);
    s->order = NULL;
    if (epochs >= 1u << 24 || s->batches >> 32) FAIL(ST_LIMIT, "%llu epochs of %llu mini-batches are more than can be numbered", (unsigned long long)epochs, (unsigned long long)s->batches);
    NEW(s->order, count * epochs, "shuffled training vertices");
    NEW(keys, count * (uint64_t)s->threads, "shuffle keys");
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->threads)
    for (uint64_t e = 0; e < epochs; e++) shuffle(s, train, e, keys + (uint64_t)omp_get_thread_num() * count, s->order + e * count);
done:
    mem_free(keys);
    return st;
}

uint64_t sampler_batches(const struct sampler *s) { return s->batches; }

enum st sampler_fits(const struct sampler *s, uint64_t tasks, struct err *err)
{
    uint64_t draws = 0, most;
    for (int h = 0; h < s->w->hops; h++) draws += s->w->fanout[h] + 6; /* a visit touches at most its draws, 5 lines of the offset pair and 1 of a row that is not aligned */
    if (__builtin_mul_overflow(tasks, draws, &most) || most >= UINT32_MAX)
        return err_set(err, ST_LIMIT, "%llu mini-batches could overflow 32-bit counts of one vertex; use fewer epochs or larger mini-batches", (unsigned long long)tasks);
    return ST_OK;
}

/* ---- one mini-batch --------------------------------------------------------------------------------------------------------- */

/* Counts are shared by all threads. Addition has no order, so relaxed atomics keep them exact and deterministic. */
static inline void bump(uint32_t *cell, uint32_t by, bool shared)
{
    if (shared) __atomic_fetch_add(cell, by, __ATOMIC_RELAXED);
    else *cell += by;
}

static inline void see(struct bench *b, uint32_t v)
{
    if (b->stamp[v] == b->tick) return;
    b->stamp[v] = b->tick;
    b->found[b->count++] = v;
}

struct visit_key { uint32_t hop, batch, who; };

/* Chooses the places that v draws (into places) and returns the transactions of the visit. */
static uint64_t choose(const struct sampler *s, struct bench *b, const struct visit_key *key, uint32_t v, uint32_t fanout, uint64_t *places, uint32_t *taken)
{
    uint64_t start = (uint64_t)s->g->indptr[v], degree = (uint64_t)s->g->indptr[v + 1] - start, lines = lines_of_offsets(v, s->cls);
    if (degree <= fanout) {
        for (uint64_t i = 0; i < degree; i++) places[i] = start + i;
        for (uint64_t i = 0; i < degree; i += 16) __builtin_prefetch(&s->g->indices[start + i]);
        *taken = (uint32_t)degree;
        return lines + lines_touched(4 * start, 4 * degree, s->cls);
    }
    struct draw_key counter = {s->w->seed, v, key->hop, key->batch, key->who};
    draw_distinct(&b->set, &counter, (uint32_t)degree, fanout, b->picks);
    for (uint32_t i = 0; i < fanout; i++) {
        places[i] = start + b->picks[i];
        __builtin_prefetch(&s->g->indices[places[i]]);
    }
    *taken = fanout;
    return lines + draw_lines(&b->set, b->picks, fanout, 4 * start, degree, s->cls);
}

/* Expands found[from..to) (c NULL: without counting): in blocks, so that the loads of one step are in flight together. */
static void expand(const struct sampler *s, struct bench *b, const struct visit_key *key, uint64_t from, uint64_t to, struct sample_counts *c, uint64_t *lines)
{
    const struct graph *g = s->g;
    uint32_t fanout = s->w->fanout[key->hop], taken;
    bool shared = s->threads > 1;
    for (uint64_t at = from; at < to; at += (uint64_t)s->block) {
        uint64_t end = at + (uint64_t)s->block < to ? at + (uint64_t)s->block : to, n = 0;
        for (uint64_t i = end; i < end + (uint64_t)s->block && i < to; i++) __builtin_prefetch(&g->indptr[b->found[i]]);
        for (uint64_t i = at; i < end; i++) {
            uint32_t v = b->found[i];
            uint64_t cost = choose(s, b, key, v, fanout, b->places + n, &taken);
            n += taken;
            *lines += cost;
            if (!c) continue;
            bump(&c->visits[key->hop][v], 1, shared);
            if (c->lines) bump(&c->lines[v], (uint32_t)cost, shared);
        }
        for (uint64_t i = 0; i < n; i++) {
            b->picks[i] = g->indices[b->places[i]];
            __builtin_prefetch(&b->stamp[b->picks[i]], 1);
        }
        for (uint64_t i = 0; i < n; i++) see(b, b->picks[i]);
    }
}

static void draw_batch(const struct sampler *s, struct bench *b, uint64_t task, struct sample_counts *c, uint64_t *lines)
{
    enum { AHEAD = 16 };
    uint64_t epoch = task / s->batches, batch = task % s->batches, begin = batch * s->w->batch, from = 0;
    uint64_t seeds = s->train_count - begin < s->w->batch ? s->train_count - begin : s->w->batch;
    const uint32_t *order = s->order + epoch * s->train_count + begin;
    struct visit_key key = {0, (uint32_t)batch, (uint32_t)s->gpu << 24 | (uint32_t)epoch};
    b->count = 0;
    if (++b->tick == 0) { /* after 2^32 mini-batches the stamps start over */
        memset(b->stamp, 0, s->g->n * sizeof *b->stamp);
        b->tick = 1;
    }
    for (uint64_t i = 0; i < seeds; i++) see(b, order[i]);
    for (int h = 0; h < s->w->hops; h++) {
        uint64_t to = b->count;
        key.hop = (uint32_t)h;
        expand(s, b, &key, from, to, c, lines);
        if (!s->w->frontier_all) from = to;
    }
    for (uint64_t i = 0; c && i < b->count; i++) {
        if (i + AHEAD < b->count) __builtin_prefetch(&c->feature[b->found[i + AHEAD]], 1);
        bump(&c->feature[b->found[i]], 1, s->threads > 1);
    }
}

void sampler_run(struct sampler *s, uint64_t first, uint64_t last, struct sample_counts *counts)
{
    uint64_t lines = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(s->threads) reduction(+ : lines)
    for (uint64_t task = first; task < last; task++) draw_batch(s, &s->benches[omp_get_thread_num()], task, counts, &lines);
    counts->total_lines += lines;
}

uint64_t sampler_batch(struct sampler *s, int thread, uint64_t task, const uint32_t **ids)
{
    uint64_t lines = 0;
    draw_batch(s, &s->benches[thread], task, NULL, &lines);
    *ids = s->benches[thread].found;
    return s->benches[thread].count;
}
