/* test_kernels_limits.c - what operations do when memory is refused or the device is not there: they say so, or do
 * without, and leak nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/mem.h"
#include "kernels/kernel.h"

enum { N = 20000, THREADS = 3 };

struct arrays {
    uint64_t key[N], out[N], share[N];
    uint32_t id[N], order[N], count[N];
    int64_t indptr[N + 1];
    uint8_t owner[N];
};

/* Runs operation number `op`; the last one answers ST_NO. */
static enum st run(const struct kernels *k, int op, struct arrays *a, struct err *err)
{
    const uint32_t *hot[] = {a->id, a->count};
    const struct cslp_problem cslp = {.gpus = 2, .hot = hot, .order = a->id, .count = N, .row_bytes = 4, .n = N};
    const struct pagerank_problem rank = {.n = N,
                                          .indptr = a->indptr,
                                          .indices = a->id,
                                          .base = 1,
                                          .damping_permille = 850};
    uint64_t room[] = {N, 3 * N}, held, change;
    switch (op) {
    case 0: return k->sort_hottest(THREADS, a->key, N, a->order, err);
    case 1: return k->scan(THREADS, a->key, a->id, N, a->out, err);
    case 2: return k->scan(THREADS, a->key, NULL, N, a->out, err);
    case 3: return k->cslp(THREADS, &cslp, room, a->owner, &held, err);
    case 4: return k->pagerank_step(THREADS, &rank, a->key, a->share, a->out, &change, err);
    case 5: return k->count(THREADS, a->id, N, N, a->count, err);
    default: return ST_NO;
    }
}

static struct arrays *filled(void)
{
    struct err err = {0};
    struct arrays *a = mem_array(1, sizeof *a, "test arrays", &err);
    assert_non_null(a);
    for (uint32_t v = 0; v < N; v++) {
        a->key[v] = (uint64_t)(v % 977) << 40 | v % 13;
        a->id[v] = v * 7919u % N; /* 7919 is prime and does not divide N, so this is an order */
        a->indptr[v + 1] = v + 1;
    }
    return a;
}

/* Refuses the first, the second, .. allocation until an operation gets by without meeting the refusal. */
static void refused_memory_is_said_or_done_without(void **state)
{
    const struct kernels *const backends[] = {&kernels_ref, &kernels_cpu};
    struct arrays *a = filled();
    uint64_t before = mem_in_use();
    (void)state;
    for (int b = 0; b < 2; b++)
        for (int op = 0; op < 6; op++)
            for (uint64_t fail_at = 1; fail_at < 6; fail_at++) {
                struct err err = {0};
                enum st st;
                mem_fail_at(fail_at);
                st = run(backends[b], op, a, &err);
                mem_fail_at(0);
                assert_true(st == ST_OK || (st == ST_LIMIT && err.text[0]));
                assert_int_equal(mem_in_use(), before);
            }
    mem_free(a);
}

/* Private sums are a matter of speed: without memory for them the additions are atomic and the result is the same. */
static void private_sums_are_not_needed(void **state)
{
    struct arrays *a = filled();
    struct err err = {0};
    (void)state;
    for (int refuse = 0; refuse < 2; refuse++) {
        mem_fail_at((uint64_t)refuse);
        assert_int_equal(run(&kernels_cpu, 5, a, &err), ST_OK);
        mem_fail_at((uint64_t)refuse);
        assert_int_equal(run(&kernels_cpu, 4, a, &err), ST_OK);
        mem_fail_at(0);
        for (uint32_t v = 0; v < N; v++) {
            assert_int_equal(a->count[v], 1);
            assert_int_equal(a->out[a->id[v]], 1 + a->key[v] / 1000 * 850 + a->key[v] % 1000 * 850 / 1000);
        }
    }
    mem_free(a);
}

static void device_that_is_not_there_is_said(void **state)
{
    (void)state;
#ifdef HOTSET_CUDA
    if (kernels_cuda.missing()) {
        struct arrays *a = filled();
        uint64_t before = mem_in_use();
        for (int op = 0; op < 6; op++) {
            struct err err = {0};
            assert_int_equal(run(&kernels_cuda, op, a, &err), ST_MISSING);
            assert_true(err.text[0]);
            assert_int_equal(mem_in_use(), before);
        }
        mem_free(a);
        return;
    }
#endif
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_memory_is_said_or_done_without),
        cmocka_unit_test(private_sums_are_not_needed),
        cmocka_unit_test(device_that_is_not_there_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
