#include "planner/partition/multilevel.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "planner/partition/coarsen.h"
#include "planner/partition/partition.h"
#include "planner/partition/partition_metis.h"

enum {
    LEVELS_MOST = 24,
    COARSE_VERTICES = 32768,  /* METIS splits about so many */
    COARSE_PER_PART = 128,    /* or so many per part */
    COARSE_ENTRIES = 1 << 22, /* of their arcs, the heaviest */
    REFINE_ROUNDS = 10,
    FINEST_ROUNDS = 6,
    BLOCKS = 32
};

/* ---- the coarsest level ---- */

static uint32_t mix(uint32_t a, uint32_t b)
{
    return (uint32_t)(((uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a)) * 0x9e3779b97f4a7c15u >> 32);
}

static int descending(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a < b) - (a > b);
}

/* The heaviest `keep` arcs of a row weigh at least this much; ties are told apart by a hash of both ends. */
static uint64_t lightest_kept(const struct level *l, uint64_t v, uint64_t keep, uint64_t *room)
{
    uint64_t count = 0;
    for (int64_t e = l->start[v]; e < l->start[v + 1]; e++)
        room[count++] = (uint64_t)l->weight[e] << 32 | mix((uint32_t)v, l->to[e]);
    if (count <= keep) return 0;
    qsort(room, count, sizeof *room, descending);
    return room[keep - 1];
}

/* An arc between clusters that is among the heaviest of neither end says little about where to cut, but costs METIS
 * time and memory: left out, where there are many. */
static enum st thin_out(struct level *l, struct err *err)
{
    uint64_t keep = COARSE_ENTRIES / (2 * l->n) + 1, widest = 0;
    int64_t at = 0, from = 0;
    if (l->m <= COARSE_ENTRIES) return ST_OK;
    for (uint64_t v = 0; v < l->n; v++)
        widest = (uint64_t)(l->start[v + 1] - l->start[v]) > widest ? (uint64_t)(l->start[v + 1] - l->start[v])
                                                                    : widest;
    OWNED_NEW(uint64_t, least, l->n, "arcs between clusters");
    OWNED_NEW(uint64_t, room, widest, "arcs between clusters");
    for (uint64_t v = 0; v < l->n; v++) least[v] = lightest_kept(l, v, keep, room);
    for (uint64_t v = 0; v < l->n; v++) {
        int64_t end = l->own_start[v + 1];
        for (int64_t e = from; e < end; e++) {
            uint64_t weight = (uint64_t)l->own_weight[e] << 32 | mix((uint32_t)v, l->own_to[e]);
            if (weight < least[v] && weight < least[l->own_to[e]]) continue;
            l->own_to[at] = l->own_to[e];
            l->own_weight[at++] = l->own_weight[e];
        }
        from = end;
        l->own_start[v + 1] = at;
    }
    l->m = (uint64_t)at;
    return ST_OK;
}

/* ---- refinement ---- */

struct refinement {
    const struct level *l;
    uint8_t *part, *wish;
    int parts, threads;
    uint64_t size[PARTS_MAX], trains[PARTS_MAX], room[PARTS_MAX], room_train[PARTS_MAX];
};

static inline bool fits(const struct refinement *refinement, int part, uint32_t size, uint32_t trains)
{
    return refinement->size[part] + size <= refinement->room[part] &&
           (!trains || refinement->trains[part] + trains <= refinement->room_train[part]);
}

/* The part with room that most arcs lead to; ties: its own, then the lowest. One in an overfull part takes the best
 * other one. */
static uint8_t wish_of(const struct refinement *refinement, uint64_t v)
{
    enum { AHEAD = 32 };
    const struct level *l = refinement->l;
    uint64_t near[PARTS_MAX] = {0};
    uint8_t own = refinement->part[v], best = own;
    uint32_t size = level_size(l, v), trains = level_trains(l, v);
    bool full = refinement->size[own] > refinement->room[own] ||
                (trains && refinement->trains[own] > refinement->room_train[own]),
         other = false;
    for (int64_t e = l->start[v]; e < l->start[v + 1]; e++) {
        if ((uint64_t)e + AHEAD < l->m) __builtin_prefetch(&refinement->part[l->to[e + AHEAD]]);
        near[refinement->part[l->to[e]]] += l->weight ? l->weight[e] : 1;
        other |= refinement->part[l->to[e]] != own;
    }
    if (!other && !full) return own;
    uint64_t most = full ? 0 : near[own];
    for (int p = 0; p < refinement->parts; p++)
        if (p != own && (near[p] > most || (full && best == own)) && fits(refinement, p, size, trains)) {
            best = (uint8_t)p;
            most = near[p];
        }
    return best;
}

static uint64_t accept(struct refinement *refinement, uint64_t from, uint64_t to)
{
    uint64_t moved = 0;
    for (uint64_t v = from; v < to; v++) {
        uint8_t own = refinement->part[v], want = refinement->wish[v];
        if (want == own) continue;
        uint32_t size = level_size(refinement->l, v), trains = level_trains(refinement->l, v);
        if (!fits(refinement, want, size, trains)) continue;
        refinement->size[own] -= size;
        refinement->trains[own] -= trains;
        refinement->size[want] += size;
        refinement->trains[want] += trains;
        refinement->part[v] = want;
        moved++;
    }
    return moved;
}

static uint64_t refine_round(struct refinement *refinement)
{
    uint64_t n = refinement->l->n, stretches = (n + LEVEL_STRETCH - 1) / LEVEL_STRETCH, moved = 0;
    uint64_t blocks = stretches < BLOCKS ? stretches : BLOCKS;
    for (uint64_t b = 0; b < blocks; b++) {
#pragma omp parallel for schedule(dynamic, 4) num_threads(refinement->threads)
        for (uint64_t s = b; s < stretches; s += blocks) {
            uint64_t to = (s + 1) * LEVEL_STRETCH < n ? (s + 1) * LEVEL_STRETCH : n;
            for (uint64_t v = s * LEVEL_STRETCH; v < to; v++) refinement->wish[v] = wish_of(refinement, v);
        }
        for (uint64_t s = b; s < stretches; s += blocks) {
            uint64_t to = (s + 1) * LEVEL_STRETCH < n ? (s + 1) * LEVEL_STRETCH : n;
            moved += accept(refinement, s * LEVEL_STRETCH, to);
        }
    }
    return moved;
}

static void set_rooms(struct refinement *refinement, const double *share)
{
    double sum = 0, size = 0, trains = 0;
    for (int p = 0; p < refinement->parts; p++) {
        sum += share[p];
        size += (double)refinement->size[p];
        trains += (double)refinement->trains[p];
    }
    for (int p = 0; p < refinement->parts; p++) {
        refinement->room[p] = (uint64_t)(1.10 * share[p] / sum * size) + 1;
        refinement->room_train[p] = (uint64_t)(1.03 * share[p] / sum * trains) + 1;
    }
}

static enum st refine(const struct level *l, int parts, const double *share, int rounds, int threads, uint8_t *part,
                      struct err *err)
{
    enum st st = ST_OK;
    struct refinement refinement = {.l = l, .part = part, .parts = parts, .threads = threads};
    uint64_t moved = l->n;
    NEW(refinement.wish, l->n, "parts");
    for (uint64_t v = 0; v < l->n; v++) {
        refinement.size[part[v]] += level_size(l, v);
        refinement.trains[part[v]] += level_trains(l, v);
    }
    set_rooms(&refinement, share);
    for (int r = 0; r < rounds && moved > l->n / 1000; r++) moved = refine_round(&refinement);
done:
    mem_free(refinement.wish);
    return st;
}

/* ---- all levels ---- */

struct levels {
    struct level l[LEVELS_MOST];
    int count;
};

static void levels_release(struct levels *levels)
{
    for (int i = 0; levels && i < LEVELS_MOST; i++) level_release(&levels->l[i]);
    mem_free(levels);
}

/* Vertices of the coarsest level. */
static uint64_t target_of(int parts)
{
    uint64_t target = (uint64_t)parts * COARSE_PER_PART;
    return target > COARSE_VERTICES ? target : COARSE_VERTICES;
}

static enum st coarsen_all(const struct graph *g, uint64_t target, uint64_t seed, int threads, struct levels *levels,
                           struct err *err)
{
    enum { STREAM_CLUSTERS = 0x636c7573 };
    PASS(level_of_graph(g, threads, &levels->l[0], err));
    for (levels->count = 1; levels->count < LEVELS_MOST; levels->count++) {
        struct level *fine = &levels->l[levels->count - 1];
        if (fine->n <= target) break;
        PASS(level_coarsen(fine, 5 * g->n / (2 * target) + 1, 5 * g->train_count / (2 * target) + 2,
                           rng_hash(seed, STREAM_CLUSTERS, (uint64_t)levels->count), threads, &levels->l[levels->count],
                           err));
        if (levels->l[levels->count].n * 5 > fine->n * 4) { /* hardly smaller: that was the last */
            levels->count++;
            break;
        }
    }
    if (levels->count > 1) PASS(thin_out(&levels->l[levels->count - 1], err));
    return ST_OK;
}

/* METIS for the coarsest level, and back to the finest. */
static enum st cut_levels(const struct levels *levels, const struct multilevel_cut *cut, uint64_t seed, int threads,
                          struct err *err)
{
    OWNED uint8_t *finer = NULL, *at = NULL;
    const struct level *last = &levels->l[levels->count - 1];
    MAKE(at, last->n, "parts");
    PASS(metis_split_level(last, cut->parts, cut->share, seed, at, err));
    for (int i = levels->count - 1; i >= 0; i--) {
        const struct level *l = &levels->l[i];
        if (i < levels->count - 1) {
            MAKE(finer, l->n, "parts");
#pragma omp parallel for schedule(static) num_threads(threads)
            for (uint64_t v = 0; v < l->n; v++) finer[v] = at[l->cluster[v]];
            mem_free(at);
            at = TAKE(finer);
        }
        PASS(refine(l, cut->parts, cut->share, i ? REFINE_ROUNDS : FINEST_ROUNDS, threads, at, err));
    }
    memcpy(cut->part, at, levels->l[0].n);
    return ST_OK;
}

enum st multilevel_split(const struct graph *g, const struct multilevel_cut *cut, int count, uint64_t seed, int threads,
                         struct err *err)
{
    enum st st = ST_OK;
    struct levels *levels = NULL;
    threads = threads < 1 ? 1 : threads;
    for (int i = 0; i < count; i++) {
        if (i == 0 || target_of(cut[i].parts) != target_of(cut[i - 1].parts)) {
            levels_release(levels);
            NEW(levels, 1, "levels");
            TRY(coarsen_all(g, target_of(cut[i].parts), seed, threads, levels, err));
        }
        TRY(cut_levels(levels, &cut[i], seed, threads, err));
    }
done:
    levels_release(levels);
    return st;
}

uint64_t multilevel_bytes(const struct graph *g, int threads)
{
    enum { PER_VERTEX = 26, PER_ENTRY = 6, PER_COARSE = 64 }; /* levels below the finest: up to 3/4 of its entries */
    bool both = !strcmp(g->sample, "both"), copied = !both && 2 * g->m <= COARSEN_ENTRIES_MOST;
    uint64_t entries = copied ? 2 * g->m : g->m, most = g->n < entries ? g->n : entries;
    return PER_VERTEX * g->n + (copied ? 4 * entries + 8 * g->n : 0) + PER_ENTRY * entries +
           PER_COARSE * (uint64_t)COARSE_ENTRIES / 2 + 24 * (uint64_t)(threads < 1 ? 1 : threads) * most / 8;
}
