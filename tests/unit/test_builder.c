/* Rows from arcs: equal to a plain serial construction for any threads and ranges; memory failures leave nothing
 * behind. */
#include "base/rng.h"
#include "test_graph_help.h"
#include "traces/builder/builder_csr.h"
#include "traces/builder/builder_sort.h"

DEFINE_ROW_SORT(sort_numbers, uint64_t)

enum { N = 300, M = 20000 };

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sorts_like_qsort(void **state)
{
    (void)state;
    static uint64_t a[M], b[M];
    for (int bits = 1; bits < 64; bits += 7)
        for (uint64_t count = 0; count < M; count = 3 * count + 1) {
            for (uint64_t i = 0; i < count; i++)
                a[i] = b[i] = rng_hash((uint64_t)bits, 1, i) & (((uint64_t)1 << bits) - 1);
            sort_numbers(a, count, sort_shift(((uint64_t)1 << bits) - 1));
            qsort(b, count, sizeof *b, ascending);
            assert_memory_equal(a, b, count * sizeof *a);
        }
}

/* Arc i: vertex 0 is a hub, one in 50 is left out. */
static enum st arc_read(const void *self, uint64_t first, uint64_t count, uint32_t *pairs, float *weights,
                        struct err *err)
{
    (void)self;
    (void)err;
    for (uint64_t i = first; i < first + count; i++, pairs += 2) {
        uint64_t h = rng_hash(5, 2, i);
        pairs[0] = h % 50 == 7 ? ARC_NONE : (uint32_t)(h >> 8) % N;
        pairs[1] = h % 3 ? (uint32_t)(h >> 40) % N : 0;
        if (weights) weights[i - first] = (float)(h % 11);
    }
    return ST_OK;
}

/* The rows by brute force: the least weight + 1 of each cell, 0 for none. */
static void expect_cells(struct test_place *p, bool targets, bool both, bool weighted)
{
    static float cell[N][N];
    uint32_t pair[2];
    float w;
    struct npy indptr = {0}, indices = {0}, weights = {0};
    uint64_t at = 0;
    memset(cell, 0, sizeof cell);
    for (uint64_t i = 0; i < M; i++) {
        arc_read(NULL, i, 1, pair, &w, NULL);
        if (pair[0] == ARC_NONE) continue;
        for (int turn = 0; turn <= both; turn++) {
            float *c = targets != (turn == 1) ? &cell[pair[0]][pair[1]] : &cell[pair[1]][pair[0]];
            if (*c == 0 || w + 1 < *c) *c = w + 1;
        }
    }
    assert_int_equal(npy_map(in_place(p, "C/indptr.npy"), &indptr, &p->err), ST_OK);
    assert_int_equal(npy_map(in_place(p, "C/indices.npy"), &indices, &p->err), ST_OK);
    if (weighted) assert_int_equal(npy_map(in_place(p, "C/weights.npy"), &weights, &p->err), ST_OK);
    for (uint32_t v = 0; v < N; v++) {
        assert_int_equal(((const int64_t *)indptr.data)[v], at);
        for (uint32_t u = 0; u < N; u++)
            if (cell[v][u] != 0) {
                if (weighted) assert_true(((const float *)weights.data)[at] == cell[v][u] - 1);
                assert_int_equal(((const uint32_t *)indices.data)[at++], u);
            }
    }
    assert_int_equal(indices.count, at);
    npy_release(&indptr);
    npy_release(&indices);
    npy_release(&weights);
}

static enum st write_to(struct test_place *p, const struct csr_options *r, bool weighted)
{
    struct arc_source source = {NULL, M, weighted, arc_read};
    struct output to = {0};
    struct csr_result result;
    enum st st;
    struct err *err = &p->err;
    TRY(output_directory(&to, in_place(p, "C"), err));
    TRY(csr_write(&source, r, &to, &result, err));
    TRY(output_commit(&to, err));
done:
    output_abort(&to);
    return st;
}

static void rows_in_every_way(void **state)
{
    struct test_place *p = *state;
    for (int way = 0; way < 48; way++) {
        struct csr_options r = {.n = N,
                                .rows_list_targets = way & 1,
                                .both = way & 2,
                                .threads = way & 4 ? 3 : 1,
                                .window = (uint64_t[]){0, 1, 5000}[way / 16]};
        bool weighted = way & 8;
        if (write_to(p, &r, weighted) != ST_OK) fail_msg("%s", p->err.text);
        expect_cells(p, way & 1, way & 2, weighted);
    }
}

static void memory_failures(void **state)
{
    struct test_place *p = *state;
    struct import_options o = plain_options(NULL, 0);
    char f[256];
    snprintf(f, sizeof f, "%s", put_text(p, "a", "0 1\n0 2\n2 1\n3 3\n"));
    o.renumber = true;
    int k = 1;
    for (; k < 200; k++) {
        forget(p);
        mem_fail_at((uint64_t)k);
        enum st st = import_as(p, f, o);
        mem_fail_at(0);
        if (st == ST_OK) break;
        if (st != ST_LIMIT) fail_msg("allocation %d: %s", k, p->err.text);
        assert_false(file_exists(in_place(p, "G")));
    }
    assert_in_range(k, 5, 199);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sorts_like_qsort), WITH_PLACE(rows_in_every_way),
                                       WITH_PLACE(memory_failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
