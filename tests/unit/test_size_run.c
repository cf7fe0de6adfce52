/* Epochs by global mini-batch, and what the options of a whole run say, by hand. */
#include <math.h>

#include "planner/decisions/size_run.h"
#include "tests/unit/unit.h"

static struct err err;

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

static void epochs_between_points(void **state)
{
    struct size_run r;
    bool outside;
    (void)state;
    GOOD(size_run_read("0.85@16k,0.95@32k,1.2@64k", NULL, NULL, 0, &r, &err));
    assert_true(near(size_run_epochs(&r, 16384, &outside), 0.85) && !outside);
    assert_true(near(size_run_epochs(&r, 65536, &outside), 1.2) && !outside);
    /* 24,576 is log2(1.5) = 0.585 of the way from 16,384 to 32,768 */
    assert_true(near(size_run_epochs(&r, 24576, NULL), 0.85 + 0.1 * log2(1.5)));
    assert_true(near(size_run_epochs(&r, 16383, &outside), 0.85) && outside);
    assert_true(near(size_run_epochs(&r, 1e9, &outside), 1.2) && outside);
    assert_true(r.half == 0 && !r.whole);
    GOOD(size_run_read("3", NULL, NULL, 0, &r, &err));
    assert_true(size_run_epochs(&r, 1, &outside) == 3 && !outside && size_run_told(&r));
    GOOD(size_run_read("mlperf", NULL, NULL, 0, &r, &err));
    assert_true(near(size_run_epochs(&r, 16384, NULL), 0.85) && near(size_run_epochs(&r, 32768, NULL), 0.95));
    assert_true(near(size_run_epochs(&r, 65536, NULL), 1.2) && r.half > 0.1 && r.half < 0.2);
}

static void what_is_asked_for_is_counted(void **state)
{
    struct size_run r;
    (void)state;
    GOOD(size_run_read("1", NULL, NULL, 0, &r, &err));
    assert_false(r.whole || size_run_told(&r));
    for (int i = 0; i < SIZE_RUN_PARTS; i++) assert_true(*size_run_left_out(&r, i));
    GOOD(size_run_read("1", "20@0.5%", "90s", 2, &r, &err));
    assert_true(r.evaluations == 20 && near(r.evaluated, 0.005) && r.start_up.mid == 90 && r.start_up.high == 90);
    for (int i = 0; i < SIZE_RUN_PARTS; i++) assert_false(*size_run_left_out(&r, i));
    GOOD(size_run_read("1", "1@788379", NULL, 0, &r, &err));
    assert_true(r.evaluated == 788379 && r.loaded && r.start_up.low < r.start_up.mid); /* loading is in it */
    GOOD(size_run_read("1", NULL, "0s", 0, &r, &err));
    assert_string_equal(size_run_left_out(&r, 1), "loading");
    static const char *const wrong[][3] = {{"0", NULL, NULL},           {"1@", NULL, NULL}, {"1@0", NULL, NULL},
                                           {"1,2", NULL, NULL},         {"x", NULL, NULL},  {"2@2k,1@1k", NULL, NULL},
                                           {"1@1k,nan@2k", NULL, NULL}, {"1", "3", NULL},   {"1", "3@0", NULL},
                                           {"1", "3@200%", NULL},       {"1", NULL, "-3s"}, {"", NULL, NULL}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(size_run_read(wrong[i][0], wrong[i][1], wrong[i][2], 0, &r, &err), ST_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(epochs_between_points),
                                       cmocka_unit_test(what_is_asked_for_is_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
