/* Numbers shared by threads: each is done once, in a room that nobody else is in; the lowest that failed is told. */
#include "tests/unit/unit.h"

#include "base/threads.h"

static struct err err;

enum { COUNT = 200, ROOMS = 4 };
struct work {
    int done[COUNT], inside[ROOMS], fails_from; /* fails_from: this number and all behind it fail */
    bool met;
};

static enum st one(void *of, int room, int i, struct err *e)
{
    struct work *w = of;
    if (__atomic_fetch_add(&w->inside[room], 1, __ATOMIC_SEQ_CST)) w->met = true;
    __atomic_fetch_add(&w->done[i], 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_sub(&w->inside[room], 1, __ATOMIC_SEQ_CST);
    return i < w->fails_from ? ST_OK : err_set(e, ST_LIMIT, "number %d", i);
}

static void numbers_are_shared(void **state)
{
    (void)state;
    for (int rooms = 1; rooms <= ROOMS; rooms++) {
        struct work w = {.fails_from = COUNT};
        assert_int_equal(threads_share(rooms, COUNT, one, &w, &err), ST_OK);
        for (int i = 0; i < COUNT; i++) assert_int_equal(w.done[i], 1);
        assert_false(w.met);
    }
}

static void the_lowest_error_is_told(void **state)
{
    (void)state;
    for (int rooms = 1; rooms <= ROOMS; rooms++) {
        struct work w = {.fails_from = 50};
        assert_int_equal(threads_share(rooms, COUNT, one, &w, &err), ST_LIMIT);
        assert_string_equal(err.text, "number 50");
        for (int i = 0; i < 50; i++) assert_int_equal(w.done[i], 1);
        err_clear(&err);
    }
    struct work none = {.fails_from = 0};
    assert_int_equal(threads_share(2, 0, one, &none, &err), ST_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_shared),
                                       cmocka_unit_test(the_lowest_error_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
