/* sampler_scratch.h - what the samplers (sampler_<name>.c) share: a thread's scratch memory, and how a visit is
 * counted. Private to traces/sampling. */
#ifndef TRACES_SAMPLING_SAMPLER_SCRATCH_H
#define TRACES_SAMPLING_SAMPLER_SCRATCH_H

#include <string.h>

#include "traces/sampling/draw.h"
#include "traces/sampling/marks.h"
#include "traces/sampling/sampler.h"
#include "traces/sampling/seeds.h"
#include "traces/sampling/steps.h"

/* A set of 64-bit positions, emptied by taking out what was put in. */
struct place_set {
    uint64_t *cell, mask;
};
/* A set for up to `most` positions at once; free it with place_set_free. ST_LIMIT when memory is out. */
enum st place_set_new(struct place_set *s, uint32_t most, struct err *err) MUST_USE;
/* Frees what s owns; a zeroed struct is allowed. */
void place_set_free(struct place_set *s);

/* biased: the smallest keys are drawn. */
struct draw_rank {
    double key;
    uint32_t position;
};

/* biased: leaves in heap the `count` neighbours that a row of `degree` draws, count < degree. */
void biased_draw(const struct draw_key *key, const float *weight, uint64_t degree, uint32_t count,
                 struct draw_rank *heap);

/* Of a neighbour: pi, and the largest c of the frontier vertices that list it (labor.h). */
struct labor_weight {
    double pi, most;
};

/* temporal: vertex v in the tree of seed number `tree`; an entry of a row and its time. */
struct tree_member {
    uint32_t tree, v;
};
struct timed_place {
    int64_t time;
    uint64_t place;
};
struct sampler_trees {
    uint64_t *cell, mask;       /* set of 1 + (tree << 32 | v); 0: vacant */
    struct tree_member *member; /* in the order of discovery */
    uint64_t count, from;       /* of member; the frontier is member[from..count) */
    struct timed_place *heap;   /* [widest fan-out] */
    uint64_t *there;            /* [longest row] entries with a time up to the seed's */
};
struct sampler;
/* Memory of a thread's trees; free it with sampler_trees_free. ST_LIMIT when memory is out. */
enum st sampler_trees_new(struct sampler_trees *t, const struct sampler *s, struct err *err) MUST_USE;
void sampler_trees_free(struct sampler_trees *t); /* zeroed is allowed */
/* Most (seed, vertex) of a mini-batch by a temporal sampler. */
uint64_t sampler_temporal_members(const struct graph *g, const struct workload *w);

/* One thread's scratch memory. */
struct sampler_scratch {
    bool near;        /* marks stay in a cache of the processor's own */
    uint64_t *marks;  /* of the sampler's vertices, which the mini-batch, or the layer, has found (marks.h) */
    uint32_t *found;  /* distinct vertices of the mini-batch, in the order of discovery; the seeds first */
    uint32_t *picks;  /* neighbour ids (before: positions in a row) of one block of the frontier */
    uint64_t *places; /* positions in indices of one block of the frontier */
    struct draw_set set;
    struct rng_block *words;     /* random words of one block of the frontier (draw_words) */
    uint64_t count, seeds;       /* of found */
    uint64_t marked;             /* found[marked..count) have marks */
    struct draw_rank *keys;      /* biased: [widest fan-out] */
    uint64_t *before;            /* layer-wise: [capacity + 1] entries of the frontier's rows before a row */
    struct place_set drawn;      /* layer-wise */
    struct sampler_trees trees;  /* temporal */
    uint32_t *at;                /* walk: [seeds * walks] where each stands */
    struct labor_weight *weight; /* labor with iterations: [n], valid where the frontier's rows lead */
    double *inverse;             /* labor with iterations: [longest row] 1 / pi of a row's neighbours */
    struct sample_steps *steps;  /* what is drawn is kept here; NULL: it is not */
    uint32_t *sent; /* of a sampler of a range: what is drawn goes here, and is not discovered; else NULL */
    uint64_t sent_count;
};

enum { SAMPLER_BLOCK = 64 }; /* frontier vertices at most that are drawn together */

struct visit_key;
struct frontier;
/* Expands one hop: appends what it finds to b->found, counts the visits in *c (NULL: nothing is counted) and adds their
 * transactions to *lines. */
typedef void sampler_expander(const struct sampler *s, struct sampler_scratch *b, const struct visit_key *key,
                              struct frontier f, struct sample_counts *c, uint64_t *lines);

struct sampler {
    const struct graph *g;
    const struct workload *w;
    sampler_expander *expand; /* one of those below, chosen by graph and workload */
    uint64_t line_bytes;
    uint64_t first, end; /* the vertices of the sampler: 0 and n, or the range of sampler_new_range */
    bool ranged;         /* by sampler_new_range: nothing is found here (range_draws.h) */
    uint64_t capacity;   /* of found */
    uint64_t longest;    /* row, where rows are read or taken whole; else 0 */
    uint32_t widest;     /* fan-out that is a number of draws, at least 1 */
    uint32_t most;       /* entries that a visit takes of a row: widest, or all of the longest one */
    int threads;
    int block; /* frontier vertices drawn together */
    struct sampler_scratch *scratch;
    int gpu;
    uint64_t train_count, batches, epochs;
    uint32_t *order;    /* [epochs][train_count] training vertices of the current GPU; NULL for edge seeds */
    uint32_t *position; /* [n] of a breadth-first search (bfs.h); NULL unless the workload's order is that */
    struct edge_seeds edges;
    const struct sampling *device; /* that draws; NULL: the CPU does, with scratch */
    void *session;
    struct err failed; /* of the device, reported by sampler_collect */
};

/* Frees the threads' scratch memory. */
void sampler_release_scratch(struct sampler *s);

/* Keys the random numbers of a hop. */
struct visit_key {
    uint32_t hop, batch, who; /* who = GPU id << 24 | epoch */
};
/* What a hop expands: found[from..to). */
struct frontier {
    uint64_t from, to;
};

/* ---- what expands hops; those that count draws are the layer-wise one, labor and temporal */

sampler_expander sampler_uniform, sampler_biased, sampler_layer_wise, sampler_labor;
sampler_expander sampler_temporal; /* both; the frontier is not used */
sampler_expander sampler_walk;     /* one step of every walk; the frontier is not used */
/* Uniformly, on a graph of several types, relation by relation or `together`; counts draws where c->draws is there. */
sampler_expander sampler_types;
/* Errors of workload_check; ST_LIMIT where `together` a vertex has 2^32 entries or more. */
enum st sampler_types_check(const struct graph *g, const struct workload *w, int threads, struct err *err) MUST_USE;

/* Adds to a count. Counts are shared by all threads; addition has no order, so relaxed atomics keep them exact and
 * deterministic. */
static inline void scratch_count(uint32_t *cell, uint32_t by, bool shared)
{
    if (shared) __atomic_fetch_add(cell, by, __ATOMIC_RELAXED);
    else *cell += by;
}

/* Counts a visit of v in that hop, and the `cost` transactions of it. */
static inline void scratch_visit(const struct sampler *s, struct sample_counts *c, uint32_t hop, uint32_t v,
                                 uint64_t cost, uint64_t *lines)
{
    *lines += cost;
    if (!c) return; /* drawn without counting */
    scratch_count(&c->visits[hop][v - s->first], 1, s->threads > 1);
    if (c->lines) scratch_count(&c->lines[v - s->first], (uint32_t)cost, s->threads > 1);
}

/* Keeps that a visit of v drew place[0..count), where steps are kept. */
static inline void scratch_keep(struct sampler_scratch *b, uint32_t v, const uint64_t *place, uint64_t count)
{
    if (b->steps) steps_visit(b->steps, v, place, count);
}

/* Prefetches offsets and counts of v, which is visited soon. */
static inline void scratch_prefetch(const struct sampler *s, const struct sample_counts *c, uint32_t hop, uint32_t v)
{
    __builtin_prefetch(&s->g->indptr[v]);
    if (!c) return;
    __builtin_prefetch(&c->visits[hop][v - s->first], 1);
    if (c->lines) __builtin_prefetch(&c->lines[v - s->first], 1);
}

/* No vertex is known any more. */
static inline void scratch_forget(const struct sampler *s, struct sampler_scratch *b)
{
    marks_clear(b->marks, s->end - s->first, s->first, b->found + b->marked, b->count - b->marked);
    b->marked = b->count;
}

/* Appends v to found unless it is there. */
static inline void scratch_discover(struct sampler_scratch *b, uint32_t v)
{
    b->found[b->count] = v;
    b->count += marks_add(b->marks, v);
}

/* Discovers the neighbours at places[0..count), or sends them. The loads of many are in flight together. */
static inline void scratch_take(const struct graph *g, struct sampler_scratch *b, uint64_t count)
{
    if (b->sent) {
        for (uint64_t i = 0; i < count; i++) b->sent[b->sent_count++] = g->indices[b->places[i]];
        return;
    }
    uint64_t found = b->count, *marks = b->marks; /* here, for stores might change them there */
    uint32_t *list = b->found, *picks = b->picks;
    for (uint64_t i = 0; i < count && b->near; i++) {
        list[found] = g->indices[b->places[i]];
        found += marks_add(marks, list[found]);
    }
    for (uint64_t i = 0; i < count && !b->near; i++) {
        picks[i] = g->indices[b->places[i]];
        marks_prefetch(marks, picks[i]);
    }
    for (uint64_t i = 0; i < count && !b->near; i++) {
        list[found] = picks[i];
        found += marks_add(marks, picks[i]);
    }
    b->count = found;
}

#endif
