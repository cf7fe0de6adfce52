#include "kernels/limits.h"

#include <math.h>
#include <omp.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/rng.h"

enum { RUNS = 5, GATHERS = 1 << 23 };

static double faster(double best, double began)
{
    double now = clock_seconds() - began;
    return best == 0 || now < best ? now : best;
}

/* Keeps the compiler from removing the computation of x. */
static void keep(uint64_t x) { __asm__ volatile("" : : "r"(x) : "memory"); }

static double time_read(int threads, const uint64_t *a, uint64_t n)
{
    double best = 0;
    for (int r = 0; r < RUNS; r++) {
        double began = clock_seconds();
        uint64_t sum = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : sum)
        for (uint64_t i = 0; i < n; i++) sum += a[i];
        keep(sum);
        best = faster(best, began);
    }
    return best;
}

static double time_triad(int threads, uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t n)
{
    double best = 0;
    for (int r = 0; r < RUNS; r++) {
        double began = clock_seconds();
#pragma omp parallel for schedule(static) num_threads(threads)
        for (uint64_t i = 0; i < n; i++) a[i] = b[i] + 3 * c[i];
        keep(a[n / 2]);
        best = faster(best, began);
    }
    return best;
}

/* at: [GATHERS] random numbers below 2^32, which a multiplication scales to the span: one index array serves every
 * span. */
static double time_gather(int threads, const uint32_t *a, uint64_t words, const uint32_t *at)
{
    double best = 0;
    for (int r = 0; r < RUNS; r++) {
        double began = clock_seconds();
        uint64_t sum = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : sum)
        for (uint64_t i = 0; i < GATHERS; i++) sum += a[(uint64_t)at[i] * words >> 32];
        keep(sum);
        best = faster(best, began);
    }
    return best;
}

enum st limits_measure(int threads, uint64_t bytes, struct limits *out, struct err *err)
{
    static const int shift[LIMIT_SPANS] = {7, 5, 2, 0};
    uint64_t n;
    OWNED uint64_t *a = NULL, *b = NULL, *c = NULL;
    OWNED uint32_t *at = NULL;
    enum st st = ST_OK;
    BUG_IF(bytes < 1024);
    n = bytes / sizeof *a;
    NEW_NEAR(a, n, "a benchmark array"); /* each thread first touches the range that it will stream */
    NEW_NEAR(b, n, "a benchmark array");
    NEW_NEAR(c, n, "a benchmark array");
    NEW(at, GATHERS, "positions for random loads");
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint64_t i = 0; i < n; i++) a[i] = b[i] = c[i] = i;
    for (uint64_t i = 0; i < GATHERS; i++) at[i] = (uint32_t)rng_hash(1, 2, i);
    *out = (struct limits){.threads = threads};
    out->read_gbps = 8e-9 * (double)n / time_read(threads, b, n);
    out->triad_gbps = 24e-9 * (double)n / time_triad(threads, a, b, c, n);
    for (int s = 0; s < LIMIT_SPANS; s++) {
        out->span[s] = bytes >> shift[s];
        out->gather[s] = GATHERS / time_gather(threads, (const uint32_t *)b, out->span[s] / 4, at);
    }
done:
    return st;
}

double limits_gather(const struct limits *l, double span)
{
    int s = 0;
    while (s < LIMIT_SPANS && (double)l->span[s] < span) s++;
    if (s == 0) return l->gather[0];
    if (s == LIMIT_SPANS) return l->gather[LIMIT_SPANS - 1];
    double low = log((double)l->span[s - 1]), high = log((double)l->span[s]), part = (log(span) - low) / (high - low);
    return exp((1 - part) * log(l->gather[s - 1]) + part * log(l->gather[s]));
}

double limits_seconds(const struct limits *l, double bytes, double gathers, double span)
{
    return bytes / (1e9 * l->read_gbps) + (gathers > 0 ? gathers / limits_gather(l, span) : 0);
}
