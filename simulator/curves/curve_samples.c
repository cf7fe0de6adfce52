#include "simulator/curves/curve_samples.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "kernels/kernel.h"
#include "simulator/curves/curve_exact.h"

enum { RNG_GROUPS = 0x63757276 };
/* All sizes together cost about this many simulations of the whole stream. */
enum { COST = 8 };
/* Where a stream has so many ids that at least FEW of more than MOST sizes can be simulated in two simulations' time,
 * in groups of at least SMALL_GROUP ids, that is done instead. */
enum { THIN_COST = 2, FEW = 10, MOST = 20, SMALL_GROUP = CURVE_LEAST / 2 };
/* A cache half as large has so much more of the error of small caches that the error is this many times the difference
 * (error in proportion to 1 / rows: 1; to its square root: 2.4), give or take the doubt. */
static const double SMALLER = 1.25, DOUBT = 0.75;

struct group {
    struct stream s;    /* ids numbered densely */
    uint32_t *next;     /* of stream_next */
    uint64_t *capacity; /* [count] */
    uint64_t *lru;      /* [count] misses */
};

/* Single groups, and behind them pairs: the ids of groups g and g + CURVE_PAIRS together. */
enum { CURVE_PAIRS = CURVE_SAMPLES / 2, STREAMS = CURVE_SAMPLES + CURVE_PAIRS };

struct curve_samples {
    const struct stream *whole;
    struct curve_nodes nodes;         /* all sizes, and those that are simulated */
    uint64_t count, groups, distinct; /* groups: k; 1: the whole stream is simulated, and there is no other stream */
    int streams;
    uint64_t *capacity, *lru; /* [count] of the simulated sizes; lru: NULL where it is not known */
    struct group group[STREAMS];
};

static inline int pair_of(int g) { return CURVE_SAMPLES + g % CURVE_PAIRS; }

/* ---- groups ---- */

uint64_t curve_samples_groups(const struct curve_samples *c) { return c->groups; }
static uint64_t at_most(uint64_t x, uint64_t limit) { return x < limit ? x : limit; }

/* How many groups, and how many of the sizes below the number of distinct ids are simulated. */
static void curve_samples_choose(struct curve_samples *c, uint64_t inner)
{
    enum { STREAMS_OF_ALL = 2 * CURVE_SAMPLES }; /* the groups once alone, once in pairs */
    uint64_t thin = at_most(c->distinct / SMALL_GROUP, MOST * STREAMS_OF_ALL / THIN_COST);
    c->count = thin * THIN_COST / STREAMS_OF_ALL;
    c->groups = thin;
    if (inner > MOST && c->count >= FEW) return;
    c->count = inner;
    c->groups = at_most(inner * STREAMS_OF_ALL / COST, c->distinct / CURVE_LEAST);
    if (c->groups <= STREAMS_OF_ALL) c->groups = 1;
}

/* order: [ids], ids by falling number of requests, equal ones in a random order; returns how many were requested. */
static enum st by_requests(const struct stream *s, uint64_t seed, uint32_t *order, uint64_t *distinct, struct err *err)
{
    OWNED_NEW(uint64_t, key, s->ids, "the ids of a curve");
    curve_exact_requests(s, key);
    *distinct = 0;
    for (uint64_t i = 0; i < s->ids; i++) {
        *distinct += key[i] > 0;
        if (key[i]) key[i] = key[i] << 32 | (rng_hash(seed, RNG_GROUPS, i) & UINT32_MAX);
    }
    return kernels_cpu.sort_hottest(1, key, s->ids, order, err);
}

/* where[id]: 1 + number of the simulated group, or 0; number[id]: of the id within it, and within its pair. In every
 * stratum the simulated groups take places that are equally far apart, from a random one on: their mean covers it
 * evenly. */
static void deal_groups(struct curve_samples *c, const uint32_t *order, uint64_t seed, uint8_t *where,
                        uint32_t (*number)[2])
{
    uint64_t k = c->groups, apart = k / CURVE_SAMPLES;
    for (uint64_t from = 0, b = 0; from < c->distinct; from += k, b++) {
        uint64_t first = rng_hash(seed, RNG_GROUPS + 1, b) % k;
        for (int g = 0; g < CURVE_SAMPLES; g++) {
            uint64_t at = from + (first + (uint64_t)g * apart) % k;
            if (at >= c->distinct) continue;
            where[order[at]] = (uint8_t)(g + 1);
            number[order[at]][0] = (uint32_t)c->group[g].s.ids++;
            number[order[at]][1] = (uint32_t)c->group[pair_of(g)].s.ids++;
        }
    }
}

static enum st add_request(struct stream *to, uint32_t id, struct err *err)
{
    enum st st = ST_OK;
    if (to->requests == to->room) {
        uint64_t room = to->room ? 2 * to->room : 1024;
        GROW(to->id, room, "the requests of a curve");
        to->room = room;
    }
    to->id[to->requests++] = id;
done:
    return st;
}

/* Gives every group the requests of its ids, in mini-batches as they were. */
static enum st cut_stream(struct curve_samples *c, const uint8_t *where, uint32_t (*number)[2], struct err *err)
{
    enum { AHEAD = 24 };
    const struct stream *s = c->whole;
    for (uint64_t b = 0; b < s->batches; b++) {
        for (int g = 0; g < STREAMS; g++) PASS(stream_add(&c->group[g].s, s->batch[b], NULL, 0, err));
        for (uint64_t i = s->batch[b].from, end = stream_end(s, b); i < end; i++) {
            if (i + AHEAD < s->requests) __builtin_prefetch(&where[s->id[i + AHEAD]]);
            uint32_t id = s->id[i];
            if (!where[id]) continue;
            PASS(add_request(&c->group[where[id] - 1].s, number[id][0], err));
            PASS(add_request(&c->group[pair_of(where[id] - 1)].s, number[id][1], err));
        }
    }
    return ST_OK;
}

static enum st finish_group(struct curve_samples *c, struct group *g, bool future, struct err *err)
{
    MAKE(g->capacity, c->count, "the sizes of a curve");
    for (uint64_t i = 0; i < c->count; i++) {
        double part = (double)g->s.ids / (double)c->distinct;
        g->capacity[i] = c->groups == 1 ? c->capacity[i] : (uint64_t)llround((double)c->capacity[i] * part);
    }
    if (future) PASS(stream_next(c->groups == 1 ? c->whole : &g->s, &g->next, err));
    if (!c->lru || c->groups == 1) return ST_OK;
    MAKE(g->lru, c->count, "the sizes of a curve");
    PASS(curve_exact_lru(&g->s, &(struct curve_sizes){g->capacity, c->count, NULL}, g->lru, err));
    for (uint64_t i = 0; i < c->count; i++) g->lru[i] = g->s.requests - g->lru[i];
    return ST_OK;
}

void curve_samples_free(struct curve_samples *c)
{
    if (!c) return;
    for (int g = 0; g < STREAMS; g++) {
        stream_release(&c->group[g].s);
        mem_free(c->group[g].next);
        mem_free(c->group[g].capacity);
        mem_free(c->group[g].lru);
    }
    mem_free(c->capacity);
    mem_free(c->lru);
    curve_nodes_release(&c->nodes);
    mem_free(c);
}

/* Chooses the sizes that are simulated. */
static enum st pick_sizes(struct curve_samples *c, const struct curve_nodes *all, struct err *err)
{
    c->nodes = *all;
    c->nodes.requests = c->whole->requests;
    c->nodes.distinct = c->distinct;
    curve_samples_choose(c, curve_nodes_inner(&c->nodes));
    PASS(curve_nodes_pick(&c->nodes, c->count, err));
    MAKE(c->capacity, c->count + 1, "the sizes of a curve");
    if (all->lru) MAKE(c->lru, c->count + 1, "the sizes of a curve");
    for (uint64_t i = 0; i < c->count; i++) {
        c->capacity[i] = all->capacity[c->nodes.pick[i]];
        if (c->lru) c->lru[i] = all->lru[c->nodes.pick[i]];
    }
    return ST_OK;
}

enum st curve_samples_new(const struct stream *s, const uint64_t *capacity, uint64_t count, const uint64_t *lru,
                          bool future, uint64_t seed, struct curve_samples **out, struct err *err)
{
    enum st st = ST_OK;
    struct curve_samples *c = NULL;
    uint32_t *order = NULL, (*number)[2] = NULL;
    OWNED uint8_t *where = NULL;
    NEW(c, 1, "a curve");
    c->whole = s;
    NEW(order, s->ids, "the ids of a curve");
    TRY(by_requests(s, seed, order, &c->distinct, err));
    TRY(pick_sizes(c, &(struct curve_nodes){.capacity = capacity, .count = count, .lru = lru}, err));
    c->streams = c->groups > 1 ? STREAMS : 1;
    if (c->groups > 1) {
        NEW(where, s->ids, "the ids of a curve");
        NEW(number, s->ids, "the ids of a curve");
        deal_groups(c, order, seed, where, number);
        TRY(cut_stream(c, where, number, err));
    }
    for (int g = 0; g < c->streams; g++) TRY(finish_group(c, &c->group[g], future, err));
    *out = TAKE(c);
done:
    curve_samples_free(c);
    mem_free(order);
    mem_free(number);
    return st;
}

/* ---- estimates ---- */

/* Quantile of Student's t for 95 %, two-sided, with CURVE_PAIRS - 1 degrees of freedom. */
static const double student = 3.182;

static uint64_t *miss_of(uint64_t *miss, const struct curve_samples *c, int g, uint64_t size)
{
    return &miss[(uint64_t)g * c->count + size];
}

/* Misses of every group at every size, several at a time. */
static enum st simulate(const struct curve_samples *c, const struct cache *rule, enum admission how, int threads,
                        uint64_t *miss, struct err *err)
{
    struct err first = {0};
    uint64_t tasks = c->count * (uint64_t)c->streams;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (uint64_t t = 0; t < tasks; t++) {
        int at = (int)(t % (uint64_t)c->streams);
        const struct group *g = &c->group[at];
        const struct stream *s = c->groups == 1 ? c->whole : &g->s;
        uint64_t size = t / (uint64_t)c->streams;
        struct err mine = {0};
        struct cache_counts k;
        if (cache_run(rule, s, g->next, g->capacity[size], how, NULL, &k, &mine) == ST_OK) {
            *miss_of(miss, c, at, size) = k.misses;
            continue;
        }
#pragma omp critical(curve_first_error)
        if (!first.code) first = mine;
    }
    if (first.code) *err = first;
    return first.code;
}

static double mean_of(const double *x)
{
    double sum = 0;
    for (int i = 0; i < CURVE_PAIRS; i++) sum += x[i];
    return sum / CURVE_PAIRS;
}

/* Sum of products of deviations from the means. */
static double products(const double *x, const double *y)
{
    double sum = 0, a = mean_of(x), b = mean_of(y);
    for (int i = 0; i < CURVE_PAIRS; i++) sum += (x[i] - a) * (y[i] - b);
    return sum;
}

/* What the groups say of one size, enlarged to the stream, pair by pair. */
struct said {
    double value[CURVE_PAIRS];   /* misses, with the correction for the smallness of the caches */
    double smaller[CURVE_PAIRS]; /* how many more misses caches of half the size have */
    double control[CURVE_PAIRS]; /* what is too much of LRU's misses, likewise */
};

static double corrected(double pair, double singles) { return pair - SMALLER * (singles - pair); }

static void say(const struct curve_samples *c, uint64_t *miss, uint64_t size, struct said *out)
{
    double k = (double)c->groups;
    for (int p = 0; p < CURVE_PAIRS; p++) {
        int one = p, other = p + CURVE_PAIRS, both = pair_of(p);
        double pair = k / 2 * (double)*miss_of(miss, c, both, size);
        double singles = k / 2 * (double)(*miss_of(miss, c, one, size) + *miss_of(miss, c, other, size));
        out->value[p] = corrected(pair, singles);
        out->smaller[p] = singles - pair;
        out->control[p] = 0;
        if (!c->lru) continue;
        pair = k / 2 * (double)c->group[both].lru[size];
        singles = k / 2 * (double)(c->group[one].lru[size] + c->group[other].lru[size]);
        out->control[p] = corrected(pair, singles) - (double)c->lru[size];
    }
}

/* The factor of the control variate, by least squares over all sizes. */
static double factor_of(const struct curve_samples *c, uint64_t *miss)
{
    double both = 0, own = 0;
    struct said said;
    for (uint64_t i = 0; i < c->count && c->lru; i++) {
        say(c, miss, i, &said);
        both += products(said.value, said.control);
        own += products(said.control, said.control);
    }
    return own > 0 ? both / own : 0;
}

/* Misses that one row more or less of a miniature cache costs, from the sizes beside this one. */
static double row_of(const struct curve_samples *c, const struct curve_estimate *out, uint64_t i)
{
    uint64_t low = i ? i - 1 : i, high = i + 1 < c->count ? i + 1 : i;
    double rows = 2 * (double)(c->capacity[high] - c->capacity[low]) / (double)c->groups;
    return rows > 0 ? fabs(out[low].misses - out[high].misses) / rows : 0;
}

static void estimate(const struct curve_samples *c, uint64_t *miss, struct curve_estimate *out)
{
    double factor = factor_of(c, miss), finite = 1 - (double)CURVE_SAMPLES / (double)c->groups;
    struct said said;
    for (uint64_t i = 0; i < c->count; i++) {
        say(c, miss, i, &said);
        for (int p = 0; p < CURVE_PAIRS; p++) said.value[p] -= factor * said.control[p];
        double error = sqrt(products(said.value, said.value) / (CURVE_PAIRS - 1) / CURVE_PAIRS * finite);
        out[i].misses = fmin(fmax(mean_of(said.value), (double)c->distinct), (double)c->whole->requests);
        out[i].bar = student * error + DOUBT * fabs(mean_of(said.smaller));
    }
    for (uint64_t i = 0; i < c->count; i++) out[i].bar += 0.5 * row_of(c, out, i);
}

enum st curve_samples_run(const struct curve_samples *c, const struct cache *rule, enum admission how, int threads,
                          struct curve_estimate *out, struct err *err)
{
    enum st st = ST_OK;
    OWNED uint64_t *miss = NULL;
    struct curve_estimate *at = NULL; /* [count] of the simulated sizes */
    NEW(miss, c->count * (uint64_t)c->streams + 1, "the misses of a curve");
    NEW(at, c->count + 1, "the misses of a curve");
    TRY(simulate(c, rule, how, threads, miss, err));
    for (uint64_t i = 0; i < c->count && c->groups == 1; i++)
        at[i] = (struct curve_estimate){.misses = (double)*miss_of(miss, c, 0, i)};
    if (c->groups > 1) estimate(c, miss, at);
    curve_nodes_fill(&c->nodes, at, out);
done:
    mem_free(at);
    return st;
}
