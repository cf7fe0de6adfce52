/* The interval of a replay, by hand: variances of sums of groups, pooled over readers, with Student's factor. */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/student.h"
#include "simulator/replay/replay_interval.h"

static void near(double found, double expected, const char *what)
{
    if (fabs(found - expected) > 1e-4 * (1 + fabs(expected))) fail_msg("%s is %.12g, not %.12g", what, found, expected);
}

/* Groups of 1 .. 8, so mean 4.5, squares 204 - 8 x 20.25 = 42 over 7 = 6 between groups, 48 of their sum. Two epochs
 * of 36 together, so 18 each; t(7) = 2.36462: half = 2.36462 sqrt(48) / 2 = 8.19129. */
static void eight_groups(void **state)
{
    struct spread s = {0};
    struct replay_gpu counted = {.topology = 30, .feature = 6};
    uint64_t trained = 8;
    struct assignment a = {.gpus = 1, .train_count = {trained}};
    struct replay r = {.epochs = 2, .gpu = &counted};
    (void)state;
    for (int i = 1; i <= 8; i++) spread_add(&s, i);
    replay_interval(&s, &a, &r);
    assert_true(r.interval_known);
    near(r.low, 18 - 8.19129, "low");
    near(r.high, 18 + 8.19129, "high");
}

/* A GPU that trains nothing counts for nothing; groups of 0 and 20 (variance 200, of the sum 400) and of 7, 7, 7: one
 * and two degrees of freedom, t(3) = 3.18245, half = 3.18245 x 20 = 63.6489, more than the sum of 41: low is 0. */
static void pooled(void **state)
{
    struct spread s[3] = {{0}};
    struct replay_gpu counted[3] = {{.topology = 20}, {.topology = 1000}, {.feature = 21}};
    struct assignment a = {.gpus = 3, .train_count = {2, 0, 3}};
    struct replay r = {.epochs = 1, .gpu = counted};
    (void)state;
    spread_add(&s[0], 0);
    spread_add(&s[0], 20);
    for (int i = 0; i < 3; i++) spread_add(&s[2], 7);
    replay_interval(s, &a, &r);
    assert_true(r.interval_known);
    near(r.low, 0, "low");
    near(r.high, 41 + 63.6489, "high");
}

/* One group says nothing of how groups differ, and nor does it beside a reader of which more is known. */
static void unknown(void **state)
{
    struct spread s[2] = {{0}};
    struct replay_gpu counted[2] = {{.topology = 3}, {.topology = 36}};
    struct assignment a = {.gpus = 1, .train_count = {1, 8}};
    struct replay r = {.epochs = 1, .gpu = counted};
    (void)state;
    spread_add(&s[0], 3);
    for (int i = 1; i <= 8; i++) spread_add(&s[1], i);
    replay_interval(s, &a, &r);
    assert_false(r.interval_known);
    a.gpus = 2;
    replay_interval(s, &a, &r);
    assert_false(r.interval_known);
}

/* From tables: 12.706 (1), 4.303 (2), 2.776 (4), 2.228 (10), 1.984 (100). */
static void student(void **state)
{
    static const double table[][2] = {{1, 12.706}, {2, 4.303}, {4, 2.776}, {10, 2.228}, {100, 1.984}};
    (void)state;
    for (int i = 0; i < 5; i++) {
        double t = student_quantile(0.05, (int)table[i][0]);
        if (fabs(t - table[i][1]) > 6e-4) fail_msg("t(%g) is %g, not %g", table[i][0], t, table[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(eight_groups), cmocka_unit_test(pooled),
                                       cmocka_unit_test(unknown), cmocka_unit_test(student)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
