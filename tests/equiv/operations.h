/* operations.h - every operation of the contract as (make an input, size of the output, run): what comparing and
 * timing have in common. */
#ifndef TESTS_EQUIV_OPERATIONS_H
#define TESTS_EQUIV_OPERATIONS_H

#include "kernels/push.h"
#include "kernels/search.h"
#include "kernels/tally.h"
#include "tests/equiv/inputs.h"

struct operation {
    const char *name;
    void (*make)(const struct shape *s, struct input *in);
    uint64_t (*output_bytes)(const struct shape *s, const struct input *in);
    uint64_t (*moved_bytes)(const struct shape *s,
                            const struct input *in); /* the least that any program must read and write */
    bool (*has)(const struct kernels *k);
    enum st (*run)(const struct kernels *k, int threads, const struct shape *s, const struct input *in, void *out,
                   struct err *err);
};

static void make_keys(const struct shape *s, struct input *in)
{
    in->key = keys_of(s);
    if (s->flag) in->order = shuffled(s->n, s->seed);
}

static void make_ids(const struct shape *s, struct input *in)
{
    in->m = s->flag ? s->n : s->n ? s->n * 3 + 1 : 0;
    in->indices = block(in->m, sizeof *in->indices);
    for (uint64_t i = 0; i < in->m; i++) in->indices[i] = (uint32_t)(value(s->pattern, s->seed, 5, i) % s->n);
}

/* Fixed point: n values whose sum stays below 2.0. */
static void make_pagerank(const struct shape *s, struct input *in)
{
    make_graph(s, in, s->flag);
    in->key = block(s->n, sizeof *in->key);
    for (uint64_t v = 0; v < s->n; v++) in->key[v] = draw(s->seed, 6, v) % ((1ull << 63) / s->n);
}

static uint64_t words(const struct shape *s, const struct input *in)
{
    (void)in;
    return 8 * s->n;
}
static uint64_t halves(const struct shape *s, const struct input *in)
{
    (void)in;
    return 4 * s->n;
}
static uint64_t cslp_output(const struct shape *s, const struct input *in)
{
    (void)in;
    return s->n + 8 * (uint64_t)s->gpus + 8;
}
static uint64_t pagerank_output(const struct shape *s, const struct input *in)
{
    (void)in;
    return 16 * s->n + 8;
}
static uint64_t sweep_output(const struct shape *s, const struct input *in)
{
    return (uint64_t)s->gpus * ((uint64_t)in->problems[0].steps + 1) * sizeof(struct sweep_point);
}

static uint64_t column_moved(const struct shape *s, const struct input *in)
{
    (void)in;
    return s->n * (4 * (uint64_t)s->gpus + 8);
}
static uint64_t sort_moved(const struct shape *s, const struct input *in)
{
    (void)in;
    return 12 * s->n;
}
static uint64_t scan_moved(const struct shape *s, const struct input *in)
{
    (void)in;
    return s->n * (s->flag ? 20 : 16);
}
static uint64_t cslp_moved(const struct shape *s, const struct input *in)
{
    (void)in;
    return s->n * (4 * (uint64_t)s->gpus + 5 + (s->flag ? 16 : 0));
}
static uint64_t pagerank_moved(const struct shape *s, const struct input *in) { return in->m * 20 + s->n * 48; }
static uint64_t count_moved(const struct shape *s, const struct input *in) { return in->m * 12 + s->n * 4; }

static bool has_column_sum(const struct kernels *k) { return k->column_sum; }
static bool has_sort(const struct kernels *k) { return k->sort_hottest; }
static bool has_scan(const struct kernels *k) { return k->scan; }
static bool has_cslp(const struct kernels *k) { return k->cslp; }
static bool has_sweep(const struct kernels *k) { return k->sweep; }
static bool has_pagerank(const struct kernels *k) { return k->pagerank_step; }
static bool has_count(const struct kernels *k) { return k->count; }

static enum st run_column_sum(const struct kernels *k, int threads, const struct shape *s, const struct input *in,
                              void *out, struct err *err)
{
    return k->column_sum(threads, (const uint32_t *const *)in->rows, s->gpus, s->n, out, err);
}

static enum st run_sort(const struct kernels *k, int threads, const struct shape *s, const struct input *in, void *out,
                        struct err *err)
{
    return k->sort_hottest(threads, in->key, s->n, out, err);
}

static enum st run_scan(const struct kernels *k, int threads, const struct shape *s, const struct input *in, void *out,
                        struct err *err)
{
    return k->scan(threads, in->key, in->order, s->n, out, err);
}

/* Output: held, the rooms, the owners. */
static enum st run_cslp(const struct kernels *k, int threads, const struct shape *s, const struct input *in, void *out,
                        struct err *err)
{
    uint64_t *held = out, *room = held + 1;
    struct cslp_problem p = {.gpus = s->gpus,
                             .hot = (const uint32_t *const *)in->rows,
                             .order = in->order,
                             .count = s->n,
                             .indptr = in->indptr,
                             .row_bytes = in->row_bytes,
                             .n = s->n};
    memcpy(room, in->room, sizeof *room * (size_t)s->gpus);
    return k->cslp(threads, &p, room, (uint8_t *)(room + s->gpus), held, err);
}

static enum st run_sweep(const struct kernels *k, int threads, const struct shape *s, const struct input *in, void *out,
                         struct err *err)
{
    return k->sweep(threads, in->problems, s->gpus, out, err);
}

/* Output: change, y, and share, which is blanked: scratch may hold anything afterwards. */
static enum st run_pagerank(const struct kernels *k, int threads, const struct shape *s, const struct input *in,
                            void *out, struct err *err)
{
    uint64_t *change = out, *y = change + 1, *share = y + s->n;
    struct pagerank_problem p = {.n = s->n,
                                 .indptr = in->indptr,
                                 .indices = in->indices,
                                 .base = s->n ? (1ull << 59) / s->n : 0,
                                 .damping_permille = 850};
    enum st st = k->pagerank_step(threads, &p, in->key, share, y, change, err);
    memset(share, 0, 8 * s->n);
    return st;
}

/* Output: change, steps taken, values after iterating, values after one step more. */
static uint64_t push_output(const struct shape *s, const struct input *in)
{
    (void)in;
    return 16 + 16 * s->n;
}
static enum st run_push(const struct kernels *k, int threads, const struct shape *s, const struct input *in, void *out,
                        struct err *err)
{
    uint64_t *change = out, *x = change + 2, *y = x + s->n;
    int taken = 0;
    struct push *steps = NULL;
    struct pagerank_problem p = {.n = s->n,
                                 .indptr = in->indptr,
                                 .indices = in->indices,
                                 .base = s->n ? (1ull << 58) / s->n : 0,
                                 .damping_permille = 850};
    enum st st = push_open(k, threads, &p, &steps, err);
    if (s->n) memcpy(x, in->key, 8 * s->n);
    if (st == ST_OK) st = push_iterate(steps, 4, s->flag ? 1ull << 60 : 0, x, &taken, err);
    if (st == ST_OK) st = push_step(steps, x, y, change, err);
    change[1] = (uint64_t)taken;
    push_close(steps);
    return st;
}

static enum st run_count(const struct kernels *k, int threads, const struct shape *s, const struct input *in, void *out,
                         struct err *err)
{
    return k->count(threads, in->indices, in->m, s->n, out, err);
}

/* A search of two cliques, of which the second has the kinds exchanged and one variant less, and the assignment of
 * all rows of each. Output, per clique: the orders, the points, and per kind held, the rooms, the owners. With the
 * flag counts are on the device before it starts, where there is one. */
enum { CLIQUES = 2, VARIANTS = 3, SEARCH_STEPS = 20 };

static uint64_t search_clique_output(const struct shape *s)
{
    uint64_t bytes = 8 * s->n + VARIANTS * (SEARCH_STEPS + 1) * sizeof(struct sweep_point) +
                     SEARCH_KINDS * cslp_output(s, NULL);
    return (bytes + 7) / 8 * 8;
}
static uint64_t search_output(const struct shape *s, const struct input *in)
{
    (void)in;
    return CLIQUES * search_clique_output(s);
}
static uint64_t search_moved(const struct shape *s, const struct input *in)
{
    (void)in;
    return CLIQUES * s->n * (8 * (uint64_t)s->gpus + 64);
}
static bool has_search(const struct kernels *k)
{
    return k->column_sum && k->sort_hottest && k->scan && k->sweep && k->cslp;
}

static enum st assign_rows(struct search *found, int clique, enum search_kind kind, const struct shape *s,
                           const struct input *in, uint32_t *order, unsigned char *out, struct err *err)
{
    uint64_t held, room[KERNEL_GPUS_MAX];
    enum st st;
    memcpy(room, in->room, sizeof room);
    for (int g = 0; g < s->gpus; g++)
        if (kind == SEARCH_TOPOLOGY) room[g] /= 10;
    st = search_assign(found, clique, kind, order, s->n, room, out + 8 + 8 * (size_t)s->gpus, &held, err);
    memcpy(out, &held, 8);
    memcpy(out + 8, room, 8 * (size_t)s->gpus);
    return st;
}

/* Counts of all cliques and kinds where the search is to find them. */
static enum st place_counts(const struct kernels *k, const struct shape *s, uint32_t *const *host, bool device,
                            const uint32_t **out, struct err *err)
{
    enum st st = ST_OK;
    for (int g = 0; g < s->gpus && st == ST_OK; g++) {
        void *there = NULL;
        if (device) st = k->search->to_device(host[g], 4 * s->n, &there, err);
        out[g] = device ? there : host[g];
    }
    return st;
}

static enum st run_search(const struct kernels *k, int threads, const struct shape *s, const struct input *in,
                          void *out, struct err *err)
{
    enum { ALL = SEARCH_KINDS * KERNEL_GPUS_MAX };
    bool device = s->flag && k->search;
    const uint32_t *counts[ALL] = {0};
    const uint32_t *const *kinds[SEARCH_KINDS] = {counts, counts + KERNEL_GPUS_MAX};
    struct search_variant variants[VARIANTS] = {{0, 77, 3, 1},
                                                {in->row_bytes * s->n / 3, 1ull << 60, 8, 4},
                                                {UINT64_MAX, s->n * 12345, 1, 7}};
    struct search_problem p[CLIQUES];
    struct search_result r[CLIQUES];
    struct search *found = NULL;
    enum st st = place_counts(k, s, in->rows, device, counts, err);
    if (st == ST_OK) st = place_counts(k, s, in->more, device, counts + KERNEL_GPUS_MAX, err);
    for (int c = 0; c < CLIQUES; c++) {
        unsigned char *at = (unsigned char *)out + (size_t)c * search_clique_output(s);
        p[c] = (struct search_problem){.n = s->n,
                                       .gpus = s->gpus,
                                       .hot = {kinds[c], kinds[1 - c]},
                                       .indptr = in->indptr,
                                       .row_bytes = in->row_bytes,
                                       .variant = variants + c,
                                       .variants = VARIANTS - c,
                                       .steps = SEARCH_STEPS,
                                       .on_device = device,
                                       .one_stream = device && s->gpus % 2};
        r[c] = (struct search_result){{(uint32_t *)at, (uint32_t *)at + s->n}, (struct sweep_point *)(at + 8 * s->n)};
    }
    if (st == ST_OK) st = search_run(k, threads, p, CLIQUES, r, &found, err);
    for (int c = 0; c < CLIQUES && st == ST_OK; c++)
        for (int kind = 0; kind < SEARCH_KINDS && st == ST_OK; kind++) {
            unsigned char *at = (unsigned char *)(r[c].points + VARIANTS * (SEARCH_STEPS + 1)) +
                                (size_t)kind * cslp_output(s, in);
            st = assign_rows(found, c, (enum search_kind)kind, s, in, r[c].order[kind], at, err);
        }
    search_free(found);
    for (int i = 0; i < ALL && device; i++) k->search->device_free((void *)(uintptr_t)counts[i]);
    return st;
}

/* Counts of one reader against three placements, in two groups. With the flag whole rows are read, draws are counted,
 * and counts are on the device where there is one. Output: the sums, then those of the hops. */
enum { PLACEMENTS = 3, HOPS = 2, TALLY_ROWS = 3 + HOPS };

static void make_tally(const struct shape *s, struct input *in)
{
    make_graph(s, in, false);
    for (int i = 0; i < TALLY_ROWS; i++) {
        in->rows[i] = block(s->n, sizeof *in->rows[i]);
        for (uint64_t v = 0; v < s->n; v++)
            in->rows[i][v] = (uint32_t)value(s->pattern, s->seed, (uint32_t)i + 1, v) >>
                             (i ? 0 : 7); /* some were in no mini-batch */
    }
    for (int i = 0; i < 2 * PLACEMENTS; i++) {
        uint8_t *where = block(s->n, 1);
        in->more[i] = (uint32_t *)where;
        for (uint64_t v = 0; v < s->n; v++)
            where[v] = draw(s->seed, 70, v) % 3
                           ? 0
                           : (uint8_t)(draw(s->seed, 80 + (uint32_t)i, v) % ((uint64_t)s->gpus + 1));
    }
}

static uint64_t tally_output(const struct shape *s, const struct input *in)
{
    (void)s, (void)in;
    return PLACEMENTS * sizeof(struct tally_sums) + sizeof(struct tally_hops);
}
static uint64_t tally_moved(const struct shape *s, const struct input *in)
{
    (void)in;
    return s->n * (8 + 2 * PLACEMENTS + 4 * (uint64_t)(2 + HOPS));
}
static bool has_tally(const struct kernels *k) { return k->tally; }

static enum st run_tally(const struct kernels *k, int threads, const struct shape *s, const struct input *in, void *out,
                         struct err *err)
{
    static const uint32_t fanout[HOPS] = {5, 3};
    const uint8_t *where[2 * PLACEMENTS];
    const uint32_t *counts[TALLY_ROWS] = {0};
    bool device = s->flag && k->search;
    struct tally_sums *sums = out;
    struct tally_hops *hops = (struct tally_hops *)(sums + PLACEMENTS);
    struct shape rows = *s;
    void *session = NULL;
    enum st st;

    for (int i = 0; i < 2 * PLACEMENTS; i++) where[i] = (const uint8_t *)in->more[i];
    struct tally_problem p = {.n = s->n,
                              .indptr = in->indptr,
                              .hops = HOPS,
                              .fanout = fanout,
                              .whole_rows = !s->flag        ? 0
                                            : s->n % 3 == 0 ? 12
                                            : s->n % 2      ? 4
                                                            : 8,
                              .row_bytes = 100,
                              .line_bytes = 64,
                              .placements = PLACEMENTS,
                              .sources = s->gpus + 1,
                              .where = where};
    memset(out, 0, tally_output(s, in));
    rows.gpus = TALLY_ROWS;
    st = place_counts(k, &rows, in->rows, device, counts, err);
    struct tally_counts c = {counts[0], counts[1], {counts[2], counts[3]}, s->flag ? counts[4] : NULL, device};
    if (st == ST_OK) st = k->tally->open(threads, &p, &session, err);
    for (int group = 0; group < 2 && st == ST_OK; group++) st = k->tally->add(session, &c, sums, hops, err);
    k->tally->close(session);
    for (int i = 0; i < TALLY_ROWS && device; i++) k->search->device_free((void *)(uintptr_t)counts[i]);
    return st;
}

enum { COLUMN_SUM, SORT, SCAN, CSLP, SWEEP, PAGERANK, COUNT, SEARCH, TALLY, PUSH, OPERATIONS };
static const struct operation operations[OPERATIONS] = {
    [COLUMN_SUM] = {"column_sum", make_rows, words, column_moved, has_column_sum, run_column_sum},
    [SORT] = {"sort_hottest", make_keys, halves, sort_moved, has_sort, run_sort},
    [SCAN] = {"scan", make_keys, words, scan_moved, has_scan, run_scan},
    [CSLP] = {"cslp", make_cslp, cslp_output, cslp_moved, has_cslp, run_cslp},
    [SWEEP] = {"sweep", make_sweep, sweep_output, sweep_output, has_sweep, run_sweep},
    [PAGERANK] = {"pagerank_step", make_pagerank, pagerank_output, pagerank_moved, has_pagerank, run_pagerank},
    [COUNT] = {"count", make_ids, halves, count_moved, has_count, run_count},
    [SEARCH] = {"search", make_search, search_output, search_moved, has_search, run_search},
    [TALLY] = {"tally", make_tally, tally_output, tally_moved, has_tally, run_tally},
    [PUSH] = {"push", make_pagerank, push_output, pagerank_moved, has_pagerank, run_push},
};

#endif
