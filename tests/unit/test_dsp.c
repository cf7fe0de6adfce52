/* DSP's patches on a chain of GPUs, where reads go over several links: what moves between GPUs, worked by hand. */
#include "simulator/movement/traffic.h"
#include "tests/oracle/case.h"

static struct err err;
static struct server server;
static struct graph graph;
static struct plan plan;

/* Three GPUs joined 0 - 1 - 2; vertex v lies in the patch of GPU v. Rows 0: {1, 2}, 1: {0}, 2: {}; topology rows of
 * 16, 12 and 8 bytes, features of 16. GPU 0 expands vertex 2 three times and draws nothing; vertex 1 twice, 2 draws.
 * GPU 2 expands vertex 0 once, 2 draws; vertex 2 once, at home.
 *   push: 4 * 3 to GPU 2 (two links), 4 * (2 + 2) to GPU 1 (one), 4 * (1 + 2) to GPU 0 (two): 40 bytes, 12 * 2 + 16 +
 *   12 * 2 = 64 over links pull: 3 * 16 (two links), 2 * (16 + 4) (one), 16 + 8 (two): 112 bytes, 96 + 40 + 48 = 184
 *   over links */
static void judge_movement(void)
{
    static struct traffic t;
    struct replay_gpu gpu[3];
    struct replay r = {.epochs = 1, .gpus = 3, .gpu = gpu};
    memset(gpu, 0, sizeof gpu);
    gpu[0] = (struct replay_gpu){.visits = {0, 2, 3}, .draws = {0, 2, 0}, .degrees = {0, 2, 0}, .entries = {0, 8, 0}};
    gpu[2] = (struct replay_gpu){.visits = {1, 0, 1}, .draws = {2, 0, 0}, .degrees = {2, 0, 0}, .entries = {8, 0, 0}};
    traffic_make(&plan, &r, &graph, &t);
    assert_string_equal(t.taken, "push");
    assert_int_equal(t.sampling[TRAFFIC_PUSH].nvlink, 40);
    assert_int_equal(t.sampling[TRAFFIC_PUSH].links, 64);
    assert_int_equal(t.sampling[TRAFFIC_TAKEN].nvlink, 40);
    assert_int_equal(t.sampling[TRAFFIC_TAKEN].links, 64);
    assert_int_equal(t.sampling[TRAFFIC_PULL].nvlink, 112);
    assert_int_equal(t.sampling[TRAFFIC_PULL].links, 184);
    assert_int_equal(t.link[0][1], 12 + 8 + 8); /* requests for 2 and 1; the draws from 0 */
    assert_int_equal(t.link[1][2], 12 + 8);
    assert_int_equal(t.link[2][1], 4);
    assert_int_equal(t.link[1][0], 4 + 8);
}

static void patches(void **state)
{
    static const uint8_t part[3] = {0, 1, 2};
    static struct trace trace = {.epochs = 1, .n = 3, .line_bytes = 64, .workload.hops = 1};
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
    for (int g = 0; g < 3; g++) {
        plan.assignment.id[g] = g;
        for (int h = 0; h < 3; h++) plan.links[g][h] = server.links[g][h];
    }
    plan.budget[0] = 32; /* both rows */
    plan.budget[1] = 27; /* topology, and 15 bytes of 16 */
    plan.budget[2] = 8;
    struct policy_input in =
        {.graph = &graph, .server = &server, .trace = &trace, .kernels = &kernels_cpu, .threads = 1, .part = part};
    OK(policy_find("dsp", &p, &err));
    OK(p->place(&in, &plan, &verdict, &err));
    for (int g = 0; g < 3; g++) {
        EQUAL(plan.placement.topology[g].count, 1, "GPU %d", g);
        EQUAL(plan.placement.topology[g].id[0], g, "GPU %d", g);
        EQUAL(plan.placement.feature[g].count, g == 0, "GPU %d", g);
        EQUAL(plan.placement.peers[g], 2, "GPU %d", g);
    }
    assert_true(plan.placement.pushes);
    judge_movement();
    plan_release(&plan);
    graph_drop(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(patches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
