/* instance.h - small graphs, servers and plain arithmetic for the tests that judge sampling, planning and simulation.
 *
 * Nothing here calls the code that is judged, except server_find_cliques, which has a brute force of its own
 * (tests/unit/test_server_cliques.c). A failure is repeated with the number that the test prints:
 * HOTSET_TEST_SEED=<number>.
 */
#ifndef TESTS_ORACLE_INSTANCE_H
#define TESTS_ORACLE_INSTANCE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "tests/tier.h"
#include "hwprofiles/model/server.h"
#include "hwprofiles/model/server_cliques.h"
#include "traces/graph/graph.h"
#include "traces/sampling/sampler.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

/* Asserts that a fallible call succeeds, and shows its sentence when it does not. Needs a local `err`. */
#define OK(call)                                                                                                       \
    do {                                                                                                               \
        enum st ok_ = (call);                                                                                          \
        if (ok_ != ST_OK) fail_msg("%s: %d, %s", #call, (int)ok_, err.text);                                           \
    } while (0)

#define EQUAL(found, expected, ...)                                                                                    \
    do {                                                                                                               \
        unsigned long long found_ = (unsigned long long)(found), expected_ = (unsigned long long)(expected);           \
        if (found_ != expected_) {                                                                                     \
            print_error(__VA_ARGS__);                                                                                  \
            fail_msg(": %s is %llu, not %llu", #found, found_, expected_);                                             \
        }                                                                                                              \
    } while (0)

#define HOLDS(condition, ...)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_error(__VA_ARGS__);                                                                                  \
            fail_msg(": %s", #condition);                                                                              \
        }                                                                                                              \
    } while (0)

/* ---- chance: splitmix64, not the generator that is judged ---- */

struct dice {
    uint64_t at;
};

static inline uint64_t dice_word(struct dice *d)
{
    uint64_t z = d->at += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}
static inline uint64_t dice_below(struct dice *d, uint64_t n) { return dice_word(d) % n; }
static inline uint64_t dice_range(struct dice *d, uint64_t low, uint64_t high)
{
    return low + dice_below(d, high - low + 1);
}
static inline bool dice_chance(struct dice *d, double p) { return (double)(dice_word(d) >> 11) * 0x1p-53 < p; }

/* The seed of round `i`: of the environment alone when it names one. */
static inline uint64_t test_seed(uint64_t i)
{
    const char *given = getenv("HOTSET_TEST_SEED");
    return given ? strtoull(given, NULL, 10) : i;
}

/* ---- graphs ---- */

/* Arcs (v, u): v draws u. */
struct arcs {
    uint64_t *arc, count, room;
};

static inline void arcs_add(struct arcs *a, uint64_t v, uint64_t u)
{
    if (a->count == a->room) {
        a->room = a->room ? 2 * a->room : 64;
        a->arc = realloc(a->arc, a->room * sizeof *a->arc);
        assert_non_null(a->arc);
    }
    a->arc[a->count++] = v << 32 | u;
}

static inline int by_number(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* Rows sorted, duplicates dropped; frees the arcs. Every vertex trains until graph_trains says otherwise. */
static inline void graph_of(struct graph *g, uint64_t n, struct arcs *a, uint64_t dim, uint64_t element,
                            const char *sample)
{
    int64_t *indptr = calloc(n + 1, sizeof *indptr);
    uint32_t *indices = calloc(a->count + 1, sizeof *indices), *train = calloc(n + 1, sizeof *train);
    memset(g, 0, sizeof *g);
    if (a->count) qsort(a->arc, a->count, sizeof *a->arc, by_number);
    for (uint64_t i = 0; i < a->count; i++) {
        if (i && a->arc[i] == a->arc[i - 1]) continue;
        indices[g->m++] = (uint32_t)a->arc[i];
        indptr[(a->arc[i] >> 32) + 1]++;
    }
    for (uint64_t v = 0; v < n; v++) {
        indptr[v + 1] += indptr[v];
        train[v] = (uint32_t)v;
    }
    snprintf(g->path, sizeof g->path, "made-by-a-test");
    snprintf(g->name, sizeof g->name, "made-by-a-test");
    snprintf(g->sample, sizeof g->sample, "%s", sample);
    g->n = n;
    g->indptr = indptr;
    g->indices = indices;
    g->train = train;
    g->train_count = n;
    g->feature_dim = dim;
    g->feature_bytes = element;
    g->row_bytes = dim * element;
    free(a->arc);
    memset(a, 0, sizeof *a);
}

static inline void graph_drop(struct graph *g)
{
    free((void *)(uintptr_t)g->indptr);
    free((void *)(uintptr_t)g->indices);
    free((void *)(uintptr_t)g->train);
    memset(g, 0, sizeof *g);
}

/* Keeps each training vertex with probability p. */
static inline void graph_trains(struct graph *g, struct dice *d, double p)
{
    uint32_t *train = (uint32_t *)(uintptr_t)g->train;
    g->train_count = 0;
    for (uint32_t v = 0; v < g->n; v++)
        if (dice_chance(d, p)) train[g->train_count++] = v;
}

enum shape { SHAPE_RANDOM, SHAPE_STAR, SHAPE_PATH, SHAPE_COMMUNITY, SHAPE_EDGELESS, SHAPE_HUBS, SHAPES };
static const char *const shape_names[] = {"random", "star", "path", "community", "edgeless", "hubs"};

static inline void graph_shape(struct graph *g, enum shape shape, uint64_t n, struct dice *d, uint64_t dim,
                               uint64_t element)
{
    struct arcs a = {0};
    uint64_t arcs = n * dice_range(d, 1, 9), groups = dice_range(d, 2, 6);
    if (shape == SHAPE_RANDOM)
        for (uint64_t i = 0; i < arcs; i++) arcs_add(&a, dice_below(d, n), dice_below(d, n));
    for (uint64_t v = 1; v < n && shape == SHAPE_STAR; v++) {
        arcs_add(&a, 0, v);
        arcs_add(&a, v, 0);
    }
    for (uint64_t v = 1; v < n && shape == SHAPE_PATH; v++) {
        arcs_add(&a, v - 1, v);
        arcs_add(&a, v, v - 1);
    }
    if (shape == SHAPE_COMMUNITY)
        for (uint64_t i = 0; i < arcs; i++) {
            uint64_t v = dice_below(d, n), u = dice_below(d, n);
            if (!dice_chance(d, 0.1)) u = u - u % groups + v % groups; /* communities: equal remainders */
            if (u >= n || u == v) continue;
            arcs_add(&a, v, u);
            arcs_add(&a, u, v);
        }
    if (shape == SHAPE_HUBS)
        for (uint64_t i = 0; i < arcs; i++) {
            uint64_t v = dice_below(d, n),
                     u = dice_below(d, dice_range(d, 1, n)); /* low ids are popular, and have long rows */
            arcs_add(&a, dice_chance(d, 0.5) ? v : u / 2, u);
        }
    bool both = shape == SHAPE_STAR || shape == SHAPE_PATH || shape == SHAPE_COMMUNITY;
    graph_of(g, n, &a, dim, element, both ? "both" : "in");
}

static inline bool graph_lists(const struct graph *g, uint64_t v, uint64_t u)
{
    for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++)
        if (g->indices[e] == u) return true;
    return false;
}
static inline uint64_t degree_of(const struct graph *g, uint64_t v)
{
    return (uint64_t)(g->indptr[v + 1] - g->indptr[v]);
}

/* ---- servers ---- */

/* GPUs 0..gpus-1 without links, memories or places. */
static inline void server_of(struct server *s, int gpus, uint64_t line_bytes)
{
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "made-by-a-test");
    s->gpus = gpus;
    s->line_bytes = line_bytes;
    s->links_known = true;
    for (int g = 0; g < gpus; g++) {
        s->gpu[g].id = g;
        s->gpu[g].pcie_switch = s->gpu[g].socket = -1;
    }
}
static inline void server_join(struct server *s, int a, int b, int links)
{
    s->links[a][b] = s->links[b][a] = (uint8_t)links;
}

/* Cliques of the sizes given (0 ends the list), one link between members. */
static inline void server_cliques(struct server *s, const int *sizes, uint64_t line_bytes)
{
    int gpus = 0, at = 0;
    for (const int *k = sizes; *k; k++) gpus += *k;
    server_of(s, gpus, line_bytes);
    for (const int *k = sizes; *k; at += *k++)
        for (int a = at; a < at + *k; a++)
            for (int b = at; b < a; b++) server_join(s, a, b, 1);
    server_find_cliques(s);
}

/* 1 to 9 GPUs whose ids skip, any links, places that may be unknown. */
static inline void server_random(struct server *s, struct dice *d)
{
    int id = -1;
    double density = (double)dice_below(d, 4) / 3;
    bool places = dice_chance(d, 0.7);
    server_of(s, (int)dice_range(d, 1, 9), 32u << dice_below(d, 3));
    for (int a = 0; a < s->gpus; a++) {
        s->gpu[a].id = id += (int)dice_range(d, 1, 3);
        if (places) {
            s->gpu[a].pcie_switch = (int)dice_below(d, 3);
            s->gpu[a].socket = s->gpu[a].pcie_switch / 2;
        }
        for (int b = 0; b < a; b++)
            if (dice_chance(d, density)) server_join(s, a, b, (int)dice_range(d, 1, 3));
    }
    server_find_cliques(s);
}

/* ---- plain arithmetic ---- */

/* Lines that bytes from..from+bytes-1 lie in: byte by byte. */
static inline uint64_t plain_lines(uint64_t from, uint64_t bytes, uint64_t line_bytes)
{
    uint64_t lines = 0, last = UINT64_MAX;
    for (uint64_t b = from; b < from + bytes; b++)
        if (b / line_bytes != last) {
            last = b / line_bytes;
            lines++;
        }
    return lines;
}

/* over / under to the nearest whole number, halves up: floor((2 over + under) / (2 under)). */
static inline uint64_t plain_round(__int128 over, __int128 under)
{
    return (uint64_t)((2 * over + under) / (2 * under));
}

/* Positions 0..n-1 by descending key, ties to the lower one: insertion. */
static inline void plain_order(const uint64_t *key, uint64_t n, uint32_t *order)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t at = i;
        while (at && key[order[at - 1]] < key[i]) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = (uint32_t)i;
    }
}

/* Upper bound of a chi-square of `freedom` that chance exceeds less than once in a million (Wilson and Hilferty). */
static inline double chi_limit(double freedom)
{
    double c = 2 / (9 * freedom), root = 1 - c;
    double s = 1; /* square root of c by Newton: no need of libm */
    for (int i = 0; i < 60; i++) s = (s + c / s) / 2;
    root += 4.75 * s;
    return freedom * root * root * root;
}

static inline double chi_square(const uint64_t *seen, uint64_t cells, double expected)
{
    double sum = 0;
    for (uint64_t i = 0; i < cells; i++) sum += ((double)seen[i] - expected) * ((double)seen[i] - expected) / expected;
    return sum;
}

/* ---- counts of the sampler, one mini-batch at a time ---- */

struct tally_sheet {
    struct sample_counts c;
    uint64_t n;
    int hops;
};

static inline void sheet_new(struct tally_sheet *s, uint64_t n, int hops)
{
    memset(s, 0, sizeof *s);
    s->n = n;
    s->hops = hops;
    s->c.feature = calloc(n, sizeof(uint32_t));
    s->c.lines = calloc(n, sizeof(uint32_t));
    for (int h = 0; h < hops; h++) s->c.visits[h] = calloc(n, sizeof(uint32_t));
}
static inline void sheet_clear(struct tally_sheet *s)
{
    memset(s->c.feature, 0, s->n * sizeof(uint32_t));
    memset(s->c.lines, 0, s->n * sizeof(uint32_t));
    for (int h = 0; h < s->hops; h++) memset(s->c.visits[h], 0, s->n * sizeof(uint32_t));
    s->c.total_lines = 0;
}
static inline void sheet_free(struct tally_sheet *s)
{
    free(s->c.feature);
    free(s->c.lines);
    for (int h = 0; h < s->hops; h++) free(s->c.visits[h]);
}
static inline bool sheet_equal(const struct tally_sheet *a, const struct tally_sheet *b)
{
    bool same = !memcmp(a->c.feature, b->c.feature, a->n * sizeof(uint32_t)) &&
                !memcmp(a->c.lines, b->c.lines, a->n * sizeof(uint32_t));
    for (int h = 0; h < a->hops; h++) same &= !memcmp(a->c.visits[h], b->c.visits[h], a->n * sizeof(uint32_t));
    return same && a->c.total_lines == b->c.total_lines;
}

#endif
