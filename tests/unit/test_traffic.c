/* Ways between GPUs and packets, worked by hand. */
#include <math.h>
#include "simulator/movement/movement.h"
#include "simulator/movement/traffic.h"
#include "tests/oracle/instance.h"

static struct plan plan;
static struct routes ways;
static struct traffic traffic;
static struct replay_gpu gpu[5];
static struct replay replay = {.epochs = 1, .gpus = 5, .gpu = gpu};
static struct graph graph = {.row_bytes = 100};

static void join(int a, int b, int width) { plan.links[a][b] = plan.links[b][a] = (uint8_t)width; }

/* Five GPUs that read from each other, ids 50 40 30 20 10. */
static void begin(void)
{
    memset(&plan, 0, sizeof plan);
    memset(gpu, 0, sizeof gpu);
    plan.line_bytes = 64;
    plan.assignment.gpus = plan.placement.gpus = 5;
    for (int g = 0; g < 5; g++) {
        plan.assignment.id[g] = 50 - 10 * g;
        for (int b = 0; b < 5; b++)
            if (b != g) plan.placement.peer[g][plan.placement.peers[g]++] = b;
        plan.pcie_switch[g] = -1;
    }
}

/* 0 - 1 - 4, 0 - 2 - 4 and 0 - 3 - 4: the narrower link of each way is 1, 2, 2, so 2 or 3 forward; 3 has the lower
 * id. */
static void the_widest_of_the_shortest(void **state)
{
    int reader, holder;
    (void)state;
    begin();
    join(0, 1, 6);
    join(1, 4, 1);
    join(0, 2, 2);
    join(2, 4, 3);
    join(0, 3, 3);
    join(3, 4, 2);
    routes_find(&plan.placement, plan.links, plan.assignment.id, &ways);
    assert_int_equal(ways.hops[0][4], 2);
    assert_int_equal(ways.next[0][4], 3);
    assert_int_equal(ways.next[3][4], 4);
    assert_int_equal(ways.hops[0][0], 0);
    assert_int_equal(ways.hops[1][2], 2); /* over 0 (6 and 2) or 4 (1 and 3) */
    assert_int_equal(ways.next[1][2], 0);
    assert_true(routes_reach_peers(&plan.placement, &ways, plan.pcie_switch, &reader, &holder));
    join(3, 4, 1);
    routes_find(&plan.placement, plan.links, plan.assignment.id, &ways);
    assert_int_equal(ways.next[0][4], 2);
    join(0, 4, 1); /* narrow, but direct */
    routes_find(&plan.placement, plan.links, plan.assignment.id, &ways);
    assert_int_equal(ways.hops[0][4], 1);
    assert_int_equal(ways.next[0][4], 4);
}

/* A link that no GPU reads over is not stated, and one that is cut off is told. */
static void only_what_the_plan_states(void **state)
{
    int reader = -1, holder = -1;
    (void)state;
    begin();
    for (int g = 0; g < 4; g++) join(g, g + 1, 1);
    plan.placement.peers[3] = plan.placement.peers[4] = 0;
    for (int g = 0; g < 3; g++) plan.placement.peers[g]--; /* nobody reads 4 */
    routes_find(&plan.placement, plan.links, plan.assignment.id, &ways);
    assert_int_equal(ways.hops[3][4], 0);
    assert_int_equal(ways.hops[0][3], 3);
    assert_true(routes_reach_peers(&plan.placement, &ways, plan.pcie_switch, &reader, &holder));
    join(1, 2, 0);
    routes_find(&plan.placement, plan.links, plan.assignment.id, &ways);
    assert_false(routes_reach_peers(&plan.placement, &ways, plan.pcie_switch, &reader, &holder));
    assert_int_equal(reader, 0);
    assert_int_equal(holder, 2);
}

/* 3 rows of 100 bytes copied: packets of 128, 128 and 44. Blocks of 17 draws: 136 bytes, 3 lines of 64, packets of
 * 128 and 8. */
static void copies_are_packed(void **state)
{
    (void)state;
    begin();
    plan.placement.access = ACCESS_SAMPLERS;
    plan.placement.copies_features = true;
    gpu[1].rows[5] = 3;
    gpu[1].feature = 6;
    gpu[1].topology = 3;
    gpu[1].draws[0] = 17; /* sampled by GPU 0: no NVLink */
    gpu[1].visits[0] = 2;
    gpu[1].lines = 10;
    traffic_make(&plan, &replay, &graph, &traffic);
    assert_int_equal(traffic.pcie[1][TRAFFIC_FEATURE].wire, 300 + 3 * 18);
    assert_int_equal(traffic.pcie[1][TRAFFIC_FEATURE].lines, 6 * 64);
    assert_int_equal(traffic.pcie[1][TRAFFIC_BLOCKS].wire, 136 + 2 * 18);
    assert_int_equal(traffic.pcie[1][TRAFFIC_BLOCKS].lines, 192);
    assert_int_equal(traffic.pcie[1][TRAFFIC_TOPOLOGY].transactions, 0);
    assert_int_equal(traffic.written.wire, 172);
    assert_int_equal(traffic.sampling[TRAFFIC_TAKEN].pcie, 2 * 172);
    assert_int_equal(traffic.sampling[TRAFFIC_UVA].pcie, 10 * 82);
    assert_int_equal(traffic.sampling[TRAFFIC_PUSH].pcie, 10 * 82);
    assert_int_equal(traffic.sampling[TRAFFIC_IDEAL].needed, 2 * 16 + 17 * 4);
    assert_int_equal(traffic.topology, 0);
    assert_string_equal(traffic.taken, "blocks");
}

/* A pair of GPUs whose links nobody states is a link of its own, of unknown width. Layer-wise: 3 visits, 5 draws: 8 *
 * 3 there, 4 * 3 + 4 * 5 back. Row lengths of 9 in all: pull 16 * 3 + 4 * 9; a row of 100 bytes. */
static void unknown_links_count_too(void **state)
{
    (void)state;
    begin();
    plan.workload.sampler = SAMPLER_LAYER_WISE;
    plan.placement.pushes = true;
    gpu[2].visits[4] = 3;
    gpu[2].draws[4] = 5;
    gpu[2].degrees[4] = 9;
    gpu[2].entries[4] = 20;
    gpu[2].rows[4] = 1;
    traffic_make(&plan, &replay, &graph, &traffic);
    assert_int_equal(traffic.link[4][2], 32 + 100);
    assert_int_equal(traffic.link[2][4], 24);
    assert_int_equal(traffic.topology, 56);
    assert_int_equal(traffic.feature, 100);
    assert_int_equal(traffic.sampling[TRAFFIC_PUSH].nvlink, 56);
    assert_int_equal(traffic.sampling[TRAFFIC_PULL].nvlink, 84);
    doc *d = movement_document(&plan, &replay, &graph);
    const doc *nvlink = doc_get(doc_get(d, "nvlink"), "max_per_link"),
              *first = doc_at(doc_get(doc_get(d, "nvlink"), "links"), 0);
    assert_int_equal(doc_integer_value(doc_get(nvlink, "from"), -1), 10);
    assert_int_equal(doc_integer_value(doc_get(nvlink, "to"), -1), 30);
    assert_int_equal(doc_integer_value(doc_get(nvlink, "bytes"), -1), 132);
    assert_true(doc_get(first, "nvlinks") && doc_is_null(doc_get(first, "nvlinks")));
    assert_true(fabs(doc_real_value(doc_get(first, "share_of_all"), -1) - 24.0 / 156) < 1e-8);
    doc_free(d);
    plan.placement.pushes = false; /* the reader reads the entries itself */
    traffic_make(&plan, &replay, &graph, &traffic);
    assert_int_equal(traffic.link[4][2], 16 * 3 + 20 + 100);
    assert_int_equal(traffic.link[2][4], 0);
    assert_string_equal(traffic.taken, "reads");
}

/* Half a transaction per epoch rounds up, and every stated number by itself: wire >= lines >= useful stays. */
static void means_are_rounded(void **state)
{
    (void)state;
    begin();
    replay.epochs = 2;
    gpu[0].feature = 1;
    gpu[0].rows[5] = 0;
    plan.pcie_switch[4] = -1;
    doc *d = movement_document(&plan, &replay, &graph);
    const doc *pcie = doc_get(d, "pcie"), *one = doc_get(doc_at(doc_get(pcie, "gpus"), 0), "feature");
    assert_int_equal(doc_integer_value(doc_get(one, "transactions"), -1), 1);
    assert_int_equal(doc_integer_value(doc_get(one, "line_bytes"), -1), 32);
    assert_int_equal(doc_integer_value(doc_get(one, "wire_bytes"), -1), 41);
    assert_true(doc_is_null(doc_get(pcie, "switches")));
    assert_int_equal(doc_size(doc_get(pcie, "sockets")), 1);
    doc_free(d);
    replay.epochs = 1;
}

/* GPUs 0 and 1 share a PCIe switch, 1 and 2 an NVLink; 0 reads 2 rows of 100 bytes of 1, visits 3 rows and draws 5
 * entries of 4 bytes there: 200 + 48 + 20 bytes in 3 packets with headers of 18. What 1 reads of 2 passes the link. */
static void below_a_switch(void **state)
{
    int reader, holder;
    (void)state;
    begin();
    plan.placement.peers[3] = plan.placement.peers[4] = 0;
    plan.placement.peers[0] = plan.placement.peers[1] = plan.placement.peers[2] = 1;
    plan.placement.peer[0][0] = 1;
    plan.placement.peer[1][0] = 2;
    plan.placement.peer[2][0] = 1;
    join(1, 2, 1);
    plan.pcie_switch[0] = plan.pcie_switch[1] = plan.pcie_switch[2] = 7;
    gpu[0].rows[1] = 2;
    gpu[0].visits[1] = 3;
    gpu[0].entries[1] = 20;
    gpu[1].rows[2] = 1;
    traffic_make(&plan, &replay, &graph, &traffic);
    assert_true(routes_reach_peers(&plan.placement, &traffic.routes, plan.pcie_switch, &reader, &holder));
    assert_int_equal(traffic.p2p[1][0], 268);
    assert_int_equal(traffic.p2p[2][1], 0);
    assert_int_equal(traffic.link[1][0], 0);
    assert_int_equal(traffic.link[2][1], 100);
    assert_int_equal(traffic.feature, 100);
    assert_int_equal(traffic.sampling[TRAFFIC_TAKEN].nvlink, 0);
    assert_int_equal(traffic.sampling[TRAFFIC_TAKEN].pcie, 68 + 18);
    assert_int_equal(traffic_copied(268), 268 + 3 * 18);
    doc *d = movement_document(&plan, &replay, &graph);
    const doc *peers = doc_get(doc_get(d, "pcie"), "peers");
    assert_int_equal(doc_size(peers), 1);
    assert_int_equal(doc_integer_value(doc_get(doc_at(peers, 0), "from"), -1), 40);
    assert_int_equal(doc_integer_value(doc_get(doc_at(peers, 0), "wire_bytes"), -1), 322);
    doc_free(d);
    plan.pcie_switch[1] = 6;
    assert_false(routes_reach_peers(&plan.placement, &traffic.routes, plan.pcie_switch, &reader, &holder));
    assert_int_equal(reader, 0);
    assert_int_equal(holder, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_widest_of_the_shortest),
                                       cmocka_unit_test(only_what_the_plan_states),
                                       cmocka_unit_test(copies_are_packed),
                                       cmocka_unit_test(unknown_links_count_too),
                                       cmocka_unit_test(below_a_switch),
                                       cmocka_unit_test(means_are_rounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
