/* How long all curves will take, by hand. */
#include <math.h>

#include "planner/decisions/size_pace.h"
#include "tests/unit/unit.h"

static void the_rest_follows_from_three_placements(void **state)
{
    /* Recorded for 4 s, then a placement each 3 s, 3 of 9 are done: 4 + 1 for simulating + 27 = 32 s a curve. 10 are
     * past, so 22 are left of this one, and 64 of two others. */
    struct size_pace p = {.curves = 3, .began = 100, .curve_began = 100, .first = 104, .last = 110};
    (void)state;
    p.told.total = 9;
    p.told.done = 2;
    assert_true(isnan(size_pace_left(&p, 110)));
    p.told.done = 3;
    assert_true(fabs(size_pace_left(&p, 110) - 86) < 1e-9);
    assert_true(fabs(size_pace_left(&p, 112) - 84) < 1e-9);
    assert_true(fabs(size_pace_left(&p, 500) - 64) < 1e-9); /* longer than thought: none is left of this one */
}

static void curves_before_tell_until_then(void **state)
{
    struct size_pace p = {.curves = 3, .done = 1, .began = 100, .curve_began = 130, .first = 104, .last = 128};
    (void)state;
    assert_true(fabs(size_pace_left(&p, 130) - 60) < 1e-9);
    p.told.total = p.told.done = 4; /* 131, .., 134: 1.25 + 4, of which 4 are past */
    p.first = 131;
    p.last = 134;
    assert_true(fabs(size_pace_left(&p, 134) - 1.25 - 5.25) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rest_follows_from_three_placements),
        cmocka_unit_test(curves_before_tell_until_then),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
