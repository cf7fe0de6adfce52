/* PaGraph's partitions worked by hand, and the host memory that their copies take. */
#include "tests/oracle/case.h"

static struct err err;
static struct server server;
static struct graph graph;
static struct study study;
static struct study_cell cell;

/* Rows 0: {1, 4}, 1: {0, 4}, 2: {3, 5}, 3: {2, 5}; 0 to 3 train, in that order; feature rows of 16 bytes; two GPUs,
 * one hop. 0: nobody has a neighbour yet, so partition 0, which holds 0, 1, 4. 1: its neighbour 0 is in partition 0:
 * 1 * (2 - 1) / 3 beats 0. 2: no neighbour; partition 0 is full, so partition 1 with 2, 3, 5. 3: partition 1. Listed
 * in partition 0: 4 twice, 0 and 1 once; in partition 1: 5 twice, 2 and 3 once. Each takes 4 * 4 + 3 * 8 + 3 * 16 =
 * 88 bytes. */
static void make(uint64_t host)
{
    const int alone[] = {1, 1, 0};
    struct arcs a = {0};
    static const uint8_t arc[][2] = {{0, 1}, {0, 4}, {1, 0}, {1, 4}, {2, 3}, {2, 5}, {3, 2}, {3, 5}};
    static struct workload w = {.hops = 1, .fanout = {2}, .batch = 4, .seed = 7};
    for (size_t i = 0; i < COUNT_OF(arc); i++) arcs_add(&a, arc[i][0], arc[i][1]);
    graph_of(&graph, 6, &a, 4, 4, "in");
    graph.train_count = 4;
    server_cliques(&server, alone, 64);
    server.host_memory_bytes = host;
    struct study_options o = case_options(&graph, &server, &w, 1, 0, 1);
    study_begin(&study, &o);
    case_cell(&cell, "pagraph", 32);
    OK(study_plan_all(&study, &cell, 1, &err));
}

static void drop(void)
{
    study_cell_release(&cell);
    study_end(&study);
    graph_drop(&graph);
}

static void two_partitions(void **state)
{
    static const uint32_t train[2][2] = {{0, 1}, {2, 3}}, held[2][2] = {{4, 0}, {5, 2}};
    (void)state;
    make(176);
    assert_int_equal(cell.verdict.status, POLICY_OK);
    for (int g = 0; g < 2; g++) {
        assert_int_equal(cell.plan.assignment.train_count[g], 2);
        assert_memory_equal(cell.plan.assignment.train[g], train[g], sizeof train[g]);
        assert_int_equal(cell.plan.placement.feature[g].count, 2);
        assert_memory_equal(cell.plan.placement.feature[g].id, held[g], sizeof held[g]);
        assert_true(doc_real_value(doc_at(doc_get(cell.plan.notes, "partition_share"), (uint64_t)g), 0) == 0.5);
    }
    assert_int_equal(doc_integer_value(doc_get(cell.plan.notes, "partition_bytes"), 0), 176);
    drop();
}

static void a_host_that_is_too_small(void **state)
{
    (void)state;
    make(175);
    assert_int_equal(cell.verdict.status, POLICY_OOM);
    assert_non_null(strstr(cell.verdict.reason, "(176 bytes)"));
    drop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_partitions), cmocka_unit_test(a_host_that_is_too_small)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
