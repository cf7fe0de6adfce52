#include "planner/hotness/calibrated.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/mem.h"

enum {
    EXACT = 16,       /* counts below have a cell of their own */
    PER_DOUBLING = 4, /* cells per factor of two above */
    CELLS = EXACT + PER_DOUBLING * 16,
    BINS_OTHER = 100,
    BINS_TRAIN = 40,
    BINS = 1 + BINS_OTHER + BINS_TRAIN /* bin 0: prior 0 */
};
enum {
    BIN_EVENTS = 200,  /* least events of a bin */
    POOL_EVENTS = 150, /* events up to which a cell is pooled */
    POOL_REACH = 25    /* bins over which it is pooled at most */
};
static const double smoothing = 8; /* weight of the linear fit in a cell, in observations */

struct cell {
    uint64_t count, sum_x, sum_c;
};
struct fit {
    uint64_t count, sum_x, sum_c, sum_xx, sum_xc;
};
struct tables {
    struct cell cell[BINS][CELLS];
    struct fit fit[BINS];
};

static int cell_of(uint32_t x)
{
    if (x < EXACT) return (int)x;
    int doubling = 31 - __builtin_clz(x), part = (int)(x >> (doubling - 2)) & (PER_DOUBLING - 1);
    int c = EXACT + PER_DOUBLING * (doubling - 4) + part;
    return c < CELLS ? c : CELLS - 1;
}

/* ---- bins of like vertices ---- */

/* Priors are sorted into buckets by their leading bits (20 of 31: a step of 1/4096), which keeps a histogram small
 * and every pass sequential. */
enum { DROPPED_BITS = 11 };
#define BUCKETS_MOST ((uint64_t)1 << 20)

static inline uint32_t bucket_of(float prior)
{
    uint32_t bits;
    memcpy(&bits, &prior, sizeof bits); /* the bits of floats that are not negative sort as the floats do */
    return bits >> DROPPED_BITS;
}

static inline uint32_t total_of(const struct calibrated_input *in, uint64_t v)
{
    uint32_t sum = 0;
    for (int j = 0; j < in->folds; j++) sum += count_at(in->fold[j], v);
    return sum;
}

/* Vertices and events (counts of all folds) of a bucket. */
struct bucket {
    uint64_t vertices, events;
};
/* The buckets that priors fall into, a fraction of all: first..first + count - 1. */
struct buckets {
    uint32_t first, count;
};

static struct buckets find_buckets(const struct calibrated_input *in)
{
    uint32_t least = UINT32_MAX, most = 0;
#pragma omp parallel for num_threads(in->threads) reduction(min : least) reduction(max : most)
    for (uint64_t v = 0; v < in->n; v++) {
        if (!(in->prior[v] > 0)) continue;
        const uint32_t b = bucket_of(in->prior[v]);
        least = b < least ? b : least;
        most = b > most ? b : most;
    }
    return least > most ? (struct buckets){0, 1} : (struct buckets){least, most - least + 1};
}

/* Cuts a histogram into at most `bins` bins of about equal numbers of vertices and at least BIN_EVENTS events:
 * bin_of[bucket]. Returns the bins. */
static int cut_bins(const struct bucket *h, uint32_t buckets, int first, int bins, uint8_t *bin_of)
{
    uint64_t total = 0, vertices = 0, events = 0;
    int bin = 0;
    for (uint32_t b = 0; b < buckets; b++) total += h[b].vertices;
    for (uint32_t b = 0; b < buckets && total; b++) {
        if (vertices * (uint64_t)bins >= total && events >= BIN_EVENTS && bin + 1 < bins) {
            bin++;
            vertices = events = 0;
        }
        bin_of[b] = (uint8_t)(first + bin);
        vertices += h[b].vertices;
        events += h[b].events;
    }
    return total ? bin + 1 : 0;
}

/* Bins of the two kinds of vertices follow each other behind bin 0 (prior 0). */
struct layout {
    int others, trains;
};

/* Adds the vertices from..to-1 to the histograms of the other vertices and, behind it, of those that train. */
static void count_buckets(const struct calibrated_input *in, struct buckets k, uint64_t from, uint64_t to,
                          struct bucket *h)
{
    for (uint64_t v = from; v < to; v++) {
        if (!(in->prior[v] > 0)) continue;
        struct bucket *b = &h[(in->train[v] ? k.count : 0) + bucket_of(in->prior[v]) - k.first];
        b->vertices++;
        b->events += total_of(in, v);
    }
}

/* Threads that get histograms of their own: one more for every 2^22 vertices, at most 8. */
static int histograms(uint64_t n, int threads)
{
    enum { MOST = 8, VERTICES_EACH = 1 << 22 };
    uint64_t useful = 1 + n / VERTICES_EACH;
    if (useful > MOST) useful = MOST;
    return (uint64_t)threads < useful ? threads : (int)useful;
}

uint64_t calibrated_more_bytes(uint64_t n, int threads)
{
    return 2 * BUCKETS_MOST * sizeof(struct bucket) * (uint64_t)(histograms(n, threads) - 1);
}

/* *out: two histograms, of all vertices. */
static enum st make_histograms(const struct calibrated_input *in, struct buckets k, struct bucket **out,
                               struct err *err)
{
    const int parts = histograms(in->n, in->threads);
    const uint64_t both = 2 * (uint64_t)k.count;
    MAKE(*out, both * (uint64_t)parts, "bins");
    struct bucket *h = *out;
#pragma omp parallel for num_threads(parts)
    for (int p = 0; p < parts; p++)
        count_buckets(in, k, in->n * (uint64_t)p / (uint64_t)parts, in->n * (uint64_t)(p + 1) / (uint64_t)parts,
                      h + both * (uint64_t)p);
    for (uint64_t i = both; i < both * (uint64_t)parts; i++) {
        h[i % both].vertices += h[i].vertices;
        h[i % both].events += h[i].events;
    }
    return ST_OK;
}

static enum st make_bins(const struct calibrated_input *in, uint8_t *bin, struct layout *layout, struct err *err)
{
    const struct buckets k = find_buckets(in);
    OWNED struct bucket *h = NULL;
    OWNED uint8_t *bin_of = NULL;
    PASS(make_histograms(in, k, &h, err));
    MAKE(bin_of, 2 * (uint64_t)k.count, "bins");
    layout->others = cut_bins(h, k.count, 1, BINS_OTHER, bin_of);
    layout->trains = cut_bins(h + k.count, k.count, 1 + layout->others, BINS_TRAIN, bin_of + k.count);
#pragma omp parallel for num_threads(in->threads)
    for (uint64_t v = 0; v < in->n; v++)
        bin[v] = in->prior[v] > 0 ? bin_of[(in->train[v] ? k.count : 0) + bucket_of(in->prior[v]) - k.first] : 0;
    return ST_OK;
}

/* ---- tables ---- */

/* Nothing followed nothing, so many times. */
static void note_nothing(struct tables *t, int bin, uint64_t times)
{
    t->cell[bin][0].count += times;
    t->fit[bin].count += times;
}

/* Counts c that followed a history x, of vertices of one bin. */
static void note(struct tables *t, int bin, uint64_t x, uint64_t c)
{
    struct fit *f = &t->fit[bin];
    struct cell *k = &t->cell[bin][cell_of((uint32_t)x)];
    k->count++;
    k->sum_x += x;
    k->sum_c += c;
    f->count++;
    f->sum_x += x;
    f->sum_c += c;
    f->sum_xx += x * x;
    f->sum_xc += x * c;
}

/* shorter: histories lack two folds, the one that follows and, in turn, each other one. */
static void observe(const struct calibrated_input *in, const uint8_t *bin, bool shorter, uint64_t from, uint64_t to,
                    struct tables *t)
{
    uint64_t folds = (uint64_t)in->folds, histories = shorter ? folds * (folds - 1) : folds;
    for (uint64_t v = from; v < to; v++) {
        uint32_t sum = total_of(in, v);
        if (!sum) { /* most vertices of a large graph */
            note_nothing(t, bin[v], histories);
            continue;
        }
        for (int j = 0; j < in->folds; j++) {
            uint64_t c = count_at(in->fold[j], v), x = sum - c;
            if (!shorter) note(t, bin[v], x, c);
            for (int i = 0; shorter && i < in->folds; i++)
                if (i != j) note(t, bin[v], x - count_at(in->fold[i], v), c);
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
struct curve {
    double mean[BINS][CELLS], centre[BINS][CELLS];
};

/* The bin's fit, pooled with its neighbours in from..to-1 until it has events enough. */
static struct fit pooled_fit(const struct tables *t, int bin, int from, int to)
{
    struct fit sum = t->fit[bin];
    for (int reach = 1; reach <= POOL_REACH && sum.sum_c < POOL_EVENTS; reach++)
        for (int side = -1; side <= 1; side += 2) {
            int b = bin + side * reach;
            if (b < from || b >= to) continue;
            sum.count += t->fit[b].count;
            sum.sum_x += t->fit[b].sum_x;
            sum.sum_c += t->fit[b].sum_c;
            sum.sum_xx += t->fit[b].sum_xx;
            sum.sum_xc += t->fit[b].sum_xc;
        }
    return sum;
}

static struct cell pooled_cell(const struct tables *t, int bin, int cell, int from, int to)
{
    struct cell sum = t->cell[bin][cell];
    for (int reach = 1; reach <= POOL_REACH && sum.sum_c < POOL_EVENTS; reach++)
        for (int side = -1; side <= 1; side += 2) {
            int b = bin + side * reach;
            if (b < from || b >= to) continue;
            sum.count += t->cell[b][cell].count;
            sum.sum_x += t->cell[b][cell].sum_x;
            sum.sum_c += t->cell[b][cell].sum_c;
        }
    return sum;
}

/* What the curve expects of all observations of a bin, to compare with their sum. */
static double curve_sum(const struct tables *t, const struct curve *curve, int bin)
{
    double sum = 0;
    for (int c = 0; c < CELLS; c++) {
        const struct cell *k = &t->cell[bin][c];
        bool wide = c >= EXACT && curve->centre[bin][c] > 0;
        sum += curve->mean[bin][c] * (wide ? (double)k->sum_x / curve->centre[bin][c] : (double)k->count);
    }
    return sum;
}

static void scale_bin(struct curve *curve, int bin, double factor)
{
    for (int c = 0; c < CELLS; c++) curve->mean[bin][c] *= factor;
}

/* Pooling moves rates between bins. Each bin is scaled back towards its own sum, the more the more events it has, and
 * the group to its sum. */
static void restore_sums(const struct tables *t, int from, int to, struct curve *curve)
{
    double seen = 0, expected = 0;
    for (int b = from; b < to; b++) {
        double events = (double)t->fit[b].sum_c;
        scale_bin(curve, b, (events + BIN_EVENTS) / (curve_sum(t, curve, b) + BIN_EVENTS));
        seen += events;
        expected += curve_sum(t, curve, b);
    }
    for (int b = from; b < to && expected > 0; b++) scale_bin(curve, b, seen / expected);
}

static void smooth(const struct tables *t, int from, int to, struct curve *out)
{
    for (int b = from; b < to; b++) {
        struct fit fit = pooled_fit(t, b, from, to);
        for (int c = 0; c < CELLS && fit.count; c++) {
            if (!t->cell[b][c].count) continue;
            struct cell k = pooled_cell(t, b, c, from, to);
            double x = (double)k.sum_x / (double)k.count;
            out->centre[b][c] = x;
            out->mean[b][c] = ((double)k.sum_c + smoothing * line_at(&fit, x)) / ((double)k.count + smoothing);
        }
    }
    restore_sums(t, from, to, out);
}

/* sum: of total_of. */
static double estimate(const struct calibrated_input *in, const struct curve *curve, int bin, uint64_t v, uint32_t sum)
{
    double all = 0;
    for (int j = 0; j < in->folds; j++) {
        uint32_t x = sum ? sum - count_at(in->fold[j], v) : 0;
        int c = cell_of(x);
        double m = curve->mean[bin][c], centre = curve->centre[bin][c];
        all += c >= EXACT && centre > 0 ? m * x / centre : m;
    }
    return all / in->folds * in->folds_per_epoch;
}

/* ---- by how much estimates are off ---- */

/* Per kind of vertex and cell of the history: what followed, and what was expected, in units of 2^-20. */
struct offsets {
    uint64_t followed[2][CELLS], expected[2][CELLS];
};

static double curve_at(const struct curve *curve, int bin, uint32_t x)
{
    int c = cell_of(x);
    double m = curve->mean[bin][c], centre = curve->centre[bin][c];
    return c >= EXACT && centre > 0 ? m * x / centre : m;
}

/* Every fold in turn is what follows; the others are the history, and the estimate is made from them alone. */
static void compare(const struct calibrated_input *in, const struct curve *shorter, const uint8_t *bin, uint64_t from,
                    uint64_t to, struct offsets *o)
{
    for (uint64_t v = from; v < to; v++) {
        uint32_t sum = total_of(in, v);
        int kind = in->train[v] != 0;
        for (int j = 0; j < in->folds; j++) {
            uint32_t x = sum - count_at(in->fold[j], v);
            double all = 0;
            for (int i = 0; i < in->folds; i++)
                if (i != j) all += curve_at(shorter, bin[v], x - count_at(in->fold[i], v));
            o->followed[kind][cell_of(x)] += (uint64_t)count_at(in->fold[j], v) << 20;
            o->expected[kind][cell_of(x)] += (uint64_t)(all / (in->folds - 1) * 0x1p20);
        }
    }
}

/* factor[kind][cell of a history of k - 1 folds]: what estimates from k folds are to be multiplied by. */
static enum st find_factors(const struct calibrated_input *in, const struct curve *shorter, const uint8_t *bin,
                            double factor[2][CELLS], struct err *err)
{
    OWNED struct offsets *o = NULL;
    MAKE(o, in->threads, "calibration tables");
#pragma omp parallel num_threads(in->threads)
    {
        uint64_t t = (uint64_t)omp_get_thread_num(), team = (uint64_t)omp_get_num_threads();
        compare(in, shorter, bin, in->n * t / team, in->n * (t + 1) / team, &o[t]);
    }
    for (int kind = 0; kind < 2; kind++)
        for (int c = 0; c < CELLS; c++) {
            uint64_t followed = 0, expected = 0;
            for (int t = 0; t < in->threads; t++) {
                followed += o[t].followed[kind][c];
                expected += o[t].expected[kind][c];
            }
            double few = BIN_EVENTS * 0x1p20, off = ((double)followed + few) / ((double)expected + few) - 1;
            factor[kind][c] = 1 + off * (in->folds - 1) / in->folds;
        }
    return ST_OK;
}

static double corrected(const struct calibrated_input *in, const struct curve *curve, double factor[2][CELLS], int bin,
                        uint64_t v)
{
    uint32_t sum = total_of(in, v);
    uint64_t x = ((uint64_t)sum * (uint64_t)(in->folds - 1) + (uint64_t)in->folds / 2) / (uint64_t)in->folds;
    return estimate(in, curve, bin, v, sum) * factor[in->train[v] != 0][cell_of((uint32_t)x)];
}

/* ---- one epoch ---- */

/* Moments of a bin; noise in units of 2^-20, so that sums have no order. */
struct moments {
    uint64_t count, sum, squares, noise;
};

static void calibrated_measure(const struct calibrated_input *in, const uint8_t *bin, uint64_t from, uint64_t to,
                               struct moments *m)
{
    for (uint64_t v = from; v < to; v++) {
        uint64_t c = total_of(in, v);
        struct moments *k = &m[bin[v]];
        k->count++;
        k->sum += c;
        k->squares += c * c;
        k->noise += (uint64_t)(in->noise[v] * 0x1p20f);
    }
}

/* Every vertex is drawn towards its bin's mean by as much as counts are noisier than the bin is varied. */
static enum st bayes_rates(const struct calibrated_input *in, const uint8_t *bin, float *rate, struct err *err)
{
    OWNED struct moments *m = NULL;
    double mean[BINS] = {0}, weight[BINS] = {0};
    MAKE(m, (uint64_t)in->threads * BINS, "calibration tables");
#pragma omp parallel num_threads(in->threads)
    {
        uint64_t t = (uint64_t)omp_get_thread_num(), team = (uint64_t)omp_get_num_threads();
        calibrated_measure(in, bin, in->n * t / team, in->n * (t + 1) / team, m + t * BINS);
    }
    for (int b = 0; b < BINS; b++) {
        struct moments sum = {0};
        for (int t = 0; t < in->threads; t++) {
            const struct moments *k = &m[t * BINS + b];
            sum = (struct moments){sum.count + k->count, sum.sum + k->sum, sum.squares + k->squares,
                                   sum.noise + k->noise};
        }
        if (!sum.count) continue;
        double n = (double)sum.count, noise = (double)sum.noise / n * 0x1p-20;
        mean[b] = (double)sum.sum / n;
        noise *= mean[b];
        double spread = (double)sum.squares / n - mean[b] * mean[b], real = spread > noise ? spread - noise : 0;
        weight[b] = real + noise > 0 ? real / (real + noise) : 1;
    }
#pragma omp parallel for num_threads(in->threads)
    for (uint64_t v = 0; v < in->n; v++) {
        double r = mean[bin[v]] + weight[bin[v]] * ((double)total_of(in, v) - mean[bin[v]]);
        rate[v] = (float)(r > 0 ? r : 0);
    }
    return ST_OK;
}

/* ---- all ---- */

/* *out: what follows histories that lack one fold, or two. */
static enum st make_curve(const struct calibrated_input *in, const uint8_t *bin, const struct layout *layout,
                          bool shorter, struct curve **out, struct err *err)
{
    OWNED struct tables *tables = NULL;
    OWNED struct curve *curve = NULL;
    MAKE(tables, in->threads, "calibration tables");
    MAKE(curve, 1, "calibration tables");
#pragma omp parallel num_threads(in->threads)
    {
        uint64_t t = (uint64_t)omp_get_thread_num(), team = (uint64_t)omp_get_num_threads();
        observe(in, bin, shorter, in->n * t / team, in->n * (t + 1) / team, &tables[t]);
    }
    for (int t = 1; t < in->threads; t++) add_tables(&tables[0], &tables[t]);
    smooth(&tables[0], 0, 1, curve);
    smooth(&tables[0], 1, 1 + layout->others, curve);
    smooth(&tables[0], 1 + layout->others, 1 + layout->others + layout->trains, curve);
    *out = TAKE(curve);
    return ST_OK;
}

static enum st fold_rates(const struct calibrated_input *in, const uint8_t *bin, const struct layout *layout,
                          float *rate, struct err *err)
{
    OWNED struct curve *curve = NULL, *shorter = NULL;
    double factor[2][CELLS], none[BINS]; /* what vertices without counts get */
    PASS(make_curve(in, bin, layout, false, &curve, err));
    if (in->extend && in->folds > 2) PASS(make_curve(in, bin, layout, true, &shorter, err));
    if (shorter) PASS(find_factors(in, shorter, bin, factor, err));
    for (int b = 0; b < BINS; b++) none[b] = estimate(in, curve, b, 0, 0);
#pragma omp parallel for num_threads(in->threads)
    for (uint64_t v = 0; v < in->n; v++) {
        uint32_t sum = shorter ? 0 : total_of(in, v);
        rate[v] = (float)(shorter ? corrected(in, curve, factor, bin[v], v)
                          : sum   ? estimate(in, curve, bin[v], v, sum)
                                  : none[bin[v]]);
    }
    return ST_OK;
}

enum st calibrated_rates(const struct calibrated_input *in, float *rate, struct err *err)
{
    enum st st = ST_OK;
    struct layout layout = {0};
    OWNED uint8_t *bin = NULL;
    BUG_IF(in->folds < 2 || in->folds > FOLDS_MAX);
    NEW(bin, in->n, "bins");
    TRY(make_bins(in, bin, &layout, err));
    TRY(in->noise ? bayes_rates(in, bin, rate, err) : fold_rates(in, bin, &layout, rate, err));
done:
    return st;
}
