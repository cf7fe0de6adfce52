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
    for (int kind = 0; kind < place_read_kinds(p); kind++)
        for (int r = 0; r < p->readers; r++) {
            bool good = p->clique_of[r] < 0 || p->gpus[kind][r] >= 0;
            for (int s = 0; s < p->homes; s++) good = good && p->home[kind][r][s] >= 0 && isfinite(p->home[kind][r][s]);
            good = good && (p->nodes == 1 || (p->remote[kind][r] >= 0 && isfinite(p->remote[kind][r])));
            good = good && (!p->has_last || (p->last[kind][r] >= 0 && isfinite(p->last[kind][r])));
            if (!good || p->clique_of[r] >= p->cliques)
                return err_set(err, ST_USAGE, "places: reader %d has a cost that is not 0 or more, or no clique", r);
        }
    return ST_OK;
}

enum st place_check(const struct place_problem *p, struct err *err)
{
    if (p->readers < 1 || p->readers > PLACE_READERS_MAX || p->nodes < 1 || p->cliques < 0 || p->homes < 1 ||
        p->homes > PLACE_HOMES_MAX || place_count(p) > PLACES_MAX)
        return err_set(err, ST_USAGE,
                       "places: %d nodes of %d groups of GPUs, %d homes and %d readers, but at most %d places, %d "
                       "homes and %d readers are possible",
                       p->nodes, p->cliques, p->homes, p->readers, PLACES_MAX, PLACE_HOMES_MAX, PLACE_READERS_MAX);
    if (p->rows > UINT32_MAX)
        return err_set(err, ST_LIMIT,
                       "places: %llu rows, but %u is the most; place topology and features of a smaller graph",
                       (unsigned long long)p->rows, UINT32_MAX);
    PASS(check_costs(p, err));
    for (uint64_t i = 0; i < p->rows; i++) {
        for (int r = 0; r < p->nodes * p->readers; r++)
            if (!(p->demand[r][i] >= 0) || isinf(p->demand[r][i]) || (!p->bytes[i] && p->demand[r][i] > 0))
                return err_set(err, ST_USAGE,
                               "places: reader %d needs row %llu of %llu bytes %g times, but 0 or more is expected", r,
                               (unsigned long long)i, (unsigned long long)p->bytes[i], p->demand[r][i]);
    }
    return ST_OK;
}

/* ---- costs ---- */

static double *base_of(const struct place_table *t, int kind, bool elsewhere, unsigned held)
{
    return t->base + ((((uint64_t)kind * 2 + elsewhere) << t->p->homes) + held) * (uint64_t)t->p->readers;
}

enum st place_table_make(const struct place_problem *p, struct place_table *out, struct err *err)
{
    struct place_table t = {.p = p};
    MAKE(t.base, ((uint64_t)place_read_kinds(p) * 2 << p->homes) * (uint64_t)p->readers, "costs of reads");
    for (int kind = 0; kind < place_read_kinds(p); kind++)
        for (int elsewhere = 0; elsewhere < 2; elsewhere++)
            for (unsigned held = 0; held < 1u << p->homes; held++)
                for (int r = 0; r < p->readers; r++) {
                    double least = place_last_serves(p, kind) ? p->last[kind][r] : INFINITY;
                    if (elsewhere) least = fmin(least, p->remote[kind][r]);
                    for (int s = 0; s < p->homes; s++)
                        if (held >> s & 1) least = fmin(least, p->home[kind][r][s]);
                    base_of(&t, kind, elsewhere, held)[r] = least;
                }
    *out = t;
    return ST_OK;
}

void place_table_release(struct place_table *t)
{
    mem_free(t->base);
    memset(t, 0, sizeof *t);
}

static inline double less(double a, double b) { return a < b ? a : b; }

/* What a row costs in a node, by clique: with a copy there, and without one. */
struct by_clique {
    double near[PLACE_READERS_MAX], far[PLACE_READERS_MAX];
    double others; /* of readers without a clique */
};

/* How often the readers of a node need a row. False: never. */
static bool demand_of(const struct place_problem *p, uint64_t row, int node, double *demand)
{
    bool any = false;
    for (int r = 0; r < p->readers; r++) {
        demand[r] = (double)p->demand[node * p->readers + r][row];
        any |= demand[r] > 0;
    }
    return any;
}

static inline void sum_cliques(const struct place_table *t, int kind, const double *demand, bool elsewhere,
                               unsigned held, struct by_clique *out)
{
    const struct place_problem *p = t->p;
    const double *base = base_of(t, kind, elsewhere, held), *gpus = p->gpus[kind];
    for (int c = 0; c < p->cliques; c++) out->near[c] = out->far[c] = 0;
    out->others = 0;
    for (int r = 0; r < p->readers; r++) {
        int c = p->clique_of[r];
        if (!(demand[r] > 0)) continue;
        if (c < 0) out->others += demand[r] * base[r];
        else {
            out->near[c] += demand[r] * less(base[r], gpus[r]);
            out->far[c] += demand[r] * base[r];
        }
    }
}

static unsigned held_of(const struct place_problem *p, int node, const uint8_t *set)
{
    unsigned held = 0;
    for (int s = 0; s < p->homes; s++)
        held |= (unsigned)place_holds(set, node * (p->cliques + p->homes) + p->cliques + s) << s;
    return held;
}

double place_node_cost(const struct place_table *t, uint64_t row, int node, const uint8_t *set, bool elsewhere)
{
    const struct place_problem *p = t->p;
    double demand[PLACE_READERS_MAX];
    struct by_clique by_clique;
    if (!demand_of(p, row, node, demand)) return 0;
    sum_cliques(t, place_read_kind(p, row), demand, elsewhere, held_of(p, node, set), &by_clique);
    for (int c = 0; c < p->cliques; c++)
        by_clique.others += place_holds(set, node * (p->cliques + p->homes) + c) ? by_clique.near[c] : by_clique.far[c];
    return by_clique.others;
}

double place_row_cost(const struct place_table *t, uint64_t row, const uint8_t *set)
{
    const struct place_problem *p = t->p;
    double sum = 0;
    int holders = 0;
    for (int node = 0; node < p->nodes; node++) holders += held_of(p, node, set) != 0;
    for (int node = 0; node < p->nodes; node++)
        sum += place_node_cost(t, row, node, set, holders > (held_of(p, node, set) != 0));
    return sum;
}

/* ---- the cheapest set ---- */

/* A row in one node: the least value when its homes hold it, and when not; by whether another node has it. */
struct node_choice {
    double hold[2], empty[2];
    uint8_t held[2]; /* of hold */
};

/* Reads and prices in a node, each clique as is cheapest for it. of: prices of the node's places. */
static inline double node_value(const struct place_table *t, int kind, const double *demand, bool elsewhere,
                                unsigned held, const double *of, double bytes, double gpu_bytes)
{
    const struct place_problem *p = t->p;
    struct by_clique by_clique;
    sum_cliques(t, kind, demand, elsewhere, held, &by_clique);
    for (int s = 0; s < p->homes; s++)
        if (held >> s & 1) by_clique.others += of[p->cliques + s] * bytes;
    for (int c = 0; c < p->cliques; c++)
        by_clique.others += less(by_clique.near[c] + of[c] * gpu_bytes, by_clique.far[c]);
    return by_clique.others;
}

/* A row that nobody in the node needs: only a home for others. */
static void choose_unread(const struct place_problem *p, const double *of, double bytes, struct node_choice *out)
{
    int best = 0;
    for (int s = 1; s < p->homes; s++)
        if (of[p->cliques + s] < of[p->cliques + best]) best = s;
    for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
        out->empty[elsewhere] = 0;
        out->hold[elsewhere] = of[p->cliques + best] * bytes;
        out->held[elsewhere] = (uint8_t)(1u << best);
    }
}

static void choose_in_node(const struct place_table *t, uint64_t row, int node, const double *price, bool single,
                           struct node_choice *out)
{
    const struct place_problem *p = t->p;
    const double *of = price + node * (p->cliques + p->homes), bytes = (double)p->bytes[row],
                 gpu_bytes = (double)place_gpu_bytes(p, row);
    const int kind = place_read_kind(p, row);
    double demand[PLACE_READERS_MAX];
    if (!demand_of(p, row, node, demand)) {
        choose_unread(p, of, bytes, out);
        return;
    }
    for (int elsewhere = 0; elsewhere < (p->nodes > 1 ? 2 : 1); elsewhere++) {
        out->empty[elsewhere] = node_value(t, kind, demand, elsewhere, 0, of, bytes, gpu_bytes);
        out->hold[elsewhere] = INFINITY;
        for (unsigned held = 1; held < 1u << p->homes; held++) {
            if (single && (held & (held - 1))) continue;
            double v = node_value(t, kind, demand, elsewhere, held, of, bytes, gpu_bytes);
            if (!(v < out->hold[elsewhere])) continue;
            out->hold[elsewhere] = v;
            out->held[elsewhere] = (uint8_t)held;
        }
    }
}

/* Which nodes' homes hold the row: none, one alone, or several. */
enum holders { HOLD_NONE, HOLD_ONE, HOLD_SEVERAL };
struct plan_of_row {
    enum holders how;
    int first, second; /* HOLD_ONE: the node; HOLD_SEVERAL: two that hold it in any case */
    double value;
};

static void try_several(const struct node_choice *choice, int nodes, struct plan_of_row *best)
{
    double sum = 0, forced = 0;
    int two[2] = {-1, -1};
    for (int i = 0; i < nodes; i++) {
        double more = choice[i].hold[1] - choice[i].empty[1];
        sum += less(choice[i].hold[1], choice[i].empty[1]);
        if (two[0] < 0 || more < choice[two[0]].hold[1] - choice[two[0]].empty[1]) {
            two[1] = two[0];
            two[0] = i;
        } else if (two[1] < 0 || more < choice[two[1]].hold[1] - choice[two[1]].empty[1]) two[1] = i;
    }
    if (two[1] < 0) return;
    for (int k = 0; k < 2; k++) forced += fmax(0, choice[two[k]].hold[1] - choice[two[k]].empty[1]);
    if (sum + forced < best->value) *best = (struct plan_of_row){HOLD_SEVERAL, two[0], two[1], sum + forced};
}

static struct plan_of_row choose_holders(const struct place_problem *p, uint64_t row, const struct node_choice *choice,
                                         bool single)
{
    struct plan_of_row best = {.value = INFINITY};
    double none = 0, others = 0;
    for (int i = 0; i < p->nodes; i++) {
        none += choice[i].empty[0];
        others += p->nodes > 1 ? choice[i].empty[1] : 0;
    }
    if (!place_needs_home(p, row)) best.value = none;
    for (int i = 0; i < p->nodes; i++) {
        double v = choice[i].hold[0] + (p->nodes > 1 ? others - choice[i].empty[1] : 0);
        if (v < best.value) best = (struct plan_of_row){HOLD_ONE, i, i, v};
    }
    if (!single) try_several(choice, p->nodes, &best);
    return best;
}

/* Writes the set down. */
static void take_set(const struct place_table *t, uint64_t row, const double *price, const struct node_choice *choice,
                     const struct plan_of_row *best, uint8_t *set)
{
    const struct place_problem *p = t->p;
    memset(set, 0, (size_t)place_stride(p));
    for (int i = 0; i < p->nodes && isfinite(best->value); i++) {
        int elsewhere = best->how == HOLD_SEVERAL || (best->how == HOLD_ONE && i != best->first),
            at = i * (p->cliques + p->homes);
        bool holds = best->how != HOLD_NONE && (i == best->first || i == best->second);
        struct by_clique sums;
        double demand[PLACE_READERS_MAX];
        if (best->how == HOLD_SEVERAL) holds |= choice[i].hold[1] < choice[i].empty[1];
        unsigned held = holds ? choice[i].held[elsewhere] : 0;
        for (int s = 0; s < p->homes; s++)
            if (held >> s & 1) place_add(set, at + p->cliques + s);
        if (!demand_of(p, row, i, demand)) continue;
        sum_cliques(t, place_read_kind(p, row), demand, elsewhere, held, &sums);
        for (int c = 0; c < p->cliques; c++)
            if (sums.near[c] + price[at + c] * (double)place_gpu_bytes(p, row) < sums.far[c]) place_add(set, at + c);
    }
}

double place_cheapest(const struct place_table *t, uint64_t row, const double *price, bool single, uint8_t *set)
{
    enum { NODES_MOST = PLACES_MAX };
    const struct place_problem *p = t->p;
    struct node_choice choice[NODES_MOST];
    if (set && !p->bytes[row]) memset(set, 0, (size_t)place_stride(p));
    if (!p->bytes[row]) return 0; /* it is not there */
    for (int i = 0; i < p->nodes; i++) choose_in_node(t, row, i, price, single, &choice[i]);
    struct plan_of_row best = choose_holders(p, row, choice, single);
    if (set) take_set(t, row, price, choice, &best, set);
    return best.value;
}

enum st place_judge(const struct place_problem *p, struct place_solution *s, struct err *err)
{
    double cost = 0;
    OWNED_BY(place_table_release) struct place_table t = {0};
    const int places = place_count(p);
    PASS(place_table_make(p, &t, err));
    memset(s->used, 0, sizeof s->used);
    for (uint64_t i = 0; i < p->rows; i++) {
        const uint8_t *set = place_set_of(s, i);
        bool home = !place_needs_home(p, i);
        for (int k = 0; k < places; k++) {
            if (!place_holds(set, k)) continue;
            home |= place_is_home(p, k);
            if (place_bytes(p, k, i) > p->capacity[k] - s->used[k])
                return err_set(err, ST_INPUT, "places: place %d holds more than its %llu bytes", k,
                               (unsigned long long)p->capacity[k]);
            s->used[k] += place_bytes(p, k, i);
        }
        if (!home) return err_set(err, ST_INPUT, "places: no home holds row %llu", (unsigned long long)i);
        cost += place_row_cost(&t, i, set);
    }
    s->cost = cost;
    return ST_OK;
}
