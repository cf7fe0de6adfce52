/* Rows and places on thousands of tiny random problems of one to three nodes: the bound is never above the optimum of
 * trying everything, greedy is a solution and not far from it, prices come closer. */
#include <math.h>
#include <unistd.h>
#include "planner/places/place_bound.h"
#include "planner/places/place_fill.h"
#include "planner/places/place_solve.h"
#include "tests/oracle/case.h"

enum { KINDS = 4, ROWS = 7, READERS = 12, TINY = 7 /* places */, ROOMS = 1 << 16, CASES = 1500 };
static struct err err;

struct tiny {
    struct place_problem p;
    uint64_t bytes[ROWS], gpu_bytes[ROWS];
    uint8_t kind[ROWS];
    float demand[READERS][ROWS];
    const float *of[READERS];
};

/* GPUs of one or two cliques, one or two sockets, and sometimes SSDs that hold everything. */
static void make(struct tiny *t, struct dice *d, int nodes)
{
    struct place_problem *p = &t->p;
    memset(t, 0, sizeof *t);
    p->nodes = nodes;
    p->homes = (int)dice_range(d, 1, nodes > 2 ? 1 : 2);
    p->cliques = (int)dice_range(d, 0, nodes > 1 ? 1 : 2);
    p->readers = (int)dice_range(d, 1, nodes > 1 ? 2 : 4);
    p->has_last = dice_chance(d, 0.5);
    p->topology_home = dice_chance(d, 0.3);
    p->rows = dice_range(d, 1, ROWS);
    p->topology_rows = dice_range(d, 0, p->rows);
    for (uint64_t i = 0; i < p->rows; i++) t->bytes[i] = dice_range(d, 1, 3);
    p->bytes = t->bytes;
    if (dice_chance(d, 0.5)) { /* reads of several kinds, in any order, and rows that are not there */
        p->kind = t->kind;
        p->kinds = KINDS;
        for (uint64_t i = 0; i < p->rows; i++) t->kind[i] = (uint8_t)dice_below(d, KINDS);
        for (uint64_t i = 0; i < p->rows; i++) t->bytes[i] -= dice_chance(d, 0.1) ? t->bytes[i] : 0;
    }
    if (dice_chance(d, 0.3)) { /* GPUs hold rows rounded */
        p->gpu_bytes = t->gpu_bytes;
        for (uint64_t i = 0; i < p->rows; i++) t->gpu_bytes[i] = (t->bytes[i] + 1) / 2;
    }
    p->demand = t->of;
    for (int r = 0; r < nodes * p->readers; r++) {
        t->of[r] = t->demand[r];
        for (uint64_t i = 0; i < p->rows; i++)
            t->demand[r][i] = !t->bytes[i] || dice_chance(d, 0.2) ? 0 : (float)dice_range(d, 1, 50);
    }
    for (int r = 0; r < p->readers; r++) {
        p->clique_of[r] = p->cliques && dice_chance(d, 0.9) ? (int)dice_below(d, (uint64_t)p->cliques) : -1;
        for (int kind = 0; kind < KINDS; kind++) {
            p->gpus[kind][r] = (double)dice_below(d, 4);
            for (int s = 0; s < p->homes; s++) p->home[kind][r][s] = (double)dice_range(d, 1, 9);
            p->remote[kind][r] = (double)dice_range(d, 3, 15);
            p->last[kind][r] = (double)dice_range(d, 5, 30);
        }
    }
    for (int k = 0; k < place_count(p); k++)
        p->capacity[k] = dice_range(d, 0, place_count(p) > 5 ? 4 : place_is_home(p, k) ? 8 : 5);
}

/* What a row costs in a set, from what the header says; INFINITY when it has no home. */
static double cost_of(const struct place_problem *p, uint64_t i, unsigned held)
{
    const int each = p->cliques + p->homes, kind = p->kind                ? p->kind[i]
                                                   : i < p->topology_rows ? PLACE_TOPOLOGY
                                                                          : PLACE_FEATURE;
    const bool last = p->has_last && !(p->topology_home && kind == PLACE_TOPOLOGY);
    bool home = last || !p->bytes[i];
    double sum = 0;
    for (int k = 0; k < place_count(p); k++) home |= (held >> k & 1) && k % each >= p->cliques;
    if (!home) return INFINITY;
    for (int node = 0; node < p->nodes; node++)
        for (int r = 0; r < p->readers; r++) {
            double least = last ? p->last[kind][r] : INFINITY;
            for (int k = 0; k < place_count(p); k++) {
                int of = k % each;
                if (!(held >> k & 1)) continue;
                if (of >= p->cliques && k / each == node) least = fmin(least, p->home[kind][r][of - p->cliques]);
                if (of >= p->cliques && k / each != node) least = fmin(least, p->remote[kind][r]);
                if (of < p->cliques && k / each == node && of == p->clique_of[r]) least = fmin(least, p->gpus[kind][r]);
            }
            double demand = (double)p->demand[node * p->readers + r][i];
            if (demand > 0) sum += demand * least;
        }
    return sum;
}

/* Bytes that a row takes of a place. */
static uint64_t taken(const struct place_problem *p, int k, uint64_t i)
{
    return p->gpu_bytes && k % (p->cliques + p->homes) < p->cliques ? p->gpu_bytes[i] : p->bytes[i];
}

/* Room left in the places as one number, and back. */
static int room_index(const struct place_problem *p, const int *room)
{
    int at = 0;
    for (int k = 0; k < place_count(p); k++) at = at * (int)(p->capacity[k] + 1) + room[k];
    return at;
}

static void room_of(const struct place_problem *p, int at, int *room)
{
    for (int k = place_count(p); k-- > 0; at /= (int)(p->capacity[k] + 1)) room[k] = at % (int)(p->capacity[k] + 1);
}

static void add_row(const struct place_problem *p, uint64_t i, int rooms, const double *from, double *to)
{
    for (int at = 0; at < rooms; at++) to[at] = INFINITY;
    for (unsigned held = 0; held < 1u << place_count(p); held++) {
        double reads = cost_of(p, i, held);
        for (int at = 0; isfinite(reads) && at < rooms; at++) {
            int room[TINY];
            bool fits = isfinite(from[at]);
            if (!fits) continue;
            room_of(p, at, room);
            for (int k = 0; k < place_count(p); k++)
                if (held >> k & 1) fits &= (room[k] -= (int)taken(p, k, i)) >= 0;
            if (fits) to[room_index(p, room)] = fmin(to[room_index(p, room)], from[at] + reads);
        }
    }
}

/* The optimum over all sets of all rows: every way to fill the places, row by row. */
static double everything(const struct place_problem *p)
{
    static double cost[2][ROOMS];
    int rooms = 1;
    for (int k = 0; k < place_count(p); k++) rooms *= (int)(p->capacity[k] + 1);
    if (rooms > ROOMS) return NAN;
    for (int at = 0; at < rooms; at++) cost[0][at] = at == rooms - 1 ? 0 : INFINITY; /* all room is left */
    for (uint64_t i = 0; i < p->rows; i++) add_row(p, i, rooms, cost[i % 2], cost[(i + 1) % 2]);
    double best = INFINITY;
    for (int at = 0; at < rooms; at++) best = fmin(best, cost[p->rows % 2][at]);
    return best;
}

/* The cheapest set of a row at random prices is what trying all sets finds. */
static void cheapest(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        struct dice d = {.at = seed * 31 + 5};
        struct tiny t;
        struct place_table table;
        double price[PLACES_MAX] = {0}, best = INFINITY;
        uint8_t set[PLACES_MAX / 8];
        make(&t, &d, (int)dice_range(&d, 1, 3));
        assert_int_equal(place_check(&t.p, &err), ST_OK);
        assert_int_equal(place_table_make(&t.p, &table, &err), ST_OK);
        for (int k = 0; k < place_count(&t.p); k++) price[k] = (double)dice_below(&d, 60);
        if (dice_chance(&d, 0.3)) price[0] = INFINITY;
        for (unsigned held = 0; held < 1u << place_count(&t.p); held++) {
            double v = cost_of(&t.p, 0, held);
            for (int k = 0; k < place_count(&t.p); k++)
                if (held >> k & 1) v += price[k] * (double)taken(&t.p, k, 0);
            best = fmin(best, v);
        }
        double v = place_cheapest(&table, 0, price, false, set), sum = 0;
        if (isfinite(best)) {
            unsigned held = 0;
            for (int k = 0; k < place_count(&t.p); k++)
                if (place_holds(set, k)) {
                    held |= 1u << k;
                    sum += price[k] * (double)taken(&t.p, k, 0);
                }
            double stated = cost_of(&t.p, 0, held);
            if (fabs(stated - place_row_cost(&table, 0, set)) > 1e-9 * (stated + 1) ||
                fabs(stated + sum - v) > 1e-9 * (v + 1))
                fail_msg("seed %d: the set costs %g + %g, stated %g", (int)seed, stated, sum, v);
        }
        if (isfinite(best) != isfinite(v) || (isfinite(v) && fabs(v - best) > 1e-9 * (best + 1)))
            fail_msg("seed %d: %g, but %g is possible", (int)seed, v, best);
        place_table_release(&table);
    }
}

struct tally {
    int solved, greedy_best, solve_best;
    double above; /* the sum of what prices find above the optimum, as shares */
};

static void judge(const struct place_problem *p, double truth, int seed, struct tally *y)
{
    double slack = 1e-9 * (truth + 1);
    struct place_solution greedy = {0}, s = {0};
    struct place_prices bound = {0};
    y->solved++;
    assert_int_equal(place_bound(p, truth * 1.01 + 1, NULL, 60, 1, &bound, &err), ST_OK);
    if (bound.value > truth + slack) fail_msg("seed %d: bound %g above the optimum %g", seed, bound.value, truth);
    if (place_greedy(p, &greedy, &err) != ST_OK) {
        assert_int_equal(err.code, ST_NO); /* tight homes need more than greed */
        assert_int_not_equal(place_solve(p, NULL, 1, &s, &bound, &err), ST_OK);
        return;
    }
    if (greedy.cost < truth - slack) fail_msg("seed %d: greedy is below the optimum", seed);
    assert_int_equal(place_solve(p, NULL, 1, &s, &bound, &err), ST_OK);
    if (s.cost < truth - slack || s.cost > greedy.cost || bound.value > truth + slack)
        fail_msg("seed %d: by prices %g, bound %g, optimum %g, greedy %g", seed, s.cost, bound.value, truth,
                 greedy.cost);
    y->greedy_best += greedy.cost <= truth + slack;
    y->solve_best += s.cost <= truth + slack;
    y->above += truth > 0 ? s.cost / truth - 1 : 0;
    place_solution_release(&greedy);
    place_solution_release(&s);
}

static void optimum_and_bound(void **state)
{
    (void)state;
    for (int nodes = 1; nodes <= 3; nodes++) {
        struct tally y = {0};
        for (uint64_t seed = 0; seed < CASES / 3; seed++) {
            struct dice d = {.at = seed * 7919 + 3 + (uint64_t)nodes};
            struct tiny t;
            make(&t, &d, nodes);
            double truth = everything(&t.p);
            if (isfinite(truth)) judge(&t.p, truth, (int)seed, &y);
        }
        print_message("%d nodes: %d problems with a solution; greedy is optimal in %d, by prices %d, above by %.2f "
                      "%%\n",
                      nodes, y.solved, y.greedy_best, y.solve_best, 100 * y.above / y.solved);
        assert_true(y.solved > 100 && y.greedy_best > y.solved / 3 && y.solve_best >= y.greedy_best);
        assert_true(y.above / y.solved < 0.04);
    }
}

/* Four homes, all rows fit with the last one in a home that was closed before: two stay open that no waiting row fits.
 */
static void waits_for_a_closed_home(void **state)
{
    (void)state;
    static const uint64_t bytes[] = {4, 2, 4, 4, 3, 4, 3};
    static const float demand[4][7] = {{1, 0, 0, 1, 1, 0, 1},
                                       {0, 2, 0, 1, 0, 0, 0},
                                       {0, 1, 2, 2, 0, 1, 2},
                                       {0, 1, 0, 0, 0, 1, 0}};
    const float *of[] = {demand[0], demand[1], demand[2], demand[3]};
    struct place_problem p = {.rows = 7,
                              .readers = 4,
                              .nodes = 1,
                              .homes = 4,
                              .clique_of = {-1, -1, -1, -1},
                              .bytes = bytes,
                              .demand = of,
                              .capacity = {6, 8, 6, 8}};
    struct place_solution s = {0};
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < 4; k++) p.home[PLACE_FEATURE][r][k] = r != k;
    assert_int_equal(place_check(&p, &err), ST_OK);
    alarm(20); /* ends an endless loop */
    assert_int_equal(place_greedy(&p, &s, &err), ST_OK);
    alarm(0);
    place_solution_release(&s);
}

/* GPUs of cliques of their own, whose readers need different rows, and DRAM with room for everything: each GPU holds
 * the rows with the most reads per rounded byte, and its capacity ends where a row does. So the optimum, all reads less
 * those of the rows it holds, is that of fractions of rows, too, and prices reach it: those of one node place by place,
 * those of two along the line of both, as `rounds` leave time for nothing else. Rows have 2 to 11 bytes on GPUs and
 * `whole` times as many elsewhere; every tenth one is not smaller on GPUs. */
enum { MANY = 400 /* rows of a GPU */, MANY_GPUS = 8 };
static void bound_of_rounded_rows(int nodes, int cliques, uint64_t whole, uint64_t held, int rounds)
{
    static uint64_t bytes[MANY_GPUS * MANY], gpu_bytes[MANY_GPUS * MANY];
    static float demand[MANY_GPUS][MANY_GPUS * MANY];
    const float *of[MANY_GPUS];
    struct place_problem p = {.rows = (uint64_t)(nodes * cliques) * MANY,
                              .nodes = nodes,
                              .cliques = cliques,
                              .homes = 1,
                              .readers = cliques,
                              .bytes = bytes,
                              .gpu_bytes = gpu_bytes,
                              .demand = of};
    struct place_prices bound = {0};
    double optimum = 0;
    memset(demand, 0, sizeof demand);
    for (int r = 0; r < cliques; r++) {
        p.clique_of[r] = r;
        p.home[PLACE_FEATURE][r][0] = p.remote[PLACE_FEATURE][r] = 1;
    }
    for (uint64_t i = 0; i < p.rows; i++) {
        const uint64_t gpu = i / MANY, at = i % MANY, rank = at * 7 % MANY; /* 400 and 7 have no common factor */
        const int clique = (int)gpu % cliques, node = (int)gpu / cliques;
        of[gpu] = demand[gpu];
        gpu_bytes[i] = 2 + at * 3 % 10;
        bytes[i] = at % 10 ? whole * gpu_bytes[i] : gpu_bytes[i];
        demand[gpu][i] = (float)(gpu_bytes[i] * (2 * MANY - rank) << clique);
        if (rank < held * (uint64_t)(1 + clique)) p.capacity[node * (cliques + 1) + clique] += gpu_bytes[i];
        else optimum += (double)demand[gpu][i];
    }
    for (int k = 0; k < place_count(&p); k++)
        if (place_is_home(&p, k)) p.capacity[k] = UINT64_MAX;
    assert_int_equal(place_check(&p, &err), ST_OK);
    assert_int_equal(place_bound(&p, optimum, NULL, rounds, 1, &bound, &err), ST_OK);
    if (bound.value > optimum * (1 + 1e-9) || bound.value < optimum * 0.998)
        fail_msg("%d nodes, whole rows %d times: the bound is %.4f of the optimum", nodes, (int)whole,
                 bound.value / optimum);
}

static void prices_of_rounded_rows(void **state)
{
    (void)state;
    for (uint64_t whole = 1; whole <= 8; whole *= 2) {
        bound_of_rounded_rows(1, MANY_GPUS, whole, 20, 3 * MANY_GPUS);
        bound_of_rounded_rows(2, 1, whole, 140, 33);
    }
}

static void refused(void **state)
{
    (void)state;
    struct dice d = {.at = 5};
    struct tiny t;
    struct place_solution s = {0};
    make(&t, &d, 1);
    t.p.rows = 3;
    t.p.has_last = false;
    t.bytes[0] = t.bytes[1] = t.bytes[2] = 1;
    for (int k = 0; k < place_count(&t.p); k++) t.p.capacity[k] = k == t.p.cliques ? 2 : 0;
    assert_int_equal(place_greedy(&t.p, &s, &err), ST_NO);
    assert_non_null(strstr(err.text, "no home has 1 bytes left for row"));
    t.p.rows = 1ull << 32;
    assert_int_equal(place_check(&t.p, &err), ST_LIMIT);
    assert_non_null(strstr(err.text, "4294967296 rows, but 4294967295"));
    t.p.rows = 3;
    t.demand[0][1] = NAN;
    assert_int_equal(place_check(&t.p, &err), ST_USAGE);
    t.demand[0][1] = 1;
    t.p.home[0][0][0] = INFINITY;
    assert_int_equal(place_check(&t.p, &err), ST_USAGE);
    t.p.home[0][0][0] = 1;
    t.p.nodes = 5000;
    assert_int_equal(place_check(&t.p, &err), ST_USAGE);
    place_solution_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cheapest), cmocka_unit_test(optimum_and_bound),
                                       cmocka_unit_test(waits_for_a_closed_home),
                                       cmocka_unit_test(prices_of_rounded_rows), cmocka_unit_test(refused)};
    return cmocka_run_group_tests_name("places", tests, NULL, NULL);
}
