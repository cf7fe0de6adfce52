/* partition/match.h against all permutations. */
#include "planner/partition/match.h"

#include "base/rng.h"
#include "tests/unit/unit.h"

enum { MOST = 6 };

/* The best sum of gains of rows from `row` on, on the columns that are not taken. */
static int64_t best_of(int n, const int64_t *gain, int row, unsigned taken)
{
    int64_t best = INT64_MIN;
    if (row == n) return 0;
    for (int c = 0; c < n; c++) {
        if (taken >> c & 1) continue;
        int64_t sum = gain[row * n + c] + best_of(n, gain, row + 1, taken | 1u << c);
        best = sum > best ? sum : best;
    }
    return best;
}

static void test_best(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 600; k++) {
        int n = 1 + (int)(k % MOST), column[MOST];
        int64_t gain[MOST * MOST], sum = 0, span = k % 3 ? (int64_t)1 << 50 : 4; /* few values: ties */
        unsigned seen = 0;
        for (int i = 0; i < n * n; i++) gain[i] = (int64_t)(rng_hash(k, 7, (uint64_t)i) % (uint64_t)span) - span / 3;
        match_best(n, gain, column);
        for (int i = 0; i < n; i++) {
            assert_in_range(column[i], 0, n - 1);
            seen |= 1u << column[i];
            sum += gain[i * n + column[i]];
        }
        assert_int_equal(seen, (1u << n) - 1);
        assert_true(sum == best_of(n, gain, 0, 0));
    }
}

static void test_ties_stay(void **state)
{
    int64_t gain[MATCH_MOST * MATCH_MOST] = {0};
    int column[MATCH_MOST];
    (void)state;
    match_best(MATCH_MOST, gain, column);
    for (int i = 0; i < MATCH_MOST; i++) assert_int_equal(column[i], i);
    for (int i = 0; i < MATCH_MOST; i++) gain[i * MATCH_MOST + MATCH_MOST - 1 - i] = ((int64_t)1 << 54) - 1;
    match_best(MATCH_MOST, gain, column);
    for (int i = 0; i < MATCH_MOST; i++) assert_int_equal(column[i], MATCH_MOST - 1 - i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_best), cmocka_unit_test(test_ties_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
