#include "planner/calibrated.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/mem.h"

enum {
    EXACT = 16,                /* counts below have a cell of their own */
    PER_DOUBLING = 4,          /* cells per factor of two above */
    CELLS = EXACT + PER_DOUBLING * 16,
    BINS_OTHER = 100, BINS_TRAIN = 40, BINS = 1 + BINS_OTHER + BINS_TRAIN /* bin 0: prior 0 */
};
static const double smoothing = 8; /* observations that the linear fit counts for in a cell */

struct cell { uint64_t count, sum_x, sum_c; };
struct fit { uint64_t count, sum_x, sum_c, sum_xx, sum_xc; };
struct tables { struct cell cell[BINS][CELLS]; struct fit fit[BINS]; };

static int cell_of(uint32_t x)
{
    if (x < EXACT) return (int)x;
    int doubling = 31 - __builtin_clz(x), part = (int)(x >> (doubling - 2)) & (PER_DOUBLING - 1);
    int c = EXACT + PER_DOUBLING * (doubling - 4) + part;
    return c < CELLS ? c : CELLS - 1;
}

/* ---- bins of like vertices -------------------------------------------------------------------------------------------------- */

/* Priors are sorted into buckets by their leading bits (20 of 31: a step of 1/4096), which keeps a histogram small and every pass sequential. */
enum { BUCKETS = 1 << 20, DROPPED_BITS = 11 };

static inline uint32_t bucket_of(float prior)
{
    uint32_t bits;
    memcpy(&bits, &prior, sizeof bits); /* the bits of floats that are not negative sort as the floats do */
    return bits >> DROPPED_BITS;
}

/* Cuts a histogram into bins of about equal counts: bin_of[bucket]. */
static void cut_bins(const uint64_t *histogram, int first, int bins, uint8_t *bin_of)
{
    uint64_t total = 0, before = 0;
    for (int b = 0; b < BUCKETS; b++) total += histogram[b];
    for (int b = 0; b < BUCKETS && total; b++) {
        bin_of[b] = (uint8_t)(first + (int)(before * (uint64_t)bins / total));
        before += histogram[b];
    }
}

static enum st make_bins(const struct calibrated_input *in, uint8_t *bin, struct err *err)
{
    enum st st = ST_OK;
    uint64_t *histogram = NULL;
    uint8_t *bin_of = NULL;
    NEW(histogram, 2 * (uint64_t)BUCKETS, "bins");
    NEW(bin_of, 2 * (uint64_t)BUCKETS, "bins");
    for (uint64_t v = 0; v < in->n; v++)
        if (in->prior[v] > 0) histogram[(in->train[v] ? BUCKETS : 0) + bucket_of(in->prior[v])]++;
    cut_bins(histogram, 1, BINS_OTHER, bin_of);
    cut_bins(histogram + BUCKETS, 1 + BINS_OTHER, BINS_TRAIN, bin_of + BUCKETS);
#pragma omp parallel for num_threads(in->threads)
    for (uint64_t v = 0; v < in->n; v++)
        bin[v] = in->prior[v] > 0 ? bin_of[(in->train[v] ? BUCKETS : 0) + bucket_of(in->prior[v])] : 0;
done:
    mem_free(histogram);
    mem_free(bin_of);
    return st;
}

/* ---- tables ----------------------------------------------------------------------------------------------------------------- */

static inline uint32_t total_of(const struct calibrated_input *in, uint64_t v)
{
    uint32_t sum = 0;
    for (int j = 0; j < in->folds; j++) sum += in->fold[j][v];
    return sum;
}

static void observe(const struct calibrated_input *in, const uint8_t *bin, uint64_t from, uint64_t to, struct tables *t)
{
    for (uint64_t v = from; v < to; v++) {
        uint32_t sum = total_of(in, v);
        struct fit *f = &t->fit[bin[v]];
        for (int j = 0; j < in->folds; j++) {
            uint64_t c = in->fold[j][v], x = sum - c;
            struct cell *k = &t->cell[bin[v]][cell_of((uint32_t)x)];
            k->count++;
            k->sum_x += x;
            k->sum_c += c;
            f->count++;
            f->sum_x += x;
            f->sum_c += c;
            f->sum_xx += x * x;
            f->sum_xc += x * c;
        }
    }
}

static void add_tables(struct tables *to, const struct tables *from)
{
    const uint64_t *f = (const uint64_t *)from;
    uint64_t *t = (uint64_t *)to;
    for (size_t i = 0; i < sizeof *to / sizeof *t; i++) t[i] += f[i];
}

/* The bin's least-squares line at x; its mean where all x are alike. */
static double line_at(const struct fit *f, double x)
{
    double n = (double)f->count, mx = (double)f->sum_x / n, mc = (double)f->sum_c / n;
    double vx = (double)f->sum_xx / n - mx * mx, cov = (double)f->sum_xc / n - mx * mc;
    double y = vx > 1e-9 ? mc + cov / vx * (x - mx) : mc;
    return y > 0 ? y : 0;
}

/* mean[bin][cell]: what follows; centre[bin][cell]: the mean x it stands for. */
struct curve { double mean[BINS][CELLS], centre[BINS][CELLS]; };

static void smooth(const struct tables *t, struct curve *out)
{
    for (int b = 0; b < BINS; b++)
        for (int c = 0; c < CELLS; c++) {
            const struct cell *k = &t->cell[b][c];
            if (!k->count) continue;
            double x = (double)k->sum_x / (double)k->count;
            out->centre[b][c] = x;
            out->mean[b][c] = ((double)k->sum_c + smoothing * line_at(&t->fit[b], x)) / ((double)k->count + smoothing);
        }
}

static double estimate(const struct calibrated_input *in, const struct curve *curve, int bin, uint64_t v)
{
    uint32_t sum = total_of(in, v);
    double all = 0;
    for (int j = 0; j < in->folds; j++) {
        uint32_t x = sum - in->fold[j][v];
        int c = cell_of(x);
        double m = curve->mean[bin][c], centre = curve->centre[bin][c];
        all += c >= EXACT && centre > 0 ? m * x / centre : m;
    }
    return all / in->folds * in->folds_per_epoch;
}

enum st calibrated_rates(const struct calibrated_input *in, float *rate, struct err *err)
{
    enum st st = ST_OK;
    uint8_t *bin = NULL;
    struct tables *tables = NULL;
    struct curve *curve = NULL;
    NEW(bin, in->n, "bins");
    NEW(tables, in->threads, "calibration tables");
    NEW(curve, 1, "calibration tables");
    TRY(make_bins(in, bin, err));
#pragma omp parallel num_threads(in->threads)
    {
        uint64_t t = (uint64_t)omp_get_thread_num(), team = (uint64_t)omp_get_num_threads();
        observe(in, bin, in->n * t / team, in->n * (t + 1) / team, &tables[t]);
    }
    for (int t = 1; t < in->threads; t++) add_tables(&tables[0], &tables[t]);
    smooth(&tables[0], curve);
#pragma omp parallel for num_threads(in->threads)
    for (uint64_t v = 0; v < in->n; v++) rate[v] = (float)estimate(in, curve, bin[v], v);
done:
    mem_free(bin);
    mem_free(tables);
    mem_free(curve);
    return st;
}
