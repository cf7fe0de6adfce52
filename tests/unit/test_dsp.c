/* DSP's patches on a chain of GPUs, where reads go over several links: what moves between GPUs, worked by hand. */
#include "tests/oracle/case.h"

static struct err err;
static struct server server;
static struct graph graph;

/* Three GPUs joined 0 - 1 - 2; vertex v lies in the patch of GPU v. Rows 0: {1, 2}, 1: {0}, 2: {}; topology rows of 16, 12 and 8 bytes, features of 16.
 * GPU 0 expands vertex 2 three times and draws nothing; vertex 1 twice, 2 draws. GPU 2 expands vertex 0 once, 2 draws; vertex 2 once, at home.
 *   push: 4 * 3 to GPU 2 (two links), 4 * (2 + 2) to GPU 1 (one), 4 * (1 + 2) to GPU 0 (two): 40 bytes, 12 * 2 + 16 + 12 * 2 = 64 over links
 *   pull: 3 * 8 (two links), 2 * 12 (one), 16 (two): 64 bytes, 48 + 24 + 32 = 104 over links */
static void patches(void **state)
{
    static const uint8_t part[3] = {0, 1, 2};
    static const uint32_t visits[3][3] = {{0, 2, 3}, {0, 0, 0}, {1, 0, 1}}, draws[3][3] = {{0, 2, 0}, {0, 0, 0}, {2, 0, 0}}, rows[3][3] = {{1, 1, 1}, {0}, {1, 0, 1}};
    static struct trace trace = {.epochs = 1, .n = 3, .cls = 64, .workload.hops = 1};
    static struct plan plan;
    struct arcs a = {0};
    const struct policy *p = NULL;
    struct policy_verdict verdict = {.status = POLICY_OK};
    (void)state;
    arcs_add(&a, 0, 1);
    arcs_add(&a, 0, 2);
    arcs_add(&a, 1, 0);
    graph_of(&graph, 3, &a, 4, 4, "in");
    server_of(&server, 3, 64);
    server_join(&server, 0, 1, 1);
    server_join(&server, 1, 2, 1);
    server_find_cliques(&server);
    trace.assignment.gpus = plan.assignment.gpus = plan.placement.gpus = 3;
    plan.budget[0] = 32; /* both rows */
    plan.budget[1] = 27; /* topology, and 15 bytes of 16 */
    plan.budget[2] = 8;
    for (int g = 0; g < 3; g++) {
        trace.topology[g] = draws[g];
        trace.feature[g] = rows[g];
        trace.visits[0][g] = visits[g];
    }
    struct policy_input in = {.graph = &graph, .server = &server, .trace = &trace, .kernels = &kernels_cpu, .threads = 1, .part = part};
    OK(policy_find("dsp", &p, &err));
    OK(p->place(&in, &plan, &verdict, &err));
    for (int g = 0; g < 3; g++) {
        EQUAL(plan.placement.topology[g].count, 1, "GPU %d", g);
        EQUAL(plan.placement.topology[g].id[0], g, "GPU %d", g);
        EQUAL(plan.placement.feature[g].count, g == 0, "GPU %d", g);
        EQUAL(plan.placement.peers[g], 2, "GPU %d", g);
    }
    const doc *m = doc_get(plan.stated, "movement");
    assert_string_equal(doc_text_value(doc_get(m, "taken"), ""), "push");
    assert_int_equal(doc_integer_value(doc_get(m, "push_bytes"), 0), 40);
    assert_int_equal(doc_integer_value(doc_get(m, "push_link_bytes"), 0), 64);
    assert_int_equal(doc_integer_value(doc_get(m, "pull_bytes"), 0), 64);
    assert_int_equal(doc_integer_value(doc_get(m, "pull_link_bytes"), 0), 104);
    plan_release(&plan);
    graph_drop(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(patches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
