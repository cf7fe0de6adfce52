#include "planner/places/place_table.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum st place_table_make(const struct place_problem *p, struct place_table *out, struct err *err)
{
    enum st st;
    struct place_table t = {.sets = 1 << p->places};
    NEW(t.least, (uint64_t)p->readers * (uint64_t)t.sets, "costs of sets of places");
    for (int r = 0; r < p->readers; r++) {
        double *least = t.least + r * t.sets;
        least[0] = INFINITY;
        for (int held = 1; held < t.sets; held++)
            least[held] = fmin(least[held & (held - 1)], p->cost[r][__builtin_ctz((unsigned)held)]);
    }
    *out = t;
    return ST_OK;
done:
    return st;
}

void place_table_release(struct place_table *t)
{
    mem_free(t->least);
    memset(t, 0, sizeof *t);
}

void place_set_prices(const struct place_problem *p, const double price[PLACES_MAX], double *set_price)
{
    set_price[0] = 0;
    for (unsigned held = 1; held < 1u << p->places; held++)
        set_price[held] = set_price[held & (held - 1)] + price[__builtin_ctz(held)];
}

void place_row_values(const struct place_problem *p, const struct place_table *t, uint64_t i, const double *set_price,
                      double *value)
{
    double bytes = (double)p->bytes[i];
    for (int held = 0; held < t->sets; held++) value[held] = held & p->homes ? set_price[held] * bytes : INFINITY;
    for (int r = 0; r < p->readers; r++) {
        double demand = (double)p->demand[r][i];
        const double *least = t->least + r * t->sets;
        for (int held = 0; demand > 0 && held < t->sets; held++) value[held] += demand * least[held];
    }
}
