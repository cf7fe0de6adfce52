#include "planner/places/place_bound.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

static const double close_enough = 1e-3; /* part of a known solution's cost: prices are searched no further */

enum { BLOCK = 4096 /* rows whose sum one thread makes */, LINE_STEPS = 24, PRICE_STEPS = 52 };
enum { SAMPLE_ROWS = 16384, SAMPLE_ROUNDS = 400 };

place_set place_cheapest(const struct place_table *t, const double *value, double *least)
{
    int best = 0;
    for (int i = 1; i < t->sets; i++)
        if (value[i] < value[best]) best = i;
    *least = value[best];
    return t->held[best];
}

double place_without(const struct place_table *t, const double *value, place_set best)
{
    double least = INFINITY;
    for (int i = 0; i < t->sets; i++)
        if ((t->held[i] & best) != best) least = fmin(least, value[i]);
    return least;
}

struct sums {
    double value, used[PLACES_MAX];
};

/* The bound by these prices, and the bytes that the cheapest sets take of each place. */
static enum st bound_at(const struct place_problem *p, const struct place_table *t, const double price[PLACES_MAX],
                        int threads, double *value, double used[PLACES_MAX], struct err *err)
{
    enum st st = ST_OK;
    double set_price[PLACE_SETS_MAX];
    uint64_t blocks = (p->rows + BLOCK - 1) / BLOCK;
    struct sums *part = NULL, all = {0};
    NEW(part, blocks + 1, "the sums of a bound");
    place_set_prices(t, price, set_price);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (uint64_t b = 0; b < blocks; b++)
        for (uint64_t i = b * BLOCK; i < p->rows && i < (b + 1) * BLOCK; i++) {
            double v, of[PLACE_SETS_MAX];
            place_row_values(p, t, i, set_price, of);
            place_set held = place_cheapest(t, of, &v);
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
    const struct place_table *t;
    double *leaves;      /* [rows] price of a place above which a row is not in it */
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
    TRY(bound_at(x->p, x->t, x->price, x->threads, &x->value, used, err));
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

/* Finds the price of place k above which each row is not in it, at the other places' prices. */
static void find_leaves(struct ascent *x, int k)
{
    double others[PLACES_MAX], set_price[PLACE_SETS_MAX];
    memcpy(others, x->best.price, sizeof others);
    others[k] = 0;
    place_set_prices(x->t, others, set_price);
#pragma omp parallel for num_threads(x->threads)
    for (uint64_t i = 0; i < x->p->rows; i++) {
        double value[PLACE_SETS_MAX], in = INFINITY, out = INFINITY;
        place_row_values(x->p, x->t, i, set_price, value);
        for (int s = 0; s < x->t->sets; s++)
            if (x->t->held[s] >> k & 1) in = fmin(in, value[s]);
            else out = fmin(out, value[s]);
        x->leaves[i] = isinf(in) ? 0 : (out - in) / (double)x->p->bytes[i];
    }
}

/* The best price of place k at the others' prices: the least at which the rows that want the place fit into it. Sums
 * are of whole bytes, in any order. */
static enum st price_place(struct ascent *x, int k, struct err *err)
{
    double low = 0, high = x->highest;
    const struct place_problem *p = x->p;
    if (p->capacity[k] == UINT64_MAX) return ST_OK;
    find_leaves(x, k);
    x->rounds--;
    for (int step = 0; step < PRICE_STEPS; step++) {
        double at = step ? (low + high) / 2 : 0;
        uint64_t want = 0;
#pragma omp parallel for num_threads(x->threads) reduction(+ : want)
        for (uint64_t i = 0; i < p->rows; i++) want += x->leaves[i] > at ? p->bytes[i] : 0;
        if (want > p->capacity[k]) low = at;
        else high = at;
        if (!step && want <= p->capacity[k]) break;
    }
    memcpy(x->price, x->best.price, sizeof x->price);
    x->price[k] = high;
    return measure(x, err);
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

/* Raises prices from those of x->best: place by place and along lines while that helps, then by subgradients. */
static enum st search(struct ascent *x, struct err *err)
{
    enum st st;
    const struct place_problem *p = x->p;
    const place_set all = (place_set)((1u << p->places) - 1);
    const int rounds = x->rounds;
    memcpy(x->price, x->best.price, sizeof x->price);
    TRY(measure(x, err));
    for (double before = -INFINITY; x->rounds > rounds / 4 && x->best.value > before;) {
        before = x->best.value;
        for (int k = 0; k < p->places && x->rounds > 0; k++) TRY(price_place(x, k, err));
        TRY(search_line(x, p->homes, err));
        TRY(search_line(x, (place_set)(all & ~p->homes), err));
        TRY(search_line(x, all, err));
    }
    TRY(climb(x, err));
done:
    return st;
}

/* ---- a sample of the rows ---- */

/* Every stride-th row, in places that are as much smaller. */
struct sample {
    struct place_problem p;
    uint64_t *bytes;
    float *demand[PLACE_READERS_MAX];
};

static void sample_release(struct sample *s)
{
    mem_free(s->bytes);
    for (int r = 0; r < PLACE_READERS_MAX; r++) mem_free(s->demand[r]);
}

static enum st sample_make(const struct place_problem *p, uint64_t stride, struct sample *s, struct err *err)
{
    enum st st = ST_OK;
    s->p = *p;
    s->p.rows = p->rows / stride;
    NEW(s->bytes, s->p.rows + 1, "a sample of rows");
    for (uint64_t i = 0; i < s->p.rows; i++) s->bytes[i] = p->bytes[i * stride];
    s->p.bytes = s->bytes;
    for (int r = 0; r < p->readers; r++) {
        NEW(s->demand[r], s->p.rows + 1, "a sample of rows");
        for (uint64_t i = 0; i < s->p.rows; i++) s->demand[r][i] = p->demand[r][i * stride];
        s->p.demand[r] = s->demand[r];
    }
    for (int k = 0; k < p->places; k++)
        if (p->capacity[k] != UINT64_MAX) s->p.capacity[k] = p->capacity[k] / stride;
done:
    return st;
}

/* Where many rows are, prices are first searched for a sample. */
static enum st search_sample(struct ascent *x, struct err *err)
{
    enum st st;
    uint64_t stride = x->p->rows / SAMPLE_ROWS;
    struct sample s = {0};
    struct ascent y = *x;
    TRY(sample_make(x->p, stride, &s, err));
    y.p = &s.p;
    y.rounds = SAMPLE_ROUNDS;
    y.known = x->known / (double)stride;
    TRY(search(&y, err));
    memcpy(x->best.price, y.best.price, sizeof x->best.price);
done:
    sample_release(&s);
    return st;
}

enum st place_bound(const struct place_problem *p, double known, const struct place_prices *from, int rounds,
                    int threads, struct place_prices *out, struct err *err)
{
    enum st st;
    struct place_table t = {0};
    struct ascent x = {.p = p, .t = &t, .threads = threads, .rounds = rounds, .known = known};
    x.best.value = -INFINITY;
    TRY(place_table_make(p, &t, err));
    NEW(x.leaves, p->rows + 1, "prices of rows");
    x.highest = highest_price(p);
    if (from) memcpy(x.best.price, from->price, sizeof x.best.price);
    else if (p->rows >= 2 * SAMPLE_ROWS) TRY(search_sample(&x, err));
    TRY(search(&x, err));
    *out = x.best;
done:
    mem_free(x.leaves);
    place_table_release(&t);
    return st;
}
