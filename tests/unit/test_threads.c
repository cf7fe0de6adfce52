/* Numbers shared by threads: each is done once, in a room that nobody else is in; the lowest that failed is told. */
#include "tests/unit/unit.h"

#include <omp.h>
#include <unistd.h>

#include "base/mem.h"
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

/* Work beside the caller, whose parallel regions have their own threads. */
struct apart {
    int team, ran;
};

static void run_apart(void *at)
{
    struct apart *a = at;
#pragma omp parallel num_threads(3)
#pragma omp single
    a->team = omp_get_num_threads();
    a->ran++;
}

static void work_goes_on_beside(void **state)
{
    struct apart a = {0};
    struct threads_beside b = {.run = run_apart, .at = &a, .threads = 3};
    (void)state;
    threads_begin(&b);
    threads_join(&b);
    assert_true(b.ran);
    assert_int_equal(a.ran, 1);
    assert_int_equal(a.team, 3);
    threads_join(&b); /* nothing runs any more */
    mem_fail_at(1);   /* no memory for its threads: it does not run */
    threads_begin(&b);
    threads_join(&b);
    mem_fail_at(0);
    assert_false(b.ran);
    assert_int_equal(a.ran, 1);
}

/* Two members: one shares numbers, the other has nothing to do. Number 0 ends when the helper has done another. */
struct crew_work {
    int turn, done[COUNT], helped, fails;
    bool waits;
    struct err err;
    enum st st;
};

static enum st one_of_crew(void *of, int room, int i, struct err *e)
{
    struct crew_work *w = of;
    __atomic_fetch_add(&w->done[i], 1, __ATOMIC_SEQ_CST);
    if (room) __atomic_fetch_add(&w->helped, 1, __ATOMIC_SEQ_CST);
    for (int k = 0; w->waits && !room && k < 5000 && !__atomic_load_n(&w->helped, __ATOMIC_SEQ_CST); k++) usleep(1000);
    return i == w->fails || i == w->fails + 3 ? err_set(e, ST_LIMIT, "number %d", i) : ST_OK;
}

static void member(void *at, struct threads_crew *crew)
{
    struct crew_work *w = at;
    if (__atomic_fetch_add(&w->turn, 1, __ATOMIC_SEQ_CST)) return;
    w->st = threads_crew_share(crew, COUNT, one_of_crew, w, &w->err);
    if (w->st == ST_OK) w->st = threads_crew_share(crew, 0, one_of_crew, w, &w->err);
}

static void who_is_done_helps(void **state)
{
    (void)state;
    for (int members = 1; members <= 3; members++) {
        struct crew_work w = {.fails = COUNT, .waits = members > 1};
        threads_crew_run(members, member, &w);
        assert_int_equal(w.st, ST_OK);
        assert_int_equal(w.turn, members);
        for (int i = 0; i < COUNT; i++) assert_int_equal(w.done[i], 1);
        assert_true(members == 1 ? !w.helped : w.helped > 0);
        struct crew_work failing = {.fails = 50};
        threads_crew_run(members, member, &failing);
        assert_int_equal(failing.st, ST_LIMIT);
        assert_string_equal(failing.err.text, "number 50");
        for (int i = 0; i < COUNT; i++) assert_int_equal(failing.done[i], 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_shared), cmocka_unit_test(the_lowest_error_is_told),
                                       cmocka_unit_test(work_goes_on_beside), cmocka_unit_test(who_is_done_helps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
