/* Expected cache lines of a visit, against every way to draw. */
#include "unit.h"

#include <math.h>

#include "planner/hotness/estimates.h"

/* Lines that the entries of `set` touch; entry i lies at byte start + 4 i. */
static int touched(unsigned set, int degree, uint64_t start, uint64_t line_bytes)
{
    int lines = 0;
    uint64_t last = UINT64_MAX;
    for (int i = 0; i < degree; i++)
        if (set >> i & 1 && (start + 4 * (uint64_t)i) / line_bytes != last) {
            last = (start + 4 * (uint64_t)i) / line_bytes;
            lines++;
        }
    return lines;
}

/* The mean over all sets of k of `pool` entries, of which the first `degree` are the row's. */
static double mean_of(int pool, int degree, int k, uint64_t start, uint64_t line_bytes)
{
    double sum = 0, sets = 0;
    for (unsigned set = 0; set < 1u << pool; set++) {
        if (__builtin_popcount(set) != k) continue;
        sum += touched(set, degree, start, line_bytes);
        sets++;
    }
    return sum / sets;
}
static double mean(int degree, int k, uint64_t start, uint64_t line_bytes)
{
    return mean_of(degree, degree, k, start, line_bytes);
}

static void every_set(void **state)
{
    (void)state;
    for (int degree = 1; degree <= 11; degree++)
        for (int k = 1; k <= degree; k++)
            for (uint64_t start = 0; start < 64; start += 4)
                for (uint64_t line = 8; line <= 64; line *= 2)
                    if (fabs(estimates_lines_of((uint64_t)degree, (uint64_t)degree, (uint64_t)k, start, line) -
                             mean(degree, k, start, line)) > 1e-9)
                        fail_msg("degree %d, %d draws, start %d, lines of %d bytes: %g, expected %g", degree, k,
                                 (int)start, (int)line,
                                 estimates_lines_of((uint64_t)degree, (uint64_t)degree, (uint64_t)k, start, line),
                                 mean(degree, k, start, line));
}

/* Rows that are parts of what is drawn from. */
static void every_set_of_a_pool(void **state)
{
    (void)state;
    for (int pool = 1; pool <= 8; pool++)
        for (int degree = 0; degree <= pool; degree++)
            for (int k = 1; k <= pool; k++)
                for (uint64_t start = 0; start < 16; start += 4) {
                    double lines = estimates_lines_of((uint64_t)pool, (uint64_t)degree, (uint64_t)k, start, 16);
                    if (fabs(lines - mean_of(pool, degree, k, start, 16)) > 1e-9)
                        fail_msg("%d of %d entries, %d draws, start %d: %g, expected %g", degree, pool, k, (int)start,
                                 lines, mean_of(pool, degree, k, start, 16));
                }
}

/* Two entries in two lines, one drawn: one line. */
static void by_hand(void **state)
{
    (void)state;
    assert_true(estimates_lines_of(2, 2, 1, 60, 64) == 1);
    assert_true(estimates_lines_of(2, 2, 2, 60, 64) == 2);
    assert_true(estimates_lines_of(2, 2, 1, 0, 64) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(every_set),
                                       cmocka_unit_test(every_set_of_a_pool)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
