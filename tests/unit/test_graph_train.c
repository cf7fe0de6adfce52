/* Training vertices: shares, files, lists. */
#include "test_graph_help.h"
#include "base/rng.h"
#include "traces/builder/graph_train.h"

static void shares_round_half_up(void **state)
{
    struct test_place *p = *state;
    static const struct {
        uint64_t n;
        double share;
        uint64_t count;
    } cases[] = {{15, 0.1, 2}, {14, 0.1, 1}, {50, 0.29, 15}, {3, 0.1, 1}, {7, 1, 7}, {1, 0.001, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct train_set a, b;
        assert_int_equal(train_by_share(cases[i].n, cases[i].share, 9, 1, &a, &p->err), ST_OK);
        assert_int_equal(train_by_share(cases[i].n, cases[i].share, 9, 3, &b, &p->err), ST_OK);
        assert_int_equal(a.count, cases[i].count);
        assert_memory_equal(a.ids, b.ids, 4 * a.count);
        for (uint64_t k = 0; k < a.count; k++) assert_true(a.ids[k] < cases[i].n && (!k || a.ids[k] > a.ids[k - 1]));
        mem_free(a.ids);
        mem_free(b.ids);
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The vertices whose hashes are lowest train, by a stream of their own ("trn"): the same ones in every version. */
static void lowest_hashes_train(void **state)
{
    enum { N = 3000, SOME = 450 };
    static uint64_t sorted[N];
    struct test_place *p = *state;
    struct train_set t;
    uint64_t at = 0;
    for (uint64_t v = 0; v < N; v++) sorted[v] = rng_hash(7, 0x74726e, v);
    qsort(sorted, N, sizeof *sorted, by_value);
    assert_int_equal(train_by_share(N, 0.15, 7, 2, &t, &p->err), ST_OK);
    assert_int_equal(t.count, SOME);
    for (uint64_t v = 0; v < N; v++)
        if (rng_hash(7, 0x74726e, v) <= sorted[SOME - 1]) assert_int_equal(t.ids[at++], v);
    assert_int_equal(at, SOME);
    mem_free(t.ids);
}

static void larger_shares_contain_smaller(void **state)
{
    struct test_place *p = *state;
    struct train_set a, b;
    uint64_t at = 0;
    assert_int_equal(train_by_share(20000, 0.05, 3, 2, &a, &p->err), ST_OK);
    assert_int_equal(train_by_share(20000, 0.2, 3, 2, &b, &p->err), ST_OK);
    for (uint64_t i = 0; i < b.count && at < a.count; i++) at += b.ids[i] == a.ids[at];
    assert_int_equal(at, a.count);
    mem_free(a.ids);
    mem_free(b.ids);
}

static void files(void **state)
{
    struct test_place *p = *state;
    struct id_map space = {.n = 5};
    struct train_set t;
    const uint64_t count = 5;
    assert_int_equal(train_from_file(put_text(p, "t", "# ids\n4\r\n0\n"), &space, &t, &p->err), ST_OK);
    assert_memory_equal(t.ids, ((uint32_t[]){0, 4}), 8);
    mem_free(t.ids);
    const char *mask = in_place(p, "mask.npy");
    assert_int_equal(npy_save(mask, "i4", 1, &count, ((int32_t[]){0, 1, 1, 0, 0}), &p->err), ST_OK);
    assert_int_equal(train_from_file(mask, &space, &t, &p->err), ST_OK);
    assert_memory_equal(t.ids, ((uint32_t[]){1, 2}), 8);
    mem_free(t.ids);
    const char *ids = in_place(p, "ids.npy");
    assert_int_equal(npy_save(ids, "i8", 1, &count, ((int64_t[]){4, 3, 2, 1, 0}), &p->err), ST_OK);
    assert_int_equal(train_from_file(ids, &space, &t, &p->err), ST_OK);
    assert_int_equal(t.count, 5);
    mem_free(t.ids);
    space.n = 4;
    assert_int_equal(train_from_file(ids, &space, &t, &p->err), ST_INPUT);
    assert_int_equal(train_from_file(mask, &space, &t, &p->err), ST_INPUT);
    assert_int_equal(train_from_file(put_text(p, "u", "1\n1\n"), &space, &t, &p->err), ST_INPUT);
    assert_non_null(strstr(p->err.text, "line 2 names training vertex 1 a second time"));
    assert_int_equal(train_from_file(put_text(p, "v", "1 2\n"), &space, &t, &p->err), ST_INPUT);
    assert_int_equal(train_from_file(put_text(p, "w", "# none\n"), &space, &t, &p->err), ST_INPUT);
    assert_int_equal(train_from_file(in_place(p, "x"), &space, &t, &p->err), ST_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_PLACE(shares_round_half_up), WITH_PLACE(lowest_hashes_train),
                                       WITH_PLACE(larger_shares_contain_smaller), WITH_PLACE(files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
