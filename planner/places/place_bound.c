#include "planner/places/place_bound.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum { BLOCK = 4096 }; /* rows whose sum one thread makes */

place_set place_cheapest(const struct place_problem *p, uint64_t i, const double price[PLACES_MAX], double *value)
{
    place_set best = 0;
    *value = INFINITY;
    for (unsigned held = 1; held < 1u << p->places; held++) {
        double v = 0;
        if (!(held & p->homes)) continue;
        for (int k = 0; k < p->places; k++)
            if (held >> k & 1) v += price[k] * (double)p->bytes[i];
        if (v >= *value) continue;
        v += place_row_cost(p, i, (place_set)held);
        if (v >= *value) continue;
        *value = v;
        best = (place_set)held;
    }
    return best;
}

struct sums {
    double value, used[PLACES_MAX];
};

enum st place_bound_at(const struct place_problem *p, const double price[PLACES_MAX], int threads, double *value,
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
    for (int k = 0; k < p->places; k++)
        if (p->capacity[k] != UINT64_MAX) all.value -= price[k] * (double)p->capacity[k];
    *value = all.value;
    if (used) memcpy(used, all.used, sizeof all.used);
done:
    mem_free(part);
    return st;
}

enum st place_bound(const struct place_problem *p, double known, int rounds, int threads, struct place_prices *out,
                    struct err *err)
{
    enum st st = ST_OK;
    struct place_prices best = {.value = -INFINITY};
    double price[PLACES_MAX] = {0}, step = 1;
    int since = 0;
    for (int round = 0; round < rounds; round++) {
        double value, used[PLACES_MAX], slope[PLACES_MAX] = {0}, norm = 0;
        TRY(place_bound_at(p, price, threads, &value, used, err));
        since = value > best.value ? 0 : since + 1;
        if (value > best.value) {
            best.value = value;
            memcpy(best.price, price, sizeof price);
        }
        if (since == 4) {
            since = 0;
            step /= 2;
            memcpy(price, best.price, sizeof price);
            TRY(place_bound_at(p, price, threads, &value, used, err));
        }
        for (int k = 0; k < p->places; k++) {
            if (p->capacity[k] == UINT64_MAX) continue;
            slope[k] = used[k] - (double)p->capacity[k];
            if (slope[k] < 0 && !(price[k] > 0)) slope[k] = 0;
            norm += slope[k] * slope[k];
        }
        if (!(norm > 0) || !(known > value)) break;
        for (int k = 0; k < p->places; k++) price[k] = fmax(0, price[k] + step * (known - value) / norm * slope[k]);
    }
    *out = best;
done:
    return st;
}
