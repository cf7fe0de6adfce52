/* Who reaches whom, bounds worked out by hand, and what happens when GLPK fails. */
#include <math.h>
#include <unistd.h>

#include "base/mem.h"
#include "planner/optimum/bound.h"
#include "planner/optimum/optimum.h"
#include "planner/optimum/optimum_glpk.h"
#include "tests/oracle/instance.h"

static struct err err;
static struct server server;
static struct reach reach;

static uint64_t no_budget[SERVER_GPUS_MAX];

static void reach_of(const char *name, bool by_switch)
{
    OK(server_load(name, &server, &err));
    OK(reach_make(&server, no_budget, by_switch, false, PATTERNS_MAX, &reach, &err));
}

static void drop(void)
{
    reach_release(&reach);
    server_release(&server);
}

/* ---- reach ---- */

static void cliques_are_pools(void **state)
{
    (void)state;
    reach_of("siton", false); /* 4 pairs */
    EQUAL(reach.pools, 4, "siton");
    EQUAL(reach.components, 4, "siton");
    for (int i = 0; i < 4; i++) EQUAL(reach.component[i].patterns, 2, "held by the pair or not");
    drop();
    reach_of("dgx-a100", false); /* all with all */
    EQUAL(reach.pools, 1, "dgx-a100");
    EQUAL(reach.groups, 1, "dgx-a100");
    drop();
    reach_of("dgx-a100", true); /* 4 switches below one clique */
    EQUAL(reach.groups, 4, "dgx-a100");
    EQUAL(reach.links, 4, "dgx-a100");
    drop();
}

/* Position of the pattern with these pools; -1 when it is not listed. */
static int find_pattern(const struct component *x, pool_set pools)
{
    for (int p = 0; p < x->patterns; p++)
        if (x->pattern[p].pools == pools) return p;
    return -1;
}

/* Two cliques of 4, each GPU with one link to the other clique. Patterns without a superfluous copy: none (1); one
 * pool (8); two of a clique (2 * 6); one of each (16); three of a clique (2 * 4); four of a clique (2). Two of one
 * clique and one of the other: that one reaches its whole clique and a GPU of the other, the two reach all of theirs
 * either way, so one of the two is superfluous unless it alone reaches some GPU, and none does. */
static void hybrid_cube_mesh_has_47_patterns(void **state)
{
    (void)state;
    reach_of("dgx-v100", false);
    EQUAL(reach.pools, 8, "dgx-v100");
    EQUAL(reach.components, 1, "dgx-v100");
    EQUAL(reach.component[0].patterns, 1 + 8 + 12 + 16 + 8 + 2, "dgx-v100");
    assert_true(reach.component[0].complete);
    const struct component *x = &reach.component[0];
    int whole = find_pattern(x, 0), one = find_pattern(x, 1),
        pair = find_pattern(x, (pool_set)1 << reach.pool_of[0] | (pool_set)1 << reach.pool_of[4]);
    assert_true(whole == 0 && one > 0 && pair > 0);
    assert_float_equal(x->pattern[whole].miss[0], 1, 0);
    assert_float_equal(x->pattern[one].miss[0], 0, 0);
    assert_float_equal(x->pattern[one].miss[1], 0.75, 0);
    assert_float_equal(x->pattern[pair].miss[0] + x->pattern[pair].miss[1], 0, 0);
    drop();
}

static void too_many_patterns_are_said(void **state)
{
    (void)state;
    OK(server_load("dgx-v100", &server, &err));
    OK(reach_make(&server, no_budget, false, false, 20, &reach, &err));
    assert_false(reach.component[0].complete);
    assert_true(reach.component[0].patterns <= 1 + 8 + 28);
    drop();
}

/* ---- bounds by hand ---- */

/* Two vertices without neighbours: topology rows of 8 bytes, feature rows of 16. */
static int64_t indptr[3];
static struct graph graph = {.n = 2, .indptr = indptr, .row_bytes = 16};
static float topology[2][2], feature[2][2], seldom[2];
static struct estimates estimates[2] = {{topology[0], feature[0], seldom, seldom, NULL, {0}},
                                        {topology[1], feature[1], seldom, seldom, NULL, {0}}};
static const struct items items = {.graph = &graph, .estimates = estimates, .threads = 1};

static void one_pool_is_a_knapsack(void **state)
{
    (void)state;
    static const int sizes[] = {2, 0};
    uint64_t budget[SERVER_GPUS_MAX] = {16, 8};
    double price = 0.5, weight = 1;
    struct bound b;
    topology[0][0] = 8;  /* 1 per byte */
    topology[0][1] = 2;  /* 0.25 per byte */
    feature[0][0] = 10;  /* 0.625 per byte */
    feature[0][1] = 100; /* 6.25 per byte */
    server_cliques(&server, sizes, 64);
    OK(reach_make(&server, budget, false, false, PATTERNS_MAX, &reach, &err));
    /* 24 bytes hold 100 (16 bytes) and 8 (8 bytes); 12 are left. At 0.625, the density of the first row left out: 5 +
     * 2 + 10 + 10 - 24 * 0.625. */
    price = 0.625;
    OK(bound_at(&reach, &items, &price, &weight, &b, &err));
    assert_float_equal(b.value, 12, 1e-5);
    price = 0.5; /* 4 + 2 + 8 + 8 - 12 */
    OK(bound_at(&reach, &items, &price, &weight, &b, &err));
    assert_float_equal(b.value, 10, 1e-5);
    price = 0; /* memory for nothing: nothing is proven */
    OK(bound_at(&reach, &items, &price, &weight, &b, &err));
    assert_float_equal(b.value, 0, 0);
    price = 10; /* nobody would pay: 120 - 240, and no bound is below 0 */
    OK(bound_at(&reach, &items, &price, &weight, &b, &err));
    assert_float_equal(b.value, 0, 0);
    drop();
}

/* 0 - 1 - 2 - 3 - 0: cliques {0,1} and {2,3}. A copy on 0 serves 0, 1, 3; copies on 0 and 2 serve all. */
static void a_cycle_of_four(void **state)
{
    (void)state;
    if (!glpk_solver()) skip();
    struct optimum x = {0};
    struct optimum_options o = {0};
    uint64_t budget[SERVER_GPUS_MAX] = {16, 0, 0, 0};
    memset(topology, 0, sizeof topology);
    memset(feature, 0, sizeof feature);
    feature[0][0] = 40;
    feature[1][0] = 60;
    server_of(&server, 4, 64);
    for (int g = 0; g < 4; g++) server_join(&server, g, (g + 1) % 4, 1);
    server_find_cliques(&server);
    OK(reach_make(&server, budget, false, false, PATTERNS_MAX, &reach, &err));
    OK(optimum_solve(&reach, &items, &o, &x, &err));
    assert_float_equal(x.bound, 30, 1e-3); /* GPU 2's half of clique {2,3} */
    assert_float_equal(x.value, 30, 1e-3);
    optimum_release(&x, reach.components);
    reach_release(&reach);
    budget[2] = 16;
    OK(reach_make(&server, budget, false, false, PATTERNS_MAX, &reach, &err));
    OK(optimum_solve(&reach, &items, &o, &x, &err));
    assert_float_equal(x.bound, 0, 1e-3);
    assert_float_equal(x.value, 0, 1e-3);
    optimum_release(&x, reach.components);
    reach_release(&reach);
    budget[0] = budget[2] = 15; /* a byte short on each: pooled bytes do not make a row */
    OK(reach_make(&server, budget, false, false, PATTERNS_MAX, &reach, &err));
    OK(optimum_solve(&reach, &items, &o, &x, &err));
    assert_float_equal(x.bound, 100, 1e-3);
    optimum_release(&x, reach.components);
    drop();
}

/* ---- GLPK ---- */

enum { ROWS = 300 };
static double high[ROWS];
static bool equal[ROWS];

static enum st nothing_more(void *context, const double *dual, double objective, struct err *e)
{
    (void)context, (void)dual, (void)objective, (void)e;
    return ST_OK;
}
static enum st refuses(void *context, const double *dual, double objective, struct err *e)
{
    (void)context, (void)dual, (void)objective;
    return err_set(e, ST_LIMIT, "refused by the test");
}

/* Row i: x_i = 1, and one row in which all compete. */
static struct lp_problem program(struct lp_columns *c, double room)
{
    for (int i = 0; i < ROWS; i++) {
        high[i] = i ? 1 : room;
        equal[i] = i > 0;
        if (!i) continue;
        for (int held = 0; held < 2; held++) {
            OK(glpk_column_begin(c, held ? 0 : i, held ? -1 : i, &err));
            if (held) OK(glpk_column_entry(c, 0, 1, &err));
            OK(glpk_column_entry(c, i, 1, &err));
        }
    }
    return (struct lp_problem){.rows = ROWS, .high = high, .equal = equal, .columns = c, .price = nothing_more};
}

static void solves(void)
{
    struct lp_columns c = {0};
    struct lp_result r = {0};
    struct lp_problem p = program(&c, 2);
    OK(glpk_solve(&p, &r, &err));
    assert_true(r.optimal && r.feasible);
    assert_float_equal(r.objective, 299 * 300 / 2 - 299 - 298, 1e-6); /* all but the two dearest */
    mem_free(r.value);
    lp_columns_release(&c);
}

/* Bytes that reach the terminal while `p` is solved. */
static long said(const struct lp_problem *p, enum st expected)
{
    struct lp_result r = {0};
    FILE *to = tmpfile();
    int out, terminal = dup(1);
    assert_non_null(to);
    fflush(stdout);
    out = dup2(fileno(to), 1);
    err_clear(&err);
    enum st st = glpk_solve(p, &r, &err);
    fflush(stdout);
    dup2(terminal, 1);
    close(terminal);
    long bytes = lseek(fileno(to), 0, SEEK_END);
    fclose(to);
    assert_int_equal(out, 1);
    assert_int_equal(st, expected);
    mem_free(r.value);
    return bytes;
}

static void an_abort_of_glpk_stays_inside(void **state)
{
    (void)state;
    if (!glpk_solver()) skip();
    struct lp_columns c = {0};
    struct lp_problem p = program(&c, 2);
    solves();
    c.row[5] = c.row[4] = 7; /* one column names a row twice: GLPK's own abort */
    c.start[4] = 4;
    c.value[4] = c.value[5] = 1;
    for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(said(&p, ST_LIMIT), 0);
        assert_non_null(strstr(err.text, "GLPK gave up"));
        assert_non_null(strstr(err.text, "row")); /* its own words */
    }
    lp_columns_release(&c);
    solves(); /* the next caller meets a GLPK in order */
}

static void memory_of_glpk_is_limited(void **state)
{
    (void)state;
    if (!glpk_solver()) skip();
    struct lp_columns c = {0};
    struct lp_problem p = program(&c, 2);
    for (int more = 0; more < 40; more++) p = program(&c, 2);
    p.megabytes = 1;
    assert_int_equal(said(&p, ST_LIMIT), 0);
    assert_non_null(strstr(err.text, "GLPK gave up"));
    lp_columns_release(&c);
    solves();
}

static void faults_of_programs_are_said(void **state)
{
    (void)state;
    if (!glpk_solver()) skip();
    struct lp_columns c = {0};
    struct lp_problem p = program(&c, -1); /* less than nothing: infeasible */
    assert_int_equal(said(&p, ST_LIMIT), 0);
    assert_non_null(strstr(err.text, "no optimum"));
    high[0] = 2;
    p.price = refuses;
    assert_int_equal(said(&p, ST_LIMIT), 0);
    assert_string_equal(err.text, "refused by the test");
    lp_columns_release(&c);
}

static void the_clock_stops_it(void **state)
{
    (void)state;
    if (!glpk_solver()) skip();
    struct lp_columns c = {0};
    struct lp_result r = {0};
    struct lp_problem p = program(&c, 2);
    p.seconds = 1e-9;
    OK(glpk_solve(&p, &r, &err));
    assert_true(r.stopped && !r.optimal);
    mem_free(r.value);
    lp_columns_release(&c);
}

static void without_glpk_it_is_absent(void **state)
{
    (void)state;
    if (glpk_solver()) skip();
    struct lp_columns c = {0};
    struct lp_result r = {0};
    struct lp_problem p = program(&c, 2);
    assert_int_equal(glpk_solve(&p, &r, &err), ST_MISSING);
    assert_non_null(strstr(err.text, "absent"));
    lp_columns_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cliques_are_pools),
                                       cmocka_unit_test(hybrid_cube_mesh_has_47_patterns),
                                       cmocka_unit_test(too_many_patterns_are_said),
                                       cmocka_unit_test(one_pool_is_a_knapsack),
                                       cmocka_unit_test(a_cycle_of_four),
                                       cmocka_unit_test(an_abort_of_glpk_stays_inside),
                                       cmocka_unit_test(memory_of_glpk_is_limited),
                                       cmocka_unit_test(faults_of_programs_are_said),
                                       cmocka_unit_test(the_clock_stops_it),
                                       cmocka_unit_test(without_glpk_it_is_absent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
