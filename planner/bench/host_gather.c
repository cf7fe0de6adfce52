#include "planner/bench/host_gather.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/rng.h"

enum { RUNS = 5, GATHERED = 1 << 25, STARTS = 200 };

/* Seconds of the fastest run that copies `rows` rows. at: [rows] random numbers below 2^32. */
static double time_rows(int threads, const char *table, uint64_t bytes, uint64_t row, uint64_t rows, const uint32_t *at,
                        char *to)
{
    double best = INFINITY;
    for (int r = 0; r < RUNS; r++) {
        double began = clock_seconds();
#pragma omp parallel for schedule(static) num_threads(threads)
        for (uint64_t i = 0; i < rows; i++) memcpy(to + i * row, table + (at[i] * (bytes / row) >> 32) * row, row);
        best = fmin(best, clock_seconds() - began);
    }
    return best;
}

/* Of a gather that has one row for each thread: threads are woken, and wait for each other. */
static double time_start(int threads, const char *table, char *to)
{
    double best = INFINITY;
    for (int r = 0; r < RUNS; r++) {
        double began = clock_seconds();
        for (int k = 0; k < STARTS; k++) {
#pragma omp parallel for schedule(static) num_threads(threads)
            for (int i = 0; i < threads; i++) memcpy(to + 64 * i, table + 64 * i, 64);
        }
        best = fmin(best, clock_seconds() - began);
    }
    return best / STARTS;
}

void host_gather_fit(struct host_gather *h)
{
    double bb = 0, bc = 0, cc = 0, b = 0, c = 0;
    for (int k = 0; k < HOST_GATHER_SIZES; k++) { /* (row x + y) / t is 1 but for errors */
        double row = (double)h->row_bytes[k], t = row / (1e9 * h->gbps[k]), u = row / t, v = 1 / t;
        bb += u * u;
        bc += u * v;
        cc += v * v;
        b += u;
        c += v;
    }
    double x = (b * cc - c * bc) / (bb * cc - bc * bc), y = (c * bb - b * bc) / (bb * cc - bc * bc);
    if (!(y > 0)) { /* no cost of a row */
        x = b / bb;
        y = 0;
    } else if (!(x > 0)) {
        x = 0;
        y = c / cc;
    }
    h->long_gbps = x > 0 ? 1e-9 / x : 0;
    h->rows_per_second = y > 0 ? 1 / y : 0;
    h->worst = 0;
    for (int k = 0; k < HOST_GATHER_SIZES; k++) {
        double row = (double)h->row_bytes[k], t = row / (1e9 * h->gbps[k]);
        h->worst = fmax(h->worst, fabs((row * x + y) / t - 1));
    }
}

enum st host_gather_measure(int threads, uint64_t table_bytes, struct host_gather *out, struct err *err)
{
    static const uint64_t sizes[HOST_GATHER_SIZES] = {64, 256, 512, 1024, 4096};
    enum st st = ST_OK;
    OWNED char *table = NULL, *to = NULL;
    OWNED uint32_t *at = NULL;
    BUG_IF(table_bytes < 1 << 20 || threads > GATHERED / 64);
    *out = (struct host_gather){.threads = threads, .table_bytes = table_bytes};
    NEW_NEAR(table, table_bytes, "a table of rows");
    NEW_NEAR(to, GATHERED, "gathered rows");
    NEW(at, GATHERED / 64, "random rows");
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint64_t i = 0; i < table_bytes; i++) table[i] = (char)i;
    for (uint64_t i = 0; i < GATHERED / 64; i++) at[i] = (uint32_t)rng_hash(1, 3, i);
    for (int k = 0; k < HOST_GATHER_SIZES; k++) {
        uint64_t rows = GATHERED / sizes[k];
        out->row_bytes[k] = sizes[k];
        out->gbps[k] = 1e-9 * GATHERED / time_rows(threads, table, table_bytes, sizes[k], rows, at, to);
    }
    out->start_seconds = time_start(threads, table, to);
    host_gather_fit(out);
done:
    return st;
}
