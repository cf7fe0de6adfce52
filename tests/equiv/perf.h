/* perf.h - `equiv --perf [n] [threads]`: every operation on every backend that runs here, with the least traffic it
 * could do as the yardstick; then, where a backend has a device, the stages that stay on it (perf_search.h). */
#ifndef TESTS_EQUIV_PERF_H
#define TESTS_EQUIV_PERF_H

#include <time.h>
#include "tests/equiv/operations.h"
#include "tests/equiv/perf_search.h"

enum { REPEATS = 5 };

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Median of five after a warm-up; one run for ref, which is slow. */
static void time_one(const struct kernels *k, int threads, const struct shape *s, const struct input *in, void *out)
{
    double taken[REPEATS];
    int repeats = strcmp(k->name, "ref") ? REPEATS : 1;
    const struct operation *op = &operations[s->op];
    double moved = (double)op->moved_bytes(s, in);
    struct err err = {0};

    for (int r = repeats > 1 ? -1 : 0; r < repeats; r++) {
        double start = seconds_now();
        if (op->run(k, threads, s, in, out, &err) != ST_OK) {
            printf("%-14s %-5s %s\n", op->name, k->name, err.text);
            return;
        }
        if (r >= 0) taken[r] = seconds_now() - start;
    }
    qsort(taken, (size_t)repeats, sizeof *taken, by_seconds);
    printf("%-14s %-9s %11llu %5d %-5s %7d %10.3f %10.1f %8.2f\n", op->name, pattern_names[s->pattern],
           (unsigned long long)s->n, s->gpus, k->name, threads, 1e3 * taken[repeats / 2], moved / 1e6,
           moved / taken[repeats / 2] / 1e9);
    fflush(stdout);
}

static void perf(uint64_t n, int threads)
{
    const struct shape shapes[] = {
        {COLUMN_SUM, POWER, n, 8, 0, false, 1}, {SORT, POWER, n, 1, 0, false, 1},
        {SORT, UNIFORM, n, 1, 0, false, 1},     {SORT, WIDE, n, 1, 0, false, 1},
        {SCAN, POWER, n, 1, 0, false, 1},       {SCAN, POWER, n, 1, 0, true, 1},
        {CSLP, POWER, n, 8, HALF, false, 1},    {CSLP, POWER, n, 8, HALF, true, 1},
        {SWEEP, POWER, n, 8, HALF, true, 1},    {PAGERANK, UNIFORM, n, 1, 0, false, 1},
        {PAGERANK, POWER, n, 1, 0, false, 1},   {COUNT, UNIFORM, n, 1, 0, false, 1},
        {COUNT, POWER, n, 1, 0, false, 1},      {SEARCH, POWER, n, 8, HALF, false, 1},
        {TALLY, UNIFORM, n, 8, 0, false, 1},
    };
    printf("%-14s %-9s %11s %5s %-5s %7s %10s %10s %8s\n", "operation", "input", "n", "gpus", "on", "threads", "ms",
           "MB", "GB/s");
    for (size_t c = 0; c < sizeof shapes / sizeof *shapes; c++) {
        struct input in = {0};
        void *out;
        operations[shapes[c].op].make(&shapes[c], &in);
        out = block(operations[shapes[c].op].output_bytes(&shapes[c], &in), 1);
        for (const struct kernels *const *k = kernels_all(); *k; k++)
            if (!(*k)->missing() && operations[shapes[c].op].has(*k))
                for (int t = !strcmp((*k)->name, "cpu") ? 1 : threads; t <= threads; t += threads > 1 ? threads - 1 : 1)
                    time_one(*k, t, &shapes[c], &in, out);
        free(out);
        input_free(&in);
    }
    for (const struct kernels *const *k = kernels_all(); *k; k++)
        if (!(*k)->missing() && (*k)->search) perf_search(*k, n, threads);
}

#endif
