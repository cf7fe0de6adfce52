/* Multigraphs: samplers draw arcs, so 100 arcs from 0 to 1 beside one to each of 2..21 read vertex 1 that much oftener,
 * as PyG, DGL and GraphBolt do, and however often it is drawn in a hop its row is read once. Of 120 entries five are
 * drawn: without replacement 1 is among them with 1 - C(20, 5) / C(120, 5) = 0.999919 and each other one with 5 / 120;
 * with replacement with 1 - (1/6)^5 and 1 - (119/120)^5; a walk's one step leads there with 100 / 120. LABOR has one
 * number per neighbour, whatever its arcs: each is taken with 5 / 120, then by all of its arcs. */
#include <math.h>
#include "tests/oracle/drawn_sheet.h"
#include "traces/sampling/workload_types.h"

enum { OFTEN = 100, OTHERS = 20, N = 2 + OTHERS, ENTRIES = OFTEN + OTHERS, FANOUT = 5, EPOCHS = 20000 };

static const int64_t indptr[N + 1] = {0,       ENTRIES, ENTRIES, ENTRIES, ENTRIES, ENTRIES, ENTRIES, ENTRIES,
                                      ENTRIES, ENTRIES, ENTRIES, ENTRIES, ENTRIES, ENTRIES, ENTRIES, ENTRIES,
                                      ENTRIES, ENTRIES, ENTRIES, ENTRIES, ENTRIES, ENTRIES, ENTRIES};
static const uint32_t train[] = {0};

static void fill(uint32_t *indices, float *weights)
{
    for (uint32_t e = 0; e < ENTRIES; e++) {
        indices[e] = e < OFTEN ? 1 : 2 + e - OFTEN;
        weights[e] = 2.5f; /* of equal weights, by weight is uniformly */
    }
}

static void near(uint64_t seen, uint64_t trials, double chance, const char *what)
{
    double sigma = sqrt((double)trials * chance * (1 - chance));
    HOLDS(fabs((double)seen - (double)trials * chance) < 5 * sigma + 1, "%s: %d of %d, expected a share of %.6f", what,
          (int)seen, (int)trials, chance);
}

/* often, others: chances of vertex 1 and of another one; draws: entries in the mean. */
static void judge(const struct graph *g, const struct workload *w, double often, double others, double draws,
                  const char *what)
{
    struct tally_sheet t;
    struct sampler *s = sampler_for(g, w, 64, 2);
    uint64_t rest = 0;
    OK(sampler_gpu(s, 0, train, 1, EPOCHS, &err));
    sheet_for(&t, g, w);
    sheet_wipe(&t);
    sampler_run(s, 0, EPOCHS, &t.c);
    HOLDS(t.c.feature[1] <= EPOCHS, "%s: vertex 1 is read %u times in %d mini-batches", what, t.c.feature[1], EPOCHS);
    near(t.c.feature[1], EPOCHS, often, what);
    for (int v = 2; v < N; v++) rest += t.c.feature[v];
    near(rest, (uint64_t)OTHERS * EPOCHS, others, what);
    if (workload_counts_draws(w))
        HOLDS(fabs(t.c.draws[0] / (double)EPOCHS - draws) < 0.9, "%s: %.3f draws, expected %.3f", what,
              t.c.draws[0] / (double)EPOCHS, draws);
    sampler_free(s);
    sheet_drop(&t);
}

static void arcs_are_drawn(void **state)
{
    static uint32_t indices[ENTRIES];
    static float weights[ENTRIES];
    static const int64_t times[N];
    const double without = 1 - 20. * 19 * 18 * 17 * 16 / (120. * 119 * 118 * 117 * 116), share = FANOUT / 120.;
    const struct {
        enum sampler_kind kind;
        int iterations;
        double often, others;
    } cases[] = {{SAMPLER_UNIFORM, 0, without, share},
                 {SAMPLER_BIASED, 0, without, share},
                 {SAMPLER_TEMPORAL, 0, without, share},
                 {SAMPLER_LAYER_WISE, 0, without, share},
                 {SAMPLER_LAYER_WISE_REPLACE, 0, 1 - pow(1 / 6., 5), 1 - pow(119 / 120., 5)},
                 {SAMPLER_WALK, 0, 100 / 120., 1 / 120.},
                 {SAMPLER_LABOR, 0, share, share}};
    (void)state;
    fill(indices, weights);
    struct graph g = {.n = N, .m = ENTRIES, .indptr = indptr, .indices = indices, .train = train, .train_count = 1};
    g.weights = weights;
    g.vertex_times = times;
    snprintf(g.sample, sizeof g.sample, "in");
    HOLDS(fabs(without - 0.999919) < 1e-6 && fabs(share - 0.041667) < 1e-6, "the closed form");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct workload w = {.hops = 1, .fanout = {FANOUT}, .batch = 1, .seed = 11, .sampler = cases[i].kind};
        if (w.sampler == SAMPLER_WALK) w.fanout[0] = w.walks = 1;
        judge(&g, &w, cases[i].often, cases[i].others, FANOUT, sampler_name(w.sampler));
    }
}

/* The latest five of equal times stand last in the row, so vertex 1 is never among them; with its arcs later, it is all
 * of them, and read once. */
static void the_latest_arcs(void **state)
{
    static uint32_t indices[ENTRIES];
    static float weights[ENTRIES];
    static int64_t arcs[ENTRIES], vertices[N] = {9};
    (void)state;
    fill(indices, weights);
    struct graph g = {.n = N, .m = ENTRIES, .indptr = indptr, .indices = indices, .train = train, .train_count = 1};
    g.edge_times = arcs;
    g.vertex_times = vertices;
    const struct workload w = {.hops = 1, .fanout = {FANOUT}, .batch = 1, .seed = 1, .sampler = SAMPLER_TEMPORAL_LAST};
    judge(&g, &w, 0, FANOUT / (double)OTHERS, FANOUT, "temporal-last");
    for (int e = 0; e < OFTEN; e++) arcs[e] = 5;
    judge(&g, &w, 1, 0, FANOUT, "temporal-last, later");
}

/* The same row as a relation of two types: uniformly, by weight, and of all relations together. */
static void arcs_of_a_relation(void **state)
{
    static uint32_t indices[ENTRIES];
    static float weights[ENTRIES];
    const double without = 1 - 20. * 19 * 18 * 17 * 16 / (120. * 119 * 118 * 117 * 116), share = FANOUT / 120.;
    struct graph_type type[2] = {{.name = "a", .count = 1, .train = train, .train_count = 1, .into_count = 1},
                                 {.name = "b", .count = N - 1, .first = 1}};
    struct graph_relation r = {.name = "r", .source = 1, .m = ENTRIES, .rows = 1, .indptr = indptr, .indices = indices};
    struct graph g = {.n = N, .m = ENTRIES, .types = 2, .relations = 1, .topology_rows = 1, .train_count = 1};
    (void)state;
    fill(indices, weights);
    for (int e = 0; e < ENTRIES; e++) indices[e]--; /* ids within type b */
    g.type = type;
    g.relation = &r;
    for (int i = 0; i < 3; i++) {
        r.weights = i == 1 ? weights : NULL;
        const struct workload w = {.hops = 1,
                                   .fanout = {FANOUT},
                                   .batch = 1,
                                   .seed = 5,
                                   .sampler = i == 1 ? SAMPLER_BIASED : SAMPLER_UNIFORM,
                                   .together = i == 2};
        judge(&g, &w, without, share, FANOUT, i == 1 ? "by weight" : i ? "together" : "a relation");
    }
    const struct workload labor = {.hops = 1, .fanout = {FANOUT}, .batch = 1, .seed = 5, .sampler = SAMPLER_LABOR};
    judge(&g, &labor, share, share, FANOUT, "labor of a relation");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arcs_are_drawn), cmocka_unit_test(the_latest_arcs),
                                       cmocka_unit_test(arcs_of_a_relation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
