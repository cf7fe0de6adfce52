/* test_kernels.c - each operation on small cases worked by hand, on every backend that runs here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "kernels/kernel.h"

#define EACH_BACKEND(k)                                                                                                \
    for (const struct kernels *const *at_ = kernels_all(), *k = *at_; (k = *at_); at_++)                               \
        if (!k->missing())

enum { THREADS = 2 };

#define ok(call) assert_int_equal((call), ST_OK)

static void equal64(const uint64_t *found, const uint64_t *expected, size_t n)
{
    for (size_t i = 0; i < n; i++) assert_int_equal(found[i], expected[i]);
}

static void equal32(const uint32_t *found, const uint32_t *expected, size_t n)
{
    for (size_t i = 0; i < n; i++) assert_int_equal(found[i], expected[i]);
}

static void column_sum_needs_64_bits(void **state)
{
    const uint32_t first[] = {1, UINT32_MAX, 0}, second[] = {2, UINT32_MAX, 0}, *rows[] = {first, second};
    const uint64_t both[] = {3, 8589934590, 0}, none[] = {0, 0, 0}; /* 2 * (2^32 - 1) */
    (void)state;
    EACH_BACKEND(k)
    {
        struct err err = {0};
        uint64_t out[3];
        ok(k->column_sum(THREADS, rows, 2, 3, out, &err));
        equal64(out, both, 3);
        ok(k->column_sum(THREADS, rows, 0, 3, out, &err));
        equal64(out, none, 3);
    }
}

static void sort_puts_ties_at_the_lower_id(void **state)
{
    const uint64_t small[] = {3, 9, 3, 0, 9}, wide[] = {0, 1ull << 63, UINT64_MAX, (1ull << 63) + 1, 1, 1ull << 63};
    (void)state;
    EACH_BACKEND(k)
    {
        struct err err = {0};
        uint32_t order[6];
        ok(k->sort_hottest(THREADS, small, 5, order, &err)); /* both nines (1, 4), both threes (0, 2), the zero */
        equal32(order, (const uint32_t[]){1, 4, 0, 2, 3}, 5);
        ok(k->sort_hottest(THREADS, wide, 6, order, &err));
        equal32(order, (const uint32_t[]){2, 3, 1, 5, 4, 0}, 6);
        ok(k->sort_hottest(THREADS, wide, 0, order, &err));
    }
}

static void scan_follows_the_order(void **state)
{
    const uint64_t in[] = {10, 1, 5, 100};
    const uint32_t order[] = {3, 0, 2};
    (void)state;
    EACH_BACKEND(k)
    {
        struct err err = {0};
        uint64_t out[4];
        ok(k->scan(THREADS, in, NULL, 4, out, &err));
        equal64(out, (const uint64_t[]){10, 11, 16, 116}, 4);
        ok(k->scan(THREADS, in, order, 3, out, &err)); /* 100, 100 + 10, 110 + 5 */
        equal64(out, (const uint64_t[]){100, 110, 115}, 3);
    }
}

static void place(const struct kernels *k, const struct cslp_problem *p, uint64_t *room, const uint8_t *expected,
                  uint64_t count)
{
    struct err err = {0};
    uint8_t owner[8];
    uint64_t held = 99;
    ok(k->cslp(THREADS, p, room, owner, &held, &err));
    assert_int_equal(held, count);
    if (count) assert_memory_equal(owner, expected, count);
}

static void cslp_prefers_the_hottest_gpu_with_room(void **state)
{
    const uint32_t g0[] = {5, 5, 9, 1, 0}, g1[] = {3, 5, 9, 0, 0}, g2[] = {1, 5, 2, 4, 7}, order[] = {0, 1, 2, 3, 4},
                   *hot[] = {g0, g1, g2};
    const struct cslp_problem p = {.gpus = 3, .hot = hot, .order = order, .count = 5, .row_bytes = 10, .n = 5};
    (void)state;
    EACH_BACKEND(k)
    {
        /* Vertex 0: GPU 0 is hottest, room 25 -> 15. Vertex 1: all alike, GPU 0 has most room (15, 10, 10), -> 5.
         * Vertex 2: GPUs 0 and 1 alike, GPU 0 is full, so 1. Vertex 3: GPU 2. Vertex 4: GPU 2 wants it, but nobody
         * has 10 bytes left. */
        uint64_t room[] = {25, 10, 10};
        place(k, &p, room, (const uint8_t[]){0, 0, 1, 2}, 4);
        equal64(room, (const uint64_t[]){5, 0, 0}, 3);
    }
}

static void cslp_breaks_ties_by_room_then_index(void **state)
{
    const uint32_t same[] = {1, 1, 1, 1, 1, 1, 1}, order[] = {6, 5, 4, 3, 2, 1, 0}, *hot[] = {same, same, same};
    const struct cslp_problem p = {.gpus = 3, .hot = hot, .order = order, .count = 7, .row_bytes = 10, .n = 7};
    (void)state;
    EACH_BACKEND(k)
    {
        /* 10 30 20 -> GPU 1; 10 20 20 -> 1; 10 10 20 -> 2; 10 10 10 -> 0; 0 10 10 -> 1; 0 0 10 -> 2; the seventh fits
         * nowhere. */
        uint64_t room[] = {10, 30, 20};
        place(k, &p, room, (const uint8_t[]){1, 1, 2, 0, 1, 2}, 6);
    }
}

static void cslp_spills_to_the_next_hottest(void **state)
{
    const uint32_t g0[] = {9, 9, 9}, g1[] = {2, 2, 2}, g2[] = {5, 5, 5}, order[] = {0, 1, 2}, *hot[] = {g0, g1, g2};
    const struct cslp_problem p = {.gpus = 3, .hot = hot, .order = order, .count = 3, .row_bytes = 10, .n = 3};
    (void)state;
    EACH_BACKEND(k)
    {
        /* GPU 0 takes one row and is full; then GPU 2 (5) goes before GPU 1 (2), although 1 has more room; then only
         * 1 is left. */
        uint64_t room[] = {10, 100, 15};
        place(k, &p, room, (const uint8_t[]){0, 2, 1}, 3);
    }
}

static void cslp_stops_at_the_first_row_that_fits_nowhere(void **state)
{
    const uint32_t same[] = {1, 1, 1}, order[] = {0, 1, 2}, *hot[] = {same, same};
    const int64_t indptr[] = {0, 1, 4, 4}; /* rows of 12, 20 and 8 bytes */
    const struct cslp_problem p = {.gpus = 2, .hot = hot, .order = order, .count = 3, .indptr = indptr, .n = 3};
    struct cslp_problem single = p;
    (void)state;
    single.gpus = 1;
    EACH_BACKEND(k)
    {
        uint64_t room[] = {16, 19}, one[] = {35}, zero[] = {0, 0};
        /* 12 bytes to GPU 1 (most room): 16 and 7 are left; 20 bytes fit nowhere; the row of 8 bytes would, but
         * filling has stopped. */
        place(k, &p, room, (const uint8_t[]){1}, 1);
        equal64(room, (const uint64_t[]){16, 7}, 2);
        place(k, &single, one, (const uint8_t[]){0, 0}, 2); /* 35 - 12 - 20 = 3 < 8 */
        assert_int_equal(one[0], 3);
        place(k, &p, zero, NULL, 0);
    }
}

static void sweep_point_is(const struct sweep_point *found, uint64_t rows_topology, uint64_t rows_feature,
                           uint64_t topology, uint64_t feature)
{
    assert_int_equal(found->rows_topology, rows_topology);
    assert_int_equal(found->rows_feature, rows_feature);
    assert_int_equal(found->topology, topology);
    assert_int_equal(found->feature, feature);
}

/* 40,000 rows, more than backends take at a time, and room for 100 on each of two GPUs: filling stops at the 201st row
 * for good. */
static void cslp_stops_for_good(void **state)
{
    enum { ROWS = 40000 };
    static uint32_t same[ROWS], order[ROWS];
    static uint8_t owner[ROWS];
    const uint32_t *hot[] = {same, same};
    const struct cslp_problem p = {.gpus = 2, .hot = hot, .order = order, .count = ROWS, .row_bytes = 10, .n = ROWS};
    (void)state;
    for (uint32_t i = 0; i < ROWS; i++) order[i] = i;
    EACH_BACKEND(k)
    {
        struct err err = {0};
        uint64_t room[] = {1000, 1000}, held = 0;
        ok(k->cslp(THREADS, &p, room, owner, &held, &err));
        assert_int_equal(held, 200);
        equal64(room, (const uint64_t[]){0, 0}, 2);
    }
}

static void sweep_rounds_halves_up(void **state)
{
    const uint64_t size[] = {10, 30, 60}, hot_topology[] = {5, 8, 9}, hot_feature[] = {10, 14, 15};
    const struct sweep_problem p = {.n = 3,
                                    .size_topology = size,
                                    .hot_topology = hot_topology,
                                    .hot_feature = hot_feature,
                                    .budget = 40,
                                    .row_bytes = 10,
                                    .n_tsum = 100,
                                    .lines = 3,
                                    .epochs = 2,
                                    .steps = 4};
    (void)state;
    EACH_BACKEND(k)
    {
        struct err err = {0};
        struct sweep_point at[5];
        ok(k->sweep(THREADS, &p, 1, at, &err));
        sweep_point_is(&at[0], 0, 3, 50, 0); /* m_T 0, m_F 40; 100 * 9 / (9 * 2) */
        sweep_point_is(&at[1], 1, 3, 22, 0); /* 10, 30; 100 * 4 / 18 = 22.2 */
        sweep_point_is(&at[2], 1, 2, 22, 2); /* 20, 20; 3 * 1 / 2 = 1.5 */
        sweep_point_is(&at[3], 2, 1, 6, 8);  /* 30, 10; 100 * 1 / 18 = 5.6; 3 * 5 / 2 = 7.5 */
        sweep_point_is(&at[4], 2, 0, 6, 23); /* 40, 0; 3 * 15 / 2 = 22.5 */
    }
}

static void sweep_of_large_and_of_no_numbers(void **state)
{
    const uint64_t size[] = {1, 2, 3}, hot[] = {1ull << 39, 1ull << 40, 1ull << 40}, cold[] = {0, 0, 0};
    const struct sweep_problem problems[] = {
        {.n = 3,
         .size_topology = (const uint64_t[]){1, UINT64_MAX - 1, UINT64_MAX},
         .hot_topology = hot,
         .hot_feature = hot,
         .budget = UINT64_MAX,
         .row_bytes = 1ull << 62,
         .n_tsum = 1ull << 63,
         .lines = 1ull << 20,
         .epochs = 1,
         .steps = 2},
        {.n = 3,
         .size_topology = size,
         .hot_topology = cold,
         .hot_feature = cold,
         .budget = 2,
         .row_bytes = 1,
         .n_tsum = 100,
         .lines = 2,
         .epochs = 8,
         .steps = 2},
        {.n = 0, .budget = 2, .row_bytes = 1, .n_tsum = 11, .lines = 2, .epochs = 4, .steps = 2},
    };
    (void)state;
    EACH_BACKEND(k)
    {
        struct err err = {0};
        struct sweep_point at[9];
        ok(k->sweep(THREADS, problems, 3, at, &err));
        sweep_point_is(&at[0], 0, 3, 1ull << 63, 0); /* m_F = 2^64 - 1: 3 rows of 2^62 bytes */
        sweep_point_is(&at[1], 1, 2, 1ull << 62, 0); /* m_T = 2^63 - 1, m_F = 2^63; half of the hotness is held */
        sweep_point_is(&at[2], 3, 0, 0, 1ull << 60); /* everything of the topology; 2^20 * 2^40 for the features */
        sweep_point_is(&at[3], 0, 2, 13, 0);         /* nothing was traversed: 100 / 8 = 12.5 */
        sweep_point_is(&at[5], 2, 0, 13, 0);
        sweep_point_is(&at[6], 0, 0, 3, 0); /* no vertices: 11 / 4 = 2.75 */
    }
}

static void pagerank_of_four_vertices(void **state)
{
    const int64_t indptr[] = {0, 2, 3, 4, 6};
    const uint32_t indices[] = {1, 2, 2, 0, 0, 2}; /* 0: {1, 2}, 1: {2}, 2: {0}, 3: {0, 2} */
    const uint64_t x[] = {101, 50, 30, 21};
    const struct pagerank_problem p = {.n = 4,
                                       .indptr = indptr,
                                       .indices = indices,
                                       .base = 7,
                                       .damping_permille = 850};
    (void)state;
    EACH_BACKEND(k)
    {
        struct err err = {0};
        uint64_t share[4], y[4], change = 0;
        ok(k->pagerank_step(THREADS, &p, x, share, y, &change, &err));
        /* Shares: 101 / 2 = 50, 50, 30, 21 / 2 = 10. Sums: 30 + 10, 50, 50 + 50 + 10, 0. Times 0.85: 34, 42 (.5), 93
         * (.5), 0. */
        equal64(y, (const uint64_t[]){41, 49, 100, 7}, 4);
        assert_int_equal(change, 60 + 1 + 70 + 14);
    }
}

static void pagerank_of_vertices_without_rows(void **state)
{
    const int64_t indptr[] = {0, 0, 0};
    const uint64_t x[] = {1ull << 62, 3};
    const struct pagerank_problem p = {.n = 2, .indptr = indptr, .base = 5, .damping_permille = 850};
    (void)state;
    EACH_BACKEND(k)
    {
        struct err err = {0};
        uint64_t share[2], y[2], change = 0;
        ok(k->pagerank_step(THREADS, &p, x, share, y, &change, &err));
        equal64(y, (const uint64_t[]){5, 5}, 2);
        assert_int_equal(change, (1ull << 62) - 5 + 2);
    }
}

/* Every vertex draws vertex 0 alone, so all threads add to one sum; there are too few edges for sums of their own. 0.85
 * * 3 * 400,000 = 1,020,000. */
static void pagerank_of_a_hub(void **state)
{
    enum { N = 400000 };
    static int64_t indptr[N + 1];
    static uint32_t indices[N];
    static uint64_t x[N], share[N], y[N];
    const struct pagerank_problem p = {.n = N,
                                       .indptr = indptr,
                                       .indices = indices,
                                       .base = 7,
                                       .damping_permille = 850};
    (void)state;
    for (int v = 0; v < N; v++) {
        indptr[v + 1] = v + 1;
        x[v] = 3;
    }
    EACH_BACKEND(k)
    for (int round = 0; round < 20; round++) { /* what threads take from each other is not lost each time */
        struct err err = {0};
        uint64_t change = 0;
        ok(k->pagerank_step(round ? THREADS : 1, &p, x, share, y, &change, &err));
        equal64(y, (const uint64_t[]){1020007, 7, 7}, 3);
        assert_int_equal(y[N - 1], 7);
        assert_int_equal(change, 1020004 + 4 * (uint64_t)(N - 1));
    }
}

static void count_counts_repeats(void **state)
{
    const uint32_t ids[] = {2, 0, 2, 2};
    (void)state;
    EACH_BACKEND(k)
    {
        struct err err = {0};
        uint32_t out[4];
        ok(k->count(THREADS, ids, 4, 4, out, &err));
        equal32(out, (const uint32_t[]){1, 0, 3, 0}, 4);
        ok(k->count(THREADS, ids, 0, 4, out, &err));
        equal32(out, (const uint32_t[]){0, 0, 0, 0}, 4);
    }
}

static void pick_knows_its_words(void **state)
{
    struct err err = {0};
    const struct kernels *k = NULL;
    enum st cuda;
    (void)state;
    ok(kernels_pick("cpu", &k, &err));
    assert_ptr_equal(k, &kernels_cpu);
    ok(kernels_pick("ref", &k, &err));
    assert_ptr_equal(k, &kernels_ref);
    ok(kernels_pick("auto", &k, &err));
    assert_string_not_equal(k->name, "ref");
    assert_null(k->missing());
    assert_int_equal(kernels_pick("tpu", &k, &err), ST_USAGE);
    cuda = kernels_pick("cuda", &k, &err); /* depends on the build and the machine, but never fails without a word */
    assert_true(cuda == ST_OK || (cuda == ST_MISSING && err.text[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(column_sum_needs_64_bits),
        cmocka_unit_test(sort_puts_ties_at_the_lower_id),
        cmocka_unit_test(scan_follows_the_order),
        cmocka_unit_test(cslp_prefers_the_hottest_gpu_with_room),
        cmocka_unit_test(cslp_breaks_ties_by_room_then_index),
        cmocka_unit_test(cslp_spills_to_the_next_hottest),
        cmocka_unit_test(cslp_stops_at_the_first_row_that_fits_nowhere),
        cmocka_unit_test(cslp_stops_for_good),
        cmocka_unit_test(sweep_rounds_halves_up),
        cmocka_unit_test(sweep_of_large_and_of_no_numbers),
        cmocka_unit_test(pagerank_of_four_vertices),
        cmocka_unit_test(pagerank_of_vertices_without_rows),
        cmocka_unit_test(pagerank_of_a_hub),
        cmocka_unit_test(count_counts_repeats),
        cmocka_unit_test(pick_knows_its_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
