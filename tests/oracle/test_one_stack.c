/* One type and one relation, once as a plain graph and once as a graph of several types that happens to have one: what
 * is recorded, estimated, ranked, placed and predicted is the same, for every policy that has a rule for both. */
#include <math.h>

#include "base/mem.h"
#include "planner/hotness/hotness.h"
#include "planner/optimum/optimum_glpk.h"
#include "planner/engine/epochs_needed.h"
#include "tests/oracle/types_planning.h"

/* A plain graph, and the same by hand; both stand until scene_drop. */
struct scene {
    struct graph g, h;
    struct server server;
    struct assignment a;
    struct workload w;
    struct planning plain, typed;
    uint8_t part[512];
};

static void make_twin(const struct graph *g, struct graph *h)
{
    struct arcs a = {0};
    for (uint64_t v = 0; v < g->n; v++)
        for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++) arcs_add(&a, v, g->indices[e]);
    types_begin(h, 1, &g->n);
    types_feature(&h->type[0].features, g->feature_dim, g->feature_bytes);
    types_relate(h, 0, 0, &a, 0);
    uint32_t *train = calloc(g->train_count + 1, sizeof *train);
    memcpy(train, g->train, g->train_count * sizeof *train);
    h->type[0].train = train;
    h->type[0].train_count = h->train_count = g->train_count;
    OK(graph_list_tables(h, &err));
    HOLDS(!graph_plain(h), "the twin is plain, too");
}

static void make_server(struct server *s, struct dice *d)
{
    static const int shapes[][4] = {{2, 0}, {4, 0}, {2, 2, 0}, {3, 1, 0}, {2, 2, 2, 0}, {1, 0}};
    server_cliques(s, shapes[dice_below(d, 6)], 64);
    bool cross = s->cliques == 2 && dice_chance(d, 0.5); /* as in a DGX-1 */
    if (cross) {
        server_join(s, 0, s->gpus - 1, 1);
        server_find_cliques(s);
    }
    for (int g = 0; g < s->gpus; g++) s->gpu[g].memory_bytes = 1 << 20;
}

static void scene_make(struct scene *s, uint64_t seed)
{
    struct dice d = {seed};
    memset(s, 0, sizeof *s);
    do {
        graph_drop(&s->g);
        graph_shape(&s->g, (enum shape)(seed % 3 ? SHAPE_COMMUNITY : SHAPE_HUBS), dice_range(&d, 60, 300), &d,
                    dice_range(&d, 1, 40), 4);
        graph_trains(&s->g, &d, 0.4);
    } while (s->g.train_count < 10);
    make_twin(&s->g, &s->h);
    make_server(&s->server, &d);
    s->w = (struct workload){.hops = 2,
                             .fanout = {3, 2},
                             .batch = dice_range(&d, 2, 9),
                             .frontier = dice_chance(&d, 0.3) ? FRONTIER_ALL : FRONTIER_NEW,
                             .seed = seed};
    s->a.gpus = s->server.gpus;
    s->a.cliques = s->server.cliques;
    s->a.kind = dice_chance(&d, 0.5) ? ASSIGNMENT_HIERARCHICAL : ASSIGNMENT_PER_GPU; /* GPUs read alike, or not */
    for (int g = 0; g < s->a.gpus; g++) {
        s->a.id[g] = s->server.gpu[g].id;
        s->a.clique_of[g] = s->server.clique_of[g];
        s->a.train[g] = mem_array(s->g.train_count, sizeof(uint32_t), "a test", &err);
    }
    for (uint64_t v = 0; v < s->g.n; v++) s->part[v] = (uint8_t)dice_below(&d, (uint64_t)s->a.gpus);
    for (uint64_t i = 0; i < s->g.train_count; i++) {
        int to = s->a.kind == ASSIGNMENT_PER_GPU ? s->part[s->g.train[i]] : (int)(i % (uint64_t)s->a.gpus);
        s->a.train[to][s->a.train_count[to]++] = s->g.train[i];
    }
    uint64_t all = graph_total_bytes(&s->g);
    planning_make(&s->plain, &s->g, &s->server, &s->a, &s->w, 4);
    planning_make(&s->typed, &s->h, &s->server, &s->a, &s->w, 4);
    for (int g = 0; g < s->a.gpus; g++) s->plain.budget[g] = s->typed.budget[g] = all / 8 + dice_below(&d, all / 4);
    for (int c = 0; c < s->a.cliques; c++)
        for (uint64_t v = 0; v < s->g.n; v++) {
            s->plain.benefit_topology[c][v] = s->typed.benefit_topology[c][v] = dice_below(&d, 9);
            s->plain.benefit_feature[c][v] = s->typed.benefit_feature[c][v] = dice_below(&d, 9);
        }
    s->plain.part = s->typed.part = s->part;
}

static void scene_drop(struct scene *s)
{
    planning_drop(&s->plain);
    planning_drop(&s->typed);
    assignment_release(&s->a);
    graph_drop(&s->g);
    types_drop(&s->h);
}

/* ---- what planning starts from ---- */

static void same_numbers(const float *a, const float *b, uint64_t n, const char *what, int source, int seed)
{
    for (uint64_t v = 0; v < n; v++)
        HOLDS(a[v] == b[v], "seed %d, source %d: %s of vertex %d: %.9g as a plain graph, %.9g", seed, source, what,
              (int)v, (double)a[v], (double)b[v]);
}

static void rates_are_the_same(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(12); i++) {
        static struct scene s;
        int seed = (int)test_seed(i);
        scene_make(&s, test_seed(i));
        EQUAL(s.typed.trace.folds, s.plain.trace.folds, "seed %d", seed);
        for (int k = 0; k < RATE_SOURCES; k++)
            for (int c = 0; c < s.a.cliques; c++) {
                const struct estimates *a = &s.plain.estimates[k][c], *b = &s.typed.estimates[k][c];
                EQUAL(s.typed.trace.n_tsum[c], s.plain.trace.n_tsum[c], "seed %d", seed);
                same_numbers(a->rows, b->rows, s.g.n, "gathers", k, seed);
                same_numbers(a->visits, b->visits, s.g.n, "visits", k, seed);
                same_numbers(a->feature, b->feature, s.g.n, "features", k, seed);
                same_numbers(a->topology, b->topology, s.g.n, "topology", k, seed);
                HOLDS(!a->readers == !b->readers &&
                          (!a->readers || !memcmp(a->readers, b->readers, sizeof *a->readers)),
                      "seed %d: shares of readers", seed);
            }
        scene_drop(&s);
    }
}

static void metrics_are_the_same(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(12); i++) {
        static struct scene s;
        scene_make(&s, test_seed(i));
        for (const struct hotness *h = hotness_all; h->name; h++)
            for (int k = 0; k < 4; k++) {
                struct hotness_input a = {.graph = &s.g,
                                          .trace = &s.plain.trace,
                                          .kernels = &kernels_cpu,
                                          .threads = 2,
                                          .seed = 3,
                                          .one_clique = k & 1,
                                          .topology = k & 2},
                                     b = a;
                uint64_t *x = calloc(s.g.n, sizeof *x), *y = calloc(s.g.n, sizeof *y);
                b.graph = &s.h;
                b.trace = &s.typed.trace;
                OK(hotness_keys(h->name, &a, x, &err));
                OK(hotness_keys(h->name, &b, y, &err));
                for (uint64_t v = 0; v < s.g.n; v++)
                    EQUAL(y[v], x[v], "seed %d: metric %s, way %d, vertex %d", (int)test_seed(i), h->name, k, (int)v);
                free(x);
                free(y);
            }
        scene_drop(&s);
    }
}

/* ---- plans ---- */

static void same_list(const struct row_list *a, const struct row_list *b, const char *policy, int g, int seed)
{
    EQUAL(b->count, a->count, "seed %d: policy %s, GPU %d", seed, policy, g);
    for (uint64_t i = 0; i < a->count; i++)
        EQUAL(b->id[i], a->id[i], "seed %d: policy %s, GPU %d, place %d", seed, policy, g, (int)i);
}

static bool same_real(double a, double b) { return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * fabs(a); }

static void same_predictions(const struct plan *a, const struct plan *b, const struct graph *h, int seed)
{
    double expected[2] = {0}, told[2] = {0};
    for (int c = 0; c < a->assignment.cliques; c++) {
        EQUAL(b->clique[c].topology, a->clique[c].topology, "seed %d: policy %s", seed, a->policy);
        EQUAL(b->clique[c].feature, a->clique[c].feature, "seed %d: policy %s", seed, a->policy);
        EQUAL(b->clique[c].regret, a->clique[c].regret, "seed %d: policy %s", seed, a->policy);
        EQUAL(b->clique[c].sweep_count, a->clique[c].sweep_count, "seed %d: policy %s", seed, a->policy);
        HOLDS(same_real(a->clique[c].alpha, b->clique[c].alpha), "seed %d: policy %s", seed, a->policy);
        for (int i = 0; i < a->clique[c].sweep_count; i++) {
            EQUAL(b->clique[c].sweep[i].topology, a->clique[c].sweep[i].topology, "seed %d: %s", seed, a->policy);
            EQUAL(b->clique[c].sweep[i].feature, a->clique[c].sweep[i].feature, "seed %d: %s", seed, a->policy);
        }
        for (int k = 0; k < graph_tables(h); k++)
            expected[graph_table(h, k).kind == ROWS_TOPOLOGY] += b->expected[c * graph_tables(h) + k].transactions;
        told[1] += (double)a->clique[c].topology;
        told[0] += (double)a->clique[c].feature;
    }
    for (int k = 0; k < 2; k++) /* cliques are rounded */
        HOLDS(fabs(expected[k] - told[k]) <= 0.5 * a->assignment.cliques + 1e-6, "seed %d: policy %s: %.3f, not %.3f",
              seed, a->policy, expected[k], told[k]);
    HOLDS(same_real(a->predicted_feature_hit, b->predicted_feature_hit), "seed %d: policy %s", seed, a->policy);
    HOLDS(same_real(a->predicted_topology_hit, b->predicted_topology_hit), "seed %d: policy %s", seed, a->policy);
    HOLDS(same_real(a->predicted_low, b->predicted_low) && same_real(a->predicted_high, b->predicted_high),
          "seed %d: policy %s: the interval", seed, a->policy);
    HOLDS(a->folds_known == b->folds_known && !memcmp(a->fold_left, b->fold_left, sizeof a->fold_left),
          "seed %d: policy %s: what the folds leave", seed, a->policy);
}

static void same_plans(const struct scene *s, const struct policy *policy, const char *hotness, int seed)
{
    static struct plan a, b;
    struct policy_verdict told, other;
    struct policy_input in = planning_input(&s->plain, policy), twin = planning_input(&s->typed, policy);
    if (hotness) in.hotness = twin.hotness = hotness;
    planning_plan(&s->plain, policy, &in, &a, &told);
    planning_plan(&s->typed, policy, &twin, &b, &other);
    HOLDS(told.status == other.status && !strcmp(told.reason, other.reason), "seed %d: policy %s: %s", seed,
          policy->name, other.reason);
    if (told.status != POLICY_OK) goto done;
    EQUAL(b.placement.access, a.placement.access, "seed %d: policy %s", seed, policy->name);
    for (int g = 0; g < a.placement.gpus; g++) {
        EQUAL(b.placement.peers[g], a.placement.peers[g], "seed %d: policy %s", seed, policy->name);
        EQUAL(b.budget[g], a.budget[g], "seed %d: policy %s", seed, policy->name);
        EQUAL(b.index_bytes[g], a.index_bytes[g], "seed %d: policy %s", seed, policy->name);
        same_list(&a.placement.topology[g], &b.placement.topology[g], policy->name, g, seed);
        same_list(&a.placement.feature[g], &b.placement.feature[g], policy->name, g, seed);
    }
    same_predictions(&a, &b, &s->h, seed);
    struct epochs_needed x, y;
    OK(epochs_needed_of_plan(&s->g, &s->plain.trace, &a, 2, &x, &err));
    OK(epochs_needed_of_plan(&s->h, &s->typed.trace, &b, 2, &y, &err));
    HOLDS(x.known == y.known && same_real(x.mean, y.mean) && same_real(x.deviation, y.deviation), "seed %d", seed);
done:
    plan_release(&a);
    plan_release(&b);
}

static void plans_are_the_same(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(12); i++) {
        static struct scene s;
        scene_make(&s, test_seed(i));
        for (const struct policy *const *p = policies_registered; *p; p++) {
            bool slow = !strcmp((*p)->name, "exact") && (i % 4 || !glpk_solver());
            HOLDS(policy_check_graph(*p, &s.g, &err) == ST_OK, "plain graphs have every policy");
            HOLDS((policy_check_graph(*p, &s.h, &err) == ST_USAGE) == !!(*p)->one_relation, "policy %s", (*p)->name);
            if (slow || (*p)->one_relation) continue;
            same_plans(&s, *p, NULL, (int)test_seed(i));
            for (const struct hotness *h = hotness_all; h->name && (*p)->choice == HOTNESS_ANY; h++)
                if (i % 4 == 1) same_plans(&s, *p, h->name, (int)test_seed(i));
        }
        scene_drop(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rates_are_the_same), cmocka_unit_test(metrics_are_the_same),
                                       cmocka_unit_test(plans_are_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
