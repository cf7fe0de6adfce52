#include "planner/optimum/small.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum { STEPS_MOST = 4000000 };

/* The search in one component. */
struct search {
    const struct reach *r;
    const struct component *x;
    const double *price;
    int count, at[SMALL_ITEMS];      /* rows of this component, densest first, as positions in the placement */
    uint64_t bytes[SMALL_ITEMS];     /* of them */
    double (*cost)[PATTERNS_MAX];    /* [rows] host reads under each pattern, owned */
    uint16_t (*order)[PATTERNS_MAX]; /* [rows] patterns, cheapest first at these prices, owned */
    double rest[SMALL_ITEMS + 1];    /* least cost of rows i.. by themselves, charges included */
    uint64_t room[SERVER_GPUS_MAX];
    pool_set now[SMALL_ITEMS], best[SMALL_ITEMS];
    double least;
    uint64_t steps;
};

static double charge_of(const struct search *s, pool_set pools, uint64_t bytes)
{
    double sum = 0;
    for (int k = 0; k < s->r->pools; k++)
        if (pools >> k & 1) sum += s->price[k] * (double)bytes;
    return sum;
}

/* What the room that is left would charge. */
static double room_worth(const struct search *s, int component)
{
    double sum = 0;
    for (int g = 0; g < s->r->gpus; g++)
        if (s->r->component_of[s->r->pool_of[g]] == component) sum += s->price[s->r->pool_of[g]] * (double)s->room[g];
    return sum;
}

static void place_row(struct search *s, int component, int i, double cost);

/* Chooses a GPU for every pool of the pattern from pool k on. */
static void place_copies(struct search *s, int component, int i, pool_set pools, int k, double cost)
{
    while (k < s->r->pools && !(pools >> k & 1)) k++;
    if (k == s->r->pools) {
        place_row(s, component, i + 1, cost);
        return;
    }
    for (int g = 0; g < s->r->gpus; g++) {
        bool again = false; /* GPUs of one pool with equal room are alike */
        if (s->r->pool_of[g] != k || s->room[g] < s->bytes[i]) continue;
        for (int h = 0; h < g; h++) again |= s->r->pool_of[h] == k && s->room[h] == s->room[g];
        if (again) continue;
        s->room[g] -= s->bytes[i];
        s->now[i] |= (pool_set)1 << g;
        place_copies(s, component, i, pools, k + 1, cost);
        s->now[i] &= ~((pool_set)1 << g);
        s->room[g] += s->bytes[i];
    }
}

/* Rows before i are placed and cost so much. */
static void place_row(struct search *s, int component, int i, double cost)
{
    if (++s->steps > STEPS_MOST) return;
    if (cost + s->rest[i] - room_worth(s, component) >= s->least * (1 - 1e-12)) return;
    if (i == s->count) {
        if (cost >= s->least) return;
        s->least = cost;
        memcpy(s->best, s->now, sizeof s->best);
        return;
    }
    for (int p = 0; p < s->x->patterns; p++) {
        int pattern = s->order[i][p];
        s->now[i] = 0;
        place_copies(s, component, i, s->x->pattern[pattern].pools, 0, cost + s->cost[i][pattern]);
    }
}

/* ---- set-up ---- */

static uint64_t top_rate(const struct reach *r, const struct items *items, int component, uint64_t item)
{
    const struct component *comp_of = &r->component[component];
    uint64_t top = 0;
    for (int i = 0; i < comp_of->groups; i++) {
        uint64_t rate = items_rate(items, r->clique_of_group[comp_of->group[i]], item);
        top = rate > top ? rate : top;
    }
    return top;
}

static void cost_row(struct search *s, const struct items *items, int i, uint64_t item)
{
    double charged[PATTERNS_MAX];
    for (int p = 0; p < s->x->patterns; p++) {
        double sum = 0;
        for (int q = 0; q < s->x->groups; q++)
            sum += s->x->pattern[p].miss[q] * (double)items_rate(items, s->r->clique_of_group[s->x->group[q]], item) *
                   0x1p-20;
        s->cost[i][p] = sum;
        charged[p] = sum + charge_of(s, s->x->pattern[p].pools, s->bytes[i]);
        int at = p;
        for (; at > 0 && charged[s->order[i][at - 1]] > charged[p]; at--) s->order[i][at] = s->order[i][at - 1];
        s->order[i][at] = (uint16_t)p;
    }
    s->rest[i] = charged[s->order[i][0]];
}

/* Rows that the component reads, densest first (ties: the lower item). */
static void choose_rows(struct search *s, const struct items *items, int component, const struct small_placement *out)
{
    double density[SMALL_ITEMS];
    for (int k = 0; k < out->count; k++) {
        uint64_t top = top_rate(s->r, items, component, out->item[k]), bytes = items_bytes(items, out->item[k]);
        double mine = (double)top / (double)bytes;
        int i = s->count;
        if (!top) continue;
        for (; i > 0 && density[i - 1] < mine; i--) {
            density[i] = density[i - 1];
            s->at[i] = s->at[i - 1];
            s->bytes[i] = s->bytes[i - 1];
        }
        density[i] = mine;
        s->at[i] = k;
        s->bytes[i] = bytes;
        s->count++;
    }
}

static enum st search_component(const struct reach *r, const struct items *items, int component, const uint64_t *budget,
                                const double *price, struct small_placement *out, struct err *err)
{
    struct search *s = NULL;
    enum st st = ST_OK;
    NEW(s, 1, "the placement of a few rows");
    s->r = r;
    s->x = &r->component[component];
    s->price = price;
    s->least = INFINITY;
    memcpy(s->room, budget, (size_t)r->gpus * sizeof *budget);
    choose_rows(s, items, component, out);
    NEW(s->cost, s->count + 1, "the placement of a few rows");
    NEW(s->order, s->count + 1, "the placement of a few rows");
    for (int i = 0; i < s->count; i++) cost_row(s, items, i, out->item[s->at[i]]);
    for (int i = s->count - 1; i >= 0; i--) s->rest[i] += s->rest[i + 1];
    place_row(s, component, 0, 0);
    for (int i = 0; i < s->count; i++) out->gpus[s->at[i]] |= s->best[i];
    out->cost += s->least;
    out->optimal &= s->steps <= STEPS_MOST;
done:
    if (s) {
        mem_free(s->cost);
        mem_free(s->order);
    }
    mem_free(s);
    return st;
}

static bool is_read(const struct reach *r, const struct items *items, uint64_t item)
{
    bool read = false;
    for (int c = 0; c < r->cliques; c++) read |= items_rate(items, c, item) > 0;
    return read;
}

bool small_possible(const struct reach *r, const struct items *items)
{
    int count = 0;
    for (uint64_t x = 0; x < items_count(items) && count <= SMALL_ITEMS; x++) count += is_read(r, items, x);
    return count <= SMALL_ITEMS;
}

enum st small_place(const struct reach *r, const struct items *items, const uint64_t *budget, const double *price,
                    struct small_placement *out, struct err *err)
{
    memset(out, 0, sizeof *out);
    out->optimal = true;
    for (uint64_t x = 0; x < items_count(items); x++)
        if (is_read(r, items, x)) out->item[out->count++] = x;
    for (int i = 0; i < r->components; i++) PASS(search_component(r, items, i, budget, price, out, err));
    return ST_OK;
}
