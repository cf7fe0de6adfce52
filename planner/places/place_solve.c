#include "planner/places/place_solve.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "planner/places/place_fill.h"

enum { TURNS = 3, CHANGES = 8, ROUNDS_MIN = 30, ROUNDS_MAX = 400, TRIES = 8 };
static const double close_enough = 1.002, off_by = 1e-3;

/* Rounds of prices: fewer where one takes long. */
static int rounds_for(const struct place_problem *p)
{
    double steps = (double)p->rows * p->nodes * p->readers * (1 << p->homes), rounds = 4e9 / (steps + 1);
    return rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds < ROUNDS_MIN ? ROUNDS_MIN : (int)rounds;
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
        if (!place_needs_home(p, i)) continue;
        v.unplaced += p->bytes[i];
        largest = p->bytes[i] > largest ? p->bytes[i] : largest;
    }
    v.unlimited = p->has_last && !p->topology_home;
    for (int k = 0; k < place_count(p); k++) {
        if (!place_is_home(p, k)) continue;
        homes++;
        v.unlimited = v.unlimited || p->capacity[k] >= v.unplaced;
        v.room += p->capacity[k] == UINT64_MAX ? 0 : p->capacity[k];
    }
    v.slack = largest * (homes - 1);
    return v;
}

static uint64_t homes_of(const struct place_problem *p, const uint8_t *set)
{
    uint64_t homes = 0;
    for (int k = 0; k < place_count(p); k++) homes += place_is_home(p, k) && place_holds(set, k);
    return homes;
}

/* Puts the row on the set of least value whose places all have room for it, while the homes keep enough for the others.
 * Nothing is put where there is none. price: the prices; room for work. */
static void put_best(struct place_filling *g, struct reserve *v, uint64_t row, const double *price, double *allowed)
{
    const struct place_problem *p = g->p;
    const uint64_t bytes = p->bytes[row], waiting = place_needs_home(p, row) ? bytes : 0;
    uint8_t set[PLACES_MAX / 8];
    for (int k = 0; k < place_count(p); k++) allowed[k] = place_bytes(p, k, row) > g->room[k] ? INFINITY : price[k];
    for (int single = 0; single < 2; single++) {
        bool any = isfinite(place_cheapest(&g->t, row, allowed, single, set));
        uint64_t homes = any ? homes_of(p, set) : 0;
        if (!any || (!v->unlimited && v->room - homes * bytes < v->unplaced - waiting + v->slack)) continue;
        for (int k = 0; k < place_count(p); k++)
            if (place_holds(set, k)) place_fill_put(g, row, k);
        v->room -= homes * bytes;
        v->unplaced -= waiting;
        return;
    }
}

/* What the row's cheapest set without one of its places costs more, per byte. */
static double margin_of(const struct place_table *t, uint64_t row, double *price)
{
    enum { PLACES_TRIED = 8 };
    const struct place_problem *p = t->p;
    uint8_t set[PLACES_MAX / 8];
    double best = place_cheapest(t, row, price, false, set), least = INFINITY;
    for (int k = 0, tried = 0; k < place_count(p) && tried < PLACES_TRIED; k++) {
        double was = price[k];
        if (!place_holds(set, k)) continue;
        tried++;
        price[k] = INFINITY;
        least = fmin(least, place_cheapest(t, row, price, false, NULL));
        price[k] = was;
    }
    return isinf(least) && !homes_of(p, set) ? 0 : (least - best) / (double)p->bytes[row];
}

static enum st by_prices(const struct place_problem *p, const double *price, int threads, struct place_solution *out,
                         struct err *err)
{
    enum st st;
    ON_HEAP(struct place_filling, g);
    struct reserve v = reserve_of(p);
    double allowed[PLACES_MAX];
    TRY(place_fill_begin(p, g, err));
#pragma omp parallel num_threads(threads)
    {
        double mine[PLACES_MAX];
        memcpy(mine, price, sizeof mine);
#pragma omp for
        for (uint64_t i = 0; i < p->rows; i++)
            g->next[i] = (struct place_next){.row = (uint32_t)i, .value = margin_of(&g->t, i, mine)};
    }
    qsort(g->next, p->rows, sizeof *g->next, place_next_order);
    for (uint64_t i = 0; i < p->rows; i++) put_best(g, &v, g->next[i].row, price, allowed);
    TRY(place_fill_homes(g, err));
    place_fill_copies(g);
    TRY(place_fill_end(g, out, err));
done:
    place_fill_release(g);
    return st;
}

/* Fills the places again around the homes, or around the copies on GPUs, which stay as they are in `from`. */
static enum st fill_around(const struct place_problem *p, const struct place_solution *from, bool homes,
                           struct place_solution *out, struct err *err)
{
    enum st st;
    ON_HEAP(struct place_filling, g);
    TRY(place_fill_begin(p, g, err));
    for (uint64_t i = 0; i < p->rows; i++)
        for (int k = 0; k < place_count(p); k++)
            if (place_is_home(p, k) == homes && place_holds(place_set_of(from, i), k)) place_fill_put(g, i, k);
    TRY(place_fill_homes(g, err));
    place_fill_copies(g);
    TRY(place_fill_end(g, out, err));
done:
    place_fill_release(g);
    return st;
}

static void swap(struct place_solution *a, struct place_solution *b)
{
    struct place_solution solution = *a;
    *a = *b;
    *b = solution;
}

/* Chooses homes again, now that copies are known (a row that all readers have near needs no near home), then copies
 * again for these homes, in turn, while the cost falls. *s: replaced by the better one. */
static enum st improve(const struct place_problem *p, struct place_solution *s, struct err *err)
{
    enum st st = ST_OK;
    ON_HEAP(struct place_solution, other);
    for (int turn = 0, same = 0; turn < CHANGES && same < 2; turn++) {
        struct err none = {0};
        st = fill_around(p, s, turn % 2, other, &none);
        if (st == ST_NO) return ST_OK; /* homes are tight: what is known stays */
        if (st != ST_OK) {
            *err = none;
            return st;
        }
        same = other->cost < s->cost ? 0 : same + 1;
        if (!same) swap(s, other);
        place_solution_release(other);
    }
    return st;
}

/* Greedy, or the given solution, whichever is cheaper when both are improved. */
static enum st place_solve_begin(const struct place_problem *p, const struct place_solution *start,
                                 struct place_solution *best, struct err *err)
{
    enum st st;
    ON_HEAP(struct place_solution, given);
    TRY(place_greedy(p, best, err));
    TRY(improve(p, best, err));
    if (!start) goto done;
    given->stride = start->stride;
    NEW(given->held, p->rows * (uint64_t)given->stride + 1, "the places of rows");
    memcpy(given->held, start->held, p->rows * (uint64_t)given->stride);
    TRY(place_judge(p, given, err));
    TRY(improve(p, given, err));
    if (given->cost < best->cost) swap(given, best);
done:
    place_solution_release(given);
    return st;
}

/* Many rows read several places alike, and which of these is a little cheaper by prices decides where all of them go.
 * So solutions by prices are made at prices that differ by up to 0.1 %, too, until one is close to the bound. *best:
 * replaced by a cheaper one; *better: whether it was. */
static enum st by_nearby_prices(const struct place_problem *p, const struct place_prices *at, int threads,
                                struct place_solution *best, bool *better, struct err *err)
{
    enum st st = ST_OK;
    ON_HEAP(struct place_solution, other);
    ON_HEAP(struct place_prices, near);
    *better = false;
    for (int try = 0; try < TRIES && best->cost > close_enough * at->value; try++) {
        struct err none = {0};
        for (uint64_t k = 0; k < PLACES_MAX; k++)
            near->price[k] = at->price[k] * (try ? 1 + off_by * (2 * rng_unit(0, (uint32_t)try, k) - 1) : 1);
        st = by_prices(p, near->price, threads, other, &none);
        if (st == ST_NO) { /* prices left no home for a row: what is known stays */
            st = ST_OK;
            continue;
        }
        if (st != ST_OK) {
            *err = none;
            goto done;
        }
        TRY(improve(p, other, err));
        if (other->cost < best->cost) {
            swap(best, other);
            *better = true;
        }
        place_solution_release(other);
    }
done:
    place_solution_release(other);
    return st;
}

enum st place_solve(const struct place_problem *p, const struct place_solution *start, int threads,
                    struct place_solution *out, struct place_prices *prices, struct err *err)
{
    enum st st;
    ON_HEAP(struct place_solution, best);
    ON_HEAP(struct place_prices, most);
    *most = (struct place_prices){.value = -INFINITY};
    ON_HEAP(struct place_prices, found);
    bool better = true, tighter = true;
    enum { FEW_ROWS = 1 << 16 }; /* below it threads wait for each other longer than they work */
    const int rounds = rounds_for(p);
    if (p->rows < FEW_ROWS) threads = 1;
    TRY(place_solve_begin(p, start, best, err));
    for (int turn = 0; turn < TURNS && (better || tighter) && best->cost > close_enough * most->value; turn++) {
        TRY(place_bound(p, best->cost, turn ? most : NULL, rounds, threads, found, err));
        tighter = found->value > most->value;
        if (tighter) *most = *found;
        TRY(by_nearby_prices(p, most, threads, best, &better, err));
    }
    *out = *best;
    *best = (struct place_solution){0};
    *prices = *most;
done:
    place_solution_release(best);
    return st;
}
