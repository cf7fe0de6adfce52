#include "planner/places/place_table.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"

/* Whether the set keeps a home and every reader its cheapest place when a place is left out. least: [readers][all] */
static bool can_shrink(const struct place_problem *p, const double *least, int all, int held)
{
    for (unsigned left = (unsigned)held; left; left &= left - 1) {
        int without = held & ~(1 << __builtin_ctz(left)), r = 0;
        if (!(without & p->homes)) continue;
        while (r < p->readers && !(least[r * all + without] > least[r * all + held])) r++;
        if (r == p->readers) return true;
    }
    return false;
}

enum st place_table_make(const struct place_problem *p, struct place_table *out, struct err *err)
{
    enum st st = ST_OK;
    int all = 1 << p->places;
    double *least = NULL;
    struct place_table t = {0};
    NEW(least, (uint64_t)p->readers * (uint64_t)all, "costs of sets of places");
    NEW(t.held, (uint64_t)all, "sets of places");
    for (int r = 0; r < p->readers; r++) {
        double *of = least + r * all;
        of[0] = INFINITY;
        for (int held = 1; held < all; held++)
            of[held] = fmin(of[held & (held - 1)], p->cost[r][__builtin_ctz((unsigned)held)]);
    }
    for (int held = 1; held < all; held++)
        if (held & p->homes && !can_shrink(p, least, all, held)) t.held[t.sets++] = (place_set)held;
    NEW(t.least, (uint64_t)p->readers * (uint64_t)t.sets, "costs of sets of places");
    for (int r = 0; r < p->readers; r++)
        for (int i = 0; i < t.sets; i++) t.least[r * t.sets + i] = least[r * all + t.held[i]];
    *out = t;
    t = (struct place_table){0};
done:
    mem_free(least);
    place_table_release(&t);
    return st;
}

void place_table_release(struct place_table *t)
{
    mem_free(t->held);
    mem_free(t->least);
    memset(t, 0, sizeof *t);
}

void place_set_prices(const struct place_table *t, const double price[PLACES_MAX], double *set_price)
{
    for (int i = 0; i < t->sets; i++) {
        set_price[i] = 0;
        for (unsigned left = t->held[i]; left; left &= left - 1) set_price[i] += price[__builtin_ctz(left)];
    }
}

void place_row_values(const struct place_problem *p, const struct place_table *t, uint64_t i, const double *set_price,
                      double *value)
{
    double bytes = (double)p->bytes[i];
    for (int k = 0; k < t->sets; k++) value[k] = set_price[k] * bytes;
    for (int r = 0; r < p->readers; r++) {
        double demand = (double)p->demand[r][i];
        const double *least = t->least + r * t->sets;
        if (!(demand > 0)) continue;
        for (int k = 0; k < t->sets; k++) value[k] += demand * least[k];
    }
}
