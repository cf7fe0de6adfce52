/* Metrics: degrees and orders by hand, PageRanks against ordinary arithmetic in doubles. */
#include <math.h>
#include "base/rng.h"
#include "planner/hotness/hotness.h"
#include "tests/oracle/instance.h"

static struct err err;
#define ONE ((double)(1ull << 62))

/* 0: 1 2 3    1: 0    2: nothing    3: 2 3. In how many rows: 0 in one, 1 in one, 2 in two, 3 in two. */
static void four_vertices(struct graph *g)
{
    const uint8_t arc[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 0}, {3, 2}, {3, 3}};
    struct arcs a = {0};
    for (size_t i = 0; i < COUNT_OF(arc); i++) arcs_add(&a, arc[i][0], arc[i][1]);
    graph_of(g, 4, &a, 1, 4, "in");
}

static void order_is(const char *name, const struct hotness_input *in, const uint32_t *expected)
{
    uint32_t order[4];
    OK(hotness_order(name, in, order, &err));
    for (int i = 0; i < 4; i++) EQUAL(order[i], expected[i], "%s, place %d", name, i);
}

static void degrees_in_sampling_direction(void **state)
{
    struct graph g;
    (void)state;
    four_vertices(&g);
    struct hotness_input in = {.graph = &g, .kernels = &kernels_cpu, .threads = 2, .seed = 1};
    order_is("degree-in", &in, (uint32_t[]){0, 3, 1, 2});  /* rows of 3, 2, 1, 0 */
    order_is("degree-out", &in, (uint32_t[]){2, 3, 0, 1}); /* 2, 2, 1, 1; ties to the lower id */
    graph_drop(&g);
}

static void presample_adds_up_all_gpus(void **state)
{
    struct graph g;
    uint32_t a[] = {1, 0, 5, 2}, b[] = {1, 3, 0, 2}, c[] = {0, 0, 0, 1};
    static struct trace t;
    (void)state;
    four_vertices(&g);
    t.assignment.gpus = 3;
    t.feature[0] = count_row_wide(a);
    t.feature[1] = count_row_wide(b);
    t.feature[2] = count_row_wide(c);
    struct hotness_input in = {.graph = &g, .trace = &t, .kernels = &kernels_cpu, .threads = 1, .seed = 1};
    order_is("presample", &in, (uint32_t[]){2, 3, 1, 0}); /* 2, 3, 5, 5 */
    t.feature[0] = (struct count_row){(uint8_t[]){1, 0, 5, 2}, 1};
    t.feature[2] = (struct count_row){(uint16_t[]){0, 0, 0, 1}, 2};
    order_is("presample", &in, (uint32_t[]){2, 3, 1, 0});
    graph_drop(&g);
}

static void random_is_keyed_by_the_seed(void **state)
{
    enum { N = 500 };
    struct graph g;
    struct arcs none = {0};
    uint32_t order[3][N];
    uint64_t low = 0;
    (void)state;
    graph_of(&g, N, &none, 1, 4, "in");
    for (int i = 0; i < 3; i++) {
        struct hotness_input in = {.graph = &g, .kernels = &kernels_cpu, .threads = 1 + i, .seed = i < 2 ? 7 : 8};
        uint8_t seen[N] = {0};
        OK(hotness_order("random", &in, order[i], &err));
        for (int k = 0; k < N; k++) assert_int_equal(seen[order[i][k]]++, 0);
        for (int k = 1; k < N; k++) /* by hashes of a stream of its own ("rand"), the same in every version */
            assert_true(rng_hash(in.seed, 0x72616e64, order[i][k - 1]) > rng_hash(in.seed, 0x72616e64, order[i][k]));
    }
    assert_memory_equal(order[0], order[1], sizeof order[0]);
    assert_memory_not_equal(order[0], order[2], sizeof order[0]);
    for (int k = 0; k < N / 2; k++) low += order[0][k] < N / 2; /* 125 expected, deviation 5.6 */
    assert_in_range(low, 125 - 28, 125 + 28);
    graph_drop(&g);
}

/* One step by hand, d = 0.85, N = 2; row 0 is {1}, row 1 is {0, 1}, vertex 0 trains.
 * Start: 1/2 * 2/1 = 1 for 0, 1/2 for 1. New value of 0: 0.075 + 0.85 * (1/2)/2 = 0.2875; of 1: 0.075 + 0.85 * (1 +
 * (1/2)/2) = 1.1375. */
static void a_step_by_hand(void **state)
{
    struct graph g;
    struct arcs a = {0};
    uint64_t rank[2];
    int taken;
    (void)state;
    arcs_add(&a, 0, 1);
    arcs_add(&a, 1, 0);
    arcs_add(&a, 1, 1);
    graph_of(&g, 2, &a, 1, 4, "in");
    g.train_count = 1;
    struct hotness_input in = {.graph = &g, .kernels = &kernels_cpu, .threads = 1, .seed = 1};
    OK(hotness_pagerank(&in, true, 0, 0, rank, &taken, &err));
    assert_int_equal(taken, 0);
    assert_true(fabs((double)rank[0] / ONE - 1) < 1e-15 && fabs((double)rank[1] / ONE - 0.5) < 1e-15);
    OK(hotness_pagerank(&in, true, 1, 0, rank, &taken, &err));
    assert_int_equal(taken, 1);
    assert_true(fabs((double)rank[0] / ONE - 0.2875) < 1e-15 && fabs((double)rank[1] / ONE - 1.1375) < 1e-15);
    graph_drop(&g);
}

/* rounds steps at most, until the L1 change is below limit. Returns the steps made. */
static int pagerank_in_doubles(const struct graph *g, bool weighted, int rounds, double limit, double *x)
{
    double *y = calloc(g->n, sizeof *y), change = 1e300;
    int taken = 0;
    for (uint64_t v = 0; v < g->n; v++) x[v] = 1 / (double)g->n;
    for (uint64_t i = 0; weighted && i < g->train_count; i++) x[g->train[i]] *= (double)g->n / (double)g->train_count;
    for (; taken < rounds && change >= limit; taken++) {
        for (uint64_t v = 0; v < g->n; v++) y[v] = 0.15 / (double)g->n;
        for (uint64_t v = 0; v < g->n; v++)
            for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++)
                y[g->indices[e]] += 0.85 * x[v] / (double)degree_of(g, v);
        change = 0;
        for (uint64_t v = 0; v < g->n; v++) {
            change += fabs(y[v] - x[v]);
            x[v] = y[v];
        }
    }
    free(y);
    return taken;
}

static void pageranks_agree_with_doubles(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 36; seed++) {
        struct dice d = {seed + 5};
        struct graph g;
        uint64_t n = dice_range(&d, 1, 800), *key = calloc(n, sizeof *key), *rank = calloc(n, sizeof *rank);
        double *x = calloc(n, sizeof *x);
        int taken;
        graph_shape(&g, (enum shape)(seed % SHAPES), n, &d, 1, 4);
        graph_trains(&g, &d, 0.2);
        struct hotness_input in = {.graph = &g,
                                   .kernels = seed % 2 ? &kernels_cpu : &kernels_ref,
                                   .threads = 2,
                                   .seed = 1};
        for (int weighted = 0; weighted < 2; weighted++) {
            int steps = pagerank_in_doubles(&g, weighted, weighted ? 5 : 100, weighted ? 0 : 1e-7, x);
            OK(hotness_pagerank(&in, weighted, weighted ? 5 : 100, weighted ? 0 : (1ull << 62) / 10000000, rank, &taken,
                                &err));
            EQUAL(taken, steps, "seed %d, weighted %d", (int)seed, weighted);
            OK(hotness_find(weighted ? "wrpagerank" : "rpagerank")->compute(&in, key, &err));
            assert_memory_equal(key, rank, n * sizeof *key);
            for (uint64_t v = 0; v < n; v++)
                HOLDS(fabs((double)rank[v] / ONE - x[v]) < 1e-12 * (double)n,
                      "seed %d, weighted %d, vertex %d: %.15f, not %.15f", (int)seed, weighted, (int)v,
                      (double)rank[v] / ONE, x[v]);
        }
        free(key);
        free(rank);
        free(x);
        graph_drop(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(degrees_in_sampling_direction),
                                       cmocka_unit_test(presample_adds_up_all_gpus),
                                       cmocka_unit_test(random_is_keyed_by_the_seed), cmocka_unit_test(a_step_by_hand),
                                       cmocka_unit_test(pageranks_agree_with_doubles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
