/* Relabelling against the plain definition: arc by arc, and by what a plan on the relabelled graph costs. */
#include <unistd.h>
#include "planner/hotness/hotness.h"
#include "tests/oracle/case.h"
#include "traces/builder/relabel.h"

static struct err err;
static struct server server;
static struct graph old;
static struct graph_sets old_sets;

static float weight_of(uint64_t v, uint64_t u) { return (float)(v * 1000 + u); }

static void relabel(const char *metric, const char *path, int threads, uint32_t *old_of)
{
    struct graph_facts facts = {.name = "r",
                                .sample = old.sample,
                                .feature_dim = old.feature_dim,
                                .feature_bytes = old.feature_bytes,
                                .feature_type = "f32",
                                .origin = "test",
                                .train_origin = "test",
                                .relabelled = metric};
    struct hotness_input in = {.graph = &old, .kernels = &kernels_ref, .threads = 1, .seed = 5};
    OK(hotness_order(metric, &in, old_of, &err));
    OK(relabel_graph(&old, &old_sets, old_of, &facts, path, threads, NULL, &err));
}

/* Every other round: labels that tell the vertices apart, validation vertices among the multiples of 3, tests the rest
 * of the even ones. */
static void give_sets(bool some)
{
    static int64_t labels[200];
    static uint32_t valid[200], test[200];
    old_sets = (struct graph_sets){0};
    if (!some) return;
    old_sets = (struct graph_sets){.labels = labels, .classes = 2 * old.n, .valid = valid, .test = test};
    for (uint32_t v = 0; v < old.n; v++) {
        labels[v] = v % 5 ? 2 * (int64_t)v : GRAPH_NO_LABEL;
        old_sets.labelled += v % 5 != 0;
        if (v % 3 == 0) valid[old_sets.valid_count++] = v;
        else if (v % 2 == 0) test[old_sets.test_count++] = v;
    }
}

static void judge_sets(const struct graph *g, const uint32_t *old_of, uint64_t seed)
{
    struct graph_sets s;
    OK(graph_sets_open(g, 1, &s, &err));
    EQUAL(s.labels != NULL, old_sets.labels != NULL, "seed %d: labels", (int)seed);
    EQUAL(s.valid_count, old_sets.valid_count, "seed %d: validation vertices", (int)seed);
    EQUAL(s.test_count, old_sets.test_count, "seed %d: test vertices", (int)seed);
    for (uint64_t v = 0; s.labels && v < g->n; v++)
        EQUAL(s.labels[v], old_sets.labels[old_of[v]], "seed %d: the label of %d", (int)seed, (int)v);
    for (uint64_t i = 0; i < s.valid_count; i++)
        HOLDS(old_of[s.valid[i]] % 3 == 0, "seed %d: validation vertex %u", (int)seed, s.valid[i]);
    for (uint64_t i = 0; i < s.test_count; i++)
        HOLDS(old_of[s.test[i]] % 3 && old_of[s.test[i]] % 2 == 0, "seed %d: test vertex %u", (int)seed, s.test[i]);
    graph_sets_close(&s);
}

static void judge(const struct graph *g, const uint32_t *old_of, uint64_t seed)
{
    EQUAL(g->n, old.n, "seed %d", (int)seed);
    EQUAL(g->m, old.m, "seed %d", (int)seed);
    EQUAL(g->train_count, old.train_count, "seed %d", (int)seed);
    if (g->m) EQUAL(g->weights != NULL, old.weights != NULL, "seed %d", (int)seed);
    for (uint64_t v = 0; v < g->n; v++) {
        EQUAL(degree_of(g, v), degree_of(&old, old_of[v]), "seed %d: vertex %d", (int)seed, (int)v);
        for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++) {
            HOLDS(e == g->indptr[v] || g->indices[e - 1] < g->indices[e], "seed %d: row %d is not sorted", (int)seed,
                  (int)v);
            HOLDS(graph_lists(&old, old_of[v], old_of[g->indices[e]]), "seed %d: an arc of %d is new", (int)seed,
                  (int)v);
            if (g->weights)
                HOLDS(g->weights[e] == weight_of(old_of[v], old_of[g->indices[e]]), "seed %d: a weight of %d",
                      (int)seed, (int)v);
        }
    }
    for (uint64_t i = 0; i < g->train_count; i++) {
        bool was = false;
        for (uint64_t k = 0; k < old.train_count; k++) was |= old.train[k] == old_of[g->train[i]];
        HOLDS(was && (!i || g->train[i - 1] < g->train[i]), "seed %d: training vertex %u", (int)seed, g->train[i]);
    }
}

/* What quiver's plan holds and costs when every neighbour is drawn in one mini-batch, so that nothing is left to
 * chance; feature rows are whole lines, so that ids do not move lines. */
static void plan(const struct graph *g, uint64_t bytes, struct study *s, struct study_cell *cell)
{
    static struct workload w = {.hops = 2, .fanout = {1000, 1000}, .batch = 1000, .seed = 3};
    struct study_options o = case_options(g, &server, &w, 2, 1, 1);
    study_begin(s, &o);
    case_cell(cell, "quiver", bytes);
    OK(study_plan_all(s, cell, 1, &err));
    OK(study_simulate(s, cell, 1, &err));
}

static void judge_plan(const struct graph *g, const uint32_t *old_of, uint64_t bytes, uint64_t seed)
{
    static const int alone[] = {1, 0};
    static struct study before, after;
    static struct study_cell x, y;
    server_cliques(&server, alone, 64);
    plan(&old, bytes, &before, &x);
    plan(g, bytes, &after, &y);
    EQUAL(y.plan.clique[0].feature, x.plan.clique[0].feature, "seed %d: predicted", (int)seed);
    EQUAL(y.plan.simulated->sums.transactions.feature, x.plan.simulated->sums.transactions.feature,
          "seed %d: simulated", (int)seed);
    EQUAL(y.plan.placement.feature[0].count, x.plan.placement.feature[0].count, "seed %d: rows", (int)seed);
    for (uint64_t i = 0; i < y.plan.placement.feature[0].count; i++) {
        EQUAL(y.plan.placement.feature[0].id[i], i, "seed %d: the cache is a prefix", (int)seed);
        EQUAL(old_of[i], x.plan.placement.feature[0].id[i], "seed %d: row %d", (int)seed, (int)i);
    }
    study_cell_release(&x);
    study_cell_release(&y);
    study_end(&before);
    study_end(&after);
}

static void the_same_graph_under_other_ids(void **state)
{
    static const char *const metrics[] = {"degree-in", "degree-out", "ratio", "rpagerank", "wrpagerank", "random"};
    (void)state;
    for (uint64_t i = 0; i < test_rounds(36); i++) {
        uint64_t seed = test_seed(i);
        struct dice d = {seed * 31 + 7};
        char path[64];
        uint32_t old_of[200];
        float *weights = NULL;
        struct graph g = {0};
        const char *metric = metrics[seed % COUNT_OF(metrics)];
        graph_shape(&old, (enum shape)dice_below(&d, SHAPES), dice_range(&d, 1, 120), &d, 16, 4);
        if (dice_chance(&d, 0.7)) graph_trains(&old, &d, 0.4);
        if (!old.train_count) {
            graph_drop(&old);
            continue;
        }
        if (dice_chance(&d, 0.5)) {
            old.weights = weights = malloc((old.m + 1) * sizeof *weights);
            assert_non_null(weights);
            for (uint64_t v = 0; v < old.n; v++)
                for (int64_t e = old.indptr[v]; e < old.indptr[v + 1]; e++) weights[e] = weight_of(v, old.indices[e]);
        }
        snprintf(path, sizeof path, "relabel-%d-%d", (int)getpid(), (int)seed);
        give_sets(seed % 2);
        relabel(metric, path, 1 + (int)(seed % 4), old_of);
        OK(graph_open(path, 1, &g, &err));
        judge(&g, old_of, seed);
        judge_sets(&g, old_of, seed);
        if (!strcmp(metric, "degree-in")) judge_plan(&g, old_of, dice_below(&d, old.n * 64 + 1), seed);
        graph_close(&g);
        free(weights);
        old.weights = NULL;
        graph_drop(&old);
    }
}

/* The files are written into a folder of the test's own. */
int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_graph_under_other_ids)};
    const char *near = getenv("TMPDIR");
    char home[256], clean[320];
    snprintf(home, sizeof home, "%s/relabel-XXXXXX", near ? near : "/tmp");
    if (!mkdtemp(home) || chdir(home)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(clean, sizeof clean, "rm -rf '%s'", home);
    return failed || system(clean) ? 1 : 0;
}
