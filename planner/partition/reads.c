#include "planner/partition/reads.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "planner/partition/reads_costs.h"

enum {
    HELD_MOST = PARTITION_HELD_MOST,
    COUNT_MOST = UINT16_MAX - READS_SAMPLES, /* a row that is read more often is held, or reached, by everyone */
    ROUNDS = 8,
    SHORT = 1 << 20,  /* lists with fewer entries take no time */
    WEIGHT = 1 << 12, /* of a row that no share holds */
    FINE = READS_FINE,
    BUCKETS = READS_BUCKETS
};

static inline uint16_t *counts_of(const struct reads *reads, uint64_t row)
{
    return (uint16_t *)(reads->record + row * reads->stride);
}
static inline uint8_t *levels_of(const struct reads *reads, uint64_t row)
{
    return reads->record + row * reads->stride + 2 * (uint64_t)reads->c.parts;
}

/* ---- set-up ---- */

/* What one to READS_SAMPLES samples add to a row that has 0..most: behind its reads by number of samples. */
static void fill_more(uint32_t *gather, uint64_t most)
{
    uint32_t *more = gather + most + READS_SAMPLES + 1;
    for (uint64_t k = 1; k <= READS_SAMPLES; k++)
        for (uint64_t r = 0; r <= most; r++) *more++ = gather[r + k] - gather[r];
}

static enum st make_tables(struct reads *reads, double batches_of_share, struct err *err)
{
    const uint64_t hottest = reads->l.hottest, singles = hottest + READS_SAMPLES + 1;
    double most = 0;
    for (int p = 0; p < reads->c.parts; p++) most = fmax(most, reads->c.share[p] * batches_of_share);
    reads->c.unit = 1 << 20;
    while ((double)reads->c.unit * (most + 1) > 0x1p31) reads->c.unit /= 2;
    for (int p = 0; p < reads->c.parts; p++) {
        for (int q = 0; q < p && !reads->gather[p]; q++)
            if (reads->c.share[q] == reads->c.share[p]) reads->gather[p] = reads->gather[q];
        if (reads->gather[p]) continue;
        double b = fmax(1, reads->c.share[p] * batches_of_share);
        MAKE(reads->gather[p], singles + READS_SAMPLES * (hottest + 1), "reads by number of samples");
        reads->owner[p] = true;
        for (uint64_t r = 0; r < singles; r++)
            reads->gather[p][r] = (uint32_t)(b * -expm1(r ? (double)r * log1p(-1 / (b * reads->l.samples)) : 0) *
                                             (double)reads->c.unit);
        fill_more(reads->gather[p], hottest);
    }
    for (int p = 0; p < reads->c.parts; p++)
        for (uint64_t k = 0; k < READS_SAMPLES; k++) reads->more[k][p] = reads->gather[p] + singles + k * (hottest + 1);
    return ST_OK;
}

static void set_shares(struct reads *reads, const struct graph *g, const double *share)
{
    double sum = 0;
    uint64_t given = 0, trains = reads->c.trains;
    static const double usual[] = {0.01, 0.02, 0.04, 0.08};
    const double *held = reads->o->held_count ? reads->o->held : usual;
    reads->held = reads->o->held_count ? reads->o->held_count : (int)(sizeof usual / sizeof *usual);
    for (int p = 0; p < reads->c.parts; p++) sum += share[p];
    for (int p = 0; p < reads->c.parts; p++) {
        reads->c.share[p] = share[p] / sum;
        reads->c.real[p] = 1;
        reads->group[p] = reads->o->group ? reads->o->group[p] : (uint8_t)p;
        if (reads->group[p] >= reads->groups) reads->groups = reads->group[p] + 1;
        reads->gpus[reads->group[p]] += share[p];
        given += reads->c.want[p] = (uint64_t)floor((double)trains * reads->c.share[p]);
    }
    for (int p = 0; given < trains; p = (p + 1) % reads->c.parts, given++) reads->c.want[p]++;
    for (int p = 0; p < reads->c.parts; p++) {
        reads->c.least[p] = reads->c.want[p] - reads_slack(reads, reads->c.want[p], false);
        reads->c.most[p] = reads->c.want[p] + reads_slack(reads, reads->c.want[p], true);
        if (reads->c.want[p] < 100 && trains > (uint64_t)reads->c.parts)
            reads->c.most[p]++; /* so that anything can move at all */
    }
    for (int i = 0; i < reads->held; i++)
        for (int c = 0; c < reads->groups; c++)
            reads->room[i][c] = (uint64_t)(held[i] * reads->gpus[c] * (double)graph_total_bytes(g) /
                                           (double)g->row_bytes * reads->l.kept);
}

/* Adds (sign 1) or takes away (-1) the samples of a training vertex; *work changes by what its part gathers more or
 * less. Any number of threads may do so: each sees the counts at its turn, and the differences add up to the same. */
static void put(struct reads *reads, uint64_t t, int p, int sign, uint64_t *work)
{
    const uint32_t *gather = reads->gather[p];
    uint64_t change = 0, entries = reads->l.start[reads->c.trains];
    for (uint64_t i = reads->l.start[t]; i < reads->l.start[t + 1]; i++) {
        reads_prefetch_ahead(reads, i, entries);
        uint16_t times = reads->l.times[i], *c = &counts_of(reads, reads->l.row[i])[p];
        uint16_t old = sign > 0 ? __atomic_fetch_add(c, times, __ATOMIC_RELAXED)
                                : __atomic_fetch_sub(c, times, __ATOMIC_RELAXED);
        change += (uint64_t)gather[sign > 0 ? old + times : old - times] - gather[old];
    }
    __atomic_fetch_add(work, change, __ATOMIC_RELAXED);
}

/* ---- what is held ---- */

static inline int bucket_of(uint64_t value)
{
    int top = value ? 63 - __builtin_clzll(value) : 0;
    return top < FINE ? (int)value : (top - FINE + 1) << FINE | (int)(value >> (top - FINE) & ((1 << FINE) - 1));
}

/* What each group gathers of a row. sum: [groups] */
static inline void row_reads(const struct reads *reads, uint64_t row, uint64_t *sum)
{
    const uint16_t *c = counts_of(reads, row);
    memset(sum, 0, (size_t)reads->groups * sizeof *sum);
    for (int p = 0; p < reads->c.parts; p++) sum[reads->group[p]] += reads->gather[p][c[p]];
}

/* Of every step-th row. h: [groups] */
static void fill_histograms(const struct reads *cut, uint64_t step, struct histogram *h)
{
    const size_t groups = (size_t)cut->groups;
    memset(h, 0, groups * sizeof *h);
#pragma omp parallel num_threads(cut->c.threads)
    {
        struct histogram *mine = cut->mine + groups * (size_t)omp_get_thread_num();
        uint64_t sum[PARTS_MAX];
        memset(mine, 0, groups * sizeof *mine);
#pragma omp for schedule(static) nowait
        for (uint64_t v = 0; v < cut->l.rows; v += step) {
            row_reads(cut, v, sum);
            for (size_t c = 0; c < groups; c++) {
                int b = bucket_of(sum[c]);
                mine[c].rows[b]++;
                mine[c].reads[b] += sum[c];
            }
        }
#pragma omp critical(reads_histogram)
        for (size_t c = 0; c < groups; c++)
            for (int b = 0; b < BUCKETS; b++) {
                h[c].rows[b] += mine[c].rows[b];
                h[c].reads[b] += mine[c].reads[b];
            }
    }
}

/* The lowest bucket whose rows are all held, by share; *left: reads of the rows below. */
static int threshold(const struct histogram *h, uint64_t room, uint64_t *left)
{
    int b = BUCKETS;
    uint64_t rows = 0;
    while (b > 0 && rows + h->rows[b - 1] <= room) rows += h->rows[--b];
    for (int i = 0; i < b; i++) *left += h->reads[i];
    return b;
}

/* Finds what each group would hold at each share: at[group][share], the lowest bucket, and the reads of each share that
 * are left: at least a hundredth of all, since what leaves next to nothing decides nothing. Returns the mean of their
 * logarithms. Only every step-th row is looked at. h: [groups] */
static double score_of(const struct reads *reads, uint64_t step, struct histogram *h, int (*at)[HELD_MOST],
                       double *left)
{
    uint64_t below[HELD_MOST] = {0}, all = 0;
    double score = 0;
    fill_histograms(reads, step, h);
    for (int c = 0; c < reads->groups; c++)
        for (int i = 0; i < reads->held; i++) at[c][i] = threshold(&h[c], reads->room[i][c] / step, &below[i]);
    for (int p = 0; p < reads->c.parts; p++) all += reads->c.work[p];
    for (int i = 0; i < reads->held; i++) {
        left[i] = fmax((double)below[i] * (double)step, (double)all / 100);
        score += log(left[i]) / reads->held;
    }
    return score;
}

double reads_look(struct reads *reads, struct histogram *h)
{
    int at[PARTS_MAX][HELD_MOST];
    double left[HELD_MOST], sum = 0, part = 0, score = score_of(reads, 1, h, at, left);
#pragma omp parallel for schedule(static) num_threads(reads->c.threads)
    for (uint64_t v = 0; v < reads->l.rows; v++) {
        uint64_t of[PARTS_MAX];
        row_reads(reads, v, of);
        for (int c = 0; c < reads->groups; c++) {
            int b = bucket_of(of[c]), level = 0;
            while (level < reads->held && b < at[c][level]) level++;
            levels_of(reads, v)[c] = (uint8_t)level;
        }
    }
    for (int i = 0; i < reads->held; i++) sum += 1 / left[i];
    for (int i = 0; i < reads->held; i++) {
        part += 1 / left[i];
        reads->weight[i + 1] = (int64_t)(WEIGHT * part / sum);
    }
    return score;
}

/* ---- moves ---- */

/* Up to a hundredth of a row, so that vertices that read alike do not all want the same. */
static inline float taste(const struct reads *reads, uint64_t t, int p)
{
    uint64_t mixed = (t * PARTS_MAX + (uint64_t)p + 1) * 0x9e3779b97f4a7c15u;
    return (float)((mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u >> 40) * 0x1p-24F * 0.01F * (float)reads->c.unit;
}

/* What training vertex t costs in every part, and how many rows more it gathers there. */
static void costs(const struct reads *reads, uint64_t t, float *cost, float *rows)
{
    int64_t price[PARTS_MAX], work[PARTS_MAX];
    if (reads->lanes) reads_costs_lanes(reads, t, price, work);
    else reads_costs_each(reads, t, price, work);
    for (int p = 0; p < reads->c.parts; p++) {
        cost[p] = (float)price[p] / (float)WEIGHT + taste(reads, t, p);
        rows[p] = (float)work[p];
    }
}

/* All costs into reads->c.price. The rows of part p that do not depend on who of the others is where:
 * reads->c.fixed[p]. */
static void find_costs(struct reads *reads)
{
    int64_t own[PARTS_MAX] = {0};
#pragma omp parallel for schedule(dynamic, 64) num_threads(reads->c.threads)
    for (uint64_t t = 0; t < reads->c.trains; t++) costs(reads, t, reads_cost(&reads->c, t), reads_rows(&reads->c, t));
    for (uint64_t t = 0; t < reads->c.trains; t++)
        own[reads->c.own[t]] += (int64_t)reads_rows(&reads->c, t)[reads->c.own[t]];
    for (int p = 0; p < reads->c.parts; p++) reads->c.fixed[p] = (int64_t)reads->c.work[p] - own[p];
}

uint64_t reads_apply(struct reads *reads)
{
    uint64_t moved = 0;
#pragma omp parallel for schedule(dynamic, 64) num_threads(reads->c.threads) reduction(+ : moved)
    for (uint64_t t = 0; t < reads->c.trains; t++) {
        if (reads->c.own[t] == reads->c.wish[t]) continue;
        put(reads, t, reads->c.own[t], -1, &reads->c.work[reads->c.own[t]]);
        put(reads, t, reads->c.wish[t], 1, &reads->c.work[reads->c.wish[t]]);
        reads->c.own[t] = reads->c.wish[t];
        moved++;
    }
    return moved;
}

double reads_busiest(const struct reads *reads)
{
    double all = 0, most = 0;
    for (int p = 0; p < reads->c.parts; p++) all += (double)reads->c.work[p] * reads->c.real[p];
    for (int p = 0; p < reads->c.parts; p++)
        most = fmax(most, (double)reads->c.work[p] * reads->c.real[p] / (all * reads->c.share[p]));
    return most;
}

struct prices {
    double count[PARTS_MAX], work[PARTS_MAX];
};

static struct prices prices_of(const struct reads_choice *c)
{
    struct prices p;
    memcpy(p.count, c->price_count, sizeof p.count);
    memcpy(p.work, c->price_work, sizeof p.work);
    return p;
}

enum st reads_improve(struct reads *reads, bool *changed, struct err *err)
{
    struct prices after;
    ON_HEAP(struct prices, before);
    *before = prices_of(&reads->c);
    double least = 1e300;
    const int patient = reads->l.start[reads->c.trains] < SHORT ? 3 : 0; /* rounds that are done in any case */
    int idle = 0, best_round = 0; /* idle: rounds in a row that gained next to nothing */
    OWNED_NEW(struct histogram, h, reads->groups, "histograms of reads");
    OWNED_NEW(uint8_t, best, reads->c.trains, "parts of training vertices");
    if (!reads->c.price)
        MAKE(reads->c.price, 2 * reads->c.trains * (uint64_t)reads->c.parts, "costs of training vertices");
    for (int r = 0; r <= ROUNDS; r++) {
        double value = reads_look(reads, h) + (reads->c.unequal ? 0 : log(fmax(reads_busiest(reads), 1.03)));
        uint64_t moved = 0;
        idle = value < least - 0.001 ? 0 : idle + 1;
        if (value < least) {
            least = value;
            best_round = r;
            memcpy(best, reads->c.own, reads->c.trains);
        }
        if (r == ROUNDS || (r > patient && idle > 1)) break;
        find_costs(reads);
        PASS(reads_choose(&reads->c, err));
        moved = reads_apply(reads);
        if (!moved) break;
    }
    memcpy(reads->c.wish, best, reads->c.trains);
    reads_apply(reads);
    after = prices_of(&reads->c);
    *changed |= best_round > 0 || memcmp(before, &after, sizeof *before) != 0;
    return ST_OK;
}

/* ---- which part lies where ---- */

/* Whether a part has a group of its own. */
static bool alone(const struct reads *reads, int part)
{
    int together = 0;
    for (int p = 0; p < reads->c.parts; p++) together += reads->group[p] == reads->group[part];
    return together == 1;
}

/* Swaps parts of different groups while fewer reads would be left, as some of the rows show. Two that are alone would
 * only swap numbers. */
static enum st arrange(struct reads *reads, struct err *err)
{
    enum { ROWS_LOOKED_AT = 1 << 15 };
    const uint64_t step = 1 + reads->l.rows / ROWS_LOOKED_AT;
    int at[PARTS_MAX][HELD_MOST];
    double left[HELD_MOST];
    OWNED_NEW(struct histogram, h, reads->groups, "histograms of reads");
    double now = score_of(reads, step, h, at, left);
    bool again = reads->groups > 1;
    while (again) {
        again = false;
        for (int p = 0; p < reads->c.parts; p++)
            for (int q = 0; q < p; q++) {
                if (reads->group[p] == reads->group[q] || reads->c.share[p] != reads->c.share[q]) continue;
                if (alone(reads, p) && alone(reads, q)) continue;
                uint8_t kept = reads->group[p];
                reads->group[p] = reads->group[q];
                reads->group[q] = kept;
                double then = score_of(reads, step, h, at, left);
                if (then < now - 1e-4) {
                    now = then;
                    again = true;
                } else {
                    reads->group[q] = reads->group[p];
                    reads->group[p] = kept;
                }
            }
    }
    return ST_OK;
}

/* Parts by the number that their group has: part p's training vertices become those of a part of group[p]. */
static void renumber(const struct reads *reads, uint8_t *to)
{
    bool taken[PARTS_MAX] = {false};
    for (int p = 0; p < reads->c.parts; p++)
        for (int q = 0; q < reads->c.parts; q++) {
            int group = reads->o->group ? reads->o->group[q] : q;
            if (taken[q] || group != reads->group[p] || reads->c.share[p] != reads->c.share[q]) continue;
            taken[q] = true;
            to[p] = (uint8_t)q;
            break;
        }
}

static void reads_free(struct reads *reads)
{
    reads_lists_release(&reads->l);
    mem_free(reads->mine);
    mem_free(reads->record);
    reads_choice_release(&reads->c);
    for (int p = 0; p < reads->c.parts; p++)
        if (reads->owner[p]) mem_free(reads->gather[p]);
    mem_free(reads);
}

static uint64_t stride_of(int parts, int groups)
{
    uint64_t bytes = 2 * (uint64_t)parts + (uint64_t)groups;
    return (bytes + 3) / 4 * 4;
}

uint64_t reads_bytes(const struct graph *g, int parts, int threads)
{
    uint64_t stride = stride_of(parts, parts), tables = (uint64_t)parts * 4 * (1 + READS_SAMPLES) * COUNT_MOST;
    uint64_t sampler = 8 * g->n * (uint64_t)(threads < 1 ? 1 : threads); /* of reads_measure */
    return reads_lists_bytes(g, stride, threads) + sampler + reads_choice_bytes(g->train_count, parts) +
           18 * g->train_count + tables +
           sizeof(struct histogram) * (uint64_t)parts * (1 + (uint64_t)(threads < 1 ? 1 : threads));
}

/* Few training vertices are done before threads have met. */
static int threads_for(uint64_t trains, int threads)
{
    uint64_t useful = 1 + trains / 8192;
    return threads < 1 ? 1 : (uint64_t)threads > useful ? (int)useful : threads;
}

enum st reads_refine(const struct graph *g, int parts, const double *share, const struct partition_options *o,
                     uint8_t *part, struct partition_report *report, struct err *err)
{
    enum st st = ST_OK;
    struct reads *reads = NULL;
    uint8_t to[PARTS_MAX];
    bool changed = false;
    double gpus = 0;
    if (!g->train_count || parts < 2) return ST_OK;
    NEW(reads, 1, "reads");
    *reads = (struct reads){.o = o};
    reads->c = (struct reads_choice){.trains = g->train_count,
                                     .parts = parts,
                                     .threads = threads_for(g->train_count, o->threads)};
    TRY(reads_lists_make(g, o, stride_of(parts, parts), COUNT_MOST, &reads->l, err));
    set_shares(reads, g, share);
    reads->stride = stride_of(parts, reads->groups);
    for (int p = 0; p < parts; p++) gpus += share[p];
    TRY(make_tables(reads,
                    gpus * ceil((double)g->train_count / gpus / (double)(o->workload ? o->workload->batch : 8000)),
                    err));
    reads->lanes = reads_lanes_work(reads);
    TRY(reads_choice_sample(&reads->c, o->seed, err));
    NEW(reads->record, reads->l.rows * reads->stride + READS_RECORD_SLACK, "reads of rows");
    NEW(reads->mine, reads->c.threads * reads->groups, "reads of rows");
    NEW(reads->c.own, reads->c.trains, "parts of training vertices");
    NEW(reads->c.wish, reads->c.trains, "parts of training vertices");
    for (uint64_t t = 0; t < reads->c.trains; t++) reads->c.count[reads->c.own[t] = part[reads->l.train[t]]]++;
#pragma omp parallel for schedule(dynamic, 256) num_threads(reads->c.threads)
    for (uint64_t t = 0; t < reads->c.trains; t++) put(reads, t, reads->c.own[t], 1, &reads->c.work[reads->c.own[t]]);
    TRY(arrange(reads, err));
    TRY(reads_balance(reads, g, &changed, err));
    if (changed) TRY(arrange(reads, err));
    renumber(reads, to);
    for (uint64_t v = 0; v < g->n; v++) part[v] = to[part[v]];
    for (uint64_t t = 0; t < reads->c.trains; t++) part[reads->l.train[t]] = to[reads->c.own[t]];
    (void)report;
done:
    if (reads) reads_free(reads);
    return st;
}
