#include "planner/partition/reads_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/wide.h"

enum {
    SAMPLE_PER_PART = 16384,
    SCALE_SAMPLE = 1024,
    PRICE_STEPS = 150,
    LANES = 64 /* training vertices of the sample that choose together: loops over them need no branch */
};

void reads_choice_release(struct reads_choice *choice)
{
    mem_free(choice->own);
    mem_free(choice->wish);
    mem_free(choice->order);
    mem_free(choice->sampled);
    mem_free(choice->price);
}

static uint64_t sample_of(uint64_t trains, int parts)
{
    return (uint64_t)parts * SAMPLE_PER_PART < trains ? (uint64_t)parts * SAMPLE_PER_PART : trains;
}

uint64_t reads_choice_bytes(uint64_t trains, int parts)
{
    return trains * (8 * (uint64_t)parts + 2) + sample_of(trains, parts) * (8 * (uint64_t)parts + 4);
}

/* A keyed random sample of the training vertices; all, when they are few. */
enum st reads_choice_sample(struct reads_choice *choice, uint64_t seed, struct err *err)
{
    enum { STREAM_SAMPLE = 0x73616d70 };
    uint64_t trains = choice->trains;
    choice->sample = sample_of(trains, choice->parts);
    MAKE(choice->order, choice->sample, "a sample of training vertices");
    MAKE(choice->sampled, 2 * (uint64_t)choice->parts * choice->sample, "costs of a sample of training vertices");
    for (uint64_t i = 0; i < choice->sample; i++)
        choice->order[i] = (uint32_t)(choice->sample == trains ? i : rng_hash(seed, STREAM_SAMPLE, i) % trains);
    return ST_OK;
}

/* The part with the least cost at the prices; *gap, if not NULL: what the second costs more. */
static int cheapest(const struct reads_choice *choice, uint64_t t, double *gap)
{
    const float *cost = reads_cost(choice, t), *rows = reads_rows(choice, t);
    int best = 0;
    double least = 1e300, second = 1e300;
    for (int p = 0; p < choice->parts; p++) {
        double c = cost[p] + choice->price_count[p] + choice->price_work[p] * rows[p];
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
static void find_scale(const struct reads_choice *choice, double *gap, double *rows)
{
    double gaps[SCALE_SAMPLE];
    uint64_t count = choice->trains < SCALE_SAMPLE ? choice->trains : SCALE_SAMPLE;
    *rows = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t t = choice->trains * i / count;
        cheapest(choice, t, &gaps[i]);
        *rows += reads_rows(choice, t)[choice->own[t]] / (double)count;
    }
    qsort(gaps, count, sizeof *gaps, compare_doubles);
    *gap = fmax(gaps[count / 2], 1e-6 * (double)choice->unit);
    *rows = fmax(*rows, 1);
}

/* Costs and rows of the sample, part by part and side by side, as every step of the prices reads them all. */
static void copy_sampled(struct reads_choice *choice)
{
    uint64_t n = choice->sample, parts = (uint64_t)choice->parts;
#pragma omp parallel for schedule(static) num_threads(choice->threads)
    for (uint64_t i = 0; i < n; i++) {
        const float *cost = reads_cost(choice, choice->order[i]), *rows = reads_rows(choice, choice->order[i]);
        for (uint64_t p = 0; p < parts; p++) {
            choice->sampled[2 * p * n + i] = cost[p];
            choice->sampled[(2 * p + 1) * n + i] = rows[p];
        }
    }
}

/* The cheapest parts of `lanes` of the sample, from i on, as `cheapest` finds them; and the rows gathered there. */
WIDE static void cheapest_lanes(const struct reads_choice *choice, uint64_t i, int lanes, double *best,
                                double *gathered)
{
    double least[LANES];
    for (int k = 0; k < LANES; k++) least[k] = 1e300;
    for (int p = 0; p < choice->parts; p++) {
        const float *cost = choice->sampled + 2 * (uint64_t)p * choice->sample + i, *rows = cost + choice->sample;
        double per_vertex = choice->price_count[p], per_row = choice->price_work[p];
        for (int k = 0; k < lanes; k++) {
            double here = cost[k] + per_vertex + per_row * rows[k];
            bool less = here < least[k];
            best[k] = less ? p : best[k];
            gathered[k] = less ? rows[k] : gathered[k];
            least[k] = less ? here : least[k];
        }
    }
}

/* How far numbers and work are off at the prices, in parts of the whole: over a sample of the training vertices. */
static double weigh(const struct reads_choice *choice, double *more, double *over)
{
    uint64_t count[PARTS_MAX] = {0};
    int64_t rows[PARTS_MAX] = {0};
    double scale = (double)choice->trains / (double)choice->sample, all = 0, worst = 0;
#pragma omp parallel for schedule(static) num_threads(choice->threads) reduction(+ : count, rows)
    for (uint64_t i = 0; i < choice->sample; i += LANES) {
        double best[LANES] = {0}, gathered[LANES] = {0};
        int lanes = choice->sample - i < LANES ? (int)(choice->sample - i) : LANES;
        cheapest_lanes(choice, i, lanes, best, gathered);
        for (int k = 0; k < lanes; k++) {
            count[(int)best[k]]++;
            rows[(int)best[k]] += (int64_t)gathered[k];
        }
    }
    for (int p = 0; p < choice->parts; p++) all += (double)choice->work[p] * choice->real[p];
    for (int p = 0; p < choice->parts; p++) {
        more[p] = (double)count[p] * scale / ((double)choice->trains * choice->share[p]) - 1;
        double work = ((double)choice->fixed[p] + (double)rows[p] * scale) * choice->real[p];
        over[p] = choice->unequal ? 0 : work / fmax(all * choice->share[p], 1) - 1;
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
static void find_prices(struct reads_choice *choice)
{
    double gap, rows, more[PARTS_MAX], over[PARTS_MAX], best = 1e300, best_count[PARTS_MAX], best_work[PARTS_MAX];
    struct price number[PARTS_MAX], work[PARTS_MAX];
    find_scale(choice, &gap, &rows);
    copy_sampled(choice);
    for (int p = 0; p < choice->parts; p++) {
        number[p] = (struct price){gap / 4, 0};
        work[p] = (struct price){gap / rows / 4, 0};
    }
    for (int i = 0; i < PRICE_STEPS; i++) {
        double off = weigh(choice, more, over);
        if (off < best) {
            best = off;
            memcpy(best_count, choice->price_count, sizeof best_count);
            memcpy(best_work, choice->price_work, sizeof best_work);
        }
        if (off <= 1) break;
        for (int p = 0; p < choice->parts; p++) {
            choice->price_count[p] += correct(&number[p], more[p], 0.003);
            choice->price_work[p] = fmax(0, choice->price_work[p] + correct(&work[p], over[p], 0.003));
        }
    }
    memcpy(choice->price_count, best_count, sizeof best_count);
    memcpy(choice->price_work, best_work, sizeof best_work);
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
static bool other_part(const struct reads_choice *choice, uint64_t t, int own, const uint64_t *count,
                       const uint64_t *below, struct change *c)
{
    const float *cost = reads_cost(choice, t), *rows = reads_rows(choice, t);
    double least = 1e300;
    *c = (struct change){0, (uint32_t)t, 0};
    for (int p = 0; p < choice->parts; p++) {
        double here = cost[p] + choice->price_count[p] + choice->price_work[p] * rows[p];
        if (p == own || count[p] >= below[p] || here >= least) continue;
        least = here;
        c->to = (uint8_t)p;
    }
    c->loss = least - (cost[own] + choice->price_count[own] + choice->price_work[own] * rows[own]);
    return least < 1e300;
}

/* Moves wishes, least loss first, from parts above `above` to parts below `below` until there are none. */
static enum st repair(struct reads_choice *choice, uint64_t *count, const uint64_t *above, const uint64_t *below,
                      struct err *err)
{
    bool moved = true, off = false;
    for (int p = 0; p < choice->parts; p++) off |= above == choice->most ? count[p] > above[p] : count[p] < below[p];
    if (!off) return ST_OK;
    OWNED_NEW(struct change, list, choice->trains, "moves of training vertices");
    while (moved) {
        uint64_t k = 0;
        moved = false;
        for (uint64_t t = 0; t < choice->trains; t++)
            if (count[choice->wish[t]] > above[choice->wish[t]])
                k += other_part(choice, t, choice->wish[t], count, below, &list[k]);
        qsort(list, k, sizeof *list, compare_changes);
        for (uint64_t i = 0; i < k; i++) {
            int own = choice->wish[list[i].t], to = list[i].to;
            if (count[own] <= above[own] || count[to] >= below[to]) continue;
            choice->wish[list[i].t] = (uint8_t)to;
            count[own]--;
            count[to]++;
            moved = true;
        }
    }
    return ST_OK;
}

enum st reads_choose(struct reads_choice *choice, struct err *err)
{
    uint64_t count[PARTS_MAX] = {0};
    find_prices(choice);
#pragma omp parallel for schedule(static) num_threads(choice->threads) reduction(+ : count)
    for (uint64_t t = 0; t < choice->trains; t++) count[choice->wish[t] = (uint8_t)cheapest(choice, t, NULL)]++;
    PASS(repair(choice, count, choice->most, choice->most, err));
    return repair(choice, count, choice->least, choice->least, err);
}
