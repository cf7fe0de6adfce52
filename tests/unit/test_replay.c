/* One epoch of two GPUs worked by hand: who serves whom, lines, traffic, hit rates, the busiest switch. */
#include <math.h>
#include "simulator/plan/plan.h"
#include "tests/oracle/instance.h"
#include "tests/oracle/simulated_of.h"

static struct err err;
static struct plan plan;

/* GPU 10 (position 0) and GPU 4 (position 1), one clique, one switch, two sockets. Rows 0: 1 2 and 3: 3 4; 10 trains
 * 0, 4 trains 3; everything is drawn, so both epochs are the same. Feature rows have 24 bytes, lines 32.
 *
 * Position 0 reads features 0 (host: bytes 0..23, one line), 1 (own), 2 (of position 1), and expands 0 (host: its
 * offset pair is bytes 0..15, its row bytes 0..7: one line each).
 * Position 1 reads features 3 and 4 (host: bytes 72..95 and 96..119, one line each) and expands 3 (of position 0). */
static void two_gpus(struct graph *g)
{
    const uint8_t arc[][2] = {{0, 1}, {0, 2}, {3, 3}, {3, 4}};
    struct arcs a = {0};
    struct assignment *to = &plan.assignment;
    for (size_t i = 0; i < COUNT_OF(arc); i++) arcs_add(&a, arc[i][0], arc[i][1]);
    graph_of(g, 5, &a, 6, 4, "in");
    memset(&plan, 0, sizeof plan);
    plan.line_bytes = 32;
    to->gpus = plan.placement.gpus = 2;
    to->cliques = 1;
    to->id[0] = 10;
    to->id[1] = 4;
    plan.socket[1] = 1;
    for (int i = 0; i < 2; i++) {
        plan.placement.peers[i] = 1;
        plan.placement.peer[i][0] = 1 - i;
    }
    OK(assignment_set_train(to, 0, (uint32_t[]){0}, 1, 5, "a test", &err));
    OK(assignment_set_train(to, 1, (uint32_t[]){3}, 1, 5, "a test", &err));
    OK(row_list_add(&plan.placement.feature[0], 1, &err));
    OK(row_list_add(&plan.placement.topology[0], 3, &err));
    OK(row_list_add(&plan.placement.feature[1], 2, &err));
}

static void counts_of(const uint64_t *found, uint64_t first, uint64_t second, uint64_t host)
{
    assert_int_equal(found[0], first);
    assert_int_equal(found[1], second);
    assert_int_equal(found[2], host);
}

static int64_t at(const doc *d, const char *key, uint64_t i, uint64_t k)
{
    return doc_integer_value(doc_at(doc_at(doc_get(d, key), i), k), -1);
}

static void an_epoch_by_hand(void **state)
{
    struct graph g;
    struct workload w = {.hops = 1, .fanout = {5}, .batch = 1, .seed = 1};
    struct replay out = {0};
    const struct placement *list = &plan.placement;
    (void)state;
    two_gpus(&g);
    struct replay_request r = {&g, &plan.assignment, &w, 32, 2, 77, 1, false, NULL, NULL};
    OK(replay_run(&r, &list, 1, &out, &err));
    counts_of(out.gpu[0].rows, 2, 2, 2); /* sums over two epochs */
    counts_of(out.gpu[0].visits, 0, 0, 2);
    counts_of(out.gpu[0].draws, 0, 0, 4);
    assert_int_equal(out.gpu[0].feature, 2);
    assert_int_equal(out.gpu[0].topology, 4);
    counts_of(out.gpu[1].rows, 0, 0, 4);
    counts_of(out.gpu[1].visits, 2, 0, 0);
    counts_of(out.gpu[1].draws, 4, 0, 0);
    assert_int_equal(out.gpu[1].feature, 4);
    assert_int_equal(out.gpu[1].topology, 0);
    doc *d = simulated_of(&plan, &out, &g);
    assert_int_equal(doc_integer_value(doc_get(d, "topology_transactions"), -1), 2); /* per epoch */
    assert_int_equal(doc_integer_value(doc_get(d, "feature_transactions"), -1), 3);
    assert_int_equal(doc_integer_value(doc_get(d, "total_transactions"), -1), 5);
    assert_true(fabs(doc_real_value(doc_get(d, "feature_hit_rate"), -1) - 0.4) < 1e-12);  /* 2 of 5 rows */
    assert_true(fabs(doc_real_value(doc_get(d, "topology_hit_rate"), -1) - 0.5) < 1e-12); /* 1 of 2 visits */
    assert_int_equal(at(d, "traffic_bytes", 0, 0), 2 * 24);
    assert_int_equal(at(d, "traffic_bytes", 0, 1), 2 * 24);
    assert_int_equal(at(d, "traffic_bytes", 0, 2), 2 * (24 + 16 + 2 * 4));
    assert_int_equal(at(d, "traffic_bytes", 1, 0), 2 * (16 + 2 * 4));
    assert_int_equal(at(d, "traffic_bytes", 1, 1), 0);
    assert_int_equal(at(d, "traffic_bytes", 1, 2), 2 * (24 + 24));
    assert_int_equal(doc_integer_value(doc_get(d, "max_per_switch"), -1), 5);
    assert_int_equal(doc_integer_value(doc_get(d, "max_per_socket"), -1), 3);
    assert_int_equal(doc_integer_value(doc_get(doc_at(doc_get(d, "gpus"), 1), "id"), -1), 4);
    doc_free(d);
    /* The CPU trains half of every mini-batch, without PCIe: what is stated is what the GPUs read for the other half,
     * 2 of 4 and 3 of 6 over the two epochs. Shares of hits stay. Predictions follow the share, there and back. */
    plan.clique[0].topology = 10;
    plan.clique[0].feature = 7;
    plan.predicted_high = 20;
    plan_set_cpu_share(&plan, 0.5, NULL);
    assert_true(plan_predicted(&plan).topology == 5 && plan_predicted(&plan).feature == 4 && plan.predicted_high == 10);
    d = simulated_of(&plan, &out, &g);
    assert_int_equal(doc_integer_value(doc_get(d, "topology_transactions"), -1), 1);
    assert_int_equal(doc_integer_value(doc_get(d, "feature_transactions"), -1),
                     2); /* 1 and 2 over two epochs, halves up */
    assert_int_equal(at(d, "traffic_bytes", 1, 2), 24 + 24);
    assert_true(fabs(doc_real_value(doc_get(d, "topology_hit_rate"), -1) - 0.5) < 1e-12);
    doc_free(d);
    plan_set_cpu_share(&plan, 0.75, NULL);
    assert_true(plan.cpu_share == 0.75 && plan_predicted(&plan).feature == 2);
    plan_set_cpu_share(&plan, 1, NULL);
    plan_set_cpu_share(&plan, 0, NULL); /* nothing is left to scale */
    assert_int_equal(plan_predicted(&plan).total, 0);
    replay_release(&out);
    plan_release(&plan);
    graph_drop(&g);
}

/* Reader 0 and three peers that all hold row 7: the widest link first, among equals the lower id; own memory before
 * all. */
static void the_widest_link_serves(void **state)
{
    uint8_t where[10];
    (void)state;
    memset(&plan, 0, sizeof plan);
    plan.assignment.gpus = plan.placement.gpus = 4;
    for (int i = 0; i < 4; i++) plan.assignment.id[i] = (int[]){5, 9, 3, 7}[i];
    for (int i = 1; i < 4; i++) {
        plan.placement.peer[0][plan.placement.peers[0]++] = i;
        OK(row_list_add(&plan.placement.feature[i], 7, &err));
    }
    plan.links[0][1] = 1;
    plan.links[0][2] = 2;
    plan.links[0][3] = 2;
    plan_order_peers(&plan);
    assert_int_equal(plan.placement.peer[0][0], 2); /* id 3, two links */
    assert_int_equal(plan.placement.peer[0][1], 3); /* id 7, two links */
    assert_int_equal(plan.placement.peer[0][2], 1);
    placement_locate(&plan.placement, 0, plan.placement.feature, 10, where);
    assert_int_equal(where[7], 1 + 2);
    assert_int_equal(where[6], 0);
    placement_locate(&plan.placement, 1, plan.placement.feature, 10, where); /* has no peers, but the row itself */
    assert_int_equal(where[7], 1 + 1);
    OK(row_list_add(&plan.placement.feature[0], 7, &err));
    placement_locate(&plan.placement, 0, plan.placement.feature, 10, where);
    assert_int_equal(where[7], 1 + 0);
    plan_release(&plan);
}

/* As many epochs as give 200 mini-batches, 1 to 8. 70 training vertices in batches of 8: 9 mini-batches an epoch, 23
 * epochs would be needed. */
static void epochs_by_default(void **state)
{
    struct assignment a = {.gpus = 2, .train_count = {70, 0}};
    struct workload eight = {.batch = 8}, one = {.batch = 1};
    struct graph g = {0}; /* seeds that are vertices need none */
    (void)state;
    assert_int_equal(replay_default_epochs(&g, &a, &eight), 8);
    assert_int_equal(replay_default_epochs(&g, &a, &one), 3); /* 70 an epoch */
    a.train_count[1] = 130;
    assert_int_equal(replay_default_epochs(&g, &a, &one), 1); /* 200 */
    a.train_count[1] = 129;
    assert_int_equal(replay_default_epochs(&g, &a, &one), 2); /* 199 */
    a.train_count[0] = a.train_count[1] = 0;
    assert_int_equal(replay_default_epochs(&g, &a, &one), 1);
}

/* A part of an epoch is a part of every count but that of mini-batches. */
static void a_part_of_every_count(void **state)
{
    enum { WORDS = sizeof(struct replay_gpu) / sizeof(uint64_t) };
    union {
        struct replay_gpu gpu;
        uint64_t word[WORDS];
    } all, half;
    (void)state;
    for (int i = 0; i < WORDS; i++) all.word[i] = 1000;
    half.gpu = replay_part(&all.gpu, 0.5);
    assert_int_equal(half.gpu.batches, 1000);
    half.gpu.batches = 500;
    for (int i = 0; i < WORDS; i++) assert_int_equal(half.word[i], 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_epoch_by_hand), cmocka_unit_test(the_widest_link_serves),
                                       cmocka_unit_test(epochs_by_default), cmocka_unit_test(a_part_of_every_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
