#include "planner/places/place_solve.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "planner/places/place_fill.h"
#include "planner/places/place_greedy.h"

enum { TURNS = 3, ROUNDS_MIN = 30, ROUNDS_MAX = 400 };

/* Rounds of prices: fewer where one takes long. */
static int rounds_for(const struct place_problem *p)
{
    double steps = (double)p->rows * (double)(1u << p->places) * p->readers, rounds = 1e9 / (steps + 1);
    return rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds < ROUNDS_MIN ? ROUNDS_MIN : (int)rounds;
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

/* Puts the row on all places of its set, if they have room and the homes keep enough for the other rows. */
static void put_set(struct place_filling *g, struct reserve *v, uint64_t row, place_set held)
{
    uint64_t bytes = g->p->bytes[row], homes = (uint64_t)__builtin_popcount(held & g->p->homes);
    for (int k = 0; k < g->p->places; k++)
        if (held >> k & 1 && bytes > g->room[k]) return;
    if (!v->unlimited && v->room - homes * bytes < v->unplaced - bytes + v->slack) return;
    for (int k = 0; k < g->p->places; k++)
        if (held >> k & 1) place_fill_put(g, row, k);
    v->room -= homes * bytes;
    v->unplaced -= bytes;
}

static enum st by_prices(const struct place_problem *p, const double price[PLACES_MAX], int threads,
                         struct place_solution *out, struct err *err)
{
    enum st st;
    struct place_filling g = {0};
    struct reserve v = reserve_of(p);
    TRY(place_fill_begin(p, &g, err));
#pragma omp parallel for num_threads(threads)
    for (uint64_t i = 0; i < p->rows; i++) {
        double least;
        place_set held = place_cheapest(p, i, price, &least);
        g.next[i] = (struct place_next){.row = (uint32_t)i,
                                        .place = held,
                                        .value = (place_without(p, i, price, held) - least) / (double)p->bytes[i]};
    }
    qsort(g.next, p->rows, sizeof *g.next, by_margin);
    for (uint64_t i = 0; i < p->rows; i++) put_set(&g, &v, g.next[i].row, (place_set)g.next[i].place);
    TRY(place_fill_homes(&g, err));
    place_fill_copies(&g);
    TRY(place_fill_end(&g, out, err));
done:
    place_fill_release(&g);
    return st;
}

enum st place_solve(const struct place_problem *p, int threads, struct place_solution *out, struct place_prices *prices,
                    struct err *err)
{
    enum st st;
    struct place_solution best = {0}, other = {0};
    struct place_prices found, most = {.value = -INFINITY};
    struct err none = {0};
    TRY(place_greedy(p, &best, err));
    for (int turn = 0; turn < TURNS; turn++) {
        TRY(place_bound(p, best.cost, rounds_for(p), threads, &found, err));
        bool tighter = found.value > most.value;
        if (tighter) most = found;
        st = by_prices(p, most.price, threads, &other, &none);
        if (st == ST_NO) break; /* prices left no home for a row: what is known stays */
        if (st != ST_OK) {
            *err = none;
            goto done;
        }
        bool better = other.cost < best.cost;
        if (!better && !tighter) break;
        if (better) {
            struct place_solution x = best;
            best = other;
            other = x;
        }
        place_solution_release(&other);
    }
    st = ST_OK;
    *out = best;
    best = (struct place_solution){0};
    *prices = most;
done:
    place_solution_release(&best);
    place_solution_release(&other);
    return st;
}
