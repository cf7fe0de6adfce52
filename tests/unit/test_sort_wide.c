/* test_sort_wide.c - sorting by keys of more than 32 bits: the rounded codes, and what they leave equal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "kernels/cpu/sort_code.h"
#include "kernels/kernel.h"

enum { N = 40000 };

static uint64_t draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 11;
}

/* Largest rounding of a code is one part in 2^26, and a larger difference never has a smaller code. */
static void codes_never_fall(void **state)
{
    uint64_t seed = 7, last = 0;
    (void)state;
    assert_int_equal(sort_code(0), 0);
    assert_int_equal(sort_code(1), 1);
    assert_int_equal(sort_code((1u << 27) - 1), (1u << 27) - 1);
    assert_true(sort_code(UINT64_MAX) <= UINT32_MAX);
    for (int bit = 0; bit < 64; bit++)
        for (int i = 0; i < 200; i++) {
            uint64_t at = 1ull << bit | (draw(&seed) & ((1ull << bit) - 1)), step = (at >> 26) + 1;
            assert_true(sort_code(at - 1) <= sort_code(at));
            if (at <= UINT64_MAX - step) assert_true(sort_code(at) < sort_code(at + step));
            if (!i) assert_true(sort_code(1ull << bit) > last || !bit);
            last = sort_code(1ull << bit);
        }
}

struct item {
    uint64_t key;
    uint32_t id;
};

static int hottest_first(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->key != y->key) return x->key > y->key ? -1 : 1;
    return x->id < y->id ? -1 : 1;
}

/* Every backend, on 1 to 3 threads, gives the order of a comparison sort. */
static void sorted_by_all(const uint64_t *key)
{
    struct item *item = calloc(N, sizeof *item);
    uint32_t *order = calloc(N, sizeof *order);
    assert_true(item && order);
    for (uint32_t v = 0; v < N; v++) item[v] = (struct item){key[v], v};
    qsort(item, N, sizeof *item, hottest_first);
    for (const struct kernels *const *at = kernels_all(); *at; at++)
        for (int threads = 1; threads <= 3 && !(*at)->missing(); threads++) {
            struct err err = {0};
            assert_int_equal((*at)->sort_hottest(threads, key, N, order, &err), ST_OK);
            for (uint32_t i = 0; i < N; i++) assert_int_equal(order[i], item[i].id);
        }
    free(order);
    free(item);
}

/* Runs of `length` vertices with one code and `values` different keys each; 1: all keys of a run are equal. */
static void runs_of(uint64_t length, uint64_t values)
{
    uint64_t *key = calloc(N, sizeof *key), seed = length;
    assert_non_null(key);
    for (uint64_t i = 0; i < N; i++) {
        uint64_t at = i * 7919 % N; /* 7919 is prime and does not divide N: runs lie scattered */
        key[at] = (1ull << 40) + (i / length << 33) + draw(&seed) % values;
    }
    key[N - 1] = 0; /* the range begins here */
    sorted_by_all(key);
    free(key);
}

static void runs_of_equal_codes_are_settled(void **state)
{
    static const uint64_t lengths[] = {1, 2, 15, 16, 17, 33, 250, TIES_MAX, TIES_MAX + 1, N};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        runs_of(lengths[i], 1);
        runs_of(lengths[i], 2);
        runs_of(lengths[i], 1000);
    }
}

static void the_whole_range_is_sorted(void **state)
{
    uint64_t *key = calloc(N, sizeof *key), seed = 3;
    (void)state;
    assert_non_null(key);
    for (uint32_t v = 0; v < N; v++) key[v] = draw(&seed) << 11 >> (draw(&seed) & 63);
    key[5] = UINT64_MAX;
    sorted_by_all(key);
    free(key);
}

/* Ranges of every width, half of the keys with its highest bit, and too many with one code to be settled one by one. */
static void ranges_of_every_width(void **state)
{
    uint64_t *key = calloc(N, sizeof *key), seed = 11;
    (void)state;
    assert_non_null(key);
    for (int bits = 34; bits <= 64; bits++) {
        for (uint64_t v = 0; v < N; v++)
            key[v] = (v % 3 ? 3ull : 1ull) << (bits - 2) | (v % 5 ? 0 : draw(&seed) % (1ull << (bits - 30)));
        key[N / 2] = 0; /* the range begins here */
        sorted_by_all(key);
    }
    free(key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_never_fall),
        cmocka_unit_test(runs_of_equal_codes_are_settled),
        cmocka_unit_test(the_whole_range_is_sorted),
        cmocka_unit_test(ranges_of_every_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
