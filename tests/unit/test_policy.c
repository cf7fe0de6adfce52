/* Placing worked by hand: algorithm 1 with the spill rule, dealing, names. */
#include "base/mem.h"
#include "planner/policies/cross_clique.h"
#include "planner/policies/density.h"
#include "planner/policies/policy.h"
#include "tests/oracle/instance.h"

static struct err err;
static struct server server;
static struct graph graph;
static struct trace trace;
static struct plan plan;

/* One clique of two GPUs; four vertices, feature rows of 16 bytes; rows of 3, 0, 2, 1 neighbours.
 * Mini-batches that need a vertex:   0  1  2  3
 *                          GPU 0     5  3  4  0
 *                          GPU 1     1  4  2  7
 *                            sum     6  7  6  7   ->  1 3 0 2 (ties to the lower id) */
static uint32_t feature[2][4] = {{5, 3, 4, 0}, {1, 4, 2, 7}}, nothing[4];
static uint64_t drawn;    /* N_TSUM of the clique */
static float saved[2][4]; /* estimates: transactions saved by a row of topology, of features */

static void place(const char *name, uint64_t first, uint64_t second)
{
    const int sizes[] = {2, 0};
    struct arcs a = {0};
    const struct policy *p = NULL;
    struct policy_verdict verdict = {.status = POLICY_OK};
    for (uint64_t u = 0; u < 3; u++) arcs_add(&a, 0, u);
    for (uint64_t u = 0; u < 2; u++) arcs_add(&a, 2, u);
    arcs_add(&a, 3, 0);
    graph_of(&graph, 4, &a, 4, 4, "in");
    server_cliques(&server, sizes, 64);
    trace = (struct trace){.epochs = 1, .n = 4, .line_bytes = 64};
    trace.n_tsum[0] = drawn;
    memset(&plan, 0, sizeof plan);
    plan.line_bytes = 64;
    plan.assignment.gpus = plan.placement.gpus = trace.assignment.gpus = 2;
    plan.assignment.cliques = trace.assignment.cliques = 1;
    plan.budget[0] = first;
    plan.budget[1] = second;
    for (int g = 0; g < 2; g++) {
        trace.feature[g] = count_row_wide(feature[g]);
        trace.topology[g] = count_row_wide(nothing);
    }
    struct estimates guess = {.topology = saved[0], .feature = saved[1]};
    struct policy_input in = {.graph = &graph,
                              .server = &server,
                              .trace = &trace,
                              .estimates = &guess,
                              .kernels = &kernels_cpu,
                              .threads = 1,
                              .seed = 1};
    OK(policy_parse(name, &p, in.option, &err));
    in.hotness = p->hotness;
    OK(p->place(&in, &plan, &verdict, &err));
    assert_int_equal(verdict.status, POLICY_OK);
}

static void features_are(int gpu, uint64_t count, const uint32_t *expected)
{
    const struct row_list *l = &plan.placement.feature[gpu];
    EQUAL(l->count, count, "GPU %d", gpu);
    for (uint64_t i = 0; i < count; i++) EQUAL(l->id[i], expected[i], "GPU %d, place %d", gpu, (int)i);
}

static void drop(void)
{
    plan_release(&plan);
    graph_drop(&graph);
}

static void algorithm_1(void **state)
{
    (void)state;
    place("legion-topocpu", 32, 32); /* 1 and 3 to GPU 1, 0 and 2 to GPU 0: everybody where it is needed most */
    features_are(0, 2, (uint32_t[]){0, 2});
    features_are(1, 2, (uint32_t[]){1, 3});
    drop();
    place("legion-topocpu", 16, 48); /* GPU 0 is full after 0, so 2 spills to GPU 1 */
    features_are(0, 1, (uint32_t[]){0});
    features_are(1, 3, (uint32_t[]){1, 3, 2});
    drop();
    place("legion-topocpu", 16, 31); /* 1 to GPU 1 (15 left), 3 spills to GPU 0, 0 fits nowhere */
    features_are(0, 1, (uint32_t[]){3});
    features_are(1, 1, (uint32_t[]){1});
    drop();
    place("legion-topocpu", 0, 15);
    features_are(0, 0, NULL);
    features_are(1, 0, NULL);
    drop();
}

/* Nothing was traversed, so topology saves nothing and alpha is 0: features alone, as above. */
static void legion_without_draws(void **state)
{
    (void)state;
    place("legion", 32, 32);
    assert_true(plan.clique[0].alpha == 0);
    assert_int_equal(plan.clique[0].sweep_count, 101);
    assert_int_equal(plan.clique[0].sweep[0].feature, 0);
    assert_int_equal(plan.clique[0].sweep[100].feature, 26); /* no feature held: 6 + 7 + 6 + 7 reads of one line */
    assert_int_equal(plan.clique[0].sweep[50].feature, 12);  /* 32 of 64 bytes: 1 and 3 are held */
    assert_int_equal(plan.clique[0].sweep[25].feature, 6);   /* 48 bytes: 1, 3, 0 */
    assert_int_equal(plan.clique[0].sweep[26].feature, 6);   /* floor(16.64) of 64 bytes still leaves 48 */
    assert_int_equal(plan.clique[0].sweep[27].feature, 12);  /* floor(17.28) leaves 47 */
    features_are(0, 2, (uint32_t[]){0, 2});
    features_are(1, 2, (uint32_t[]){1, 3});
    drop();
}

/* Six arcs and four vertices take 4 * 6 + 8 * 4 = 56 bytes: a budget of just that holds the whole topology, and no
 * feature row. */
static void topology_that_just_fits(void **state)
{
    (void)state;
    place("legion-topogpu", 56, 72);
    for (int g = 0; g < 2; g++) EQUAL(plan.placement.topology[g].count, 4, "GPU %d", g);
    features_are(0, 0, NULL);
    features_are(1, 1, (uint32_t[]){1}); /* 16 bytes are left: the first of the order */
    drop();
}

/* Topology is worth a lot here, and a given alpha is taken all the same, 0 among them. */
static void legion_with_a_given_alpha(void **state)
{
    (void)state;
    nothing[0] = 50;
    drawn = 3000;
    place("legion", 32, 32);
    assert_true(plan.clique[0].alpha > 0);
    assert_int_equal(plan.placement.topology[0].count + plan.placement.topology[1].count > 0, 1);
    drop();
    place("legion:alpha=0", 32, 32);
    assert_true(plan.clique[0].alpha == 0);
    assert_int_equal(plan.placement.topology[0].count + plan.placement.topology[1].count, 0);
    drop();
    place("legion:alpha=1", 32, 32);
    assert_true(plan.clique[0].alpha == 1);
    assert_int_equal(plan.placement.feature[0].count + plan.placement.feature[1].count, 0);
    drop();
    nothing[0] = 0;
    drawn = 0;
}

/* By row length: 0 (3), 2 (2), 3 (1), 1 (0). Dealt in turn; who is full is passed over. */
static void cards_are_dealt(void **state)
{
    (void)state;
    place("quiver", 32, 32);
    features_are(0, 2, (uint32_t[]){0, 3});
    features_are(1, 2, (uint32_t[]){2, 1});
    drop();
    place("quiver", 16, 48);
    features_are(0, 1, (uint32_t[]){0});
    features_are(1, 3, (uint32_t[]){2, 3, 1});
    drop();
    place("quiver-plus", 20, 40); /* by need: 1, 3, 0, 2; the last does not fit */
    features_are(0, 1, (uint32_t[]){1});
    features_are(1, 2, (uint32_t[]){3, 0});
    drop();
}

/* Systems of the literature on the same four vertices. Listed: 0 three times, 1 twice, 2 once, 3 never; ratios to row
 * lengths: 1, infinite, 1/2, 0. */
static void systems(void **state)
{
    (void)state;
    place("aligraph", 32, 16);
    features_are(0, 2, (uint32_t[]){1, 0});
    features_are(1, 1, (uint32_t[]){1});
    drop();
    place("pagraph-plus", 32, 48); /* every GPU by its own line of the table */
    features_are(0, 2, (uint32_t[]){0, 2});
    features_are(1, 3, (uint32_t[]){3, 1, 2});
    drop();
    place("legion-public", 32,
          32); /* 1 %: 64 bytes hold all four, which counts as no gain; 2 %: 63 bytes hold 1, 3, 0, dealt in turn */
    features_are(0, 2, (uint32_t[]){1, 0});
    features_are(1, 1, (uint32_t[]){3});
    drop();
    place("ducati", 32,
          83); /* features by need; nothing was drawn, so topology comes last: the row of 0 takes 20 bytes of 19 */
    features_are(0, 2, (uint32_t[]){1, 3});
    features_are(1, 4, (uint32_t[]){1, 3, 0, 2});
    assert_int_equal(plan.placement.topology[1].count, 0);
    drop();
    place("data-tiering:replicated=0.5", 32,
          48); /* by weighted reverse PageRank 0, 1, 2, 3: 0 on both GPUs, as half of 32 bytes is one row */
    features_are(0, 2, (uint32_t[]){0, 1});
    features_are(1, 3, (uint32_t[]){0, 2, 3});
    drop();
    place("data-tiering:replicated=0.6:gpu-sampling=1", 64, 64); /* topology 20 8 16 12 bytes, dealt: 28 and 44 are
    left; 0.6 of 28 is one feature row on both, then 12 and 28 are left, so 1 fits on GPU 1 alone */
    assert_int_equal(plan.placement.access, ACCESS_GPU);
    assert_int_equal(plan.placement.topology[0].count, 2);
    assert_int_equal(plan.placement.topology[0].id[1], 2);
    assert_int_equal(plan.placement.topology[1].count, 2);
    assert_int_equal(plan.placement.topology[1].id[0], 1);
    features_are(0, 1, (uint32_t[]){0});
    features_are(1, 2, (uint32_t[]){0, 1});
    drop();
    place("hyscale", 64, 64);
    features_are(0, 0, NULL);
    assert_int_equal(plan.placement.access, ACCESS_CPU);
    drop();
}

/* Estimates know of vertex 2 alone. It comes first, and rows that nobody was seen to read take the room that is left:
 * 64 bytes of features and 56 of topology fit into twice 100 bytes, each row once. */
static void room_left_over_is_used(void **state)
{
    (void)state;
    saved[1][2] = 3;
    place("hotset", 100, 100);
    EQUAL(plan.placement.feature[0].count + plan.placement.feature[1].count, 4, "feature rows");
    EQUAL(plan.placement.topology[0].count + plan.placement.topology[1].count, 4, "topology rows");
    EQUAL(plan.placement.feature[0].id[0], 2, "the hottest on GPU 0, which reads it more often");
    drop();
    saved[1][2] = 0;
}

/* The 1 % grid over 64 bytes: a share that a row just fills holds it. Feature rows of 16 bytes save 8, 4, 2, 1 (15
 * together); rows of topology of 20, 16 and 12 bytes save 6, 3, 1. */
static void shares_of_the_sweep(void **state)
{
    static const struct {
        int alpha; /* topology gets 64 alpha / 100 bytes, features 64 (100 - alpha) / 100, both rounded down */
        uint64_t topology, feature;
    } expected[] = {{0, 10, 0}, {25, 10, 1}, {26, 10, 3}, {31, 10, 3}, {32, 4, 3},  {50, 4, 3},
                    {51, 4, 7}, {56, 4, 7},  {57, 1, 7},  {75, 0, 7},  {76, 0, 15}, {100, 0, 15}};
    (void)state;
    for (int v = 0; v < 4; v++) saved[1][v] = (float)(8 >> v);
    saved[0][0] = 6;
    saved[0][2] = 3;
    saved[0][3] = 1;
    place("hotset", 32, 32);
    EQUAL(plan.clique[0].sweep_count, 101, "points");
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        const struct plan_sweep *x = &plan.clique[0].sweep[expected[i].alpha];
        HOLDS(x->topology == expected[i].topology && x->feature == expected[i].feature, "alpha %d %%: %d and %d",
              expected[i].alpha, (int)x->topology, (int)x->feature);
    }
    drop();
    memset(saved, 0, sizeof saved);
}

/* Equal hotness on both GPUs, room for three of four rows on each: the GPU with more room takes the next row, ties to
 * the lower id. */
static void equal_hotness_goes_to_more_room(void **state)
{
    uint32_t kept[2][4];
    (void)state;
    memcpy(kept, feature, sizeof kept);
    for (int v = 0; v < 4; v++) feature[0][v] = feature[1][v] = 5;
    place("legion-topocpu", 0, 0);
    const struct policy_input in = {.graph = &graph, .trace = &trace, .threads = 1};
    uint64_t room[GPUS_MAX] = {48, 48};
    OK(density_fill(&in, (const uint32_t[]){4, 5, 6, 7}, 4, 0, &plan, room, &err)); /* feature rows 0 to 3 */
    features_are(0, 2, (uint32_t[]){0, 2});
    features_are(1, 2, (uint32_t[]){1, 3});
    drop();
    memcpy(feature, kept, sizeof kept);
}

/* Of each kind, at least `enough` bytes come out, hottest first: 3000 feature rows with falling keys, in one round many
 * with the same key, in the other all different ones, below and above 64. */
static void enough_rows_are_ordered(void **state)
{
    enum { ROWS = 3000 };
    static uint64_t key[2 * ROWS];
    struct arcs a = {0};
    struct graph g;
    uint32_t *order = NULL;
    uint64_t count = 0;
    (void)state;
    graph_of(&g, ROWS, &a, 4, 4, "in");
    const struct policy_input in = {.graph = &g, .kernels = &kernels_cpu, .threads = 2};
    for (int round = 0; round < 3; round++) { /* few keys, all different, and rising */
        for (uint64_t v = 0; v < ROWS; v++)
            key[ROWS + v] = round == 2 ? v + 1 : round ? ROWS - v : (uint64_t)1 << (40 - v / 100);
        for (uint64_t enough = 16; enough <= ROWS * 16; enough *= 3) {
            for (uint64_t slice = 1; slice <= 2 * DENSITY_SLICE; slice *= 64) { /* one bucket of like keys, and more */
                OK(density_order_by(&in, key, 2 * ROWS, enough, slice, &order, &count, &err));
                HOLDS(count * 16 >= enough && count <= ROWS, "%d rows for %d bytes", (int)count, (int)enough);
                for (uint64_t i = 0; i < count; i++)
                    EQUAL(order[i], round == 2 ? 2 * ROWS - 1 - i : ROWS + i, "place %d", (int)i);
                mem_free(order);
            }
        }
    }
    graph_drop(&g);
}

/* Copies for other cliques are planned only where cliques read each other. */
static void cliques_that_read_each_other(void **state)
{
    const int apart[] = {2, 2, 0};
    static struct plan p;
    (void)state;
    server_cliques(&server, apart, 64);
    p.assignment.gpus = 4;
    p.assignment.cliques = 2;
    for (int g = 0; g < 4; g++) p.assignment.clique_of[g] = g / 2;
    assert_false(cross_clique_usable(&server, &p, 4));
    server.links[1][2] = server.links[2][1] = 1;
    assert_true(cross_clique_usable(&server, &p, 4));
}

static void options(void **state)
{
    const struct policy *p = NULL;
    double option[POLICY_OPTIONS];
    (void)state;
    OK(policy_parse("aligraph", &p, option, &err));
    assert_string_equal(p->name, "aligraph");
    assert_true(option[0] == 0);
    OK(policy_parse("ducati:slope-feature=2.5", &p, option, &err));
    assert_true(option[0] != option[0] && option[1] == 2.5);
    static const char *const wrong[][2] =
        {{"aligraph:treshold=2", "'threshold'"}, {"aligraph:threshold=-1", "0 to 1e+09"}, {"quiver:x=1", "none"},
         {"aligraph:threshold", "key=value"},    {"aligraph:threshold=x", "threshold"},   {"a:b:c:d:e:f", "options"},
         {"gnnlab:samplers=1.5", "whole"},       {"data-tiering:replicated=2", "0 to 1"}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        err_clear(&err);
        assert_int_equal(policy_parse(wrong[i][0], &p, option, &err), ST_USAGE);
        if (!strstr(err.text, wrong[i][1])) fail_msg("%s: %s", wrong[i][0], err.text);
    }
}

static void names(void **state)
{
    const struct policy *p = NULL;
    (void)state;
    for (const struct policy *const *at = policies_registered; *at; at++) {
        OK(policy_find((*at)->name, &p, &err));
        assert_ptr_equal(p, *at);
        assert_true(*p->name && *p->summary && *p->source && *p->hotness && p->place);
        for (const struct policy *const *other = policies_registered; other < at; other++)
            assert_string_not_equal(p->name, (*other)->name);
    }
    assert_int_equal(policy_find("legoin", &p, &err), ST_USAGE);
    assert_non_null(strstr(err.text, "'legion'"));
}

/* Items have numbers of 32 bits: policies that rank rows of all kinds refuse more of them before they take memory. */
static void too_many_rows(void **state)
{
    static const char *const all[] = {"hotset", "oracle", "ducati", "mean-row", "single-type"};
    struct graph large = {.n = (uint64_t)1 << 31};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct policy *p = NULL;
        struct policy_verdict verdict = {.status = POLICY_OK};
        const struct policy_input in = {.graph = &large, .kernels = &kernels_cpu, .threads = 1};
        memset(&plan, 0, sizeof plan);
        OK(policy_find(all[i], &p, &err));
        OK(p->place(&in, &plan, &verdict, &err));
        assert_int_equal(verdict.status, POLICY_UNSUPPORTED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(algorithm_1),
                                       cmocka_unit_test(legion_without_draws),
                                       cmocka_unit_test(topology_that_just_fits),
                                       cmocka_unit_test(legion_with_a_given_alpha),
                                       cmocka_unit_test(cards_are_dealt),
                                       cmocka_unit_test(systems),
                                       cmocka_unit_test(room_left_over_is_used),
                                       cmocka_unit_test(shares_of_the_sweep),
                                       cmocka_unit_test(equal_hotness_goes_to_more_room),
                                       cmocka_unit_test(enough_rows_are_ordered),
                                       cmocka_unit_test(cliques_that_read_each_other),
                                       cmocka_unit_test(too_many_rows),
                                       cmocka_unit_test(options),
                                       cmocka_unit_test(names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
