/* inputs.h - seeded inputs for comparing backends: a shape says everything about an input, so a failure can be
 * repeated from its line. */
#ifndef TESTS_EQUIV_INPUTS_H
#define TESTS_EQUIV_INPUTS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "kernels/kernel.h"

enum pattern { ZERO, EQUAL, TIES, POWER, STEPPED, UNIFORM, NEAR_2_63, WIDE, PATTERNS };
static const char *const pattern_names[] = {"all-zero",  "all-equal", "ties",      "power-law",
                                            "multiples", "uniform",   "near-2^63", "64-bit"};

enum budget { NOTHING, ONE_ROW, UNEVEN, HALF, EVERYTHING, TOO_LARGE_ROWS, BUDGETS };
static const char *const budget_names[] = {"no-room", "one-row", "uneven", "half", "everything", "rows-too-large"};

struct shape {
    int op; /* index into the list of operations */
    enum pattern pattern;
    uint64_t n;
    int gpus; /* rows, GPUs or problems */
    enum budget budget;
    bool flag; /* scan: through an order; cslp: topology rows; sweep: 100 steps; pagerank, count: few additions per
                  vertex */
    uint64_t seed;
};

/* Whatever an operation needs; unused members are NULL. All arrays are from malloc. */
struct input {
    uint32_t *rows[KERNEL_GPUS_MAX], *more[KERNEL_GPUS_MAX], *order,
        *indices; /* rows, more: topology and features of a search */
    uint64_t *key, *size, *hot, m;
    int64_t *indptr;
    uint64_t row_bytes, room[KERNEL_GPUS_MAX];
    struct sweep_problem *problems;
};

static inline void *block(uint64_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p) abort();
    return p;
}

static inline uint64_t draw(uint64_t seed, uint32_t stream, uint64_t i) { return rng_hash(seed, stream, i); }

static inline uint64_t value(enum pattern pattern, uint64_t seed, uint32_t stream, uint64_t i)
{
    uint64_t r = draw(seed, stream, i);
    switch (pattern) {
    case ZERO: return 0;
    case EQUAL: return 7;
    case TIES: return r % 3;
    case POWER: return (1u << 26) / (1 + (r & 0xffffff)) + (r >> 62);
    case STEPPED: return (r % 50) << 22;
    case UNIFORM: return r & 0xffffffff;
    case NEAR_2_63: return (1ull << 63) - 500 + r % 1000;
    default: return r;
    }
}

static inline uint64_t *keys_of(const struct shape *s)
{
    uint64_t *key = block(s->n, sizeof *key);
    for (uint64_t v = 0; v < s->n; v++) key[v] = value(s->pattern, s->seed, 0, v);
    return key;
}

static inline uint32_t *shuffled(uint64_t n, uint64_t seed)
{
    uint32_t *order = block(n, sizeof *order);
    for (uint64_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    for (uint64_t i = n; i > 1; i--) {
        uint64_t j = draw(seed, 99, i) % i;
        uint32_t keep = order[i - 1];
        order[i - 1] = order[j];
        order[j] = keep;
    }
    return order;
}

static inline void make_rows(const struct shape *s, struct input *in)
{
    for (int g = 0; g < s->gpus; g++) {
        in->rows[g] = block(s->n, sizeof *in->rows[g]);
        for (uint64_t v = 0; v < s->n; v++) in->rows[g][v] = (uint32_t)value(s->pattern, s->seed, (uint32_t)g + 1, v);
    }
}

/* Row lengths 0..15 (sparse: 0 or 1), with a hub now and then; every id is drawn, skewed to the low ones for the
 * power law. */
static inline void make_graph(const struct shape *s, struct input *in, bool sparse)
{
    in->indptr = block(s->n + 1, sizeof *in->indptr);
    for (uint64_t v = 0; v < s->n; v++) {
        uint64_t r = draw(s->seed, 50, v);
        in->indptr[v + 1] = in->indptr[v] + (int64_t)(r % 5000 == 0 ? r >> 52 : sparse ? r >> 63 : r >> 60);
    }
    in->m = (uint64_t)in->indptr[s->n];
    in->indices = block(in->m, sizeof *in->indices);
    for (uint64_t e = 0; e < in->m; e++) in->indices[e] = (uint32_t)(value(s->pattern, s->seed, 51, e) % s->n);
}

static inline void fill_rooms(const struct shape *s, struct input *in, uint64_t all)
{
    for (int g = 0; g < s->gpus; g++) {
        uint64_t share = all / (uint64_t)s->gpus;
        in->room[g] = s->budget == NOTHING                                  ? 0
                      : s->budget == ONE_ROW || s->budget == TOO_LARGE_ROWS ? in->row_bytes
                      : s->budget == HALF                                   ? share / 2
                      : s->budget == UNEVEN                                 ? share * (uint64_t)g / 2
                                                                            : all;
    }
    if (s->budget == TOO_LARGE_ROWS) in->row_bytes++;
}

static inline void make_cslp(const struct shape *s, struct input *in)
{
    make_rows(s, in);
    in->order = shuffled(s->n, s->seed);
    in->row_bytes = 400;
    if (s->flag) make_graph(s, in, false);
    fill_rooms(s, in, s->flag ? s->n * 8 + in->m * 4 : s->n * in->row_bytes);
}

static inline void make_sweep(const struct shape *s, struct input *in)
{
    uint64_t size = 0, hot = 0;
    make_graph(s, in, false);
    in->size = block(s->n, sizeof *in->size);
    in->hot = block(s->n, sizeof *in->hot);
    for (uint64_t v = 0; v < s->n; v++) {
        in->size[v] = size += 8 + 4 * (uint64_t)(in->indptr[v + 1] - in->indptr[v]);
        in->hot[v] = hot += value(s->pattern, s->seed, 3, v) & 0xffffffffff;
    }
    in->problems = block((uint64_t)s->gpus, sizeof *in->problems);
    for (int c = 0; c < s->gpus; c++)
        in->problems[c] = (struct sweep_problem){.n = c % 5 == 4 ? 0 : s->n,
                                                 .size_topology = in->size,
                                                 .hot_topology = in->hot,
                                                 .hot_feature = in->hot,
                                                 .budget = s->budget == NOTHING ? 0
                                                           : s->budget == EVERYTHING
                                                               ? UINT64_MAX
                                                               : (size + s->n * 400) / (uint64_t)(2 + c),
                                                 .row_bytes = s->budget == TOO_LARGE_ROWS ? UINT64_MAX : 400,
                                                 .n_tsum = c % 2 ? 1ull << 60 : 12345 + s->n,
                                                 .lines = 7,
                                                 .epochs = (uint64_t)c + 1,
                                                 .steps = s->flag ? 100 : 7};
}

/* Two kinds of counts; rooms are of feature rows. */
static inline void make_search(const struct shape *s, struct input *in)
{
    make_rows(s, in);
    for (int g = 0; g < s->gpus; g++) {
        in->more[g] = block(s->n, sizeof *in->more[g]);
        for (uint64_t v = 0; v < s->n; v++) in->more[g][v] = (uint32_t)value(s->pattern, s->seed, (uint32_t)g + 500, v);
    }
    in->row_bytes = 400;
    make_graph(s, in, false);
    fill_rooms(s, in, s->n * in->row_bytes);
}

static inline void input_free(struct input *in)
{
    for (int g = 0; g < KERNEL_GPUS_MAX; g++) free(in->rows[g]), free(in->more[g]);
    free(in->order), free(in->indices), free(in->key), free(in->size), free(in->hot), free(in->indptr),
        free(in->problems);
    memset(in, 0, sizeof *in);
}

#endif
