/* Ranks of levers whose numbers are not known, by hand. */
#include <math.h>

#include "planner/decisions/advice.h"
#include "tests/unit/unit.h"

/* Levers of the table, in its order; reads and transactions of each. */
static void fill(struct advice *a, double today_reads, const double (*of)[2], int count)
{
    a->today = (struct advice_value){.transactions = 1000, .seconds = NAN, .reads = today_reads};
    a->levers = count;
    for (int i = 0; i < count; i++)
        a->lever[i] = (struct advice_lever){.lever = &levers[0],
                                            .possible = true,
                                            .asks = {(char)('a' + i)},
                                            .alone = {.transactions = of[i][0], .reads = of[i][1], .seconds = NAN}};
    advice_rank(a);
}

static const char *order(const struct advice *a)
{
    static char text[LEVERS_MAX + 1];
    for (int i = 0; i < a->levers; i++) text[i] = a->lever[i].asks[0];
    text[a->levers] = '\0';
    return text;
}

static void what_is_not_known_is_last(void **state)
{
    struct advice *a = test_calloc(1, sizeof *a);
    /* NaN between known ones: neither is it first, nor does it keep 1 and 3 from being sorted */
    static const double reads[][2] = {{900, 3}, {1, NAN}, {900, 1}, {900, 2}};
    (void)state;
    fill(a, 4, reads, 4);
    assert_string_equal(order(a), "cdab");
    assert_true(isinf(advice_cost(a, &a->lever[3].alone)));
    test_free(a);
}

static void seconds_are_never_compared_with_transactions(void **state)
{
    struct advice *a = test_calloc(1, sizeof *a);
    /* today's reads are not known: a lever's 0.5 s are less than no transactions */
    static const double reads[][2] = {{900, NAN}, {950, 0.5}, {NAN, 0.1}, {800, NAN}};
    (void)state;
    fill(a, NAN, reads, 4);
    assert_string_equal(order(a), "dabc");
    test_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_known_is_last),
        cmocka_unit_test(seconds_are_never_compared_with_transactions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
