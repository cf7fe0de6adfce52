/* Rows and places on thousands of tiny random problems: branch and bound is never beaten by trying everything, the
 * bound is never above the optimum, greedy is a solution and not far from it. */
#include <math.h>
#include <unistd.h>
#include "planner/places/place_bound.h"
#include "planner/places/place_exact.h"
#include "planner/places/place_greedy.h"
#include "planner/places/place_solve.h"
#include "tests/oracle/case.h"

enum { ROWS = 6, CASES = 3000 };
static struct err err;

struct tiny {
    struct place_problem p;
    uint64_t bytes[PLACE_EXACT_ROWS_MAX];
    float demand[PLACE_READERS_MAX][PLACE_EXACT_ROWS_MAX];
};

/* Sockets (homes), GPUs that only some readers read, and sometimes an SSD that holds everything. */
static void make(struct tiny *t, struct dice *d, int rows)
{
    struct place_problem *p = &t->p;
    uint64_t all = 0;
    memset(t, 0, sizeof *t);
    p->rows = (uint64_t)rows;
    p->readers = (int)dice_range(d, 1, 4);
    p->places = (int)dice_range(d, 1, 4);
    p->homes = (place_set)dice_range(d, 1, (1u << p->places) - 1);
    for (int i = 0; i < rows; i++) all += t->bytes[i] = dice_range(d, 1, 9);
    for (int r = 0; r < p->readers; r++) {
        p->demand[r] = t->demand[r];
        for (int i = 0; i < rows; i++) t->demand[r][i] = dice_chance(d, 0.2) ? 0 : (float)dice_range(d, 1, 50);
        for (int k = 0; k < p->places; k++) {
            p->cost[r][k] = (double)dice_below(d, 20);
            if (!(p->homes >> k & 1) && dice_chance(d, 0.3)) p->cost[r][k] = INFINITY;
        }
    }
    p->bytes = t->bytes;
    for (int k = 0; k < p->places; k++)
        p->capacity[k] = dice_chance(d, 0.2) ? UINT64_MAX : dice_range(d, 0, all + all / 4);
}

/* Every set for every row. INFINITY when none is possible. */
static double everything(const struct place_problem *p, uint64_t i, uint64_t used[PLACES_MAX])
{
    double best = INFINITY;
    if (i == p->rows) return 0;
    for (unsigned held = 1; held < 1u << p->places; held++) {
        bool fits = held & p->homes;
        for (int k = 0; k < p->places; k++)
            if (held >> k & 1) fits = fits && used[k] + p->bytes[i] <= p->capacity[k];
        if (!fits) continue;
        double mine = 0;
        for (int r = 0; r < p->readers; r++) {
            double least = INFINITY;
            for (int k = 0; k < p->places; k++)
                if (held >> k & 1) least = fmin(least, p->cost[r][k]);
            if (p->demand[r][i] > 0) mine += (double)p->demand[r][i] * least;
        }
        for (int k = 0; k < p->places; k++)
            if (held >> k & 1) used[k] += p->bytes[i];
        best = fmin(best, mine + everything(p, i + 1, used));
        for (int k = 0; k < p->places; k++)
            if (held >> k & 1) used[k] -= p->bytes[i];
    }
    return best;
}

/* By prices: never worse than greedy, never below the optimum, and its bound is one. Returns whether it is optimal. */
static bool check_solve(const struct place_problem *p, double truth, const struct place_solution *greedy)
{
    struct place_solution s = {0};
    struct place_prices prices;
    if (place_solve(p, NULL, 1, &s, &prices, &err) != ST_OK) {
        assert_null(greedy->held);
        return false;
    }
    assert_true(s.cost >= truth - 1e-9 * (truth + 1) && s.cost <= greedy->cost);
    assert_true(prices.value <= truth + 1e-9 * (truth + 1));
    bool best = s.cost <= truth * (1 + 1e-9);
    place_solution_release(&s);
    return best;
}

static void optimum_and_bound(void **state)
{
    (void)state;
    int solved = 0, greedy_best = 0, solve_best = 0;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        struct dice d = {.at = seed * 7919 + 3};
        struct tiny t;
        struct place_solution exact = {0}, greedy = {0};
        struct place_prices bound = {0};
        uint64_t used[PLACES_MAX] = {0};
        bool proven = false;
        make(&t, &d, (int)dice_range(&d, 1, ROWS));
        if (t.p.places == 4) t.p.rows = t.p.rows < 4 ? t.p.rows : 4; /* 15^6 sets are too many */
        assert_int_equal(place_check(&t.p, &err), ST_OK);
        double truth = everything(&t.p, 0, used);
        enum st st = place_exact(&t.p, 1 << 20, &exact, &proven, &err);
        if (isinf(truth)) {
            if (st != ST_NO) fail_msg("seed %d: a solution where there is none", (int)seed);
            continue;
        }
        if (st != ST_OK || !proven || fabs(exact.cost - truth) > 1e-9 * (truth + 1))
            fail_msg("seed %d: exact %g (%s), but %g is possible", (int)seed, exact.cost, err.text, truth);
        solved++;
        assert_int_equal(place_bound(&t.p, truth * 1.01 + 1, NULL, 40, 1, &bound, &err), ST_OK);
        if (bound.value > truth + 1e-9 * (truth + 1))
            fail_msg("seed %d: bound %g above the optimum %g", (int)seed, bound.value, truth);
        if (place_greedy(&t.p, &greedy, &err) == ST_OK) {
            if (greedy.cost < truth - 1e-9 * (truth + 1)) fail_msg("seed %d: greedy is below the optimum", (int)seed);
            greedy_best += greedy.cost <= truth * (1 + 1e-9);
        } else assert_int_equal(err.code, ST_NO); /* tight homes need more than greed */
        solve_best += check_solve(&t.p, truth, &greedy);
        place_solution_release(&exact);
        place_solution_release(&greedy);
    }
    print_message("%d problems with a solution; greedy is optimal in %d, by prices %d\n", solved, greedy_best,
                  solve_best);
    assert_true(solved > CASES / 2 && greedy_best > solved / 2 && solve_best >= greedy_best);
}

/* ---- two nodes of two GPUs ---- */

enum { NODE_PLACES = 7, NODE_READERS = 4, SSD = 6, NODE_CASES = 300 };

/* Places 0 to 3: GPUs; 4 and 5: the sockets of the nodes; 6: an SSD that both nodes read. */
static void make_nodes(struct tiny *t, struct dice *d)
{
    struct place_problem *p = &t->p;
    const bool network = dice_chance(d, 0.5); /* GPUs of the other node are read, too */
    memset(t, 0, sizeof *t);
    p->rows = dice_range(d, 2, 7);
    p->readers = NODE_READERS;
    p->places = NODE_PLACES;
    p->homes = 1 << 4 | 1 << 5 | 1 << SSD;
    p->bytes = t->bytes;
    for (uint64_t i = 0; i < p->rows; i++) t->bytes[i] = dice_range(d, 1, 3);
    for (int r = 0; r < NODE_READERS; r++) {
        p->demand[r] = t->demand[r];
        for (uint64_t i = 0; i < p->rows; i++) t->demand[r][i] = (float)dice_range(d, 0, 40);
        for (int k = 0; k < 4; k++) p->cost[r][k] = r == k ? 0 : r / 2 == k / 2 ? 1 : network ? 7 : INFINITY;
        for (int k = 0; k < 2; k++) p->cost[r][4 + k] = r / 2 == k ? 4 : 9;
        p->cost[r][SSD] = 40;
    }
    for (int k = 0; k < 4; k++) p->capacity[k] = dice_range(d, 0, 3);
    p->capacity[4] = dice_range(d, 0, 6);
    p->capacity[5] = dice_range(d, 0, 6);
    p->capacity[SSD] = UINT64_MAX;
}

/* What is left in the places but the SSD, as one number; and back. */
static int room_index(const struct place_problem *p, const int room[SSD])
{
    int at = 0;
    for (int k = 0; k < SSD; k++) at = at * (int)(p->capacity[k] + 1) + room[k];
    return at;
}

static void room_of(const struct place_problem *p, int at, int room[SSD])
{
    for (int k = SSD; k-- > 0; at /= (int)(p->capacity[k] + 1)) room[k] = at % (int)(p->capacity[k] + 1);
}

/* Adds row i in every set to every way to have room left: from[room] costs become to[room]. */
static void add_row(const struct place_problem *p, uint64_t i, int rooms, const double *from, double *to)
{
    for (int at = 0; at < rooms; at++) to[at] = INFINITY;
    for (unsigned held = 1; held < 1u << NODE_PLACES; held++) {
        double reads = 0;
        if (!(held & p->homes)) continue;
        for (int r = 0; r < NODE_READERS; r++) {
            double least = INFINITY;
            for (int k = 0; k < NODE_PLACES; k++)
                if (held >> k & 1) least = fmin(least, p->cost[r][k]);
            reads += p->demand[r][i] * least;
        }
        for (int at = 0; at < rooms; at++) {
            int room[SSD];
            bool fits = isfinite(from[at]);
            room_of(p, at, room);
            for (int k = 0; k < SSD; k++)
                if (held >> k & 1) fits &= (room[k] -= (int)p->bytes[i]) >= 0;
            if (fits) to[room_index(p, room)] = fmin(to[room_index(p, room)], from[at] + reads);
        }
    }
}

/* The optimum over all sets of all rows: every way to fill the places, row by row. */
static double every_room(const struct place_problem *p)
{
    enum { ROOMS = 4 * 4 * 4 * 4 * 7 * 7 };
    static double cost[2][ROOMS];
    int rooms = 1;
    for (int k = 0; k < SSD; k++) rooms *= (int)(p->capacity[k] + 1);
    for (int at = 0; at < rooms; at++) cost[0][at] = at == rooms - 1 ? 0 : INFINITY; /* all room is left */
    for (uint64_t i = 0; i < p->rows; i++) add_row(p, i, rooms, cost[i % 2], cost[(i + 1) % 2]);
    double best = INFINITY;
    for (int at = 0; at < rooms; at++) best = fmin(best, cost[p->rows % 2][at]);
    return best;
}

/* Two nodes with two GPUs and the DRAM of a socket each, and an SSD: branch and bound finds the optimum of trying
 * everything, and bound <= optimum <= by prices <= greedy. */
static void two_nodes(void **state)
{
    (void)state;
    int greedy_best = 0, solve_best = 0;
    for (uint64_t seed = 0; seed < NODE_CASES; seed++) {
        struct dice d = {.at = seed * 101 + 11};
        struct tiny t;
        struct place_solution exact = {0}, greedy = {0};
        struct place_prices bound = {0};
        bool proven = false;
        make_nodes(&t, &d);
        assert_int_equal(place_check(&t.p, &err), ST_OK);
        double truth = every_room(&t.p), slack = 1e-9 * (truth + 1);
        assert_int_equal(place_greedy(&t.p, &greedy, &err), ST_OK);
        assert_int_equal(place_exact(&t.p, 1 << 22, &exact, &proven, &err), ST_OK);
        if (!proven || fabs(exact.cost - truth) > slack)
            fail_msg("seed %d: exact %g%s, but %g is possible", (int)seed, exact.cost, proven ? "" : " (not proven)",
                     truth);
        assert_int_equal(place_bound(&t.p, greedy.cost, NULL, 60, 1, &bound, &err), ST_OK);
        if (bound.value > truth + slack || greedy.cost < truth - slack)
            fail_msg("seed %d: bound %g, best %g, greedy %g", (int)seed, bound.value, truth, greedy.cost);
        greedy_best += greedy.cost <= truth + slack;
        solve_best += check_solve(&t.p, truth, &greedy);
        place_solution_release(&exact);
        place_solution_release(&greedy);
    }
    print_message("%d problems of two nodes; greedy is optimal in %d, by prices %d\n", NODE_CASES, greedy_best,
                  solve_best);
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
    struct place_problem p =
        {.rows = 7, .readers = 4, .places = 4, .bytes = bytes, .capacity = {6, 8, 6, 8}, .homes = 15};
    struct place_solution s = {0};
    for (int r = 0; r < 4; r++) {
        p.demand[r] = demand[r];
        for (int k = 0; k < 4; k++) p.cost[r][k] = r != k;
    }
    assert_int_equal(place_check(&p, &err), ST_OK);
    alarm(20); /* ends an endless loop */
    assert_int_equal(place_greedy(&p, &s, &err), ST_OK);
    alarm(0);
    place_solution_release(&s);
}

static void refused(void **state)
{
    (void)state;
    struct dice d = {.at = 5};
    struct tiny t;
    struct place_solution s = {0};
    make(&t, &d, 3);
    t.p.homes = 1;
    t.p.capacity[0] = 2;
    t.bytes[0] = t.bytes[1] = t.bytes[2] = 1;
    for (int r = 0; r < t.p.readers; r++) t.p.cost[r][0] = 1;
    assert_int_equal(place_greedy(&t.p, &s, &err), ST_NO);
    assert_non_null(strstr(err.text, "no home has 1 bytes left for row"));
    t.p.rows = 1ull << 32;
    assert_int_equal(place_check(&t.p, &err), ST_LIMIT);
    assert_non_null(strstr(err.text, "4294967296 rows, but 4294967295"));
    t.p.rows = 3;
    t.demand[0][1] = NAN;
    assert_int_equal(place_check(&t.p, &err), ST_USAGE);
    t.demand[0][1] = 1;
    t.p.cost[0][0] = INFINITY;
    assert_int_equal(place_check(&t.p, &err), ST_USAGE);
    t.p.cost[0][0] = 1;
    t.p.homes = (place_set)(1u << t.p.places);
    assert_int_equal(place_check(&t.p, &err), ST_USAGE);
    place_solution_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(optimum_and_bound), cmocka_unit_test(two_nodes),
                                       cmocka_unit_test(waits_for_a_closed_home), cmocka_unit_test(refused)};
    return cmocka_run_group_tests_name("places", tests, NULL, NULL);
}
