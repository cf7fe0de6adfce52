/* How many epochs are enough: spreads and numbers of epochs by hand, folds that cover unequal parts, and a simulated
 * world whose noise is known. */
#include <math.h>
#include "planner/engine/epochs_needed.h"
#include "planner/engine/misses.h"
#include "tests/oracle/instance.h"

static struct err err;

static void near(double found, double expected, const char *what)
{
    if (fabs(found - expected) > 1e-9 * (1 + fabs(expected))) fail_msg("%s is %.12g, not %.12g", what, found, expected);
}

/* Four whole epochs of 90, 100, 110 and 100: mean 100, squares 100 + 0 + 100 + 0 over 3, deviation sqrt(200 / 3) =
 * 8.16497; Student's factor for 3 degrees of freedom is 3.18, so one epoch is known to +-25.9646 %, K epochs to that
 * over sqrt(K): 4 to 12.98 %, and 1 % takes 25.9646^2 = 674.2. */
static void whole_epochs(void **state)
{
    static const double left[] = {90, 100, 110, 100}, one[] = {1, 1, 1, 1};
    struct epochs_needed e = epochs_needed_spread(left, one, 4);
    (void)state;
    assert_true(e.known);
    near(e.mean, 100, "the mean");
    near(e.deviation, sqrt(200.0 / 3), "the deviation");
    near(epochs_needed_half_width(&e, 1), 3.18 * sqrt(200.0 / 3) / 100, "the half-width of one epoch");
    near(epochs_needed_half_width(&e, 4), 1.59 * sqrt(200.0 / 3) / 100, "the half-width of four");
    assert_int_equal(epochs_needed_count(&e, 0.01), 675);
    assert_int_equal(epochs_needed_count(&e, 0.02), 169); /* 168.5 */
    assert_int_equal(epochs_needed_count(&e, 0.5), 1);
    assert_true(epochs_needed_half_width(&e, 675) <= 0.01 && epochs_needed_half_width(&e, 674) > 0.01);
}

/* Two epochs per fold: 180, 200, 220, 200 are the same world as above with half the variance of a mean, so the
 * deviation of one epoch is sqrt(2) larger than the spread of the folds' means. Quarters of one epoch: 22.5, 25,
 * 27.5, 25 have deviations of a quarter epoch. */
static void longer_and_shorter_folds(void **state)
{
    static const double twice[] = {180, 200, 220, 200}, two[] = {2, 2, 2, 2}, part[] = {22.5, 25, 27.5, 25},
                        quarter[] = {0.25, 0.25, 0.25, 0.25};
    (void)state;
    struct epochs_needed e = epochs_needed_spread(twice, two, 4);
    near(e.mean, 100, "the mean of double folds");
    near(e.deviation, sqrt(400.0 / 3), "the deviation from double folds");
    e = epochs_needed_spread(part, quarter, 4);
    near(e.mean, 100, "the mean of quarters");
    near(e.deviation, sqrt(50.0 / 3), "the deviation from quarters");
}

/* A fold that covers nothing is left out; parts of unequal size with equal rates have no spread. */
static void unequal_folds(void **state)
{
    static const double left[] = {30, 0, 60, 10}, share[] = {0.3, 0, 0.6, 0.1};
    (void)state;
    struct epochs_needed e = epochs_needed_spread(left, share, 4);
    assert_true(e.known);
    assert_int_equal(e.folds, 3);
    near(e.mean, 100, "the mean");
    assert_true(e.deviation < 1e-9);
    assert_int_equal(epochs_needed_count(&e, 0.001), 1);
}

static void little_is_known(void **state)
{
    static const double left[] = {5, 7}, one[] = {1, 0}, none[] = {0, 0}, both[] = {1, 1};
    (void)state;
    assert_false(epochs_needed_spread(left, both, 1).known);
    assert_false(epochs_needed_spread(left, one, 2).known);
    struct epochs_needed e = epochs_needed_spread(none, both, 2); /* nothing is left: one epoch tells that */
    assert_true(e.known);
    assert_true(epochs_needed_half_width(&e, 1) <= 0 && epochs_needed_count(&e, 0.01) == 1);
    e = (struct epochs_needed){.known = true, .mean = 1, .deviation = 1e9, .folds = 2};
    assert_int_equal(epochs_needed_count(&e, 1e-6), EPOCHS_NEEDED_MOST);
    near(epochs_needed_student(1), 12.71, "Student, 1");
    near(epochs_needed_student(7), 2.36, "Student, 7");
    assert_true(epochs_needed_student(8) < 2.36 && epochs_needed_student(1000) > 1.96);
}

/* Epochs of 1000 +- 50 in folds of one: the interval of 4 must hold the true mean in about 95 of 100 worlds. */
static void intervals_hold_the_truth(void **state)
{
    enum { WORLDS = 4000, FOLDS = 4 };
    struct dice d = {test_seed(11)};
    int held = 0;
    (void)state;
    for (int w = 0; w < WORLDS; w++) {
        double left[FOLDS], one[FOLDS] = {1, 1, 1, 1};
        for (int f = 0; f < FOLDS; f++) {
            double normal = -6; /* sum of twelve */
            for (int i = 0; i < 12; i++) normal += (double)(dice_word(&d) >> 11) * 0x1p-53;
            left[f] = 1000 + 50 * normal;
        }
        struct epochs_needed e = epochs_needed_spread(left, one, FOLDS);
        held += fabs(e.mean - 1000) <= epochs_needed_half_width(&e, FOLDS) * e.mean;
    }
    HOLDS(held > 0.935 * WORLDS && held < 0.965 * WORLDS, "%d of %d", held, WORLDS);
}

/* A path of three vertices, one clique, two folds. Nothing held: fold f leaves its feature rows times lines, and its
 * visits times the lines of one: offsets at 0, 8, 16 lie in one line each, rows of 1, 2 and 1 entries lie in one
 * line. Features of 64 bytes, aligned: one line each. */
static void folds_of_a_trace(void **state)
{
    struct graph g;
    struct arcs a = {0};
    static const uint16_t fold[2][2][3] = {{{1, 2, 0}, {1, 1, 0}},
                                           {{3, 0, 1}, {2, 0, 0}}}; /* [fold][feature, visits][vertex] */
    static const uint32_t rows[3] = {4, 2, 1}, visits[3] = {3, 1, 0}, nothing[3] = {0};
    static struct trace t;
    static struct plan p;
    struct visit_costs costs;
    uint16_t topology[3] = {1, 1, 1}, feature[3] = {1, 1, 1};
    struct misses m = {topology, feature, 1};
    uint64_t left[2] = {0};
    struct epochs_needed e;
    (void)state;
    arcs_add(&a, 0, 1);
    arcs_add(&a, 1, 0);
    arcs_add(&a, 1, 2);
    arcs_add(&a, 2, 1);
    graph_of(&g, 3, &a, 16, 4, "both");
    t = (struct trace){.n = 3,
                       .epochs = 2,
                       .line_bytes = 64,
                       .folds = 2,
                       .folds_per_epoch = 1,
                       .workload = {.hops = 1, .fanout = {2}, .batch = 1},
                       .assignment = {.gpus = 1, .cliques = 1}};
    t.assignment.train[0] = (uint32_t *)(uintptr_t)g.train;
    t.assignment.train_count[0] = 3;
    t.fold[0] = (struct count_row){fold, sizeof fold[0][0][0]};
    t.feature[0] = count_row_wide(rows);
    t.visits[0][0] = count_row_wide(visits);
    OK(visit_costs_make(&g, NULL, &t, t.line_bytes, 1, &costs, &err));
    misses_by_fold(&g, &t, &costs, 0, &m, 2, left);
    EQUAL(left[0], (3 + 2 * 2) << 10, "fold 0");
    EQUAL(left[1], (4 + 2 * 2) << 10, "fold 1");
    topology[0] = feature[0] = 0; /* held */
    left[0] = left[1] = 0;
    misses_by_fold(&g, &t, &costs, 0, &m, 1, left);
    EQUAL(left[0], (2 + 2) << 10, "fold 0 with vertex 0 held");
    EQUAL(left[1], 1 << 10, "fold 1 with vertex 0 held");
    m.all = 4; /* of four shares of readers, one misses row 0, two row 1, three row 2 */
    for (int v = 0; v < 3; v++) topology[v] = feature[v] = (uint16_t)(v + 1);
    left[0] = left[1] = 0;
    misses_by_fold(&g, &t, &costs, 0, &m, 1, left);
    EQUAL(left[0], (1 * (1 + 2) + 2 * (2 + 2)) << 8, "fold 0 by shares");
    EQUAL(left[1], (1 * (3 + 2 * 2) + 3 * 1) << 8, "fold 1 by shares");
    visit_costs_release(&costs);
    OK(epochs_needed_of_share(&g, &t, &kernels_cpu, 0, 1, &e, &err)); /* nothing is held */
    near(e.mean, 7.5, "the mean of nothing held");
    p.assignment = t.assignment;
    p.placement.gpus = 1;
    OK(epochs_needed_of_plan(&g, &t, &p, 1, &e, &err));
    near(e.mean, 7.5, "the mean of an empty plan");
    OK(epochs_needed_of_share(&g, &t, &kernels_cpu, 1, 1, &e, &err));
    assert_true(e.known && e.mean <= 0);
    p.folds_known = true; /* a prediction that counted 20 and 40 */
    p.fold_left[0] = 20 << 10;
    p.fold_left[1] = 40 << 10;
    OK(epochs_needed_of_plan(&g, &t, &p, 1, &e, &err));
    near(e.mean, 30, "the mean that a prediction counted");
    t.assignment.gpus = t.assignment.cliques = p.placement.gpus = 2; /* the second GPU trains nothing */
    t.assignment.clique_of[1] = 1;
    t.feature[1] = count_row_wide(nothing);
    t.visits[1][0] = count_row_wide(nothing);
    p.assignment = t.assignment;
    OK(epochs_needed_of_plan(&g, &t, &p, 1, &e, &err));
    near(e.mean, 7.5, "the mean where a GPU trains nothing: a prediction lets it read");
    graph_drop(&g);
}

/* Two GPUs of a clique of three vertices: the first holds row 0, the second nothing. As long as they do not read each
 * other, or only one does, each is looked at; where both do, one stands for both. */
static void readers_of_a_clique(void **state)
{
    struct graph g;
    struct arcs a = {0};
    static struct plan p;
    static const uint8_t peers[3][2] = {{0, 0}, {0, 1}, {1, 1}};
    static const uint16_t missing[3][2] = {{1, 2}, {0, 2}, {0, 1}}; /* of row 0, of row 1 */
    uint8_t at[3];
    (void)state;
    arcs_add(&a, 0, 1);
    graph_of(&g, 3, &a, 16, 4, "in");
    p.assignment.gpus = p.placement.gpus = 2;
    p.assignment.cliques = 1;
    p.placement.feature[0].id = (uint32_t[]){0};
    p.placement.feature[0].count = 1;
    for (int i = 0; i < 3; i++) {
        OWNED_BY(misses_release) struct misses m = {0};
        for (int r = 0; r < 2; r++) {
            p.placement.peers[r] = peers[i][r];
            p.placement.peer[r][0] = 1 - r;
        }
        OK(misses_new(&g, &m, &err));
        OK(misses_find(&g, &p, NULL, 0, NULL, false, 2, at, &m, &err));
        EQUAL(m.all, i < 2 ? 2 : 1, "readers, case %d", i);
        EQUAL(m.feature[0], missing[i][0], "row 0, case %d", i);
        EQUAL(m.feature[1], missing[i][1], "row 1, case %d", i);
    }
    graph_drop(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole_epochs),
                                       cmocka_unit_test(longer_and_shorter_folds),
                                       cmocka_unit_test(unequal_folds),
                                       cmocka_unit_test(little_is_known),
                                       cmocka_unit_test(intervals_hold_the_truth),
                                       cmocka_unit_test(folds_of_a_trace),
                                       cmocka_unit_test(readers_of_a_clique)};
    return cmocka_run_group_tests_name("enough", tests, NULL, NULL);
}
