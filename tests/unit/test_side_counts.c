/* Counts side by side answer what the trace answers: counts of every width, of a byte's largest and beyond. */
#include "tests/unit/unit.h"

#include "base/mem.h"
#include "base/rng.h"
#include "planner/policies/side_counts.h"

static struct err err;

enum { GPUS = 3, HOPS = 2, N = TRACE_STRETCH + 777 };
static const struct graph graph = {.n = N};

/* Rows of 1, 2 and 4 bytes per count; most counts are 0 or small, some are 254, 255, 256 and more. */
static struct count_row make_row(int bytes, uint64_t number)
{
    static const uint32_t counts[] = {0, 0, 0, 1, 2, 254, 255, 256, 60000, 70000};
    void *data = mem_array(N, (size_t)bytes, "counts", &err);
    assert_non_null(data);
    for (uint64_t v = 0; v < N; v++) {
        uint32_t c = counts[rng_hash(1, number, v) % 10];
        count_put(data, bytes, v, bytes == 1 ? c & 255 : bytes == 2 ? c & 65535 : c);
    }
    return (struct count_row){data, bytes};
}

static void make_trace(struct trace *t)
{
    memset(t, 0, sizeof *t);
    t->n = N;
    t->workload.hops = HOPS;
    t->assignment.gpus = GPUS;
    for (int g = 0; g < GPUS; g++) {
        t->feature[g] = make_row(1 << g, 10 + (uint64_t)g);
        t->topology[g] = make_row(1 << (2 - g), 20 + (uint64_t)g);
        for (int h = 0; h < HOPS; h++) t->visits[h][g] = make_row(1 << (g + h) % 3, 30 + (uint64_t)(3 * g + h));
    }
}

static void free_rows(struct trace *t)
{
    for (int g = 0; g < GPUS; g++) {
        mem_free((void *)(uintptr_t)t->feature[g].data);
        mem_free((void *)(uintptr_t)t->topology[g].data);
        for (int h = 0; h < HOPS; h++) mem_free((void *)(uintptr_t)t->visits[h][g].data);
    }
}

/* Every vertex, both kinds, GPUs 2 and 0 in this order. */
static void compare(const struct trace *t, const struct side_counts *s)
{
    uint64_t wrong = 0;
    for (uint64_t v = 0; v < N; v++)
        for (int topology = 0; topology < 2; topology++) {
            uint64_t count[GPUS], sum = side_reads(s, topology, v, count);
            for (int i = 0; i < 2; i++) {
                int g = i ? 0 : 2;
                wrong += side_hot(s, topology, v, i) != count_at(topology ? t->topology[g] : t->feature[g], v);
                wrong += count[i] != reader_vertex_count(t, g, topology, v);
            }
            wrong += sum != count[0] + count[1];
        }
    assert_int_equal(wrong, 0);
}

static void they_answer_as_the_trace(void **state)
{
    const int gpu[] = {2, 0};
    struct trace t;
    (void)state;
    make_trace(&t);
    for (int reads = 0; reads < 2; reads++)
        for (int threads = 1; threads <= 3; threads++) {
            struct side_counts s = {0};
            GOOD(side_counts_make(&graph, &t, gpu, 2, reads, threads, &s, &err));
            assert_true(s.hot[0] && s.hot[1] && !!s.reads == reads);
            compare(&t, &s);
            side_counts_release(&s);
        }
    struct side_counts none = side_counts_none(&graph, &t, gpu, 2);
    compare(&t, &none);
    free_rows(&t);
}

static void blocks_of_reads_are_sums(void **state)
{
    uint32_t reads[100];
    uint64_t wrong = 0;
    struct trace t;
    (void)state;
    make_trace(&t);
    for (int g = 0; g < GPUS; g++)
        for (int topology = 0; topology < 2; topology++) {
            reader_count_block(&t, g, topology, 33, 100, reads);
            for (uint64_t i = 0; i < 100; i++) wrong += reads[i] != reader_vertex_count(&t, g, topology, 33 + i);
        }
    assert_int_equal(wrong, 0);
    free_rows(&t);
}

static void memory_may_be_short(void **state)
{
    const int gpu[] = {0, 1, 2};
    struct trace t;
    (void)state;
    make_trace(&t);
    for (uint64_t k = 1; k <= 3; k++) {
        struct side_counts s = {0};
        uint64_t before = mem_in_use();
        mem_fail_at(k);
        BAD(ST_LIMIT, "counts side by side", side_counts_make(&graph, &t, gpu, 3, true, 2, &s, &err));
        mem_fail_at(0);
        assert_int_equal(mem_in_use(), before);
    }
    free_rows(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_answer_as_the_trace),
        cmocka_unit_test(blocks_of_reads_are_sums),
        cmocka_unit_test(memory_may_be_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
