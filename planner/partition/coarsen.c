#include "planner/partition/coarsen.h"

#include <omp.h>
#include <string.h>

#include "base/mem.h"
#include "planner/partition/arcs_paired.h"

enum { ROUNDS = 4, BLOCKS_MOST = 64, AHEAD = 24 };

void level_release(struct level *l)
{
    mem_free(l->size);
    mem_free(l->trains);
    mem_free(l->train_bits);
    mem_free(l->cluster);
    mem_free(l->own_start);
    mem_free(l->own_to);
    mem_free(l->own_weight);
    memset(l, 0, sizeof *l);
}

/* ---- the finest level ---- */

/* Both directions of every arc. Each thread fills the rows of a range of vertices and reads all arcs, so that rows
 * have one order. */
static void fill_both(const struct graph *g, int threads, const int64_t *start, int64_t *next, uint32_t *to)
{
    memcpy(next, start, g->n * sizeof *next);
#pragma omp parallel num_threads(threads)
    {
        uint64_t k = (uint64_t)omp_get_thread_num(), all = (uint64_t)omp_get_num_threads();
        uint32_t from = (uint32_t)(g->n * k / all), end = (uint32_t)(g->n * (k + 1) / all);
        for (uint32_t v = 0; v < g->n; v++) {
            bool mine = v >= from && v < end;
            for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++) {
                uint32_t u = g->indices[e];
                if (mine) to[next[v]++] = u;
                if (u - from < end - from) to[next[u]++] = v;
            }
        }
    }
}

static enum st both_directions(const struct graph *g, int threads, struct level *l, struct err *err)
{
    OWNED int64_t *next = NULL;
    MAKE(l->own_start, g->n + 1, "rows in both directions");
    MAKE(l->own_to, 2 * g->m, "rows in both directions");
    MAKE(next, g->n, "rows in both directions");
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint64_t v = 0; v < g->n; v++)
        for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++)
            __atomic_fetch_add(&next[g->indices[e]], 1, __ATOMIC_RELAXED);
    for (uint64_t v = 0; v < g->n; v++)
        l->own_start[v + 1] = l->own_start[v] + next[v] + g->indptr[v + 1] - g->indptr[v];
    fill_both(g, threads, l->own_start, next, l->own_to);
    l->m = 2 * g->m;
    l->start = l->own_start;
    l->to = l->own_to;
    return ST_OK;
}

enum st level_of_graph(const struct graph *g, int threads, struct level *out, struct err *err)
{
    OWNED_BY(level_release) struct level l = {.n = g->n, .m = g->m, .start = g->indptr, .to = g->indices};
    MAKE(l.train_bits, g->n / 64 + 1, "marks of the training vertices");
    for (uint64_t i = 0; i < g->train_count; i++) l.train_bits[g->train[i] / 64] |= (uint64_t)1 << g->train[i] % 64;
    bool both = !strcmp(g->sample, "both");
    if (!both && 2 * g->m <= COARSEN_ENTRIES_MOST) {
        PASS(arcs_paired(g, &both, err));
        if (!both) PASS(both_directions(g, threads, &l, err));
    }
    *out = l;
    memset(&l, 0, sizeof l);
    return ST_OK;
}

/* ---- sums by key, of one thread ---- */

/* Open addressing; `used` lists the filled slots in the order of first use. */
struct tally {
    uint64_t slots, count, room; /* slots: in use for this vertex, a power of two */
    uint32_t *key, *sum, *used;
};

enum { EMPTY = UINT32_MAX };

static enum st tally_new(uint64_t keys, struct tally *t, struct err *err)
{
    t->room = 16;
    while (t->room < 2 * keys) t->room *= 2;
    MAKE(t->key, t->room, "sums by cluster");
    MAKE(t->sum, t->room, "sums by cluster");
    MAKE(t->used, t->room, "sums by cluster");
    memset(t->key, 0xff, t->room * sizeof *t->key);
    return ST_OK;
}

static void tally_free(struct tally *t)
{
    mem_free(t->key);
    mem_free(t->sum);
    mem_free(t->used);
}

static inline void tally_begin(struct tally *t, uint64_t keys)
{
    t->count = 0;
    t->slots = 16;
    while (t->slots < 2 * keys && t->slots < t->room) t->slots *= 2;
}

static inline void tally_add(struct tally *t, uint32_t key, uint32_t weight)
{
    uint64_t at = key * 0x9e3779b1u & (t->slots - 1);
    while (t->key[at] != key) {
        if (t->key[at] == EMPTY) {
            t->key[at] = key;
            t->sum[at] = 0;
            t->used[t->count++] = (uint32_t)at;
            break;
        }
        at = (at + 1) & (t->slots - 1);
    }
    uint32_t sum = t->sum[at] + weight;
    t->sum[at] = sum < weight ? UINT32_MAX : sum;
}

static inline void tally_end(struct tally *t)
{
    for (uint64_t i = 0; i < t->count; i++) t->key[t->used[i]] = EMPTY;
}

/* ---- clusters ---- */

struct clustering {
    struct level *l;
    uint32_t *label, *wish, *size, *trains;
    uint64_t size_most, trains_most, seed;
    struct tally *tally;
    int threads;
};

/* Ties between clusters are broken by a hash that differs from round to round. */
static inline uint32_t luck(uint64_t seed, uint32_t label)
{
    return (uint32_t)((label + seed) * 0x9e3779b97f4a7c15u >> 32);
}

static uint32_t wish_of(const struct clustering *clustering, uint64_t v, struct tally *t)
{
    const struct level *l = clustering->l;
    uint32_t own = clustering->label[v], best = own, most = 0, luckiest = 0, size = level_size(l, v),
             trains = level_trains(l, v);
    int64_t end = l->start[v + 1];
    tally_begin(t, (uint64_t)(end - l->start[v]));
    for (int64_t e = l->start[v]; e < end; e++) {
        if ((uint64_t)e + AHEAD < l->m) __builtin_prefetch(&clustering->label[l->to[e + AHEAD]]);
        if (l->to[e] != v) tally_add(t, clustering->label[l->to[e]], l->weight ? l->weight[e] : 1);
    }
    for (uint64_t i = 0; i < t->count; i++) {
        uint32_t there = t->key[t->used[i]], near = t->sum[t->used[i]];
        if (near < most) continue;
        uint32_t lucky = there == own ? UINT32_MAX : luck(clustering->seed, there);
        if (near == most && (lucky < luckiest || (lucky == luckiest && there > best))) continue;
        if (there != own && (clustering->size[there] + size > clustering->size_most ||
                             clustering->trains[there] + trains > clustering->trains_most))
            continue;
        best = there;
        most = near;
        luckiest = lucky;
    }
    tally_end(t);
    return best;
}

static uint64_t accept(struct clustering *clustering, uint64_t from, uint64_t to)
{
    uint64_t moved = 0;
    for (uint64_t v = from; v < to; v++) {
        uint32_t own = clustering->label[v], want = clustering->wish[v], size = level_size(clustering->l, v),
                 trains = level_trains(clustering->l, v);
        if (want == own || !clustering->size[want] || clustering->size[want] + size > clustering->size_most ||
            clustering->trains[want] + trains > clustering->trains_most)
            continue;
        clustering->size[own] -= size;
        clustering->trains[own] -= trains;
        clustering->size[want] += size;
        clustering->trains[want] += trains;
        clustering->label[v] = want;
        moved++;
    }
    return moved;
}

static uint64_t cluster_round(struct clustering *clustering)
{
    uint64_t n = clustering->l->n, stretches = (n + LEVEL_STRETCH - 1) / LEVEL_STRETCH, moved = 0;
    uint64_t blocks = stretches < BLOCKS_MOST ? stretches : BLOCKS_MOST;
    for (uint64_t b = 0; b < blocks; b++) {
#pragma omp parallel for schedule(dynamic, 4) num_threads(clustering->threads)
        for (uint64_t s = b; s < stretches; s += blocks) {
            uint64_t to = (s + 1) * LEVEL_STRETCH < n ? (s + 1) * LEVEL_STRETCH : n;
            for (uint64_t v = s * LEVEL_STRETCH; v < to; v++)
                clustering->wish[v] = wish_of(clustering, v, &clustering->tally[omp_get_thread_num()]);
        }
        for (uint64_t s = b; s < stretches; s += blocks) {
            uint64_t to = (s + 1) * LEVEL_STRETCH < n ? (s + 1) * LEVEL_STRETCH : n;
            moved += accept(clustering, s * LEVEL_STRETCH, to);
        }
    }
    return moved;
}

static uint64_t longest_row(const struct level *l, int threads)
{
    uint64_t most = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : most)
    for (uint64_t v = 0; v < l->n; v++) {
        uint64_t degree = (uint64_t)(l->start[v + 1] - l->start[v]);
        most = degree > most ? degree : most;
    }
    return most;
}

static enum st tallies_new(int threads, uint64_t keys, struct tally **out, struct err *err)
{
    MAKE(*out, threads, "sums by cluster");
    for (int t = 0; t < threads; t++) PASS(tally_new(keys, &(*out)[t], err));
    return ST_OK;
}

static void tallies_free(int threads, struct tally *t)
{
    for (int i = 0; t && i < threads; i++) tally_free(&t[i]);
    mem_free(t);
}

/* The cluster that most arcs of a vertex lead to, whether it has room or not; the vertex itself where there is none. */
static uint32_t favourite(const struct clustering *clustering, uint64_t v, struct tally *t)
{
    const struct level *l = clustering->l;
    uint32_t best = (uint32_t)v, most = 0;
    tally_begin(t, (uint64_t)(l->start[v + 1] - l->start[v]));
    for (int64_t e = l->start[v]; e < l->start[v + 1]; e++)
        if (l->to[e] != v) tally_add(t, clustering->label[l->to[e]], l->weight ? l->weight[e] : 1);
    for (uint64_t i = 0; i < t->count; i++) {
        uint32_t there = t->key[t->used[i]], near = t->sum[t->used[i]];
        if (near < most || (near == most && there > best)) continue;
        best = there;
        most = near;
    }
    tally_end(t);
    return best;
}

static inline bool lonely(const struct clustering *clustering, uint64_t v)
{
    return clustering->label[v] == v && clustering->size[v] <= level_size(clustering->l, v);
}

/* Vertices that are alone because the cluster of their neighbours is full come together with others of whom the same
 * is true; so do those without arcs. Otherwise they would keep the graph large. */
static enum st join_lonely(struct clustering *clustering, struct err *err)
{
    const struct level *l = clustering->l;
    uint32_t nowhere = EMPTY;
    OWNED uint32_t *last = NULL;
    MAKE(last, l->n, "clusters");
#pragma omp parallel for schedule(dynamic, 256) num_threads(clustering->threads)
    for (uint64_t v = 0; v < l->n; v++)
        clustering->wish[v] = lonely(clustering, v) ? favourite(clustering, v, &clustering->tally[omp_get_thread_num()])
                                                    : EMPTY;
    for (uint64_t v = 0; v < l->n; v++) {
        uint32_t size = level_size(l, v), trains = level_trains(l, v);
        if (clustering->wish[v] == EMPTY) continue;
        uint32_t *before = clustering->wish[v] == v ? &nowhere
                                                    : &last[clustering->wish[v]]; /* 0: nobody yet, else 1 + a vertex */
        uint32_t to = before == &nowhere ? nowhere : *before - 1;
        if (to == EMPTY || clustering->size[to] + size > clustering->size_most ||
            clustering->trains[to] + trains > clustering->trains_most) {
            *before = (uint32_t)v + (before != &nowhere);
            continue;
        }
        clustering->size[to] += size;
        clustering->trains[to] += trains;
        clustering->size[v] = clustering->trains[v] = 0;
        clustering->label[v] = to;
    }
    return ST_OK;
}

static enum st find_clusters(struct clustering *clustering, struct err *err)
{
    struct level *l = clustering->l;
    MAKE(clustering->wish, l->n, "clusters");
    MAKE(clustering->size, l->n, "clusters");
    MAKE(clustering->trains, l->n, "clusters");
    PASS(tallies_new(clustering->threads, longest_row(l, clustering->threads), &clustering->tally, err));
#pragma omp parallel for schedule(static) num_threads(clustering->threads)
    for (uint64_t v = 0; v < l->n; v++) {
        clustering->label[v] = (uint32_t)v;
        clustering->size[v] = level_size(l, v);
        clustering->trains[v] = level_trains(l, v);
    }
    uint64_t moved = l->n;
    for (int r = 0; r < ROUNDS && moved > l->n / 50; r++, clustering->seed++) moved = cluster_round(clustering);
    return join_lonely(clustering, err);
}

/* ---- the smaller graph ---- */

/* Members of the clusters, in the order of ids: member[first[c] .. first[c + 1]). */
static enum st find_members(const struct level *l, uint64_t clusters, uint64_t **first, uint32_t **member,
                            struct err *err)
{
    uint64_t *f;
    MAKE(*first, clusters + 2, "members of clusters");
    MAKE(*member, l->n, "members of clusters");
    f = *first;
    for (uint64_t v = 0; v < l->n; v++) f[l->cluster[v] + 2]++;
    for (uint64_t c = 0; c < clusters; c++) f[c + 2] += f[c + 1];
    for (uint64_t v = 0; v < l->n; v++) (*member)[f[l->cluster[v] + 1]++] = (uint32_t)v;
    return ST_OK;
}

/* Arcs of cluster c to others, into t. */
static void tally_row(const struct level *l, uint64_t c, const uint64_t *first, const uint32_t *member, struct tally *t)
{
    uint64_t arcs = 0;
    for (uint64_t i = first[c]; i < first[c + 1]; i++)
        arcs += (uint64_t)(l->start[member[i] + 1] - l->start[member[i]]);
    tally_begin(t, arcs);
    for (uint64_t i = first[c]; i < first[c + 1]; i++)
        for (int64_t e = l->start[member[i]]; e < l->start[member[i] + 1]; e++) {
            if ((uint64_t)e + AHEAD < l->m) __builtin_prefetch(&l->cluster[l->to[e + AHEAD]]);
            uint32_t there = l->cluster[l->to[e]];
            if (there != c) tally_add(t, there, l->weight ? l->weight[e] : 1);
        }
}

static uint64_t most_keys(const struct level *l, uint64_t clusters, const uint64_t *first, const uint32_t *member)
{
    uint64_t most = 0;
    for (uint64_t c = 0; c < clusters; c++) {
        uint64_t arcs = 0;
        for (uint64_t i = first[c]; i < first[c + 1]; i++)
            arcs += (uint64_t)(l->start[member[i] + 1] - l->start[member[i]]);
        most = arcs > most ? arcs : most;
    }
    return most < clusters ? most : clusters;
}

static enum st contract(const struct level *l, uint64_t clusters, int threads, struct level *out, struct err *err)
{
    enum st st = ST_OK;
    OWNED uint64_t *first = NULL;
    OWNED uint32_t *member = NULL;
    struct tally *tally = NULL;
    TRY(find_members(l, clusters, &first, &member, err));
    TRY(tallies_new(threads, most_keys(l, clusters, first, member), &tally, err));
    NEW(out->own_start, clusters + 1, "a smaller graph");
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
    for (uint64_t c = 0; c < clusters; c++) {
        struct tally *t = &tally[omp_get_thread_num()];
        tally_row(l, c, first, member, t);
        out->own_start[c + 1] = (int64_t)t->count;
        tally_end(t);
    }
    for (uint64_t c = 0; c < clusters; c++) out->own_start[c + 1] += out->own_start[c];
    out->n = clusters;
    out->m = (uint64_t)out->own_start[clusters];
    NEW(out->own_to, out->m, "a smaller graph");
    NEW(out->own_weight, out->m, "a smaller graph");
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
    for (uint64_t c = 0; c < clusters; c++) {
        struct tally *t = &tally[omp_get_thread_num()];
        int64_t at = out->own_start[c];
        tally_row(l, c, first, member, t);
        for (uint64_t i = 0; i < t->count; i++, at++) {
            out->own_to[at] = t->key[t->used[i]];
            out->own_weight[at] = t->sum[t->used[i]];
        }
        tally_end(t);
    }
    out->start = out->own_start;
    out->to = out->own_to;
    out->weight = out->own_weight;
done:
    tallies_free(threads, tally);
    return st;
}

/* Labels become numbers 0.., in ascending order; sizes move to their places. Returns how many. */
static enum st renumber(struct clustering *clustering, struct level *coarse, struct err *err)
{
    uint64_t n = clustering->l->n, next = 0;
    for (uint64_t v = 0; v < n; v++) clustering->wish[v] = clustering->size[v] ? (uint32_t)next++ : EMPTY;
    MAKE(coarse->size, next, "a smaller graph");
    MAKE(coarse->trains, next, "a smaller graph");
    for (uint64_t v = 0; v < n; v++) {
        if (clustering->wish[v] == EMPTY) continue;
        coarse->size[clustering->wish[v]] = clustering->size[v];
        coarse->trains[clustering->wish[v]] = clustering->trains[v];
    }
    coarse->n = next;
#pragma omp parallel for schedule(static) num_threads(clustering->threads)
    for (uint64_t v = 0; v < n; v++) clustering->label[v] = clustering->wish[clustering->label[v]];
    return ST_OK;
}

enum st level_coarsen(struct level *fine, uint64_t size_most, uint64_t trains_most, uint64_t seed, int threads,
                      struct level *coarse, struct err *err)
{
    enum st st = ST_OK;
    struct level made = {0};
    struct clustering clustering = {.l = fine,
                                    .size_most = size_most,
                                    .trains_most = trains_most,
                                    .seed = seed,
                                    .threads = threads};
    NEW(fine->cluster, fine->n, "clusters");
    clustering.label = fine->cluster;
    TRY(find_clusters(&clustering, err));
    TRY(renumber(&clustering, &made, err));
    mem_free(clustering.wish);
    mem_free(clustering.size);
    mem_free(clustering.trains);
    clustering.wish = clustering.size = clustering.trains = NULL;
    TRY(contract(fine, made.n, threads, &made, err));
    *coarse = made;
    memset(&made, 0, sizeof made);
done:
    mem_free(clustering.wish);
    mem_free(clustering.size);
    mem_free(clustering.trains);
    tallies_free(threads, clustering.tally);
    level_release(&made);
    return st;
}
