/* perf_search.h - the candidate search, stage by stage, where a backend keeps it on a device: what moved, how fast,
 * and the share of the rate at which that device copies its own memory. One clique of 8 GPUs, power-law counts, rows
 * of 512 bytes, a budget of half of all bytes. */
#ifndef TESTS_EQUIV_PERF_SEARCH_H
#define TESTS_EQUIV_PERF_SEARCH_H

#include "tests/equiv/operations.h"

enum { SEARCH_GPUS = 8, SEARCH_ROW = 512, SEARCH_RUNS = 5 };
static const char *const stage_names[SEARCH_STAGES] = {"copy in", "sum", "sort", "scan", "sweep", "assign"};

struct search_bench {
    const struct kernels *kernels;
    struct input in;
    const uint32_t *counts[SEARCH_KINDS * SEARCH_GPUS];
    struct search_variant variant;
    struct search_problem problem;
    struct search_result result;
    uint8_t *owner;
    double copy_rate;
};

static void search_bench_end(struct search_bench *b)
{
    for (int i = 0; i < SEARCH_KINDS * SEARCH_GPUS && b->problem.on_device; i++)
        b->kernels->search->device_free((void *)(uintptr_t)b->counts[i]);
    free(b->result.order[0]), free(b->result.order[1]), free(b->result.points), free(b->owner);
    input_free(&b->in);
}

static enum st search_bench_begin(struct search_bench *b, uint64_t n, struct err *err)
{
    struct shape s = {SEARCH, POWER, n, SEARCH_GPUS, HALF, false, 1};
    enum st st = b->kernels->search->copy_rate(n * 8, &b->copy_rate, err);
    make_search(&s, &b->in);
    if (st == ST_OK) st = place_counts(b->kernels, &s, b->in.rows, true, b->counts, err);
    if (st == ST_OK) st = place_counts(b->kernels, &s, b->in.more, true, b->counts + SEARCH_GPUS, err);
    b->owner = block(n, 1);
    b->variant = (struct search_variant){(SEARCH_ROW * n + 8 * n + 4 * b->in.m) / 2, n * 100, 8, 4};
    b->problem = (struct search_problem){.n = n,
                                         .gpus = SEARCH_GPUS,
                                         .hot = {b->counts, b->counts + SEARCH_GPUS},
                                         .indptr = b->in.indptr,
                                         .row_bytes = SEARCH_ROW,
                                         .variant = &b->variant,
                                         .variants = 1,
                                         .steps = 100,
                                         .on_device = true};
    b->result = (struct search_result){{block(n, 4), block(n, 4)}, block(101, sizeof(struct sweep_point))};
    return st;
}

/* Both prefixes of the best point, each GPU with an eighth of the budget. */
static enum st search_bench_assign(struct search_bench *b, struct search *s, struct err *err)
{
    uint64_t room[SEARCH_GPUS], held;
    const struct sweep_point *p = b->result.points;
    int best = 0;
    enum st st;
    for (int i = 1; i <= 100; i++) best = p[i].topology + p[i].feature < p[best].topology + p[best].feature ? i : best;
    for (int g = 0; g < SEARCH_GPUS; g++) room[g] = b->variant.budget / SEARCH_GPUS;
    st = search_assign(s, 0, SEARCH_TOPOLOGY, b->result.order[0], p[best].rows_topology, room, b->owner, &held, err);
    return st == ST_OK ? search_assign(s, 0, SEARCH_FEATURE, b->result.order[1], p[best].rows_feature, room, b->owner,
                                       &held, err)
                       : st;
}

/* The fastest of several runs, by the time of all. */
static enum st search_bench_run(struct search_bench *b, bool one_stream, int threads, struct search_facts *best,
                                struct err *err)
{
    enum st st = ST_OK;
    b->problem.one_stream = one_stream;
    for (int run = 0; run < SEARCH_RUNS && st == ST_OK; run++) {
        struct search *s = NULL;
        st = search_run(b->kernels, threads, &b->problem, 1, &b->result, &s, err);
        if (st == ST_OK && one_stream) st = search_bench_assign(b, s, err);
        if (st == ST_OK && (!run || search_facts(s).all_seconds < best->all_seconds)) *best = search_facts(s);
        search_free(s);
    }
    return st;
}

static void search_bench_show(const struct search_bench *b, uint64_t n, const struct search_facts *apart,
                              const struct search_facts *together)
{
    double bytes = 0;
    printf("\ncandidate search, %s, n %llu, %d GPUs, counts on the device; it copies its memory at %.1f GB/s (read and "
           "written), takes %.2f GB\n",
           b->kernels->name, (unsigned long long)n, SEARCH_GPUS, b->copy_rate / 1e9, (double)apart->device_bytes / 1e9);
    printf("%-10s %10s %10s %10s %8s\n", "stage", "ms", "MB", "GB/s", "of copy");
    for (int i = SEARCH_SUM; i < SEARCH_STAGES; i++) {
        double rate = apart->seconds[i] > 0 ? apart->bytes[i] / apart->seconds[i] : 0;
        printf("%-10s %10.3f %10.1f %10.1f %7.1f%%\n", stage_names[i], 1e3 * apart->seconds[i], apart->bytes[i] / 1e6,
               rate / 1e9, 100 * rate / b->copy_rate);
        bytes += i < SEARCH_ASSIGN ? apart->bytes[i] : 0;
    }
    printf("%-10s %10.3f %10.1f %10.1f %7.1f%%  (two streams: sums to chosen alphas)\n", "all",
           1e3 * together->all_seconds, bytes / 1e6, bytes / together->all_seconds / 1e9,
           100 * bytes / together->all_seconds / b->copy_rate);
}

static void perf_search(const struct kernels *k, uint64_t n, int threads)
{
    struct search_bench b = {.kernels = k};
    struct search_facts apart = {0}, together = {0};
    struct err err = {0};
    enum st st = search_bench_begin(&b, n, &err);
    if (st == ST_OK) st = search_bench_run(&b, true, threads, &apart, &err);
    if (st == ST_OK) st = search_bench_run(&b, false, threads, &together, &err);
    if (st == ST_OK) search_bench_show(&b, n, &apart, &together);
    else printf("\ncandidate search, %s: %s\n", k->name, err.text);
    search_bench_end(&b);
}

#endif
