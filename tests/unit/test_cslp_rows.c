/* CSLP over narrow counts, stretch by stretch, against the operation over 32-bit counts of all rows. */
#include "planner/policies/cslp_rows.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stretches_equal_the_whole)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
