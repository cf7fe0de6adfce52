#include "planner/places/place_bound.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

static const double close_enough = 1e-3; /* part of a known solution's cost: prices are searched no further */

enum { BLOCK = 1024 /* rows whose sum one thread makes */, LINE_STEPS = 24, PRICE_STEPS = 52 };
enum { SAMPLE_ROWS = 16384, SAMPLE_ROUNDS = 400 };

/* The sums of a block of rows. */
struct sums {
    double value, *used; /* [places] */
};

static void add_block(const struct place_table *t, const double *price, uint64_t block, struct sums *to)
{
    const struct place_problem *p = t->p;
    const int places = place_count(p);
    uint8_t set[PLACES_MAX / 8];
    for (uint64_t i = block * BLOCK; i < p->rows && i < (block + 1) * BLOCK; i++) {
        to->value += place_cheapest(t, i, price, false, set);
        for (int k = 0; k < places; k++)
            if (place_holds(set, k)) to->used[k] += (double)place_bytes(p, k, i);
    }
}

/* The bound by these prices, and the bytes that the cheapest sets take of each place. */
static enum st bound_at(const struct place_table *t, const double *price, int threads, double *value, double *used,
                        struct err *err)
{
    const struct place_problem *p = t->p;
    uint64_t blocks = (p->rows + BLOCK - 1) / BLOCK, places = (uint64_t)place_count(p);
    double sum = 0;
    OWNED double *all_used = NULL;
    OWNED struct sums *part = NULL;
    MAKE(part, blocks + 1, "the sums of a bound");
    MAKE(all_used, (blocks + 1) * places, "the sums of a bound");
    for (uint64_t b = 0; b < blocks; b++) part[b].used = all_used + b * places;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (uint64_t b = 0; b < blocks; b++) add_block(t, price, b, &part[b]);
    memset(used, 0, places * sizeof *used);
    for (uint64_t b = 0; b < blocks; b++) {
        sum += part[b].value;
        for (uint64_t k = 0; k < places; k++) used[k] += part[b].used[k];
    }
    for (uint64_t k = 0; k < places; k++)
        if (price[k] > 0) sum -= price[k] * (double)p->capacity[k];
    *value = sum;
    return ST_OK;
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
    double highest;                               /* price at which no byte is worth holding */
    double free[PLACES_MAX], without[PLACES_MAX]; /* for find_leaves */
};

/* The bound by ascent->price, and its slope: bytes beyond the capacity of each place. */
static enum st place_bound_measure(struct ascent *ascent, struct err *err)
{
    double used[PLACES_MAX];
    ascent->rounds--;
    PASS(bound_at(ascent->t, ascent->price, ascent->threads, &ascent->value, used, err));
    for (int k = 0; k < place_count(ascent->p); k++)
        ascent->slope[k] = ascent->p->capacity[k] == UINT64_MAX ? 0 : used[k] - (double)ascent->p->capacity[k];
    if (!(ascent->value > ascent->best.value)) return ST_OK;
    ascent->best.value = ascent->value;
    memcpy(ascent->best.price, ascent->price, sizeof ascent->price);
    if (ascent->known - ascent->value <= close_enough * ascent->known) ascent->rounds = 0;
    return ST_OK;
}

/* Whether a line raises the price of place k: `like` of every node, all homes, all groups of GPUs, or all. */
enum { LINE_ALL = -1, LINE_HOMES = -2, LINE_GPUS = -3 };
static bool on_line(const struct place_problem *p, int line, int k)
{
    if (p->capacity[k] == UINT64_MAX) return false; /* its price stays 0 */
    if (line >= 0) return k % (p->cliques + p->homes) == line;
    return line == LINE_ALL || place_is_home(p, k) == (line == LINE_HOMES);
}

/* The best prices on such a line, by bisection of the slope. */
static enum st search_line(struct ascent *ascent, int line, struct err *err)
{
    const int places = place_count(ascent->p);
    double from[PLACES_MAX], low = -ascent->highest, high = ascent->highest;
    memcpy(from, ascent->best.price, sizeof from);
    for (int k = 0; k < places; k++)
        if (on_line(ascent->p, line, k)) low = fmax(low, -from[k]);
    for (int step = 0; step < LINE_STEPS && ascent->rounds > 0; step++) {
        double at = step ? (low + high) / 2 : low, slope = 0;
        for (int k = 0; k < places; k++) ascent->price[k] = fmax(0, from[k] + (on_line(ascent->p, line, k) ? at : 0));
        PASS(place_bound_measure(ascent, err));
        for (int k = 0; k < places; k++) slope += on_line(ascent->p, line, k) ? ascent->slope[k] : 0;
        if (!step && !(slope > 0)) break; /* already there is room: lower prices are not possible */
        if (slope > 0) low = at;
        else high = at;
    }
    return ST_OK;
}

/* Finds the price of place k above which each row is not in it, at the other places' prices. */
static void find_leaves(struct ascent *ascent, int k)
{
    double *free = ascent->free, *without = ascent->without;
    memcpy(free, ascent->best.price, sizeof ascent->free);
    memcpy(without, ascent->best.price, sizeof ascent->without);
    free[k] = 0;
    without[k] = INFINITY;
#pragma omp parallel for num_threads(ascent->threads)
    for (uint64_t i = 0; i < ascent->p->rows; i++) {
        double with = place_cheapest(ascent->t, i, free, false, NULL),
               out = place_cheapest(ascent->t, i, without, false, NULL);
        ascent->leaves[i] = out > with ? (out - with) / (double)place_bytes(ascent->p, k, i) : 0;
    }
}

/* The best price of place k at the others' prices: the least at which the rows that want the place fit into it. Sums
 * are of whole bytes, in any order. */
static enum st price_place(struct ascent *ascent, int k, struct err *err)
{
    double low = 0, high = ascent->highest;
    const struct place_problem *p = ascent->p;
    if (p->capacity[k] == UINT64_MAX) return ST_OK;
    find_leaves(ascent, k);
    ascent->rounds--;
    for (int step = 0; step < PRICE_STEPS; step++) {
        double at = step ? (low + high) / 2 : 0;
        uint64_t want = 0;
#pragma omp parallel for num_threads(ascent->threads) reduction(+ : want)
        for (uint64_t i = 0; i < p->rows; i++) want += ascent->leaves[i] > at ? place_bytes(p, k, i) : 0;
        if (want > p->capacity[k]) low = at;
        else high = at;
        if (!step && want <= p->capacity[k]) break;
    }
    memcpy(ascent->price, ascent->best.price, sizeof ascent->price);
    ascent->price[k] = high;
    return place_bound_measure(ascent, err);
}

/* Projected subgradients with Polyak's step, where lines end in kinks. */
static enum st climb(struct ascent *ascent, struct err *err)
{
    double step = 1;
    int since = 0;
    memcpy(ascent->price, ascent->best.price, sizeof ascent->price);
    while (ascent->rounds > 0) {
        double before = ascent->best.value, norm = 0;
        PASS(place_bound_measure(ascent, err));
        since = ascent->best.value > before ? 0 : since + 1;
        for (int k = 0; k < place_count(ascent->p); k++) {
            if (ascent->slope[k] < 0 && !(ascent->price[k] > 0)) ascent->slope[k] = 0;
            norm += ascent->slope[k] * ascent->slope[k];
        }
        if (!(norm > 0) || !(ascent->known > ascent->value)) break;
        for (int k = 0; k < place_count(ascent->p); k++)
            ascent->price[k] = fmax(0, ascent->price[k] +
                                           step * (ascent->known - ascent->value) / norm * ascent->slope[k]);
        if (since < 4) continue;
        since = 0;
        step /= 2;
        memcpy(ascent->price, ascent->best.price, sizeof ascent->price);
    }
    return ST_OK;
}

/* No byte is worth more than what all reads of its row cost at most. */
static double highest_price(const struct place_problem *p)
{
    double most = 0, worst[PLACE_READ_KINDS_MAX][PLACE_READERS_MAX] = {{0}};
    for (int kind = 0; kind < place_read_kinds(p); kind++)
        for (int r = 0; r < p->readers; r++) {
            for (int s = 0; s < p->homes; s++) worst[kind][r] = fmax(worst[kind][r], p->home[kind][r][s]);
            if (p->nodes > 1) worst[kind][r] = fmax(worst[kind][r], p->remote[kind][r]);
            if (place_last_serves(p, kind)) worst[kind][r] = fmax(worst[kind][r], p->last[kind][r]);
        }
    for (uint64_t i = 0; i < p->rows; i++) {
        if (!p->bytes[i]) continue;
        const double *of = worst[place_read_kind(p, i)];
        double sum = 0;
        for (int r = 0; r < p->nodes * p->readers; r++) sum += (double)p->demand[r][i] * of[r % p->readers];
        most = fmax(most, sum / (double)(p->bytes[i] < place_gpu_bytes(p, i) ? p->bytes[i] : place_gpu_bytes(p, i)));
    }
    return most;
}

/* Raises prices from those of ascent->best: along lines and place by place while that helps, then by subgradients. */
static enum st search(struct ascent *ascent, struct err *err)
{
    const struct place_problem *p = ascent->p;
    const int rounds = ascent->rounds;
    memcpy(ascent->price, ascent->best.price, sizeof ascent->price);
    PASS(place_bound_measure(ascent, err));
    for (double before = -INFINITY; ascent->rounds > rounds / 4 && ascent->best.value > before;) {
        before = ascent->best.value;
        for (int i = 0; p->nodes > 1 && i < p->cliques + p->homes && ascent->rounds > 0; i++)
            PASS(search_line(ascent, i, err));
        for (int k = 0; k < place_count(p) && ascent->rounds > rounds / 4; k++) PASS(price_place(ascent, k, err));
        for (int line = LINE_ALL; line >= LINE_GPUS && ascent->rounds > 0; line--) PASS(search_line(ascent, line, err));
    }
    return climb(ascent, err);
}

/* ---- a sample of the rows ---- */

/* Every stride-th row, in places that are as much smaller. */
struct sample {
    struct place_problem p;
    uint64_t *bytes, *gpu_bytes;
    uint8_t *kind;
    float *all, **demand;
};

static void sample_release(struct sample *s)
{
    mem_free(s->bytes);
    mem_free(s->gpu_bytes);
    mem_free(s->kind);
    mem_free(s->all);
    mem_free(s->demand);
}

static enum st sample_make(const struct place_problem *p, uint64_t stride, struct sample *s, struct err *err)
{
    const uint64_t readers = (uint64_t)(p->nodes * p->readers);
    s->p = *p;
    s->p.rows = p->rows / stride;
    s->p.topology_rows = (p->topology_rows + stride - 1) / stride;
    if (s->p.topology_rows > s->p.rows) s->p.topology_rows = s->p.rows;
    MAKE(s->bytes, s->p.rows + 1, "a sample of rows");
    MAKE(s->all, readers * s->p.rows + 1, "a sample of rows");
    MAKE(s->demand, readers, "a sample of rows");
    if (p->kind) MAKE(s->kind, s->p.rows + 1, "a sample of rows");
    if (p->gpu_bytes) MAKE(s->gpu_bytes, s->p.rows + 1, "a sample of rows");
    for (uint64_t i = 0; i < s->p.rows; i++) s->bytes[i] = p->bytes[i * stride];
    for (uint64_t i = 0; p->gpu_bytes && i < s->p.rows; i++) s->gpu_bytes[i] = p->gpu_bytes[i * stride];
    for (uint64_t i = 0; p->kind && i < s->p.rows; i++) s->kind[i] = p->kind[i * stride];
    for (uint64_t r = 0; r < readers; r++) {
        s->demand[r] = s->all + r * s->p.rows;
        for (uint64_t i = 0; i < s->p.rows; i++) s->demand[r][i] = p->demand[r][i * stride];
    }
    s->p.bytes = s->bytes;
    s->p.gpu_bytes = s->gpu_bytes;
    s->p.kind = s->kind;
    s->p.demand = (const float *const *)s->demand;
    for (int k = 0; k < place_count(p); k++)
        if (p->capacity[k] != UINT64_MAX) s->p.capacity[k] = p->capacity[k] / stride;
    return ST_OK;
}

/* Where many rows are, prices are first searched for a sample. */
static enum st search_sample(struct ascent *ascent, struct err *err)
{
    enum st st;
    uint64_t stride = ascent->p->rows / SAMPLE_ROWS;
    ON_HEAP(struct sample, s);
    struct place_table t = {0};
    ON_HEAP(struct ascent, y);
    *y = *ascent;
    TRY(sample_make(ascent->p, stride, s, err));
    TRY(place_table_make(&s->p, &t, err));
    y->p = &s->p;
    y->t = &t;
    y->rounds = SAMPLE_ROUNDS;
    y->known = ascent->known / (double)stride;
    TRY(search(y, err));
    memcpy(ascent->best.price, y->best.price, sizeof ascent->best.price);
done:
    place_table_release(&t);
    sample_release(s);
    return st;
}

enum st place_bound(const struct place_problem *p, double known, const struct place_prices *from, int rounds,
                    int threads, struct place_prices *out, struct err *err)
{
    enum st st;
    struct place_table t = {0};
    ON_HEAP(struct ascent, x);
    *x = (struct ascent){.p = p, .t = &t, .threads = threads, .rounds = rounds, .known = known};
    x->best.value = -INFINITY;
    TRY(place_table_make(p, &t, err));
    NEW(x->leaves, p->rows + 1, "prices of rows");
    x->highest = highest_price(p);
    if (from) memcpy(x->best.price, from->price, sizeof x->best.price);
    else if (p->rows >= 2 * SAMPLE_ROWS) TRY(search_sample(x, err));
    TRY(search(x, err));
    *out = x->best;
done:
    mem_free(x->leaves);
    place_table_release(&t);
    return st;
}
