/* bench_stages.c - what stands between a graph and a plan: sampling, analytic hotness, replay of caches over the same
 * mini-batches. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "planner/bench/bench.h"
#include "planner/hotness/vip.h"
#include "simulator/caches/cache.h"

enum { BATCH = 8000, PERCENT_HELD = 5, EPOCHS = 4 };

/* One GPU that trains all training vertices, fan-outs 25,10, frontier all: the setting of the field's published
 * rates. */
struct state {
    struct assignment who;
    struct workload w;
    struct sampler *sampler;
    struct sample_counts counts;
    uint64_t tasks, runs, capacity;
    double loads, exchanges; /* per second, of a device that draws; 0: the CPU does */
    struct stream stream;
    uint32_t *next;
    uint64_t *held; /* bits */
    const struct cache *cache;
    struct cache_counts result;
};

static void end(void *state)
{
    struct state *s = state;
    sampler_free(s->sampler);
    mem_free(s->counts.feature);
    for (int h = 0; h < HOPS_MAX; h++) mem_free(s->counts.visits[h]);
    stream_release(&s->stream);
    assignment_release(&s->who);
    mem_free(s->next);
    mem_free(s->held);
    mem_free(s);
}

/* device: whether the backend's may draw */
static enum st fresh(const struct bench_setup *b, bool device, void **state, struct state **out, struct err *err)
{
    const struct graph *g = b->graph;
    struct state *s;
    MAKE(s, 1, "the state of a bench");
    *state = *out = s;
    s->w = (struct workload){.hops = 2, .fanout = {25, 10}, .batch = BATCH, .frontier = FRONTIER_ALL, .seed = b->seed};
    s->who.gpus = s->who.cliques = 1;
    PASS(assignment_set_train(&s->who, 0, g->train, g->train_count, g->n, g->path, err));
    PASS(sampler_new(g, &s->w, 64, b->threads, &s->sampler, err));
    if (device) PASS(sampler_use_device(s->sampler, b->kernels, NULL, err));
    PASS(sampler_gpu(s->sampler, 0, g->train, g->train_count, EPOCHS, err));
    s->tasks = sampler_batches(s->sampler) * EPOCHS;
    return ST_OK;
}

/* ---- sampling ---- */

static enum st sample_begin(const struct bench_setup *b, void **state, struct err *err)
{
    struct state *s;
    double loads = 0, exchanges = 0, unused;
    if (b->kernels->sampling) { /* before the sampler takes memory */
        PASS(b->kernels->sampling->probe(0, 4 * b->graph->m, &loads, &unused, err));
        PASS(b->kernels->sampling->probe(0, 4 * b->graph->n, &unused, &exchanges, err));
    }
    PASS(fresh(b, true, state, &s, err));
    s->loads = loads;
    s->exchanges = exchanges;
    MAKE(s->counts.feature, b->graph->n, "counts");
    for (int h = 0; h < s->w.hops; h++) MAKE(s->counts.visits[h], b->graph->n, "counts");
    return ST_OK;
}

static enum st sample_run(const struct bench_setup *b, void *state, struct err *err)
{
    struct state *s = state;
    (void)b;
    sampler_run(s->sampler, 0, s->tasks, &s->counts);
    s->runs++; /* the counts are sums over all of them */
    return sampler_collect(s->sampler, &s->counts, err);
}

/* Each draw loads one entry of the rows and one mark; on a device it exchanges a stamp, and the device's memory is
 * the limit. */
static void sample_work(const struct bench_setup *b, const void *state, struct bench_work *w)
{
    const struct state *s = state;
    double draws = 0;
    for (uint64_t v = 0; v < b->graph->n; v++)
        draws += (double)sample_draws(&s->w, graph_degree(b->graph, v), s->counts.visits, v);
    draws /= (double)s->runs;
    *w = (struct bench_work){.items = draws,
                             .gathers = draws,
                             .span = 4.0 * (double)b->graph->m,
                             .more_gathers = draws,
                             .more_span = (double)b->graph->n / 8};
    if (s->loads > 0 && s->exchanges > 0) w->seconds = draws / s->loads + draws / s->exchanges;
}

/* ---- vip ---- */

static enum st vip_begin(const struct bench_setup *b, void **state, struct err *err)
{
    struct state *s;
    return fresh(b, false, state, &s, err);
}

static enum st vip_run(const struct bench_setup *b, void *state, struct err *err)
{
    struct state *s = state;
    struct vip v = {0};
    enum st st = vip_compute(b->graph, &s->who, 0, &s->w, b->kernels, b->threads, &v, err);
    vip_release(&v);
    return st;
}

/* Per hop every arc adds to a vertex. */
static void vip_work(const struct bench_setup *b, const void *state, struct bench_work *w)
{
    const struct state *s = state;
    double arcs = (double)b->graph->m * s->w.hops;
    *w = (struct bench_work){.items = arcs,
                             .bytes = 4 * arcs + 64.0 * (double)b->graph->n * s->w.hops,
                             .gathers = arcs,
                             .span = 8.0 * (double)b->graph->n};
}

/* ---- caches ---- */

static enum st stream_begin(const struct bench_setup *b, void **state, const char *cache, struct err *err)
{
    struct state *s;
    PASS(fresh(b, false, state, &s, err));
    s->stream.ids = b->graph->n;
    s->capacity = b->graph->n * PERCENT_HELD / 100 + 1;
    for (uint64_t t = 0; t < s->tasks; t++) {
        const uint32_t *ids;
        uint64_t count = sampler_batch(s->sampler, 0, t, NULL, &ids);
        PASS(stream_add(&s->stream, (struct stream_batch){.number = (uint32_t)t}, ids, count, err));
    }
    if (!cache) return ST_OK;
    PASS(cache_find(cache, &s->cache, err));
    if (s->cache->future) PASS(stream_next(&s->stream, &s->next, err));
    return ST_OK;
}

static enum st cache_run_one(const struct bench_setup *b, void *state, struct err *err)
{
    struct state *s = state;
    (void)b;
    return cache_run(s->cache, &s->stream, s->next, s->capacity, ADMISSION_REQUEST, NULL, &s->result, err);
}

static void cache_work(const struct bench_setup *b, const void *state, struct bench_work *w)
{
    const struct state *s = state;
    double requests = (double)s->stream.requests;
    *w =
        (struct bench_work){.items = requests, .bytes = 4 * requests, .gathers = requests, .span = (double)b->graph->n};
}

#define CACHE_BEGIN(name)                                                                                              \
    static enum st name##_begin(const struct bench_setup *b, void **state, struct err *err)                            \
    {                                                                                                                  \
        return stream_begin(b, state, #name, err);                                                                     \
    }
CACHE_BEGIN(fifo)
CACHE_BEGIN(lru)
CACHE_BEGIN(lfu)
CACHE_BEGIN(sieve)
CACHE_BEGIN(s3fifo)
CACHE_BEGIN(belady)

/* A static plan: the rows that the stream asks for most often, one bit per vertex. */
struct often {
    uint32_t times, v;
};
static int by_times(const void *x, const void *y)
{
    const struct often *a = x, *b = y;
    return a->times != b->times ? (a->times < b->times) - (a->times > b->times) : (a->v > b->v) - (a->v < b->v);
}

static enum st fixed_begin(const struct bench_setup *b, void **state, struct err *err)
{
    struct state *s;
    uint64_t n = b->graph->n;
    PASS(stream_begin(b, state, NULL, err));
    s = *state;
    MAKE(s->held, n / 64 + 1, "bits of cached rows");
    OWNED_NEW(struct often, rows, n, "frequencies");
    for (uint64_t v = 0; v < n; v++) rows[v].v = (uint32_t)v;
    for (uint64_t i = 0; i < s->stream.requests; i++) rows[s->stream.id[i]].times++;
    qsort(rows, n, sizeof *rows, by_times);
    for (uint64_t i = 0; i < s->capacity && i < n; i++) s->held[rows[i].v / 64] |= 1ull << rows[i].v % 64;
    return ST_OK;
}

static enum st fixed_run(const struct bench_setup *b, void *state, struct err *err)
{
    struct state *s = state;
    const uint32_t *id = s->stream.id;
    uint64_t hits = 0;
    (void)err;
#pragma omp parallel for schedule(static) num_threads(b->threads) reduction(+ : hits)
    for (uint64_t i = 0; i < s->stream.requests; i++) hits += s->held[id[i] / 64] >> id[i] % 64 & 1;
    s->result.misses = s->stream.requests - hits;
    return ST_OK;
}

static void fixed_work(const struct bench_setup *b, const void *state, struct bench_work *w)
{
    const struct state *s = state;
    double requests = (double)s->stream.requests;
    *w = (struct bench_work){.items = requests,
                             .bytes = 4 * requests,
                             .gathers = requests,
                             .span = (double)b->graph->n / 8};
}

const struct bench_case bench_stages[] =
    {{"sample", "draws", "mini-batches of 8000, fan-outs 25,10, frontier all; the GPU draws with --device cuda", true,
      sample_begin, sample_run, sample_work, end},
     {"vip", "arcs", "analytic inclusion probabilities of two hops", true, vip_begin, vip_run, vip_work, end},
     {"replay.static", "requests", "mini-batches against a plan that holds 5 % of the vertices", true, fixed_begin,
      fixed_run, fixed_work, end},
     {"replay.fifo", "requests", "the same against a FIFO cache (dynamic caches use one thread)", true, fifo_begin,
      cache_run_one, cache_work, end},
     {"replay.lru", "requests", "LRU", true, lru_begin, cache_run_one, cache_work, end},
     {"replay.lfu", "requests", "LFU", true, lfu_begin, cache_run_one, cache_work, end},
     {"replay.sieve", "requests", "SIEVE", true, sieve_begin, cache_run_one, cache_work, end},
     {"replay.s3fifo", "requests", "S3-FIFO", true, s3fifo_begin, cache_run_one, cache_work, end},
     {"replay.belady", "requests", "the same against Belady's cache, with next requests given", true, belady_begin,
      cache_run_one, cache_work, end},
     {0}};
