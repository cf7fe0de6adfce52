/* sampler_temporal.c - neighbours on one side of the seed's time, in a tree per seed (law: sampler.h).
 *
 * A hop expands what the hop before found in each tree. Trees of a mini-batch share no state but the list of its
 * distinct vertices, whose rows are gathered once. Members of trees are (tree, vertex), kept in an open-addressing set.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "base/order.h"
#include "traces/graph/graph_times.h"
#include "traces/sampling/sampler_scratch.h"
#include "traces/sampling/workload_times.h"

enum { PURPOSE = 0x74726565 };

uint64_t sampler_temporal_members(const struct graph *g, const struct workload *w)
{
    uint64_t seeds = w->batch < g->n ? w->batch : g->n, tree = 1, level = 1, all;
    for (int h = 0; h < w->hops && tree < g->n; h++) {
        level = workload_hop_draws(g, w, h, level);
        level = level < g->n ? level : g->n;
        tree += level;
    }
    if (tree > g->n) tree = g->n;
    return __builtin_mul_overflow(seeds, tree, &all) ? UINT64_MAX / 64 : all;
}

uint64_t sampler_temporal_bytes(const struct graph *g, const struct workload *w)
{
    uint64_t members = sampler_temporal_members(g, w), cells = 64;
    while (cells < 2 * members) cells *= 2;
    return 8 * cells + sizeof(struct tree_member) * members;
}

enum st sampler_trees_new(struct sampler_trees *t, const struct sampler *s, struct err *err)
{
    enum st st = ST_OK;
    uint64_t members = sampler_temporal_members(s->g, s->w);
    t->mask = 63;
    while (t->mask < 2 * members) t->mask = 2 * t->mask + 1;
    NEW_NEAR(t->cell, t->mask + 1, "the trees of a mini-batch");
    NEW_NEAR(t->member, members, "the trees of a mini-batch");
    NEW(t->heap, s->widest, "the last neighbours of a row");
    NEW(t->there, s->longest, "the neighbours that are there");
done:
    return st;
}

void sampler_trees_free(struct sampler_trees *t)
{
    mem_free(t->cell);
    mem_free(t->member);
    mem_free(t->heap);
    mem_free(t->there);
}

/* Adds v to a tree, unless it is there. */
static void join(struct sampler_trees *t, uint32_t tree, uint32_t v)
{
    uint64_t x = ((uint64_t)tree << 32 | v) + 1, at = (x * 0x9E3779B97F4A7C15u >> 20) & t->mask;
    for (; t->cell[at]; at = (at + 1) & t->mask)
        if (t->cell[at] == x) return;
    t->cell[at] = x;
    t->member[t->count++] = (struct tree_member){tree, v};
}

/* A tree per seed of the mini-batch. */
static void plant(struct sampler_trees *t, const struct sampler_scratch *b)
{
    memset(t->cell, 0, (t->mask + 1) * sizeof *t->cell);
    t->count = t->from = 0;
    for (uint64_t i = 0; i < b->seeds; i++) join(t, (uint32_t)i, b->found[i]);
}

static bool before(struct timed_place a, struct timed_place b)
{
    return a.time < b.time || (a.time == b.time && a.place < b.place);
}

/* Sets the root of a heap whose earliest element is its root. */
static void sink(struct timed_place *heap, uint32_t count, uint32_t at, struct timed_place place)
{
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && before(heap[child + 1], heap[child])) child++;
        if (!before(heap[child], place)) break;
        heap[at] = heap[child];
    }
    heap[at] = place;
}

/* An entry and its time as the walk compares them. */
static inline struct timed_place timed(const struct sampler *s, uint64_t e)
{
    return (struct timed_place){walk_time(s->w, graph_time_of(s->g, e)), e};
}

/* Leaves in places the `fanout` latest of there[0..count), count > fanout, order_u64. */
static void take_last(const struct sampler *s, struct sampler_trees *t, uint64_t count, uint32_t fanout,
                      uint64_t *places)
{
    for (uint32_t i = 0; i < fanout; i++) t->heap[i] = timed(s, t->there[i]);
    for (uint32_t i = fanout / 2; i-- > 0;) sink(t->heap, fanout, i, t->heap[i]);
    for (uint64_t i = fanout; i < count; i++) {
        struct timed_place place = timed(s, t->there[i]);
        if (before(t->heap[0], place)) sink(t->heap, fanout, 0, place);
    }
    for (uint32_t i = 0; i < fanout; i++) places[i] = t->heap[i].place;
    qsort(places, fanout, sizeof *places, order_u64);
}

/* Writes what v draws in a tree into places; returns how many. */
static uint32_t sampler_temporal_choose(const struct sampler *s, struct sampler_scratch *b, const struct visit_key *key,
                                        struct tree_member member, uint64_t *places)
{
    const struct graph *g = s->g;
    struct sampler_trees *t = &b->trees;
    const int64_t until = walk_time(s->w, g->vertex_times[b->found[member.tree]]),
                  from = workload_times_from(s->w, g, until);
    uint32_t fanout = s->w->fanout[key->hop];
    uint64_t count = 0;
    for (uint64_t e = (uint64_t)g->indptr[member.v]; e < (uint64_t)g->indptr[member.v + 1]; e++) {
        const int64_t time = timed(s, e).time;
        if (time >= from && time <= until) t->there[count++] = e;
    }
    if (count <= fanout) {
        memcpy(places, t->there, count * sizeof *places);
        return (uint32_t)count;
    }
    if (s->w->sampler == SAMPLER_TEMPORAL_LAST) {
        take_last(s, t, count, fanout, places);
        return fanout;
    }
    struct draw_key counter = {rng_hash(s->w->seed, PURPOSE, member.tree), member.v, key->hop, key->batch, key->who};
    draw_distinct(&b->set, &counter, (uint32_t)count, fanout, b->picks);
    for (uint32_t i = 0; i < fanout; i++) places[i] = t->there[b->picks[i]];
    return fanout;
}

void sampler_temporal(const struct sampler *s, struct sampler_scratch *b, const struct visit_key *key,
                      struct frontier f, struct sample_counts *c, uint64_t *lines)
{
    const struct graph *g = s->g;
    struct sampler_trees *t = &b->trees;
    (void)f; /* trees have frontiers of their own */
    if (key->hop == 0) plant(t, b);
    uint64_t end = t->count;
    for (uint64_t i = t->from; i < end; i++) {
        const struct tree_member member = t->member[i];
        const uint64_t start = (uint64_t)g->indptr[member.v], degree = graph_degree(g, member.v);
        uint32_t taken = sampler_temporal_choose(s, b, key, member, b->places);
        scratch_visit(s, c, key->hop, member.v,
                      cachelines_of_offsets(member.v, s->line_bytes) +
                          cachelines_touched(4 * start, 4 * degree, s->line_bytes) +
                          cachelines_touched(8 * start, 8 * degree, s->line_bytes),
                      lines);
        scratch_keep(b, member.v, b->places, taken);
        for (uint32_t k = 0; k < taken; k++) join(t, member.tree, g->indices[b->places[k]]);
        if (taken && c && c->draws) scratch_count(&c->draws[member.v], taken, s->threads > 1);
        for (uint32_t k = 0; k < taken; k++) scratch_discover(b, g->indices[b->places[k]]);
    }
    t->from = end;
}
