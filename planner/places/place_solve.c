#include "planner/places/place_solve.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "planner/places/place_fill.h"
#include "planner/places/place_greedy.h"

enum { TURNS = 3, CHANGES = 8, ROUNDS_MIN = 30, ROUNDS_MAX = 400, TRIES = 8 };
static const double close_enough = 1.002, off_by = 1e-3;

/* Rounds of prices: fewer where one takes long. */
static enum st rounds_for(const struct place_problem *p, int *out, struct err *err)
{
    enum st st;
    struct place_table t = {0};
    TRY(place_table_make(p, &t, err));
    double steps = (double)p->rows * t.sets * p->readers, rounds = 1e10 / (steps + 1);
    *out = rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds < ROUNDS_MIN ? ROUNDS_MIN : (int)rounds;
done:
    place_table_release(&t);
    return st;
}

static int by_margin(const void *x, const void *y)
{
    const struct place_next *a = x, *b = y;
    if (a->value != b->value) return a->value > b->value ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Bytes that the homes have beyond those of rows without a home, less what the ends of homes may waste. */
struct reserve {
    bool unlimited;
    uint64_t room, unplaced, slack;
};

static struct reserve reserve_of(const struct place_problem *p)
{
    struct reserve v = {0};
    uint64_t largest = 0, homes = 0;
    for (uint64_t i = 0; i < p->rows; i++) {
        v.unplaced += p->bytes[i];
        largest = p->bytes[i] > largest ? p->bytes[i] : largest;
    }
    for (int k = 0; k < p->places; k++) {
        if (!(p->homes >> k & 1)) continue;
        homes++;
        v.unlimited = v.unlimited || p->capacity[k] >= v.unplaced;
        v.room += p->capacity[k] == UINT64_MAX ? 0 : p->capacity[k];
    }
    v.slack = largest * (homes - 1);
    return v;
}

/* The set of least value whose places all have room for the row, while the homes keep enough for the others; 0: none.
 */
static place_set best_fit(const struct place_filling *g, const struct reserve *v, const struct place_table *t,
                          uint64_t row, const double *value)
{
    uint64_t bytes = g->p->bytes[row];
    unsigned full = 0;
    int best = -1;
    for (int k = 0; k < g->p->places; k++) full |= bytes > g->room[k] ? 1u << k : 0;
    for (int i = 0; i < t->sets; i++) {
        if (t->held[i] & full || !(best < 0 || value[i] < value[best])) continue;
        uint64_t homes = (uint64_t)__builtin_popcount(t->held[i] & g->p->homes);
        if (v->unlimited || v->room - homes * bytes >= v->unplaced - bytes + v->slack) best = i;
    }
    return best < 0 ? 0 : t->held[best];
}

/* Puts the row on all places of a set that best_fit found. */
static void put_set(struct place_filling *g, struct reserve *v, uint64_t row, place_set held)
{
    uint64_t bytes = g->p->bytes[row], homes = (uint64_t)__builtin_popcount(held & g->p->homes);
    for (int k = 0; k < g->p->places; k++)
        if (held >> k & 1) place_fill_put(g, row, k);
    v->room -= homes * bytes;
    v->unplaced -= held ? bytes : 0;
}

static enum st by_prices(const struct place_problem *p, const double price[PLACES_MAX], int threads,
                         struct place_solution *out, struct err *err)
{
    enum st st;
    struct place_filling g = {0};
    struct reserve v = reserve_of(p);
    struct place_table t = {0};
    double set_price[PLACE_SETS_MAX];
    TRY(place_fill_begin(p, &g, err));
    TRY(place_table_make(p, &t, err));
    place_set_prices(&t, price, set_price);
#pragma omp parallel for num_threads(threads)
    for (uint64_t i = 0; i < p->rows; i++) {
        double least, value[PLACE_SETS_MAX];
        place_row_values(p, &t, i, set_price, value);
        place_set held = place_cheapest(&t, value, &least);
        g.next[i] = (struct place_next){.row = (uint32_t)i,
                                        .value = (place_without(&t, value, held) - least) / (double)p->bytes[i]};
    }
    qsort(g.next, p->rows, sizeof *g.next, by_margin);
    for (uint64_t i = 0; i < p->rows; i++) {
        double value[PLACE_SETS_MAX];
        place_row_values(p, &t, g.next[i].row, set_price, value);
        put_set(&g, &v, g.next[i].row, best_fit(&g, &v, &t, g.next[i].row, value));
    }
    TRY(place_fill_homes(&g, err));
    place_fill_copies(&g);
    TRY(place_fill_end(&g, out, err));
done:
    place_table_release(&t);
    place_fill_release(&g);
    return st;
}

/* Fills the places again around those of `keep`, which stay as they are in `from`. */
static enum st fill_around(const struct place_problem *p, const struct place_solution *from, place_set keep,
                           struct place_solution *out, struct err *err)
{
    enum st st;
    struct place_filling g = {0};
    TRY(place_fill_begin(p, &g, err));
    for (uint64_t i = 0; i < p->rows; i++)
        for (int k = 0; k < p->places; k++)
            if (from->held[i] & keep & 1u << k) place_fill_put(&g, i, k);
    TRY(place_fill_homes(&g, err));
    place_fill_copies(&g);
    TRY(place_fill_end(&g, out, err));
done:
    place_fill_release(&g);
    return st;
}

static void swap(struct place_solution *a, struct place_solution *b)
{
    struct place_solution x = *a;
    *a = *b;
    *b = x;
}

/* Chooses homes again, now that copies are known (a row that all readers have near needs no near home), then copies
 * again for these homes, in turn, while the cost falls. *s: replaced by the better one. */
static enum st improve(const struct place_problem *p, struct place_solution *s, struct err *err)
{
    enum st st = ST_OK;
    struct place_solution other = {0};
    for (int turn = 0, same = 0; turn < CHANGES && same < 2; turn++) {
        struct err none = {0};
        place_set keep = turn % 2 ? p->homes : (place_set)~p->homes;
        st = fill_around(p, s, keep, &other, &none);
        if (st == ST_NO) return ST_OK; /* homes are tight: what is known stays */
        if (st != ST_OK) {
            *err = none;
            return st;
        }
        same = other.cost < s->cost ? 0 : same + 1;
        if (!same) swap(s, &other);
        place_solution_release(&other);
    }
    return st;
}

/* Greedy, or the given solution, whichever is cheaper when both are improved. */
static enum st begin(const struct place_problem *p, const struct place_solution *start, struct place_solution *best,
                     struct err *err)
{
    enum st st;
    struct place_solution given = {0};
    TRY(place_greedy(p, best, err));
    TRY(improve(p, best, err));
    if (!start) goto done;
    NEW(given.held, p->rows + 1, "the places of rows");
    memcpy(given.held, start->held, p->rows * sizeof *given.held);
    TRY(place_judge(p, &given, err));
    TRY(improve(p, &given, err));
    if (given.cost < best->cost) swap(&given, best);
done:
    place_solution_release(&given);
    return st;
}

/* Many rows read several places alike, and which of these is a little cheaper by prices decides where all of them go.
 * So solutions by prices are made at prices that differ by up to 0.1 %, too, until one is close to the bound. *best:
 * replaced by a cheaper one; *better: whether it was. */
static enum st by_nearby_prices(const struct place_problem *p, const struct place_prices *at, int threads,
                                struct place_solution *best, bool *better, struct err *err)
{
    enum st st = ST_OK;
    struct place_solution other = {0};
    *better = false;
    for (int try = 0; try < TRIES && best->cost > close_enough * at->value; try++) {
        double price[PLACES_MAX];
        struct err none = {0};
        for (uint64_t k = 0; k < PLACES_MAX; k++)
            price[k] = at->price[k] * (try ? 1 + off_by * (2 * rng_unit(0, (uint32_t)try, k) - 1) : 1);
        st = by_prices(p, price, threads, &other, &none);
        if (st == ST_NO) { /* prices left no home for a row: what is known stays */
            st = ST_OK;
            continue;
        }
        if (st != ST_OK) {
            *err = none;
            goto done;
        }
        TRY(improve(p, &other, err));
        if (other.cost < best->cost) {
            swap(best, &other);
            *better = true;
        }
        place_solution_release(&other);
    }
done:
    place_solution_release(&other);
    return st;
}

enum st place_solve(const struct place_problem *p, const struct place_solution *start, int threads,
                    struct place_solution *out, struct place_prices *prices, struct err *err)
{
    enum st st;
    struct place_solution best = {0};
    struct place_prices found, most = {.value = -INFINITY};
    bool better = true, tighter = true;
    int rounds;
    TRY(rounds_for(p, &rounds, err));
    TRY(begin(p, start, &best, err));
    for (int turn = 0; turn < TURNS && (better || tighter) && best.cost > close_enough * most.value; turn++) {
        TRY(place_bound(p, best.cost, turn ? &most : NULL, rounds, threads, &found, err));
        tighter = found.value > most.value;
        if (tighter) most = found;
        TRY(by_nearby_prices(p, &most, threads, &best, &better, err));
    }
    *out = best;
    best = (struct place_solution){0};
    *prices = most;
done:
    place_solution_release(&best);
    return st;
}
