#include "planner/places/place_bound.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

static const double close_enough = 1e-3; /* part of a known solution's cost: prices are searched no further */

enum { BLOCK = 4096 /* rows whose sum one thread makes */, LINE_STEPS = 24 };

/* Reads of row i and prices of its bytes, when `held` holds it; at most `least`, or anything above. */
static double priced(const struct place_problem *p, uint64_t i, const double price[PLACES_MAX], unsigned held,
                     double least)
{
    double v = 0;
    for (int k = 0; k < p->places; k++)
        if (held >> k & 1) v += price[k] * (double)p->bytes[i];
    return v >= least ? v : v + place_row_cost(p, i, (place_set)held);
}

place_set place_cheapest(const struct place_problem *p, uint64_t i, const double price[PLACES_MAX], double *value)
{
    place_set best = 0;
    *value = INFINITY;
    for (unsigned held = 1; held < 1u << p->places; held++) {
        double v = held & p->homes ? priced(p, i, price, held, *value) : INFINITY;
        if (v >= *value) continue;
        *value = v;
        best = (place_set)held;
    }
    return best;
}

double place_without(const struct place_problem *p, uint64_t i, const double price[PLACES_MAX], place_set best)
{
    double least = INFINITY;
    for (unsigned held = 1; held < 1u << p->places; held++) {
        if (!(held & p->homes) || (held & best) == best) continue;
        least = fmin(least, priced(p, i, price, held, least));
    }
    return least;
}

struct sums {
    double value, used[PLACES_MAX];
};

/* The bound by these prices, and the bytes that the cheapest sets take of each place. */
static enum st bound_at(const struct place_problem *p, const double price[PLACES_MAX], int threads, double *value,
                        double used[PLACES_MAX], struct err *err)
{
    enum st st = ST_OK;
    uint64_t blocks = (p->rows + BLOCK - 1) / BLOCK;
    struct sums *part = NULL, all = {0};
    NEW(part, blocks + 1, "the sums of a bound");
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (uint64_t b = 0; b < blocks; b++)
        for (uint64_t i = b * BLOCK; i < p->rows && i < (b + 1) * BLOCK; i++) {
            double v;
            place_set held = place_cheapest(p, i, price, &v);
            part[b].value += v;
            for (int k = 0; k < p->places; k++)
                if (held >> k & 1) part[b].used[k] += (double)p->bytes[i];
        }
    for (uint64_t b = 0; b < blocks; b++) {
        all.value += part[b].value;
        for (int k = 0; k < p->places; k++) all.used[k] += part[b].used[k];
    }
    for (int k = 0; k < p->places; k++) all.value -= price[k] * (double)p->capacity[k];
    *value = all.value;
    memcpy(used, all.used, sizeof all.used);
done:
    mem_free(part);
    return st;
}

/* ---- the search for prices ---- */

struct ascent {
    const struct place_problem *p;
    int threads, rounds; /* that are left */
    double known;        /* cost of a solution */
    double value, price[PLACES_MAX], slope[PLACES_MAX];
    struct place_prices best;
    double highest; /* price at which no byte is worth holding */
};

/* The bound by x->price, and its slope: bytes beyond the capacity of each place. */
static enum st measure(struct ascent *x, struct err *err)
{
    enum st st;
    double used[PLACES_MAX];
    x->rounds--;
    TRY(bound_at(x->p, x->price, x->threads, &x->value, used, err));
    for (int k = 0; k < x->p->places; k++)
        x->slope[k] = x->p->capacity[k] == UINT64_MAX ? 0 : used[k] - (double)x->p->capacity[k];
    if (!(x->value > x->best.value)) goto done;
    x->best.value = x->value;
    memcpy(x->best.price, x->price, sizeof x->price);
    if (x->known - x->value <= close_enough * x->known) x->rounds = 0;
done:
    return st;
}

/* The best prices on the line that raises those of `places` together, by bisection of the slope. */
static enum st search_line(struct ascent *x, place_set places, struct err *err)
{
    enum st st = ST_OK;
    double from[PLACES_MAX], low = -x->highest, high = x->highest;
    memcpy(from, x->best.price, sizeof from);
    for (int k = 0; k < x->p->places; k++) {
        if (x->p->capacity[k] == UINT64_MAX) places &= (place_set) ~(1u << k); /* its price stays 0 */
        if (places >> k & 1) low = fmax(low, -from[k]);
    }
    for (int step = 0; step < LINE_STEPS && x->rounds > 0; step++) {
        double at = step ? (low + high) / 2 : low, slope = 0;
        for (int k = 0; k < x->p->places; k++) x->price[k] = fmax(0, from[k] + (places >> k & 1 ? at : 0));
        TRY(measure(x, err));
        for (int k = 0; k < x->p->places; k++) slope += places >> k & 1 ? x->slope[k] : 0;
        if (!step && !(slope > 0)) break; /* already there is room: lower prices are not possible */
        if (slope > 0) low = at;
        else high = at;
    }
done:
    return st;
}

/* Projected subgradients with Polyak's step, where lines end in kinks. */
static enum st climb(struct ascent *x, struct err *err)
{
    enum st st = ST_OK;
    double step = 1;
    int since = 0;
    memcpy(x->price, x->best.price, sizeof x->price);
    while (x->rounds > 0) {
        double before = x->best.value, norm = 0;
        TRY(measure(x, err));
        since = x->best.value > before ? 0 : since + 1;
        for (int k = 0; k < x->p->places; k++) {
            if (x->slope[k] < 0 && !(x->price[k] > 0)) x->slope[k] = 0;
            norm += x->slope[k] * x->slope[k];
        }
        if (!(norm > 0) || !(x->known > x->value)) break;
        for (int k = 0; k < x->p->places; k++)
            x->price[k] = fmax(0, x->price[k] + step * (x->known - x->value) / norm * x->slope[k]);
        if (since < 4) continue;
        since = 0;
        step /= 2;
        memcpy(x->price, x->best.price, sizeof x->price);
    }
done:
    return st;
}

/* A copy is worth at most what its row costs without copies. */
static double highest_price(const struct place_problem *p)
{
    double most = 0;
    for (uint64_t i = 0; i < p->rows; i++)
        for (int k = 0; k < p->places; k++)
            if (p->homes >> k & 1) most = fmax(most, place_row_cost(p, i, (place_set)(1u << k)) / (double)p->bytes[i]);
    return most;
}

enum st place_bound(const struct place_problem *p, double known, int rounds, int threads, struct place_prices *out,
                    struct err *err)
{
    enum st st;
    struct ascent x = {.p = p, .threads = threads, .rounds = rounds, .known = known, .best = {.value = -INFINITY}};
    x.highest = highest_price(p);
    TRY(measure(&x, err));
    for (double before = -INFINITY; x.rounds > rounds / 4 && x.best.value > before;) {
        before = x.best.value;
        for (int k = 0; k <= p->places; k++) TRY(search_line(&x, k < p->places ? (place_set)(1u << k) : p->homes, err));
    }
    TRY(climb(&x, err));
    *out = x.best;
done:
    return st;
}
