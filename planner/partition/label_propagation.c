#include "planner/partition/label_propagation.h"

#include <omp.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "planner/partition/partition_metis.h"

enum { NONE = UINT16_MAX, POOLS = 64, LABELS_MOST = LABEL_CLUSTERS + POOLS, STREAM_LABELS = 0x6c70736c };
enum {
    CLUSTER_ROUNDS = 8,
    REFINE_ROUNDS = 6,
    BLOCKS = 16,
    BLOCK_LEAST = 64,
    BLOCK_MOST = 1 << 21,
    VERTICES_PER_CLUSTER = 1024,
    CLUSTERS_SMALL = 256,
    VERTICES_LEAST = 32
};

/* Scratch of one thread: neighbours per label, zero between vertices, and which labels are not zero. */
struct label_tally {
    uint32_t near[LABELS_MOST];
    uint16_t seen[LABELS_MOST];
};

/* The state of both kinds of propagation: labels are clusters, later parts. */
struct propagation {
    const struct graph *g;
    int threads, labels;
    uint16_t *label;           /* [n] */
    uint16_t *wish;            /* [block] what the vertices of a block want to be */
    struct label_tally *tally; /* [threads] */
    uint64_t *train;           /* bits of the training vertices */
    uint64_t block;
    uint64_t size[LABELS_MOST], trains[LABELS_MOST], room[LABELS_MOST], room_train[LABELS_MOST];
};

/* Clusters of 1024 vertices, up to LABEL_CLUSTERS; small graphs have smaller ones. */
static int clusters_of(uint64_t n)
{
    uint64_t few = n / VERTICES_LEAST < CLUSTERS_SMALL ? n / VERTICES_LEAST : CLUSTERS_SMALL,
             many = n / VERTICES_PER_CLUSTER;
    return (int)(many > LABEL_CLUSTERS ? LABEL_CLUSTERS : many > few ? many : few);
}

static inline bool trains(const struct propagation *x, uint64_t v) { return x->train[v / 64] >> v % 64 & 1; }

static enum st propagation_new(const struct graph *g, int threads, struct propagation *x, struct err *err)
{
    *x = (struct propagation){.g = g, .threads = threads < 1 ? 1 : threads};
    x->block = g->n / BLOCKS < BLOCK_LEAST ? BLOCK_LEAST : g->n / BLOCKS > BLOCK_MOST ? BLOCK_MOST : g->n / BLOCKS;
    MAKE(x->label, g->n, "labels of vertices");
    MAKE(x->wish, x->block, "labels of vertices");
    MAKE(x->tally, x->threads, "counts of labels");
    MAKE(x->train, g->n / 64 + 1, "marks of the training vertices");
    for (uint64_t i = 0; i < g->train_count; i++) x->train[g->train[i] / 64] |= (uint64_t)1 << g->train[i] % 64;
    return ST_OK;
}

static void propagation_free(struct propagation *x)
{
    mem_free(x->label);
    mem_free(x->wish);
    mem_free(x->tally);
    mem_free(x->train);
}

static void recount(struct propagation *x)
{
    memset(x->size, 0, sizeof x->size);
    memset(x->trains, 0, sizeof x->trains);
    for (uint64_t v = 0; v < x->g->n; v++) {
        if (x->label[v] == NONE) continue;
        x->size[x->label[v]]++;
        x->trains[x->label[v]] += trains(x, v);
    }
}

static inline bool has_room(const struct propagation *x, int label, bool train)
{
    return x->size[label] < x->room[label] && (!train || x->trains[label] < x->room_train[label]);
}

/* The label with room that most neighbours have; ties: its own, then the lowest. A vertex in an overfull label takes
 * the best other one. */
static uint16_t wish_of(const struct propagation *x, uint64_t v, struct label_tally *t)
{
    enum { AHEAD = 32 };
    const struct graph *g = x->g;
    uint16_t own = x->label[v], best = own;
    bool train = trains(x, v),
         full = own != NONE && (x->size[own] > x->room[own] || (train && x->trains[own] > x->room_train[own]));
    int count = 0;
    for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++) {
        if ((uint64_t)e + AHEAD < g->m) __builtin_prefetch(&x->label[g->indices[e + AHEAD]]);
        uint16_t there = x->label[g->indices[e]];
        if (there == NONE || g->indices[e] == v) continue;
        if (!t->near[there]++) t->seen[count++] = there;
    }
    uint32_t most = own != NONE && !full ? t->near[own] : 0;
    for (int i = 0; i < count; i++) {
        uint16_t there = t->seen[i];
        uint32_t near = t->near[there];
        t->near[there] = 0;
        if (there == own || near < most || (near == most && (best == own || there > best)) ||
            !has_room(x, there, train))
            continue;
        best = there;
        most = near;
    }
    return best;
}

static void wish_block(struct propagation *x, uint64_t from, uint64_t to)
{
#pragma omp parallel for schedule(dynamic, 4096) num_threads(x->threads)
    for (uint64_t v = from; v < to; v++) x->wish[v - from] = wish_of(x, v, &x->tally[omp_get_thread_num()]);
}

/* Moves the vertices of a block that still find room where they want to be, in the order of ids. Returns how many. */
static uint64_t move_block(struct propagation *x, uint64_t from, uint64_t to)
{
    uint64_t moved = 0;
    for (uint64_t v = from; v < to; v++) {
        uint16_t own = x->label[v], want = x->wish[v - from];
        bool train = trains(x, v);
        if (want == own || !has_room(x, want, train)) continue;
        if (own != NONE) {
            x->size[own]--;
            x->trains[own] -= train;
        }
        x->size[want]++;
        x->trains[want] += train;
        x->label[v] = want;
        moved++;
    }
    return moved;
}

/* At most `rounds` rounds over all vertices, fewer when almost nothing moves. */
static void propagate(struct propagation *x, int rounds)
{
    uint64_t n = x->g->n, moved = n;
    for (int i = 0; i < rounds && moved > n / 200; i++) {
        moved = 0;
        for (uint64_t from = 0; from < n; from += x->block) {
            uint64_t to = from + x->block < n ? from + x->block : n;
            wish_block(x, from, to);
            moved += move_block(x, from, to);
        }
    }
}

/* ---- clusters ---- */

/* A label for each of x->labels random vertices that have neighbours; seeds that fall together are fewer labels. */
static void seed_labels(struct propagation *x, uint64_t seed)
{
    uint64_t n = x->g->n;
    for (uint64_t v = 0; v < n; v++) x->label[v] = NONE;
    for (int l = 0; l < x->labels; l++)
        for (uint64_t k = 0; k < 16; k++) {
            uint64_t v = rng_hash(seed, STREAM_LABELS, (uint64_t)l << 8 | k) % n;
            if (x->label[v] != NONE || x->g->indptr[v] == x->g->indptr[v + 1]) continue;
            x->label[v] = (uint16_t)l;
            break;
        }
}

/* What no label reached goes into pools by id, so that it can fill parts up. */
static void pool_rest(struct propagation *x)
{
    uint64_t n = x->g->n;
#pragma omp parallel for num_threads(x->threads)
    for (uint64_t v = 0; v < n; v++)
        if (x->label[v] == NONE) x->label[v] = (uint16_t)(x->labels + (int)(v * POOLS / n));
    x->labels += POOLS;
}

static void cluster(struct propagation *x, uint64_t seed)
{
    x->labels = clusters_of(x->g->n);
    for (int l = 0; l < x->labels; l++) x->room[l] = x->room_train[l] = 2 * x->g->n / (uint64_t)x->labels + 1;
    seed_labels(x, seed);
    recount(x);
    propagate(x, CLUSTER_ROUNDS);
    pool_rest(x);
    recount(x);
}

/* Arcs between clusters, both directions together: between[a * labels + b], symmetric. */
static void count_between(const struct propagation *x, uint32_t *between)
{
    const struct graph *g = x->g;
    uint64_t k = (uint64_t)x->labels;
#pragma omp parallel for schedule(dynamic, 4096) num_threads(x->threads)
    for (uint64_t v = 0; v < g->n; v++)
        for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++) {
            uint64_t a = x->label[v], b = x->label[g->indices[e]];
            uint64_t at = a < b ? a * k + b : b * k + a;
            if (a != b && __atomic_load_n(&between[at], __ATOMIC_RELAXED) < INT32_MAX)
                __atomic_fetch_add(&between[at], 1, __ATOMIC_RELAXED);
        }
    for (uint64_t a = 0; a < k; a++)
        for (uint64_t b = a + 1; b < k; b++) between[b * k + a] = between[a * k + b];
}

/* Parts of the clusters into x->label. */
static enum st split_clusters(struct propagation *x, int parts, const double *share, uint64_t seed, struct err *err)
{
    OWNED uint32_t *between = NULL;
    uint8_t part[LABELS_MOST];
    MAKE(between, (uint64_t)x->labels * (uint64_t)x->labels, "arcs between clusters");
    count_between(x, between);
    PASS(metis_split_matrix(x->labels, between, x->size, x->trains, parts, share, seed, part, err));
#pragma omp parallel for num_threads(x->threads)
    for (uint64_t v = 0; v < x->g->n; v++) x->label[v] = part[x->label[v]];
    return ST_OK;
}

/* ---- parts ---- */

/* Stretches of ids, for graphs too small for clusters. */
static void cut_by_id(struct propagation *x, int parts, const double *share, double sum)
{
    double before = 0;
    for (int p = 0; p < parts; p++) {
        uint64_t from = (uint64_t)(before / sum * (double)x->g->n), to;
        before += share[p];
        to = p + 1 < parts ? (uint64_t)(before / sum * (double)x->g->n) : x->g->n;
        for (uint64_t v = from; v < to; v++) x->label[v] = (uint16_t)p;
    }
}

static void refine(struct propagation *x, int parts, const double *share, double sum)
{
    x->labels = parts;
    for (int p = 0; p < parts; p++) {
        x->room[p] = (uint64_t)(1.05 * share[p] / sum * (double)x->g->n) + 1;
        x->room_train[p] = (uint64_t)(1.02 * share[p] / sum * (double)x->g->train_count) + 1;
    }
    recount(x);
    propagate(x, REFINE_ROUNDS);
}

uint64_t label_propagation_bytes(const struct graph *g, int threads)
{
    uint64_t clusters = (uint64_t)clusters_of(g->n) + POOLS;
    return 2 * g->n + g->n / 8 + 2 * (g->n / BLOCKS) + clusters * clusters * 4 + metis_matrix_bytes((int)clusters) +
           (uint64_t)(threads < 1 ? 1 : threads) * sizeof(struct label_tally);
}

enum st label_propagation_split(const struct graph *g, int parts, const double *share, uint64_t seed, int threads,
                                uint8_t *part, struct err *err)
{
    enum st st;
    struct propagation *x = NULL;
    double sum = 0;
    NEW(x, 1, "label propagation");
    TRY(propagation_new(g, threads, x, err));
    for (int p = 0; p < parts; p++) sum += share[p];
    if (clusters_of(g->n) < 4 * parts) cut_by_id(x, parts, share, sum);
    else {
        cluster(x, seed);
        TRY(split_clusters(x, parts, share, seed, err));
    }
    refine(x, parts, share, sum);
    for (uint64_t v = 0; v < g->n; v++) part[v] = (uint8_t)x->label[v];
done:
    if (x) propagation_free(x);
    mem_free(x);
    return st;
}
