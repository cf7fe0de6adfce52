/* Inclusion probabilities: a graph of five vertices worked by hand for both frontier rules, and equal bits on every
 * backend and number of threads. */
#include <math.h>
#include "planner/hotness/vip.h"
#include "tests/oracle/instance.h"

static struct err err;

/* 0: 1 2 1: 2 3 2: 3 4 3: 4 4: nothing. Vertices 0 and 1 are trained, one per mini-batch: two mini-batches, p0 = 1/2
 * for both. */
static void five_vertices(struct graph *g)
{
    const uint8_t arc[][2] = {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}, {2, 4}, {3, 4}};
    struct arcs a = {0};
    for (size_t i = 0; i < COUNT_OF(arc); i++) arcs_add(&a, arc[i][0], arc[i][1]);
    graph_of(g, 5, &a, 1, 4, "in");
}

static struct assignment two_trained(uint32_t *ids)
{
    struct assignment a = {.gpus = 1, .cliques = 1};
    ids[0] = 0;
    ids[1] = 1;
    a.train[0] = ids;
    a.train_count[0] = 2;
    return a;
}

static void near(float found, double expected, const char *what, int v)
{
    if (fabs((double)found - expected) > 1e-6)
        fail_msg("%s of vertex %d is %.9g, not %.9g", what, v, (double)found, expected);
}

/* Fan-out 1 of two neighbours: a visit reaches each with chance 1/2; vertex 3 has one neighbour, reached always. Hop
 * 0 expands 0 and 1 with chance 1/2, so each of their arcs is drawn with chance 1/4:
 *   p(1) = 1 - 1/2 * 3/4 = 5/8, p(2) = 1 - (3/4)^2 = 7/16, p(3) = 1/4, p(0) = 1/2, p(4) = 0.
 * Hop 1, rule new, expands what was added: q(1) = 5/8 - 1/2 = 1/8, q(2) = 7/16, q(3) = 1/4, the rest 0: p(2) = 1 -
 *   9/16 * (1 - 1/16) = 121/256; p(3) = 1 - 3/4 * (1 - 1/16) * (1 - 7/32) = 1 - 1125/2048 = 923/2048; p(4) = 1 - (1 -
 *   7/32) * (1 - 1/4) = 53/128.
 * Rule all expands p: q(0) = 1/2, q(1) = 5/8, q(2) = 7/16, q(3) = 1/4:
 *   p(1) = 1 - 3/8 * 3/4 = 23/32; p(2) = 1 - 9/16 * 3/4 * 11/16 = 727/1024; p(3) = 1 - 3/4 * 11/16 * 25/32 =
 *   2446/4096; p(4) as above.
 * Rule layers expands what hop 0 drew, known or not: layer 1 has p(1) = 1/4, p(2) = 7/16, p(3) = 1/4, and layer 2 from
 *   it p(2) = 1/8, p(3) = 1 - 7/8 * 25/32 = 81/256, p(4) = 53/128; feature rows are read once per layer.
 * Rates are twice that, for two mini-batches. */
static void by_hand(void **state)
{
    static const double feature[FRONTIER_RULES][5] = {{0.5, 5.0 / 8, 121.0 / 256, 923.0 / 2048, 53.0 / 128},
                                                      {0.5, 23.0 / 32, 727.0 / 1024, 2446.0 / 4096, 53.0 / 128},
                                                      {0.5, 3.0 / 4, 9.0 / 16, 145.0 / 256, 53.0 / 128}};
    static const double second[FRONTIER_RULES][5] = {{0, 1.0 / 8, 7.0 / 16, 1.0 / 4, 0},
                                                     {0.5, 5.0 / 8, 7.0 / 16, 1.0 / 4, 0},
                                                     {0, 1.0 / 4, 7.0 / 16, 1.0 / 4, 0}};
    static const double first[5] = {0.5, 0.5, 0, 0, 0};
    struct graph g;
    uint32_t ids[2];
    struct assignment a = two_trained(ids);
    (void)state;
    five_vertices(&g);
    for (int rule = 0; rule < FRONTIER_RULES; rule++) {
        struct workload w = {.hops = 2, .fanout = {1, 1}, .batch = 1, .frontier = (enum frontier_rule)rule};
        struct vip v;
        OK(vip_compute(&g, &a, 0, &w, &kernels_cpu, 2, &v, &err));
        for (int u = 0; u < 5; u++) {
            near(v.visits[0][u], 2 * first[u], "visits of hop 0", u);
            near(v.visits[1][u], 2 * second[rule][u], "visits of hop 1", u);
            near(v.feature[u], 2 * feature[rule][u], frontier_name(w.frontier), u);
        }
        vip_release(&v);
    }
    graph_drop(&g);
}

/* Fan-outs above every degree take whole rows: what is certain is certain. One mini-batch has both. */
static void certain(void **state)
{
    struct graph g;
    uint32_t ids[2];
    struct assignment a = two_trained(ids);
    struct workload w = {.hops = 2, .fanout = {9, 9}, .batch = 2};
    struct vip v;
    (void)state;
    five_vertices(&g);
    OK(vip_compute(&g, &a, -1, &w, &kernels_cpu, 1, &v, &err));
    for (int u = 0; u < 5; u++) near(v.feature[u], 1, "mini-batches", u);
    vip_release(&v);
    a.train_count[0] = 0; /* a clique that trains nothing reads nothing */
    OK(vip_compute(&g, &a, 0, &w, &kernels_cpu, 1, &v, &err));
    for (int u = 0; u < 5; u++) near(v.feature[u], 0, "mini-batches", u);
    vip_release(&v);
    graph_drop(&g);
}

static void same_everywhere(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(20); i++) {
        uint64_t seed = test_seed(i);
        struct dice d = {seed * 77 + 5};
        struct graph g;
        static const struct {
            const struct kernels *k;
            int threads;
        } how[] = {{&kernels_ref, 1}, {&kernels_ref, 2}, {&kernels_cpu, 1}, {&kernels_cpu, 2}};
        struct vip v[COUNT_OF(how)];
        graph_shape(&g, (enum shape)dice_below(&d, SHAPES), dice_range(&d, 1, 300), &d, 4, 4);
        struct assignment a = {.gpus = 1, .cliques = 1};
        a.train[0] = (uint32_t *)(uintptr_t)g.train;
        a.train_count[0] = (g.n + 1) / 2;
        struct workload w = {.hops = 3,
                             .fanout = {3, 2, 4},
                             .batch = dice_range(&d, 1, 20),
                             .frontier = dice_chance(&d, 0.5) ? FRONTIER_ALL : FRONTIER_NEW};
        for (size_t k = 0; k < COUNT_OF(how); k++)
            OK(vip_compute(&g, &a, 0, &w, how[k].k, how[k].threads, &v[k], &err));
        for (size_t k = 1; k < COUNT_OF(how); k++) {
            HOLDS(!memcmp(v[k].feature, v[0].feature, g.n * sizeof(float)), "seed %d, way %d: feature", (int)seed,
                  (int)k);
            for (int h = 0; h < w.hops; h++)
                HOLDS(!memcmp(v[k].visits[h], v[0].visits[h], g.n * sizeof(float)), "seed %d, way %d: hop %d",
                      (int)seed, (int)k, h);
        }
        for (size_t k = 0; k < COUNT_OF(how); k++) vip_release(&v[k]);
        graph_drop(&g);
    }
}

/* Nothing is known of biased sampling, walks and labor: by name, and by those who would rank by them. */
static void says_what_it_knows(void **state)
{
    struct workload w = {.sampler = SAMPLER_UNIFORM};
    (void)state;
    assert_true(vip_knows(&w));
    w.sampler = SAMPLER_LAYER_WISE;
    assert_true(vip_knows(&w));
    w.sampler = SAMPLER_BIASED;
    assert_false(vip_knows(&w));
    w.sampler = SAMPLER_WALK;
    assert_false(vip_knows(&w));
    w.sampler = SAMPLER_LABOR;
    assert_false(vip_knows(&w));
}

/* Layer-wise with three draws: hop 0 expects 1/2 (2 + 2) = 2 entries, fewer than three, so that all are drawn: p(1) =
 * 1 - 1/2 * 1/2 = 3/4, p(2) = 1 - (1/2)^2 = 3/4, p(3) = 1/2. With one draw the share is 1/2, which is fan-out 1 of
 * two neighbours: the values of by_hand. Edges: with all arcs of the rows of 0 and 1, a batch of two: two
 * mini-batches; 0 is an end twice, 1 three times, 2 twice, 3 once: p0 = 1 - exp(-ends / 2). */
static void other_samplers_by_hand(void **state)
{
    struct graph g;
    uint32_t ids[2];
    struct assignment a = two_trained(ids);
    struct workload w = {.hops = 1, .fanout = {3}, .batch = 1, .sampler = SAMPLER_LAYER_WISE};
    struct vip v;
    (void)state;
    five_vertices(&g);
    for (int one = 0; one < 2; one++) {
        static const double p[2][5] = {{0.5, 0.75, 0.75, 0.5, 0}, {0.5, 0.625, 0.4375, 0.25, 0}};
        w.fanout[0] = one ? 1 : 3;
        OK(vip_compute(&g, &a, 0, &w, &kernels_cpu, 1, &v, &err));
        for (int u = 0; u < 5; u++) near(v.feature[u], 2 * p[one][u], "layer-wise feature", u);
        vip_release(&v);
    }
    w = (struct workload){.hops = 1, .fanout = {2}, .batch = 2, .edge_share = 1};
    OK(vip_compute(&g, &a, 0, &w, &kernels_cpu, 1, &v, &err));
    for (int u = 0; u < 5; u++)
        near(v.visits[0][u], 2 * (1 - exp(-(double[]){2, 3, 2, 1, 0}[u] / 2)), "seeds of edges", u);
    vip_release(&v);
    graph_drop(&g);
}

/* Variance over mean of visits, fan-out 1. Seeds 0 and 1 are visited once per epoch, variance 0. A visit goes on to
 * each of two neighbours with chance c = 1/2, which adds variance c (1 - c) = 1/4; variance itself goes on by c * c.
 *   hop 1: visits 1/2, 1, 1/2 of vertices 1 to 3, variance 1/4, 1/2, 1/4.
 *   hop 2: 1 passes on 1/4 / 4 + 1/2 / 4 = 3/16, 2 passes on 1/2 / 4 + 1 / 4 = 3/8, 3 (one neighbour, c = 1) all of
 *   its 1/4: variance 3/16, 9/16, 5/8 of vertices 2 to 4, visits 1/4, 3/4, 1.
 * All hops: 0 / 1, 1/4 / 3/2, 11/16 / 5/4, 13/16 / 5/4, 5/8 / 1. */
static void noise_by_hand(void **state)
{
    static const double feature[5] = {0, 1.0 / 6, 0.55, 0.65, 0.625},
                        visits[2][5] = {{0, 0, 1, 1, 1}, {1, 0.5, 0.5, 0.5, 1}}; /* 1 where nothing is visited */
    struct graph g;
    uint32_t ids[2];
    struct assignment a = two_trained(ids);
    struct workload w = {.hops = 2, .fanout = {1, 1}, .batch = 1};
    struct vip v;
    (void)state;
    five_vertices(&g);
    OK(vip_compute(&g, &a, 0, &w, &kernels_cpu, 2, &v, &err));
    OK(vip_noise(&g, &a, 0, &w, &kernels_cpu, 2, &v, &err));
    for (int u = 0; u < 5; u++) {
        near(v.feature_noise[u], feature[u], "noise of mini-batches", u);
        for (int h = 0; h < 2; h++)
            near(v.visits_noise[h][u], visits[h][u], h ? "noise of hop 1" : "noise of hop 0", u);
    }
    vip_release(&v);
    graph_drop(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(says_what_it_knows),
                                       cmocka_unit_test(other_samplers_by_hand),
                                       cmocka_unit_test(by_hand),
                                       cmocka_unit_test(noise_by_hand),
                                       cmocka_unit_test(certain),
                                       cmocka_unit_test(same_everywhere)};
    return cmocka_run_group_tests_name("vip", tests, NULL, NULL);
}
