/* PageRank steps by blocks of sums: equal to steps along the rows, whatever the rows look like. */
#include "tests/unit/unit.h"

#include "base/mem.h"
#include "base/rng.h"
#include "kernels/cpu/push_blocks.h"
#include "kernels/push.h"

enum { BLOCK = 1 << 15 };

struct rows {
    struct pagerank_problem p;
    int64_t *indptr;
    uint32_t *indices;
    uint64_t *x, *share, *y, *want;
};

/* n vertices, about `degree` entries per row: every fifth row is empty, entries repeat, half of them lead to the first
 * `hubs` vertices. */
static void make_rows(uint64_t n, uint64_t degree, uint64_t hubs, struct rows *r)
{
    struct err none = {0};
    r->indptr = mem_array(n + 1, sizeof *r->indptr, "rows", &none);
    for (uint64_t v = 0; v < n; v++)
        r->indptr[v + 1] = r->indptr[v] + (v % 5 == 3 ? 0 : (int64_t)(rng_hash(1, 2, v) % (2 * degree + 1)));
    uint64_t m = (uint64_t)r->indptr[n];
    r->indices = mem_array(m + 1, sizeof *r->indices, "rows", &none);
    uint64_t **const ranks[] = {&r->x, &r->share, &r->y, &r->want};
    for (size_t i = 0; i < 4; i++) *ranks[i] = mem_array(n, sizeof **ranks[i], "ranks", &none);
    for (uint64_t e = 0; e < m; e++) r->indices[e] = (uint32_t)(rng_hash(3, 4, e) % (rng_hash(5, 6, e) % 2 ? hubs : n));
    for (uint64_t v = 0; v < n; v++) r->x[v] = v % 7 < 4 ? 0 : rng_hash(7, 8, v) >> 24; /* 0: pushes nothing */
    r->p = (struct pagerank_problem){.n = n,
                                     .indptr = r->indptr,
                                     .indices = r->indices,
                                     .base = 1 << 30,
                                     .damping_permille = 850};
}

static void free_rows(struct rows *r)
{
    mem_free(r->indptr);
    mem_free(r->indices);
    mem_free(r->x);
    mem_free(r->share);
    mem_free(r->y);
    mem_free(r->want);
}

static void a_step_is_the_step_along_the_rows(void **state)
{
    static const uint64_t sizes[][3] =
        {{1, 3, 1}, {9, 2, 4}, {BLOCK - 1, 3, 50}, {BLOCK, 3, BLOCK}, {BLOCK + 1, 4, 3000}, {3 * BLOCK + 7, 5, 9}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int threads = 1; threads <= 5; threads += 2) {
            struct rows r = {0};
            struct push_blocks b = {0};
            struct err err = {0};
            uint64_t change = 0, want = 1;
            make_rows(sizes[i][0], sizes[i][1], sizes[i][2], &r);
            GOOD(push_blocks_make(&r.p, threads, true, &b, &err));
            push_blocks_step(&b, &r.p, threads, r.x, r.share, r.y, &change);
            GOOD(kernels_ref.pagerank_step(1, &r.p, r.x, r.share, r.want, &want, &err));
            assert_memory_equal(r.y, r.want, r.p.n * sizeof *r.y);
            assert_int_equal(change, want);
            GOOD(kernels_cpu.pagerank_step(threads, &r.p, r.x, r.share, r.y, &change, &err)); /* along the rows */
            assert_memory_equal(r.y, r.want, r.p.n * sizeof *r.y);
            assert_int_equal(change, want);
            push_blocks_release(&b);
            free_rows(&r);
        }
}

/* By hand: two blocks; rows 0: {1, BLOCK, 1}, BLOCK: {0}, which lies BLOCK = 128 x 255 + 128 rows further on. */
static void edges_lie_by_blocks(void **state)
{
    enum { SKIPS = 128, FAR = 255 };
    uint64_t n = BLOCK + 1;
    uint32_t indices[] = {1, BLOCK, 1, 0};
    struct err err = {0};
    struct push_blocks b = {0};
    int64_t *indptr = test_calloc(n + 1, sizeof *indptr);
    (void)state;
    for (uint64_t v = 1; v <= n; v++) indptr[v] = v == n ? 4 : 3;
    const struct pagerank_problem p = {.n = n, .indptr = indptr, .indices = indices, .damping_permille = 850};
    GOOD(push_blocks_make(&p, 1, true, &b, &err));
    assert_int_equal(b.blocks, 2);
    assert_int_equal(b.parts, 1);
    assert_int_equal(b.largest, 3);
    assert_int_equal(b.row[0], 0);
    assert_int_equal(b.end[0] - b.begin[0], 3 + SKIPS);
    assert_int_equal(b.end[1] - b.begin[1], 1);
    assert_int_equal(b.to[0], 1);
    assert_int_equal(b.gap[0], 0);
    assert_int_equal(b.to[1], 1);
    assert_int_equal(b.gap[1], 0);
    for (int i = 0; i < SKIPS; i++) {
        assert_int_equal(b.to[2 + i], BLOCK); /* nowhere */
        assert_int_equal(b.gap[2 + i], FAR);
    }
    assert_int_equal(b.to[2 + SKIPS], 0);
    assert_int_equal(b.gap[2 + SKIPS], BLOCK - SKIPS * FAR);
    assert_int_equal(b.to[b.begin[1]], 0);
    assert_int_equal(b.gap[b.begin[1]], 0);
    push_blocks_release(&b);
    test_free(indptr);
}

/* How often each index was told of, and in how many pieces. */
struct told {
    uint8_t *times;
    int pieces;
};

static void tell(const void *of, uint64_t from, uint64_t to)
{
    struct told *t = *(struct told *const *)of;
    __atomic_fetch_add(&t->pieces, 1, __ATOMIC_RELAXED);
    for (uint64_t e = from; e < to; e++) __atomic_fetch_add(&t->times[e], 1, __ATOMIC_RELAXED);
}

/* Every index is read twice: when edges are counted and, in pieces, when they are written. */
static void callers_are_told_what_was_read(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        struct rows r = {0};
        struct told told = {0}, *const at = &told;
        struct push_blocks b = {0};
        struct err err = {0};
        make_rows(1 << 18, 40, 1 << 18, &r);
        uint64_t m = (uint64_t)r.indptr[r.p.n];
        told.times = test_calloc(m, 1);
        r.p.was_read = tell;
        r.p.of = &at;
        GOOD(push_blocks_make(&r.p, threads, true, &b, &err));
        for (uint64_t e = 0; e < m; e++)
            if (told.times[e] != 2) fail_msg("index %llu was told of %d times", (unsigned long long)e, told.times[e]);
        assert_true(told.pieces >= threads + (int)(m >> 21));
        push_blocks_release(&b);
        test_free(told.times);
        free_rows(&r);
    }
}

static void copies_are_made_where_they_pay(void **state)
{
    struct rows dense = {0}, sparse = {0};
    struct push_blocks b = {0};
    struct err err = {0};
    (void)state;
    make_rows(1 << 18, 60, 1 << 18, &dense);
    assert_true(push_blocks_pay(&dense.p, 100));
    assert_false(push_blocks_pay(&dense.p, 5)); /* too few steps */
    assert_int_equal(push_blocks_bytes((1 << 22) + 1, UINT64_C(1) << 40), 0);
    assert_int_equal(push_blocks_bytes(1 << 10, 1 << 10), 0);
    GOOD(push_blocks_make(&dense.p, 2, false, &b, &err));
    assert_int_equal(b.blocks, 8);
    assert_true(3 * b.end[8 * 2 - 1] <= push_blocks_bytes(1 << 18, (uint64_t)dense.indptr[1 << 18]));
    push_blocks_release(&b);
    free_rows(&dense);
    /* 32 blocks, each of which would read a million values for 150,000 edges */
    make_rows(1 << 20, 6, 1 << 20, &sparse);
    assert_false(push_blocks_pay(&sparse.p, 100));
    free_rows(&sparse);
    make_rows(1 << 18, 60, 9, &dense); /* more than half of the edges in one of 8 blocks: no work for 8 threads */
    GOOD(push_blocks_make(&dense.p, 8, false, &b, &err));
    assert_int_equal(b.blocks, 0);
    GOOD(push_blocks_make(&dense.p, 2, false, &b, &err));
    assert_int_equal(b.blocks, 8);
    push_blocks_release(&b);
    free_rows(&dense);
}

/* Rows that lead to a block lie up to tens of thousands apart. */
static void distant_rows_are_reached(void **state)
{
    struct rows r = {0};
    struct push_blocks b = {0};
    struct err err = {0};
    uint64_t change = 0, want = 1;
    int64_t at = 0;
    (void)state;
    make_rows(3 * BLOCK, 1, 3 * BLOCK, &r);
    for (uint64_t v = 0; v < r.p.n; v++) { /* few rows keep their entries */
        int64_t from = r.indptr[v], to = r.indptr[v + 1];
        r.indptr[v] = at;
        for (int64_t e = from; rng_hash(9, 9, v) % 1500 == 0 && e < to; e++) r.indices[at++] = r.indices[e];
    }
    r.indptr[r.p.n] = at;
    assert_true(at > 20);
    GOOD(push_blocks_make(&r.p, 1, true, &b, &err));
    push_blocks_step(&b, &r.p, 1, r.x, r.share, r.y, &change);
    GOOD(kernels_ref.pagerank_step(1, &r.p, r.x, r.share, r.want, &want, &err));
    assert_memory_equal(r.y, r.want, r.p.n * sizeof *r.y);
    assert_int_equal(change, want);
    push_blocks_release(&b);
    free_rows(&r);
}

/* Rows that lie about as far apart as a byte can say. */
static void rows_lie_a_byte_apart(void **state)
{
    enum { N = 3000 };
    static const uint64_t gaps[] = {255, 256, 257, 1, 510, 511, 512, 254};
    struct rows r = {0};
    struct push_blocks b = {0};
    struct err err = {0};
    uint64_t change = 0, want = 1, v = 0;
    (void)state;
    make_rows(N, 1, N, &r);
    memset(r.indptr, 0, (N + 1) * sizeof *r.indptr);
    for (size_t i = 0; i < 8; i++) {
        v += gaps[i];
        r.indptr[v + 1] = 1;
        r.indices[i] = (uint32_t)(7 * i);
        r.x[v] = UINT64_C(1) << (30 + i);
    }
    for (v = 0; v < N; v++) r.indptr[v + 1] += r.indptr[v];
    GOOD(push_blocks_make(&r.p, 1, true, &b, &err));
    assert_int_equal(b.end[0], 8 + 1 + 1 + 1 + 2 + 2); /* to nowhere: one each for 256, 257, 510, two for 511, 512 */
    push_blocks_step(&b, &r.p, 1, r.x, r.share, r.y, &change);
    GOOD(kernels_ref.pagerank_step(1, &r.p, r.x, r.share, r.want, &want, &err));
    assert_memory_equal(r.y, r.want, N * sizeof *r.y);
    push_blocks_release(&b);
    free_rows(&r);
}

/* Sessions of both backends, which end where the change is small enough. */
static void many_steps_agree_with_the_reference(void **state)
{
    struct rows r = {0};
    struct err err = {0};
    (void)state;
    make_rows(1 << 17, 20, 1 << 12, &r);
    assert_true(push_blocks_pay(&r.p, 60));
    for (int limited = 0; limited < 2; limited++) {
        struct push *s[2];
        int taken[2];
        uint64_t *value[2] = {r.y, r.want};
        const struct kernels *k[2] = {&kernels_cpu, &kernels_ref};
        for (int i = 0; i < 2; i++) {
            memcpy(value[i], r.x, r.p.n * sizeof *r.x);
            GOOD(push_open(k[i], 3, &r.p, &s[i], &err));
            GOOD(push_iterate(s[i], 60, limited ? UINT64_C(1) << 53 : 0, value[i], &taken[i], &err));
            push_close(s[i]);
        }
        assert_int_equal(taken[0], taken[1]);
        assert_true(limited ? taken[0] < 60 : taken[0] == 60);
        assert_memory_equal(r.y, r.want, r.p.n * sizeof *r.y);
    }
    free_rows(&r);
}

/* Without memory for the copy steps go along the rows. */
static void memory_may_be_short(void **state)
{
    struct rows r = {0};
    struct err err = {0};
    struct push *s;
    int taken;
    (void)state;
    make_rows(1 << 17, 20, 1 << 12, &r);
    GOOD(push_open(&kernels_cpu, 2, &r.p, &s, &err));
    memcpy(r.y, r.x, r.p.n * sizeof *r.x);
    memcpy(r.want, r.x, r.p.n * sizeof *r.x);
    mem_limit_set(mem_in_use() + 4 * r.p.n * sizeof *r.y); /* for the values of steps, not for two bytes per edge */
    GOOD(push_iterate(s, 60, 0, r.y, &taken, &err));
    mem_limit_set(0);
    assert_int_equal(taken, 60);
    GOOD(push_iterate(s, 60, 0, r.want, &taken, &err));
    assert_memory_equal(r.y, r.want, r.p.n * sizeof *r.y);
    push_close(s);
    free_rows(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_the_step_along_the_rows),
        cmocka_unit_test(edges_lie_by_blocks),
        cmocka_unit_test(distant_rows_are_reached),
        cmocka_unit_test(rows_lie_a_byte_apart),
        cmocka_unit_test(callers_are_told_what_was_read),
        cmocka_unit_test(copies_are_made_where_they_pay),
        cmocka_unit_test(many_steps_agree_with_the_reference),
        cmocka_unit_test(memory_may_be_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
