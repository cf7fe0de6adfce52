#include "planner/places/place_exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "planner/places/place_bound.h"
#include "planner/places/place_greedy.h"

enum { ROUNDS = 60 };

/* A set that may hold a row. */
struct choice {
    place_set held;
    double cost, priced; /* of the reads; with the prices of the bytes */
};

struct search {
    const struct place_problem *p;
    struct place_prices prices;
    int rows, order[PLACE_EXACT_ROWS_MAX];
    struct choice *choice;                 /* [rows][sets], cheapest first */
    int sets;                              /* of a row */
    double rest[PLACE_EXACT_ROWS_MAX + 1]; /* cheapest priced sets of the rows from here on, less capacities' prices */
    double free_rest[PLACE_EXACT_ROWS_MAX + 1]; /* likewise without prices */
    uint64_t room[PLACES_MAX];
    place_set held[PLACE_EXACT_ROWS_MAX], best[PLACE_EXACT_ROWS_MAX];
    double best_cost;
    bool found;
    uint64_t nodes, limit;
};

static int by_priced(const void *x, const void *y)
{
    const struct choice *a = x, *b = y;
    if (a->priced != b->priced) return a->priced < b->priced ? -1 : 1;
    return (a->held > b->held) - (a->held < b->held);
}

/* Lists the sets of every row; those that cost a reader INFINITY are left out. */
static enum st list_choices(struct search *s, struct err *err)
{
    enum st st = ST_OK;
    const struct place_problem *p = s->p;
    s->sets = 1 << p->places;
    NEW(s->choice, (uint64_t)s->rows * (uint64_t)s->sets, "the sets of rows");
    for (int k = 0; k < s->rows; k++) {
        uint64_t i = (uint64_t)s->order[k];
        struct choice *c = &s->choice[k * s->sets];
        for (int held = 0; held < s->sets; held++) {
            c[held] = (struct choice){.held = (place_set)held, .priced = INFINITY};
            if (!(held & p->homes)) continue;
            c[held].cost = c[held].priced = place_row_cost(p, i, (place_set)held);
            for (int q = 0; q < p->places; q++)
                if (held >> q & 1) c[held].priced += s->prices.price[q] * (double)p->bytes[i];
        }
        qsort(c, (size_t)s->sets, sizeof *c, by_priced);
    }
done:
    return st;
}

static void order_rows(struct search *s)
{
    double value[PLACE_EXACT_ROWS_MAX];
    for (int i = 0; i < s->rows; i++) {
        int k = i;
        value[i] = 0;
        for (int r = 0; r < s->p->readers; r++) value[i] += (double)s->p->demand[r][i] * (double)s->p->bytes[i];
        for (; k > 0 && value[s->order[k - 1]] < value[i]; k--) s->order[k] = s->order[k - 1];
        s->order[k] = i;
    }
}

static void sum_rests(struct search *s)
{
    double sum = 0, plain = 0;
    for (int k = 0; k < s->p->places; k++) sum -= s->prices.price[k] * (double)s->p->capacity[k];
    s->rest[s->rows] = sum;
    for (int k = s->rows; k-- > 0;) {
        double least = INFINITY;
        for (int c = 0; c < s->sets && isfinite(s->choice[k * s->sets + c].priced); c++)
            least = fmin(least, s->choice[k * s->sets + c].cost);
        s->rest[k] = sum += s->choice[k * s->sets].priced;
        s->free_rest[k] = plain += least;
    }
}

static bool fits(struct search *s, uint64_t bytes, place_set held)
{
    for (int q = 0; q < s->p->places; q++)
        if (held >> q & 1 && bytes > s->room[q]) return false;
    return true;
}

static void take(struct search *s, uint64_t bytes, place_set held, bool back)
{
    for (int q = 0; q < s->p->places; q++) {
        if (!(held >> q & 1) || s->p->capacity[q] == UINT64_MAX) continue;
        if (back) s->room[q] += bytes;
        else s->room[q] -= bytes;
    }
}

/* Decides row k. cost, priced: of the rows before it. */
static void branch(struct search *s, int k, double cost, double priced)
{
    if (k == s->rows) {
        if (s->found && !(cost < s->best_cost)) return;
        memcpy(s->best, s->held, sizeof s->best);
        s->best_cost = cost;
        s->found = true;
        return;
    }
    for (int c = 0; c < s->sets && s->nodes < s->limit; c++) {
        const struct choice *x = &s->choice[k * s->sets + c];
        uint64_t bytes = s->p->bytes[s->order[k]];
        double slack = 1e-12 * fabs(s->best_cost);
        if (!isfinite(x->priced)) return;
        /* later sets are dearer by prices, so none of them can be better either */
        if (s->found && priced + x->priced + s->rest[k + 1] >= s->best_cost - slack) return;
        if (s->found && cost + x->cost + s->free_rest[k + 1] >= s->best_cost - slack) continue;
        if (!fits(s, bytes, x->held)) continue;
        s->nodes++;
        s->held[s->order[k]] = x->held;
        take(s, bytes, x->held, false);
        branch(s, k + 1, cost + x->cost, priced + x->priced);
        take(s, bytes, x->held, true);
    }
}

static enum st begin(struct search *s, struct place_solution *known, struct err *err)
{
    enum st st;
    struct err ignored = {0};
    const struct place_problem *p = s->p;
    if (place_greedy(p, known, &ignored) == ST_OK) {
        TRY(place_bound(p, known->cost, NULL, ROUNDS, 1, &s->prices, err));
        memcpy(s->best, known->held, (uint64_t)s->rows * sizeof *s->best);
        s->best_cost = known->cost;
        s->found = true;
    } else if (ignored.code != ST_NO) {
        *err = ignored;
        return ignored.code;
    }
    for (int k = 0; k < p->places; k++) s->room[k] = p->capacity[k];
    order_rows(s);
    TRY(list_choices(s, err));
    sum_rests(s);
done:
    return st;
}

enum st place_exact(const struct place_problem *p, uint64_t nodes, struct place_solution *out, bool *proven,
                    struct err *err)
{
    enum st st = ST_OK;
    struct search *s = NULL;
    struct place_solution known = {0};
    if (p->rows > PLACE_EXACT_ROWS_MAX)
        FAIL(ST_LIMIT, "places: the optimum of %llu rows is not searched for; %d is the most",
             (unsigned long long)p->rows, PLACE_EXACT_ROWS_MAX);
    NEW(s, 1, "the search for the optimum");
    s->p = p;
    s->rows = (int)p->rows;
    s->limit = nodes;
    TRY(begin(s, &known, err));
    branch(s, 0, 0, 0);
    if (!s->found) FAIL(ST_NO, "places: the homes do not hold all rows; give them more memory");
    NEW(out->held, p->rows + 1, "the places of rows");
    memcpy(out->held, s->best, p->rows * sizeof *out->held);
    TRY(place_judge(p, out, err));
    *proven = s->nodes < s->limit;
done:
    if (s) mem_free(s->choice);
    mem_free(s);
    place_solution_release(&known);
    return st;
}
