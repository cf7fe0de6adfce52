/* Narrow counts against the same ones of 32 bits: CSLP, stretch by stretch, and Legion's orders and sweep. */
#include "planner/policies/cslp_rows.h"
#include "planner/policies/place.h"
#include "tests/oracle/instance.h"

static struct err err;

enum { GPUS = 3, N = TRACE_STRETCH + 5000 };

static uint32_t *hot[GPUS], *order;
static uint8_t *narrow, *owner, *expected;
static uint16_t *half;
static int64_t *indptr;

static void *room_for(uint64_t count, size_t bytes)
{
    void *p = calloc(count, bytes);
    assert_non_null(p);
    return p;
}

static int set_up(void **state)
{
    struct dice d = {11};
    (void)state;
    for (int g = 0; g < GPUS; g++) hot[g] = room_for(N, sizeof **hot);
    order = room_for(N, sizeof *order);
    narrow = room_for(N, 1);
    half = room_for(N, sizeof *half);
    owner = room_for(N, 1);
    expected = room_for(N, 1);
    indptr = room_for(N + 1, sizeof *indptr);
    for (uint64_t v = 0; v < N; v++) {
        uint64_t word = dice_word(&d);
        narrow[v] = (uint8_t)(hot[0][v] = word & 3); /* many ties */
        half[v] = (uint16_t)(hot[1][v] = word >> 2 & 1 ? word >> 8 & 0xFFFF : 1);
        hot[2][v] = word >> 3 & 7 ? (uint32_t)(word >> 32) : 2;
        indptr[v + 1] = indptr[v] + (int64_t)(word >> 24 & 15);
        order[v] = (uint32_t)(N - 1 - v);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int g = 0; g < GPUS; g++) free(hot[g]);
    free(order);
    free(narrow);
    free(half);
    free(owner);
    free(expected);
    free(indptr);
    return 0;
}

/* room: bytes of each GPU. */
static void compare(bool topology, const uint64_t *room, uint64_t most_held)
{
    const uint32_t *const rows[GPUS] = {hot[0], hot[1], hot[2]};
    const struct count_row counts[GPUS] = {{narrow, 1}, {half, 2}, count_row_wide(hot[2])};
    struct graph g = {.n = N, .indptr = indptr, .row_bytes = 100};
    const struct policy_input in = {.graph = &g, .kernels = &kernels_cpu, .threads = 2};
    struct cslp_problem p = {GPUS, rows, order, N, topology ? indptr : NULL, 100, N};
    uint64_t left[GPUS], expected_left[GPUS], held, expected_held;
    memcpy(left, room, sizeof left);
    memcpy(expected_left, room, sizeof left);
    OK(kernels_cpu.cslp(2, &p, expected_left, expected, &expected_held, &err));
    OK(cslp_rows(&in, counts, GPUS, order, N, topology, left, owner, &held, &err));
    EQUAL(held, expected_held, "rows held");
    HOLDS(held <= most_held, "the case is not what it should be");
    assert_memory_equal(owner, expected, held);
    for (int i = 0; i < GPUS; i++) EQUAL(left[i], expected_left[i], "room of GPU %d", i);
}

static void stretches_equal_the_whole(void **state)
{
    (void)state;
    for (int topology = 0; topology < 2; topology++) {
        const uint64_t all = topology ? (uint64_t)indptr[N] * 4 + 8ull * N : 100ull * N;
        compare(topology, (const uint64_t[]){all, all, all}, N);                 /* everything fits */
        compare(topology, (const uint64_t[]){all / 9, all / 3, all / 2}, N - 1); /* rows spill, then it ends */
        compare(topology, (const uint64_t[]){1000, 5000, 2000}, 1000);           /* ends in the first stretch */
        compare(topology, (const uint64_t[]){0, all - all * 2000 / N, all / N * 10}, N - 1); /* in the second */
    }
    compare(false, (const uint64_t[]){0, 100ull * TRACE_STRETCH, 0}, TRACE_STRETCH); /* ends with the first */
}

/* Wide counts take the search, narrow ones keys; the same orders and the same sweep, alpha by alpha. */
static void narrow_counts_rank_as_wide_ones(void **state)
{
    enum { FEW = 2000 };
    static struct trace t[2];
    static struct plan plan;
    struct candidates c[2];
    struct graph g = {.n = FEW, .m = (uint64_t)indptr[FEW], .indptr = indptr, .row_bytes = 100};
    (void)state;
    plan.assignment = (struct assignment){.gpus = 2, .cliques = 1};
    plan.line_bytes = 64;
    plan.budget[0] = plan.budget[1] = 30000;
    for (int i = 0; i < 2; i++) {
        t[i] = (struct trace){.assignment = plan.assignment, .n = FEW, .epochs = 3, .n_tsum = {98765}};
        t[i].topology[0] = i ? (struct count_row){narrow, 1} : count_row_wide(hot[0]);
        t[i].topology[1] = i ? (struct count_row){half, 2} : count_row_wide(hot[1]);
        t[i].feature[0] = t[i].topology[1];
        t[i].feature[1] = count_row_wide(hot[2]);
        const struct policy_input in = {.graph = &g,
                                        .trace = &t[i],
                                        .kernels = &kernels_cpu,
                                        .threads = 2,
                                        .hotness = "presample"};
        OK(candidates_make(&in, &plan, 0, true, &c[i], &err));
        assert_int_equal(c[i].search == NULL, i); /* the two ways */
    }
    assert_memory_equal(c[1].topology, c[0].topology, FEW * sizeof(uint32_t));
    assert_memory_equal(c[1].feature, c[0].feature, FEW * sizeof(uint32_t));
    assert_memory_equal(c[1].points, c[0].points, (SWEEP_STEPS + 1) * sizeof *c[0].points);
    HOLDS(c[0].points[10].rows_topology && c[0].points[10].feature, "the sweep has nothing to say");
    for (int i = 0; i < 2; i++) candidates_free(&c[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stretches_equal_the_whole),
                                       cmocka_unit_test(narrow_counts_rank_as_wide_ones)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
