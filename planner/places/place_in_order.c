#include "planner/places/place_in_order.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "planner/places/place_fill.h"

static int by_value(const void *x, const void *y)
{
    const struct place_next *a = x, *b = y;
    if (a->value != b->value) return a->value > b->value ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Whether no place of the tier is cheaper for reader r. */
static bool own_reader(const struct place_problem *p, place_set tier, int place, int r)
{
    double least = INFINITY;
    for (int k = 0; k < p->places; k++)
        if (tier >> k & 1) least = fmin(least, p->cost[r][k]);
    return isfinite(least) && p->cost[r][place] <= least;
}

/* What a copy on the place saves these readers per byte of the row. */
static double saved(const struct place_problem *p, const int *own, int count, place_set held, int place, uint64_t row)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        double now = INFINITY, demand = (double)p->demand[own[i]][row];
        for (int k = 0; k < p->places; k++)
            if (held >> k & 1) now = fmin(now, p->cost[own[i]][k]);
        if (demand > 0 && p->cost[own[i]][place] < now) sum += demand * (now - p->cost[own[i]][place]);
    }
    return sum / (double)p->bytes[row];
}

static void fill_place(struct place_filling *g, place_set tier, int place)
{
    const struct place_problem *p = g->p;
    int own[PLACE_READERS_MAX], count = 0;
    for (int r = 0; r < p->readers; r++)
        if (own_reader(p, tier, place, r)) own[count++] = r;
    g->waiting = 0;
    for (uint64_t i = 0; i < p->rows; i++) {
        struct place_next x = {.row = (uint32_t)i};
        if (g->held[i] >> place & 1) continue;
        x.value = saved(p, own, count, g->held[i], place, i);
        if (x.value > 0) g->next[g->waiting++] = x;
    }
    qsort(g->next, g->waiting, sizeof *g->next, by_value);
    for (uint64_t i = 0; i < g->waiting; i++)
        if (p->bytes[g->next[i].row] <= g->room[place]) place_fill_put(g, g->next[i].row, place);
}

/* The first home without a limit, or -1. */
static int unlimited_home(const struct place_problem *p)
{
    for (int k = 0; k < p->places; k++)
        if (p->homes >> k & 1 && p->capacity[k] == UINT64_MAX) return k;
    return -1;
}

enum st place_in_order(const struct place_problem *p, const place_set *tier, int tiers, struct place_solution *out,
                       struct err *err)
{
    enum st st;
    struct place_filling g = {0};
    int last = unlimited_home(p);
    TRY(place_fill_begin(p, &g, err));
    for (uint64_t i = 0; last >= 0 && i < p->rows; i++) place_fill_put(&g, i, last);
    TRY(place_fill_homes(&g, err));
    for (int t = 0; t < tiers; t++)
        for (int k = 0; k < p->places; k++)
            if (tier[t] >> k & 1) fill_place(&g, tier[t], k);
    TRY(place_fill_end(&g, out, err));
done:
    place_fill_release(&g);
    return st;
}
