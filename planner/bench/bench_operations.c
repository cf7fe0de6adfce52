/* bench_operations.c - the operations of kernels/kernel.h on generated inputs. */
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "planner/bench/bench.h"

enum { GPUS = 8, STEPS = 100, DEGREE = 8 };

/* Whatever an operation needs. */
struct state {
    uint64_t n, m, *key, *out, *size, *share, room[GPUS];
    uint32_t *rows[GPUS], *order, *ids, *counts;
    int64_t *indptr;
    uint8_t *owner;
    struct sweep_point *points;
    int digits; /* bits of the largest key */
};

static uint64_t power_law(uint64_t seed, uint64_t i)
{
    uint64_t r = rng_hash(seed, 1, i);
    return (UINT64_C(1) << 26) / (1 + (r & 0xffffff)) + (r >> 62);
}

static void end(void *state)
{
    struct state *s = state;
    for (int g = 0; g < GPUS; g++) mem_free(s->rows[g]);
    void *all[] = {s->key, s->out, s->size, s->share, s->order, s->ids, s->counts, s->indptr, s->owner, s->points};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
    mem_free(s);
}

static enum st fresh(const struct bench_setup *b, void **state, struct state **out, struct err *err)
{
    MAKE(*out, 1, "the state of a bench");
    *state = *out;
    (*out)->n = b->n;
    return ST_OK;
}

static enum st make_keys(const struct bench_setup *b, bool power, struct state *s, struct err *err)
{
    uint64_t most = 0;
    MAKE(s->key, s->n, "keys");
    MAKE(s->out, s->n, "results");
    MAKE(s->order, s->n, "an order");
    for (uint64_t i = 0; i < s->n; i++) {
        s->key[i] = power ? power_law(b->seed, i) : (uint32_t)rng_hash(b->seed, 2, i);
        most |= s->key[i];
    }
    for (s->digits = 1; most >> s->digits; s->digits++) {
    }
    return ST_OK;
}

static enum st make_rows(const struct bench_setup *b, struct state *s, struct err *err)
{
    for (int g = 0; g < GPUS; g++) {
        MAKE(s->rows[g], s->n, "rows of hotness");
        for (uint64_t i = 0; i < s->n; i++) s->rows[g][i] = (uint32_t)power_law(b->seed + (uint64_t)g, i);
    }
    return ST_OK;
}

/* ---- sort, scan, column sum ---- */

static enum st sort_begin(const struct bench_setup *b, void **state, struct err *err)
{
    struct state *s;
    enum st st = fresh(b, state, &s, err);
    return st == ST_OK ? make_keys(b, true, s, err) : st;
}

static enum st sort_uniform_begin(const struct bench_setup *b, void **state, struct err *err)
{
    struct state *s;
    enum st st = fresh(b, state, &s, err);
    return st == ST_OK ? make_keys(b, false, s, err) : st;
}

static enum st sort_run(const struct bench_setup *b, void *state, struct err *err)
{
    struct state *s = state;
    return b->kernels->sort_hottest(b->threads, s->key, s->n, s->order, err);
}

/* A radix sort of packed (key, id) reads once to count digits, and reads and writes all pairs once per digit of 11
 * bits. */
static void sort_work(const struct bench_setup *b, const void *state, struct bench_work *w)
{
    const struct state *s = state;
    (void)b;
    *w = (struct bench_work){.items = (double)s->n, .bytes = 8.0 * (double)s->n * (1 + 2 * ((s->digits + 10) / 11))};
}

static enum st scan_run(const struct bench_setup *b, void *state, struct err *err)
{
    struct state *s = state;
    return b->kernels->scan(b->threads, s->key, NULL, s->n, s->out, err);
}

static void scan_work(const struct bench_setup *b, const void *state, struct bench_work *w)
{
    (void)state;
    *w = (struct bench_work){.items = (double)b->n, .bytes = 16.0 * (double)b->n};
}

static enum st scan_ordered_begin(const struct bench_setup *b, void **state, struct err *err)
{
    enum st st = sort_begin(b, state, err);
    return st == ST_OK ? sort_run(b, *state, err) : st;
}

static enum st scan_ordered_run(const struct bench_setup *b, void *state, struct err *err)
{
    struct state *s = state;
    return b->kernels->scan(b->threads, s->key, s->order, s->n, s->out, err);
}

static void scan_ordered_work(const struct bench_setup *b, const void *state, struct bench_work *w)
{
    (void)state;
    *w = (struct bench_work){.items = (double)b->n,
                             .bytes = 12.0 * (double)b->n,
                             .gathers = (double)b->n,
                             .span = 8.0 * (double)b->n};
}

static enum st rows_begin(const struct bench_setup *b, void **state, struct err *err)
{
    struct state *s;
    PASS(fresh(b, state, &s, err));
    PASS(make_rows(b, s, err));
    MAKE(s->out, s->n, "results");
    return ST_OK;
}

static enum st column_run(const struct bench_setup *b, void *state, struct err *err)
{
    struct state *s = state;
    return b->kernels->column_sum(b->threads, (const uint32_t *const *)s->rows, GPUS, s->n, s->out, err);
}

static void column_work(const struct bench_setup *b, const void *state, struct bench_work *w)
{
    (void)state;
    *w = (struct bench_work){.items = (double)b->n, .bytes = (4.0 * GPUS + 8) * (double)b->n};
}

/* ---- CSLP and sweep ---- */

static enum st cslp_begin(const struct bench_setup *b, void **state, struct err *err)
{
    struct state *s;
    PASS(rows_begin(b, state, err));
    s = *state;
    MAKE(s->order, s->n, "an order");
    MAKE(s->owner, s->n, "owners");
    PASS(b->kernels->column_sum(b->threads, (const uint32_t *const *)s->rows, GPUS, s->n, s->out, err));
    return b->kernels->sort_hottest(b->threads, s->out, s->n, s->order, err);
}

static enum st cslp_run(const struct bench_setup *b, void *state, struct err *err)
{
    struct state *s = state;
    uint64_t held;
    struct cslp_problem p = {.gpus = GPUS,
                             .hot = (const uint32_t *const *)s->rows,
                             .order = s->order,
                             .count = s->n,
                             .row_bytes = 512,
                             .n = s->n};
    for (int g = 0; g < GPUS; g++) s->room[g] = s->n / GPUS / 2 * 512; /* half of all rows fit */
    return b->kernels->cslp(b->threads, &p, s->room, s->owner, &held, err);
}

static void cslp_work(const struct bench_setup *b, const void *state, struct bench_work *w)
{
    double placed = (double)b->n / 2;
    (void)state;
    *w =
        (struct bench_work){.items = placed, .bytes = 5 * placed, .gathers = GPUS * placed, .span = 4.0 * (double)b->n};
}

static enum st sweep_begin(const struct bench_setup *b, void **state, struct err *err)
{
    struct state *s;
    PASS(sort_begin(b, state, err));
    s = *state;
    MAKE(s->size, s->n, "sizes");
    MAKE(s->points, GPUS * (STEPS + 1), "points of a sweep");
    for (uint64_t i = 0; i < s->n; i++) s->size[i] = 100 * (i + 1);
    return b->kernels->scan(b->threads, s->key, NULL, s->n, s->out, err);
}

static enum st sweep_run(const struct bench_setup *b, void *state, struct err *err)
{
    struct state *s = state;
    struct sweep_problem p[GPUS];
    for (int g = 0; g < GPUS; g++)
        p[g] = (struct sweep_problem){.n = s->n,
                                      .size_topology = s->size,
                                      .hot_topology = s->out,
                                      .hot_feature = s->out,
                                      .budget = s->n * 100 / (uint64_t)(g + 2),
                                      .row_bytes = 512,
                                      .n_tsum = 1000000,
                                      .lines = 8,
                                      .epochs = 4,
                                      .steps = STEPS};
    return b->kernels->sweep(b->threads, p, GPUS, s->points, err);
}

/* Two binary searches per alpha. */
static void sweep_work(const struct bench_setup *b, const void *state, struct bench_work *w)
{
    (void)state;
    double searches = GPUS * (STEPS + 1.0), steps = 1;
    for (uint64_t n = b->n; n > 1; n /= 2) steps++;
    *w = (struct bench_work){.items = searches, .gathers = searches * (steps + 2), .span = 8.0 * (double)b->n};
}

/* ---- PageRank and counting ---- */

static enum st pagerank_begin(const struct bench_setup *b, void **state, struct err *err)
{
    struct state *s;
    PASS(fresh(b, state, &s, err));
    s->m = s->n * DEGREE;
    MAKE(s->key, s->n, "ranks");
    MAKE(s->out, s->n, "ranks");
    MAKE(s->share, s->n, "shares");
    MAKE(s->indptr, s->n + 1, "offsets");
    MAKE(s->ids, s->m, "arcs");
    for (uint64_t v = 0; v <= s->n; v++) s->indptr[v] = (int64_t)(v * DEGREE);
    for (uint64_t v = 0; v < s->n; v++) s->key[v] = (UINT64_C(1) << 62) / s->n;
    for (uint64_t e = 0; e < s->m; e++) s->ids[e] = (uint32_t)(rng_hash(b->seed, 3, e) % s->n);
    return ST_OK;
}

static enum st pagerank_run(const struct bench_setup *b, void *state, struct err *err)
{
    struct state *s = state;
    uint64_t change;
    struct pagerank_problem p = {.n = s->n,
                                 .indptr = s->indptr,
                                 .indices = s->ids,
                                 .base = (UINT64_C(1) << 59) / s->n,
                                 .damping_permille = 850};
    return b->kernels->pagerank_step(b->threads, &p, s->key, s->share, s->out, &change, err);
}

static void pagerank_work(const struct bench_setup *b, const void *state, struct bench_work *w)
{
    const struct state *s = state;
    *w = (struct bench_work){.items = (double)s->m,
                             .bytes = 4.0 * (double)s->m + 48.0 * (double)b->n,
                             .gathers = (double)s->m,
                             .span = 8.0 * (double)b->n};
}

static enum st count_begin(const struct bench_setup *b, void **state, struct err *err)
{
    struct state *s;
    PASS(pagerank_begin(b, state, err));
    s = *state;
    MAKE(s->counts, s->n, "counts");
    return ST_OK;
}

static enum st count_run(const struct bench_setup *b, void *state, struct err *err)
{
    struct state *s = state;
    return b->kernels->count(b->threads, s->ids, s->m, s->n, s->counts, err);
}

static void count_work(const struct bench_setup *b, const void *state, struct bench_work *w)
{
    const struct state *s = state;
    *w = (struct bench_work){.items = (double)s->m,
                             .bytes = 4.0 * (double)s->m + 4.0 * (double)b->n,
                             .gathers = (double)s->m,
                             .span = 4.0 * (double)b->n};
}

const struct bench_case bench_operations[] =
    {{"sort.power-law", "keys", "ids in descending order of keys distributed like hotness", false, sort_begin, sort_run,
      sort_work, end},
     {"sort.uniform", "keys", "the same with uniform 32-bit keys", false, sort_uniform_begin, sort_run, sort_work, end},
     {"scan", "elements", "inclusive sums", false, sort_begin, scan_run, scan_work, end},
     {"scan.ordered", "elements", "inclusive sums in the order of hotness", false, scan_ordered_begin, scan_ordered_run,
      scan_ordered_work, end},
     {"column-sum", "vertices", "a clique's hotness: the sum over 8 GPUs", false, rows_begin, column_run, column_work,
      end},
     {"cslp", "rows placed", "assignment of rows to 8 GPUs; half of the rows fit", false, cslp_begin, cslp_run,
      cslp_work, end},
     {"sweep", "alphas", "transactions at 101 splits for 8 cliques", false, sweep_begin, sweep_run, sweep_work, end},
     {"pagerank", "arcs", "one step over 8 arcs per vertex with uniform heads (no locality)", false, pagerank_begin,
      pagerank_run, pagerank_work, end},
     {"count", "ids", "how often each vertex occurs in a list of uniform ids", false, count_begin, count_run,
      count_work, end},
     {0}};
