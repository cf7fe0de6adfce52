/* sampler_scratch.h - what the samplers share among themselves: a thread's work space and how it counts. Private to
 * traces/sampler*.c. */
#ifndef TRACES_SAMPLING_SAMPLER_SCRATCH_H
#define TRACES_SAMPLING_SAMPLER_SCRATCH_H

#include "traces/sampling/draw.h"
#include "traces/sampling/sampler.h"
#include "traces/sampling/seeds.h"
#include "traces/sampling/steps.h"

/* A set of 64-bit places, emptied by taking out what was put in. */
struct place_set {
    uint64_t *cell, mask;
};
enum st place_set_new(struct place_set *s, uint32_t most, struct err *err) MUST_USE;
void place_set_free(struct place_set *s); /* zeroed is allowed */

struct draw_rank {
    double key;
    uint32_t position;
}; /* biased: the smallest keys are drawn */

/* One thread's work space. */
struct bench {
    uint32_t *stamp; /* [n] number of the mini-batch (of this thread) in which a vertex was last seen */
    uint32_t *found; /* distinct vertices of the mini-batch, in the order of discovery; the seeds first */
    uint32_t *picks; /* neighbour ids (first: places in indices) of one block of the frontier */
    uint64_t *places;
    struct draw_set set;
    uint32_t tick;
    uint64_t count, seeds;      /* of found */
    struct draw_rank *keys;     /* biased: [widest fan-out] */
    uint64_t *before;           /* layer-wise: [capacity + 1] entries of the frontier's rows before a row */
    struct place_set drawn;     /* layer-wise */
    uint32_t *at;               /* walk: [seeds * walks] where each stands */
    struct sample_steps *steps; /* what is drawn is kept here; NULL: it is not */
};

struct sampler {
    const struct graph *g;
    const struct workload *w;
    uint64_t line_bytes, capacity, row_lines; /* capacity: of found; row_lines: biased, of the dearest visit */
    int threads, block;                       /* block: frontier vertices drawn together */
    struct bench *benches;
    int gpu;
    uint64_t train_count, batches, epochs;
    uint32_t
        *order; /* [epochs][train_count] training vertices of the current GPU, epoch by epoch; NULL for edge seeds */
    uint32_t *position; /* [n] of a breadth-first search (bfs.h); NULL unless the workload's order is that */
    struct edge_seeds edges;
    const struct sampling *device; /* that draws, or NULL: the CPU does, with the benches */
    void *session;
    struct err failed; /* on the device, to be told by sampler_settle */
};

/* Lets go of the threads' work space. */
void sampler_clear_benches(struct sampler *s);

struct visit_key {
    uint32_t hop, batch, who;
};
struct span {
    uint64_t from, to;
}; /* of found: what a hop expands */

/* Each expands one hop: appends what it finds, and counts visits, draws and lines. */
void sampler_uniform(const struct sampler *s, struct bench *b, const struct visit_key *key, struct span f,
                     struct sample_counts *c, uint64_t *lines);
void sampler_biased(const struct sampler *s, struct bench *b, const struct visit_key *key, struct span f,
                    struct sample_counts *c, uint64_t *lines);
void sampler_layer_wise(const struct sampler *s, struct bench *b, const struct visit_key *key, struct span f,
                        struct sample_counts *c, uint64_t *lines);
void sampler_walk(const struct sampler *s, struct bench *b, const struct visit_key *key, struct span f,
                  struct sample_counts *c, uint64_t *lines);

/* Counts are shared by all threads. Addition has no order, so relaxed atomics keep them exact and deterministic. */
static inline void bench_count(uint32_t *cell, uint32_t by, bool shared)
{
    if (shared) __atomic_fetch_add(cell, by, __ATOMIC_RELAXED);
    else *cell += by;
}

/* A visit of v in that hop, and what it cost. */
static inline void bench_visit(const struct sampler *s, struct sample_counts *c, uint32_t hop, uint32_t v,
                               uint64_t cost, uint64_t *lines)
{
    *lines += cost;
    if (!c) return; /* drawn without counting */
    bench_count(&c->visits[hop][v], 1, s->threads > 1);
    if (c->lines) bench_count(&c->lines[v], (uint32_t)cost, s->threads > 1);
}

/* A visit of v drew place[0..count): kept where somebody asked for it. */
static inline void bench_keep(struct bench *b, uint32_t v, const uint64_t *place, uint64_t count)
{
    if (b->steps) steps_visit(b->steps, v, place, count);
}

/* v is visited soon: its offsets and counts are on their way. */
static inline void bench_expect(const struct sampler *s, const struct sample_counts *c, uint32_t hop, uint32_t v)
{
    __builtin_prefetch(&s->g->indptr[v]);
    if (!c) return;
    __builtin_prefetch(&c->visits[hop][v], 1);
    if (c->lines) __builtin_prefetch(&c->lines[v], 1);
}

static inline void bench_see(struct bench *b, uint32_t v)
{
    b->found[b->count] = v; /* without a branch: whether v is new is a coin toss to the processor */
    b->count += b->stamp[v] != b->tick;
    b->stamp[v] = b->tick;
}

#endif
