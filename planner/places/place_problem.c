#include "planner/places/place_problem.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

void place_solution_release(struct place_solution *s)
{
    mem_free(s->held);
    memset(s, 0, sizeof *s);
}

static enum st check_costs(const struct place_problem *p, struct err *err)
{
    for (int r = 0; r < p->readers; r++)
        for (int k = 0; k < p->places; k++) {
            double c = p->cost[r][k];
            if (isnan(c) || c < 0 || (isinf(c) && p->homes >> k & 1))
                return err_set(err, ST_USAGE,
                               "places: a read by reader %d from place %d costs %g, but 0 or more is expected, and a "
                               "number where the place is a home",
                               r, k, c);
        }
    return ST_OK;
}

enum st place_check(const struct place_problem *p, struct err *err)
{
    enum st st = ST_OK;
    if (p->readers < 1 || p->readers > PLACE_READERS_MAX || p->places < 1 || p->places > PLACES_MAX || !p->homes ||
        p->homes >> p->places)
        FAIL(ST_USAGE, "places: %d readers and %d places, but 1 to %d and 1 to %d are possible, with a home among them",
             p->readers, p->places, PLACE_READERS_MAX, PLACES_MAX);
    if (p->rows > UINT32_MAX)
        FAIL(ST_LIMIT, "places: %llu rows, but %u is the most; place topology and features of a smaller graph",
             (unsigned long long)p->rows, UINT32_MAX);
    TRY(check_costs(p, err));
    for (uint64_t i = 0; i < p->rows; i++) {
        if (!p->bytes[i]) FAIL(ST_USAGE, "places: row %llu has 0 bytes", (unsigned long long)i);
        for (int r = 0; r < p->readers; r++)
            if (!(p->demand[r][i] >= 0) || isinf(p->demand[r][i]))
                FAIL(ST_USAGE, "places: reader %d needs row %llu %g times, but 0 or more is expected", r,
                     (unsigned long long)i, p->demand[r][i]);
    }
done:
    return st;
}

double place_row_cost(const struct place_problem *p, uint64_t i, place_set held)
{
    double sum = 0;
    for (int r = 0; r < p->readers; r++) {
        double least = INFINITY;
        if (!(p->demand[r][i] > 0)) continue;
        for (unsigned left = held; left; left &= left - 1) {
            double c = p->cost[r][__builtin_ctz(left)];
            least = c < least ? c : least;
        }
        sum += (double)p->demand[r][i] * least;
    }
    return sum;
}

enum st place_judge(const struct place_problem *p, struct place_solution *s, struct err *err)
{
    enum st st = ST_OK;
    double cost = 0;
    memset(s->used, 0, sizeof s->used);
    for (uint64_t i = 0; i < p->rows; i++) {
        if (!(s->held[i] & p->homes)) FAIL(ST_INPUT, "places: no home holds row %llu", (unsigned long long)i);
        for (int k = 0; k < p->places; k++) {
            if (!(s->held[i] >> k & 1)) continue;
            if (p->bytes[i] > p->capacity[k] - s->used[k])
                FAIL(ST_INPUT, "places: place %d holds more than its %llu bytes", k,
                     (unsigned long long)p->capacity[k]);
            s->used[k] += p->bytes[i];
        }
        cost += place_row_cost(p, i, s->held[i]);
    }
    s->cost = cost;
done:
    return st;
}
