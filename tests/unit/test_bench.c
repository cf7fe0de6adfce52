/* The yardstick of hotset bench: limits between measured spans, and the time of a given amount of work. Times
 * themselves are nobody's to test. */
#include "tests/unit/unit.h"
#include <math.h>
#include "base/mem.h"
#include "planner/bench/host_gather.h"
#include "planner/bench/bench.h"

static struct err err;

static const struct limits known = {.threads = 1,
                                    .read_gbps = 10,
                                    .triad_gbps = 12,
                                    .span = {4, 64, 1024, 4096},
                                    .gather = {1e9, 1e8, 1e7, 1e7}};

static void test_gather(void **state)
{
    (void)state;
    assert_true(limits_gather(&known, 1) == 1e9);
    assert_true(fabs(limits_gather(&known, 4) / 1e9 - 1) < 1e-9);
    assert_true(fabs(limits_gather(&known, 16) / sqrt(1e17) - 1) < 1e-9); /* half way from 4 to 64, in ratios */
    assert_true(fabs(limits_gather(&known, 64) / 1e8 - 1) < 1e-9);
    assert_true(limits_gather(&known, 1e9) == 1e7);
}

static void test_seconds(void **state)
{
    struct bench_work w = {.bytes = 2e10, .gathers = 3e8, .span = 64, .more_gathers = 1e9, .more_span = 4};
    (void)state;
    assert_true(fabs(limits_seconds(&known, 2e10, 0, 64) - 2) < 1e-9);
    assert_true(fabs(bench_limit(&w, &known) - 6) < 1e-6); /* 2 + 3 + 1 s */
}

static void test_measured(void **state)
{
    struct limits l;
    uint64_t before = mem_in_use();
    (void)state;
    GOOD(limits_measure(1, 8 << 20, &l, &err));
    assert_true(l.read_gbps > 0 && l.triad_gbps > 0);
    for (int s = 0; s < LIMIT_SPANS; s++) assert_true(l.gather[s] > 0 && (!s || l.span[s] > l.span[s - 1]));
    assert_int_equal(mem_in_use(), before);
}

/* Rows of 8 GB/s and 50 million a second: the fit gives them back; where time falls with the size it has one rate. */
static void test_rows(void **state)
{
    struct host_gather h = {.row_bytes = {64, 256, 512, 1024, 4096}};
    uint64_t before = mem_in_use();
    (void)state;
    for (int k = 0; k < HOST_GATHER_SIZES; k++) {
        double bytes = (double)h.row_bytes[k], seconds = bytes / 8e9 + 1 / 50e6;
        h.gbps[k] = 1e-9 * bytes / seconds;
    }
    host_gather_fit(&h);
    assert_float_equal(h.long_gbps, 8, 1e-6);
    assert_float_equal(h.rows_per_second / 50e6, 1, 1e-6);
    assert_float_equal(h.worst, 0, 1e-9);
    for (int k = 0; k < HOST_GATHER_SIZES; k++) h.gbps[k] = 9 - k;
    host_gather_fit(&h);
    assert_true(h.rows_per_second == 0 && h.long_gbps > 5 && h.long_gbps < 9 && h.worst > 0.1);
    GOOD(host_gather_measure(2, 1 << 22, &h, &err));
    for (int k = 0; k < HOST_GATHER_SIZES; k++) assert_true(h.gbps[k] > 0 && isfinite(h.gbps[k]));
    assert_true(h.start_seconds > 0 && h.worst < 10);
    assert_int_equal(mem_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gather), cmocka_unit_test(test_seconds),
                                       cmocka_unit_test(test_measured), cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests_name("bench", tests, NULL, NULL);
}
