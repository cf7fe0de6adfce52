#include "planner/partition/reads.h"

#include <math.h>
#include <stdio.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "planner/partition/reads_lists.h"

enum {
    HELD_MOST = PARTITION_HELD_MOST,
    COUNT_MOST = UINT16_MAX - READS_SAMPLES, /* a row that is read more often is held, or reached, by everyone */
    ROUNDS = 10,
    SAMPLE_PER_PART = 16384,
    SCALE_SAMPLE = 1024,
    PRICE_STEPS = 150,
    WEIGHT = 1 << 12, /* of a row that no share holds */
    FINE = 6,         /* bits of a value that its bucket keeps */
    BUCKETS = 64 << FINE
};

/* State. Records lie per row: uint16 counts of samples per part, then a uint8 per group: how many of the shares do
 * not hold the row. */
struct reads {
    const struct partition_options *o;
    struct reads_lists l;
    int parts, groups, held, threads;
    uint64_t stride;
    uint8_t *record;       /* [rows][stride] */
    uint8_t *own;          /* [trains] */
    uint8_t *wish;         /* [trains] */
    uint32_t *order;       /* [sample] training vertices that prices are found for */
    uint64_t sample;
    float *price;          /* [trains][2][parts] costs, rows gathered more */
    uint8_t group[PARTS_MAX];
    uint32_t *gather[PARTS_MAX]; /* [COUNT_MOST + samples + 1] a_p by number of samples, in units; shared by like parts */
    bool owner[PARTS_MAX];
    uint64_t unit;
    uint64_t want[PARTS_MAX], least[PARTS_MAX], most[PARTS_MAX];
    uint64_t count[PARTS_MAX], work[PARTS_MAX]; /* training vertices; rows gathered, in units */
    double share[PARTS_MAX], gpus[PARTS_MAX];   /* of the whole, sum 1; GPUs of each group */
    uint64_t room[HELD_MOST][PARTS_MAX];        /* rows that a group holds of those in the lists */
    int64_t weight[HELD_MOST + 1];
    int64_t fixed[PARTS_MAX];
    double price_work[PARTS_MAX], price_count[PARTS_MAX];
};

static inline uint16_t *counts_of(const struct reads *x, uint64_t row) { return (uint16_t *)(x->record + row * x->stride); }
static inline uint8_t *levels_of(const struct reads *x, uint64_t row)
{
    return x->record + row * x->stride + 2 * (uint64_t)x->parts;
}

static inline float *cost_of(const struct reads *x, uint64_t t) { return x->price + 2 * t * (uint64_t)x->parts; }
static inline float *rows_of(const struct reads *x, uint64_t t) { return cost_of(x, t) + x->parts; }

/* ---- set-up ---- */

static enum st make_tables(struct reads *x, double batches_of_share, struct err *err)
{
    enum st st = ST_OK;
    double most = 0;
    for (int p = 0; p < x->parts; p++) most = fmax(most, x->share[p] * batches_of_share);
    x->unit = 1 << 20;
    while ((double)x->unit * (most + 1) > 0x1p31) x->unit /= 2;
    for (int p = 0; p < x->parts; p++) {
        for (int q = 0; q < p && !x->gather[p]; q++)
            if (x->share[q] == x->share[p]) x->gather[p] = x->gather[q];
        if (x->gather[p]) continue;
        double b = fmax(1, x->share[p] * batches_of_share);
        NEW(x->gather[p], COUNT_MOST + READS_SAMPLES + 1, "reads by number of samples");
        x->owner[p] = true;
        for (int r = 0; r <= COUNT_MOST + READS_SAMPLES; r++)
            x->gather[p][r] = (uint32_t)(b * -expm1(-r / (b * x->l.samples)) * (double)x->unit);
    }
done:
    return st;
}

static uint64_t slack(uint64_t want) { return want < 100 ? 0 : want / 50; }

static void set_shares(struct reads *x, const struct graph *g, const double *share)
{
    double sum = 0;
    uint64_t given = 0, trains = x->l.trains;
    static const double usual[] = {0.01, 0.02, 0.04, 0.08};
    const double *held = x->o->held_count ? x->o->held : usual;
    x->held = x->o->held_count ? x->o->held_count : (int)(sizeof usual / sizeof *usual);
    for (int p = 0; p < x->parts; p++) sum += share[p];
    for (int p = 0; p < x->parts; p++) {
        x->share[p] = share[p] / sum;
        x->group[p] = x->o->group ? x->o->group[p] : (uint8_t)p;
        if (x->group[p] >= x->groups) x->groups = x->group[p] + 1;
        x->gpus[x->group[p]] += share[p];
        given += x->want[p] = (uint64_t)floor((double)trains * x->share[p]);
    }
    for (int p = 0; given < trains; p = (p + 1) % x->parts, given++) x->want[p]++;
    for (int p = 0; p < x->parts; p++) {
        x->least[p] = x->want[p] - slack(x->want[p]);
        x->most[p] = x->want[p] + slack(x->want[p]);
        if (x->want[p] < 100 && trains > (uint64_t)x->parts) x->most[p]++; /* so that anything can move at all */
    }
    for (int i = 0; i < x->held; i++)
        for (int c = 0; c < x->groups; c++)
            x->room[i][c] = (uint64_t)(held[i] * x->gpus[c] * (double)graph_total_bytes(g) / (double)g->row_bytes *
                                       x->l.kept);
}

/* A keyed random sample of the training vertices; all, when they are few. */
static enum st make_sample(struct reads *x, struct err *err)
{
    enum { STREAM_SAMPLE = 0x73616d70 };
    enum st st = ST_OK;
    uint64_t trains = x->l.trains;
    x->sample = (uint64_t)x->parts * SAMPLE_PER_PART < trains ? (uint64_t)x->parts * SAMPLE_PER_PART : trains;
    NEW(x->order, x->sample, "a sample of training vertices");
    for (uint64_t i = 0; i < x->sample; i++)
        x->order[i] = (uint32_t)(x->sample == trains ? i : rng_hash(x->o->seed, STREAM_SAMPLE, i) % trains);
done:
    return st;
}

/* Adds (sign 1) or takes away (-1) the samples of a training vertex; *work changes by what its part gathers more or
 * less. Any number of threads may do so: each sees the counts at its turn, and the differences add up to the same. */
static void put(struct reads *x, uint64_t t, int p, int sign, uint64_t *work)
{
    const uint32_t *gather = x->gather[p];
    uint64_t change = 0;
    for (uint64_t i = x->l.start[t]; i < x->l.start[t + 1]; i++) {
        uint16_t times = x->l.times[i], *c = &counts_of(x, x->l.row[i])[p];
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

static uint64_t group_reads(const struct reads *x, uint64_t row, int group)
{
    uint64_t sum = 0;
    const uint16_t *c = counts_of(x, row);
    for (int p = 0; p < x->parts; p++)
        if (x->group[p] == group) sum += x->gather[p][c[p]];
    return sum;
}

struct histogram {
    uint64_t rows[BUCKETS], reads[BUCKETS];
};

static void fill_histogram(const struct reads *x, int group, struct histogram *h)
{
    memset(h, 0, sizeof *h);
#pragma omp parallel num_threads(x->threads)
    {
        struct histogram mine = {0};
#pragma omp for schedule(static) nowait
        for (uint64_t v = 0; v < x->l.rows; v++) {
            uint64_t reads = group_reads(x, v, group);
            int b = bucket_of(reads);
            mine.rows[b]++;
            mine.reads[b] += reads;
        }
#pragma omp critical(reads_histogram)
        for (int b = 0; b < BUCKETS; b++) {
            h->rows[b] += mine.rows[b];
            h->reads[b] += mine.reads[b];
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

/* Finds what each group would hold at each share; sets levels and weights. Returns the mean logarithm of the reads
 * that are left. */
static double look(struct reads *x, struct histogram *h)
{
    uint64_t left[HELD_MOST] = {0}, all = 0;
    double score = 0, sum = 0;
    for (int c = 0; c < x->groups; c++) {
        int at[HELD_MOST];
        fill_histogram(x, c, h);
        for (int i = 0; i < x->held; i++) at[i] = threshold(h, x->room[i][c], &left[i]);
#pragma omp parallel for schedule(static) num_threads(x->threads)
        for (uint64_t v = 0; v < x->l.rows; v++) {
            int b = bucket_of(group_reads(x, v, c)), level = 0;
            while (level < x->held && b < at[level]) level++;
            levels_of(x, v)[c] = (uint8_t)level;
        }
    }
    for (int p = 0; p < x->parts; p++) all += x->work[p];
    for (int i = 0; i < x->held; i++) {
        double f = fmax((double)left[i], (double)all / 100); /* what leaves next to nothing decides nothing */
        score += log(f) / x->held;
        sum += 1 / f;
    }
    double part = 0;
    for (int i = 0; i < x->held; i++) {
        part += 1 / fmax((double)left[i], (double)all / 100);
        x->weight[i + 1] = (int64_t)(WEIGHT * part / sum);
    }
    return score;
}

/* ---- moves ---- */

/* What training vertex t costs in every part, and how many rows more it gathers there. */
static void costs(const struct reads *x, uint64_t t, float *cost, float *rows)
{
    enum { AHEAD = 8 };
    int64_t price[PARTS_MAX] = {0}, work[PARTS_MAX] = {0};
    int own = x->own[t];
    for (uint64_t i = x->l.start[t], end = x->l.start[t + 1]; i < end; i++) {
        if (i + AHEAD < end) __builtin_prefetch(counts_of(x, x->l.row[i + AHEAD]));
        const uint16_t *c = counts_of(x, x->l.row[i]);
        const uint8_t *level = levels_of(x, x->l.row[i]);
        unsigned times = x->l.times[i];
        for (int p = 0; p < x->parts; p++) {
            unsigned r = p == own ? c[p] - times : c[p];
            int64_t more = x->gather[p][r + times] - x->gather[p][r];
            price[p] += more * x->weight[level[x->group[p]]];
            work[p] += more;
        }
    }
    for (int p = 0; p < x->parts; p++) {
        cost[p] = (float)price[p] / (float)WEIGHT;
        rows[p] = (float)work[p];
    }
}

/* All costs into x->price. The rows of part p that do not depend on who of the others is where: x->fixed[p]. */
static void find_costs(struct reads *x)
{
    int64_t own[PARTS_MAX] = {0};
#pragma omp parallel for schedule(dynamic, 64) num_threads(x->threads)
    for (uint64_t t = 0; t < x->l.trains; t++) costs(x, t, cost_of(x, t), rows_of(x, t));
    for (uint64_t t = 0; t < x->l.trains; t++) own[x->own[t]] += (int64_t)rows_of(x, t)[x->own[t]];
    for (int p = 0; p < x->parts; p++) x->fixed[p] = (int64_t)x->work[p] - own[p];
}

/* The part with the least cost at the prices; *gap, if not NULL: what the second costs more. */
static int cheapest(const struct reads *x, uint64_t t, double *gap)
{
    const float *cost = cost_of(x, t), *rows = rows_of(x, t);
    int best = 0;
    double least = 1e300, second = 1e300;
    for (int p = 0; p < x->parts; p++) {
        double c = cost[p] + x->price_count[p] + x->price_work[p] * rows[p];
        if (c < least) {
            second = least;
            least = c;
            best = p;
        } else if (c < second) second = c;
    }
    if (gap) *gap = second - least;
    return best;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What it usually takes to make a training vertex choose another part, and the rows that it gathers. */
static void find_scale(const struct reads *x, double *gap, double *rows)
{
    double gaps[SCALE_SAMPLE];
    uint64_t count = x->l.trains < SCALE_SAMPLE ? x->l.trains : SCALE_SAMPLE;
    *rows = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t t = x->l.trains * i / count;
        cheapest(x, t, &gaps[i]);
        *rows += rows_of(x, t)[x->own[t]] / (double)count;
    }
    qsort(gaps, count, sizeof *gaps, compare_doubles);
    *gap = fmax(gaps[count / 2], 1e-6 * (double)x->unit);
}

/* How far numbers and work are off at the prices, in parts of the whole: over a sample of the training vertices. */
static double weigh(const struct reads *x, double *more, double *over)
{
    uint64_t count[PARTS_MAX] = {0}, sample = x->l.trains < x->sample ? x->l.trains : x->sample;
    int64_t rows[PARTS_MAX] = {0};
    double scale = (double)x->l.trains / (double)sample, all = 0, worst = 0;
#pragma omp parallel for schedule(static) num_threads(x->threads) reduction(+ : count, rows)
    for (uint64_t i = 0; i < sample; i++) {
        uint64_t t = x->order[i];
        int p = cheapest(x, t, NULL);
        count[p]++;
        rows[p] += (int64_t)rows_of(x, t)[p];
    }
    for (int p = 0; p < x->parts; p++) all += (double)x->work[p];
    for (int p = 0; p < x->parts; p++) {
        more[p] = (double)count[p] * scale / ((double)x->l.trains * x->share[p]) - 1;
        over[p] = ((double)x->fixed[p] + (double)rows[p] * scale) / (all * x->share[p]) - 1;
        worst = fmax(worst, fmax(fabs(more[p]) / 0.01, over[p] / 0.015));
    }
    return worst;
}

/* One price of the dual: its step grows while the same correction is asked for, and is halved when that turns. */
struct price {
    double step, last;
};

static double correct(struct price *p, double off, double bound)
{
    if (off * p->last < 0) p->step *= 0.5;
    else if (off * p->last > 0) p->step *= 1.3;
    p->last = fabs(off) > bound ? off : 0;
    return fabs(off) > bound ? (off > 0 ? p->step : -p->step) : 0;
}

/* Prices at which the cheapest parts of all training vertices keep numbers and work in bounds: resilient steps along
 * the subgradient of the dual; the best prices met are kept. */
static void find_prices(struct reads *x)
{
    double gap, rows, more[PARTS_MAX], over[PARTS_MAX], best = 1e300, best_count[PARTS_MAX], best_work[PARTS_MAX];
    struct price number[PARTS_MAX], work[PARTS_MAX];
    find_scale(x, &gap, &rows);
    for (int p = 0; p < x->parts; p++) {
        number[p] = (struct price){gap / 4, 0};
        work[p] = (struct price){gap / rows / 4, 0};
    }
    for (int i = 0; i < PRICE_STEPS; i++) {
        double off = weigh(x, more, over);
        if (off < best) {
            best = off;
            memcpy(best_count, x->price_count, sizeof best_count);
            memcpy(best_work, x->price_work, sizeof best_work);
        }
        if (off <= 1) break;
        for (int p = 0; p < x->parts; p++) {
            x->price_count[p] += correct(&number[p], more[p], 0.003);
            x->price_work[p] = fmax(0, x->price_work[p] + correct(&work[p], over[p], 0.003));
        }
    }
    memcpy(x->price_count, best_count, sizeof best_count);
    memcpy(x->price_work, best_work, sizeof best_work);
    if (getenv("R_DEBUG")) fprintf(stderr, "  off %.2f\n", best);
}

struct change {
    double loss;
    uint32_t t;
    uint8_t to;
};

static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->loss != y->loss) return x->loss < y->loss ? -1 : 1;
    return (x->t > y->t) - (x->t < y->t);
}

/* The cheapest part for t, of those that are below `most` of theirs (or, with `least`, below the least), but `own`. */
static bool other_part(const struct reads *x, uint64_t t, int own, const uint64_t *count, const uint64_t *below,
                       struct change *c)
{
    const float *cost = cost_of(x, t), *rows = rows_of(x, t);
    double least = 1e300;
    *c = (struct change){0, (uint32_t)t, 0};
    for (int p = 0; p < x->parts; p++) {
        double here = cost[p] + x->price_count[p] + x->price_work[p] * rows[p];
        if (p == own || count[p] >= below[p] || here >= least) continue;
        least = here;
        c->to = (uint8_t)p;
    }
    c->loss = least - (cost[own] + x->price_count[own] + x->price_work[own] * rows[own]);
    return least < 1e300;
}

/* Moves wishes, least loss first, from parts above `above` to parts below `below` until there are none. */
static enum st repair(struct reads *x, uint64_t *count, const uint64_t *above, const uint64_t *below, struct err *err)
{
    enum st st = ST_OK;
    struct change *list = NULL;
    bool moved = true, off = false;
    for (int p = 0; p < x->parts; p++) off |= above == x->most ? count[p] > above[p] : count[p] < below[p];
    if (!off) return ST_OK;
    NEW(list, x->l.trains, "moves of training vertices");
    while (moved) {
        uint64_t k = 0;
        moved = false;
        for (uint64_t t = 0; t < x->l.trains; t++)
            if (count[x->wish[t]] > above[x->wish[t]]) k += other_part(x, t, x->wish[t], count, below, &list[k]);
        qsort(list, k, sizeof *list, compare_changes);
        for (uint64_t i = 0; i < k; i++) {
            int own = x->wish[list[i].t], to = list[i].to;
            if (count[own] <= above[own] || count[to] >= below[to]) continue;
            x->wish[list[i].t] = (uint8_t)to;
            count[own]--;
            count[to]++;
            moved = true;
        }
    }
done:
    mem_free(list);
    return st;
}

static enum st choose(struct reads *x, struct err *err)
{
    enum st st;
    uint64_t count[PARTS_MAX] = {0};
#pragma omp parallel for schedule(static) num_threads(x->threads) reduction(+ : count)
    for (uint64_t t = 0; t < x->l.trains; t++) count[x->wish[t] = (uint8_t)cheapest(x, t, NULL)]++;
    TRY(repair(x, count, x->most, x->most, err));
    TRY(repair(x, count, x->least, x->least, err));
done:
    return st;
}

static uint64_t apply(struct reads *x)
{
    uint64_t moved = 0;
#pragma omp parallel for schedule(dynamic, 64) num_threads(x->threads) reduction(+ : moved)
    for (uint64_t t = 0; t < x->l.trains; t++) {
        if (x->own[t] == x->wish[t]) continue;
        put(x, t, x->own[t], -1, &x->work[x->own[t]]);
        put(x, t, x->wish[t], 1, &x->work[x->wish[t]]);
        x->own[t] = x->wish[t];
        moved++;
    }
    return moved;
}

/* Work of the part with most for its share, in parts of the mean. */
static double busiest(const struct reads *x)
{
    double all = 0, most = 0;
    for (int p = 0; p < x->parts; p++) all += (double)x->work[p];
    for (int p = 0; p < x->parts; p++) most = fmax(most, (double)x->work[p] / (all * x->share[p]));
    return most;
}

#include <stdio.h>
static enum st improve(struct reads *x, struct err *err)
{
    enum st st = ST_OK;
    struct histogram *h = NULL;
    uint8_t *best = NULL;
    double least = 1e300;
    NEW(h, 1, "a histogram of reads");
    NEW(best, x->l.trains, "parts of training vertices");
    NEW(x->price, 2 * x->l.trains * (uint64_t)x->parts, "costs of training vertices");
    int rounds = getenv("R_ROUNDS") ? atoi(getenv("R_ROUNDS")) : ROUNDS;
    for (int r = 0; r <= rounds; r++) {
        double score = look(x, h), busy = busiest(x), value = score + log(fmax(busy, 1.03));
        uint64_t moved = 0;
        bool better = value < least;
        double gain = least - value;
        if (better) {
            least = value;
            memcpy(best, x->own, x->l.trains);
        }
        if (getenv("R_DEBUG")) fprintf(stderr, "round %d: F %.0f work %.3f total %.0f\n", r, exp(score) / (double)x->unit, busy, (double)(x->work[0]) / (double)x->unit), fprintf(stderr, "  %.2f s\n", omp_get_wtime());
        if (r == rounds || (r > 3 && gain < 0.001)) break;
        find_costs(x);
        find_prices(x);
        if (getenv("R_DEBUG")) for (int p = 0; p < x->parts; p++) fprintf(stderr, "   part %d count %llu work %.3f fixed %.3f pc %.3g pw %.3g\n", p, (unsigned long long)0, (double)x->work[p] / (double)x->unit, (double)x->fixed[p] / (double)x->unit, x->price_count[p], x->price_work[p]);
        TRY(choose(x, err));
        moved = apply(x);
        if (!moved) break;
    }
    memcpy(x->wish, best, x->l.trains);
    apply(x);
done:
    mem_free(h);
    mem_free(best);
    return st;
}

/* ---- which part lies where ---- */

/* Swaps parts of different groups while fewer reads would be left. */
static enum st arrange(struct reads *x, struct err *err)
{
    enum st st = ST_OK;
    struct histogram *h = NULL;
    NEW(h, 1, "a histogram of reads");
    double now = look(x, h);
    bool again = x->groups > 1;
    while (again) {
        again = false;
        for (int p = 0; p < x->parts; p++)
            for (int q = 0; q < p; q++) {
                if (x->group[p] == x->group[q] || x->share[p] != x->share[q]) continue;
                uint8_t kept = x->group[p];
                x->group[p] = x->group[q];
                x->group[q] = kept;
                double then = look(x, h);
                if (then < now - 1e-4) {
                    now = then;
                    again = true;
                } else {
                    x->group[q] = x->group[p];
                    x->group[p] = kept;
                }
            }
    }
    look(x, h);
done:
    mem_free(h);
    return st;
}

/* Parts by the number that their group has: part p's training vertices become those of a part of group[p]. */
static void renumber(const struct reads *x, uint8_t *to)
{
    bool taken[PARTS_MAX] = {false};
    for (int p = 0; p < x->parts; p++)
        for (int q = 0; q < x->parts; q++) {
            int group = x->o->group ? x->o->group[q] : q;
            if (taken[q] || group != x->group[p] || x->share[p] != x->share[q]) continue;
            taken[q] = true;
            to[p] = (uint8_t)q;
            break;
        }
}

static void reads_free(struct reads *x)
{
    reads_lists_release(&x->l);
    mem_free(x->record);
    mem_free(x->own);
    mem_free(x->wish);
    mem_free(x->order);
    mem_free(x->price);
    for (int p = 0; p < x->parts; p++)
        if (x->owner[p]) mem_free(x->gather[p]);
    mem_free(x);
}

static uint64_t stride_of(int parts, int groups)
{
    uint64_t bytes = 2 * (uint64_t)parts + (uint64_t)groups;
    return (bytes + 3) / 4 * 4;
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
    struct reads *x = NULL;
    uint8_t to[PARTS_MAX];
    double gpus = 0;
    if (!g->train_count || parts < 2) return ST_OK;
    NEW(x, 1, "reads");
    *x = (struct reads){.o = o, .parts = parts, .threads = threads_for(g->train_count, o->threads)};
    TRY(reads_lists_make(g, o, stride_of(parts, parts), COUNT_MOST, &x->l, err));
    set_shares(x, g, share);
    x->stride = stride_of(parts, x->groups);
    for (int p = 0; p < parts; p++) gpus += share[p];
    TRY(make_tables(x, gpus * ceil((double)g->train_count / gpus / (double)(o->workload ? o->workload->batch : 8000)), err));
    TRY(make_sample(x, err));
    NEW(x->record, x->l.rows * x->stride, "reads of rows");
    NEW(x->own, x->l.trains, "parts of training vertices");
    NEW(x->wish, x->l.trains, "parts of training vertices");
    for (uint64_t t = 0; t < x->l.trains; t++) x->count[x->own[t] = part[x->l.train[t]]]++;
#pragma omp parallel for schedule(dynamic, 256) num_threads(x->threads)
    for (uint64_t t = 0; t < x->l.trains; t++) put(x, t, x->own[t], 1, &x->work[x->own[t]]);
    TRY(arrange(x, err));
    TRY(improve(x, err));
    TRY(arrange(x, err));
    renumber(x, to);
    for (uint64_t v = 0; v < g->n; v++) part[v] = to[part[v]];
    for (uint64_t t = 0; t < x->l.trains; t++) part[x->l.train[t]] = to[x->own[t]];
    (void)report;
done:
    if (x) reads_free(x);
    return st;
}
