/* Parts by levels and parts cut for reads: the same on any number of threads, few arcs cut, rows that are read together
 * on one GPU, work in balance. Reads are counted again here, from whole rows. */
#include "planner/partition/partition.h"
#include "planner/partition/reads.h"
#include "tests/oracle/instance.h"

static struct err err;
static const double even[] = {1, 1, 1, 1, 1, 1, 1, 1};

/* Distinct rows that the training vertices of each part read when they read their whole rows; returns the sum. */
static uint64_t recount(const struct graph *g, int parts, const uint8_t *part, uint64_t *work)
{
    uint64_t all = 0;
    for (int p = 0; p < parts; p++) {
        uint8_t *seen = calloc(g->n, 1);
        work[p] = 0;
        for (uint64_t i = 0; i < g->train_count; i++) {
            uint32_t t = g->train[i];
            if (part[t] != p) continue;
            work[p] += !seen[t];
            seen[t] = 1;
            for (int64_t e = g->indptr[t]; e < g->indptr[t + 1]; e++) {
                work[p] += !seen[g->indices[e]];
                seen[g->indices[e]] = 1;
            }
        }
        all += work[p];
        free(seen);
    }
    return all;
}

static struct workload one_hop(void)
{
    return (struct workload){.hops = 1, .fanout = {1000}, .batch = 100000, .seed = 3};
}

/* Training vertices 0..trains-1; vertex t of kind t % kinds reads `each` rows of its kind's `pool`. */
static void graph_of_kinds(struct graph *g, uint64_t trains, uint64_t kinds, uint64_t pool, uint64_t each)
{
    struct dice d = {7};
    struct arcs a = {0};
    for (uint64_t t = 0; t < trains; t++)
        for (uint64_t i = 0; i < each; i++) arcs_add(&a, t, trains + t % kinds * pool + dice_below(&d, pool));
    graph_of(g, trains + kinds * pool, &a, 16, 4, "in");
    g->train_count = trains;
}

static void check_counts(const struct graph *g, int parts, const uint8_t *part)
{
    uint64_t count[PARTS_MAX] = {0}, fair = g->train_count / (uint64_t)parts;
    for (uint64_t i = 0; i < g->train_count; i++) count[part[g->train[i]]]++;
    for (int p = 0; p < parts; p++)
        HOLDS(count[p] * 100 <= fair * 103 + 200 && count[p] * 100 + 200 >= fair * 97, "part %d trains %d of %d", p,
              (int)count[p], (int)g->train_count);
}

/* Kinds are dealt at random at first; each must come together. */
static void rows_read_together_come_together(void **state)
{
    struct graph g;
    struct workload w = one_hop();
    struct partition_report report = {0};
    uint64_t work[4], before, after;
    (void)state;
    graph_of_kinds(&g, 1600, 4, 150, 12);
    uint8_t *start = calloc(g.n, 1), *first = calloc(g.n, 1), *part = calloc(g.n, 1);
    for (uint64_t t = 0; t < 1600; t++) start[t] = (uint8_t)((t % 4 + (t / 4 % 5 < 3 ? 0 : t / 4)) % 4);
    before = recount(&g, 4, start, work);
    for (int threads = 1; threads <= 3; threads++) {
        struct partition_options o = {.seed = 5, .threads = threads, .workload = &w};
        memcpy(part, start, g.n);
        OK(reads_refine(&g, 4, even, &o, part, &report, &err));
        if (threads == 1) memcpy(first, part, g.n);
        HOLDS(!memcmp(first, part, g.n), "%d threads: other parts", threads);
    }
    after = recount(&g, 4, part, work);
    HOLDS(after * 10 < before * 7, "%d rows are read, %d before", (int)after, (int)before);
    HOLDS(after < 4 * 150 + 1600 + 60, "%d rows are read; %d would do", (int)after, 4 * 150 + 1600);
    check_counts(&g, 4, part);
    free(start);
    free(first);
    free(part);
    graph_drop(&g);
}

/* Kinds 0 and 1 read the same rows, so do 2 and 3; only which parts are neighbours is wrong. */
static void parts_that_share_rows_are_grouped(void **state)
{
    struct graph g;
    struct workload w = one_hop();
    struct partition_report report = {0};
    const uint8_t group[] = {0, 0, 1, 1};
    struct partition_options o = {.seed = 5, .workload = &w, .group = group, .held = {0.05}, .held_count = 1};
    (void)state;
    graph_of_kinds(&g, 1600, 2, 900, 10);
    uint8_t *part = calloc(g.n, 1);
    for (uint64_t t = 0; t < 1600; t++) part[t] = (uint8_t)(t % 2 + 2 * (t / 2 % 2)); /* kind 0: parts 0 and 2 */
    OK(reads_refine(&g, 4, even, &o, part, &report, &err));
    uint64_t kind[2][2] = {{0}};
    for (uint64_t t = 0; t < 1600; t++) kind[group[part[t]]][t % 2]++;
    HOLDS(kind[0][0] * 20 < kind[0][1] || kind[0][1] * 20 < kind[0][0], "group 0 trains %d and %d of the kinds",
          (int)kind[0][0], (int)kind[0][1]);
    check_counts(&g, 4, part);
    free(part);
    graph_drop(&g);
}

/* Half of the training vertices read twenty rows of their own, half read none: both parts must get as much work. */
static void work_is_balanced(void **state)
{
    struct graph g;
    struct arcs a = {0};
    struct workload w = one_hop();
    struct partition_report report = {0};
    uint64_t work[2], trains = 1000;
    (void)state;
    for (uint64_t t = 0; t < trains / 2; t++)
        for (uint64_t i = 0; i < 20; i++) arcs_add(&a, t, trains + 20 * t + i);
    graph_of(&g, trains + 10 * trains, &a, 16, 4, "in");
    g.train_count = trains;
    uint8_t *part = calloc(g.n, 1);
    for (uint64_t t = trains / 2; t < trains; t++) part[t] = 1;
    recount(&g, 2, part, work);
    HOLDS(work[0] > 15 * work[1], "the start is not what the test is about: %d, %d", (int)work[0], (int)work[1]);
    struct partition_options o = {.seed = 5, .workload = &w};
    OK(reads_refine(&g, 2, even, &o, part, &report, &err));
    recount(&g, 2, part, work);
    HOLDS(work[0] * 100 < work[1] * 106 && work[1] * 100 < work[0] * 106, "work is %d and %d", (int)work[0],
          (int)work[1]);
    check_counts(&g, 2, part);
    free(part);
    graph_drop(&g);
}

static void judge(const struct graph *g, int parts, const char *method, uint64_t *cut)
{
    static const int threads[] = {1, 2, 3, 8};
    uint8_t *part = calloc(g->n, 1), *first = calloc(g->n, 1);
    struct partition_report report = {0};
    for (size_t i = 0; i < (strcmp(method, "hash") ? COUNT_OF(threads) : 1); i++) {
        struct partition_options o = {.method = method, .seed = 11, .threads = threads[i]};
        OK(partition_graph(g, parts, even, &o, part, &report, &err));
        if (!i) memcpy(first, part, g->n);
        HOLDS(!memcmp(part, first, g->n), "%s, %d threads: other parts", method, threads[i]);
    }
    for (uint64_t v = 0; v < g->n; v++) HOLDS(part[v] < parts, "%s: vertex %d is in part %d", method, (int)v, part[v]);
    check_counts(g, parts, part);
    if (cut) *cut = report.cut;
    free(part);
    free(first);
}

/* Graphs with more vertices than METIS is asked to split, so that there are levels: communities (directed and not), a
 * star whose leaves can only be paired with each other, vertices without any arc. */
static void graphs_of_several_levels(void **state)
{
    static const enum shape shapes[] = {SHAPE_COMMUNITY, SHAPE_STAR, SHAPE_EDGELESS, SHAPE_HUBS, SHAPE_PATH};
    (void)state;
    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        struct dice d = {s + 1};
        struct graph g;
        uint64_t cut, by_hash;
        graph_shape(&g, shapes[s], 40000, &d, 4, 4);
        graph_trains(&g, &d, 0.1);
        judge(&g, 4, "multilevel", &cut);
        judge(&g, 4, "hash", &by_hash);
        if (shapes[s] == SHAPE_COMMUNITY)
            HOLDS(cut * 2 < by_hash, "%d arcs are cut, by hash %d", (int)cut, (int)by_hash);
        if (shapes[s] == SHAPE_PATH) HOLDS(cut * 10 < by_hash, "%d arcs are cut, by hash %d", (int)cut, (int)by_hash);
        if (shapes[s] == SHAPE_COMMUNITY || shapes[s] == SHAPE_EDGELESS) judge(&g, 4, "reads", NULL);
        graph_drop(&g);
    }
}

/* An empty graph, one vertex, fewer vertices than parts, no training vertices. */
static void next_to_nothing(void **state)
{
    static const char *const methods[] = {"multilevel", "reads"};
    (void)state;
    for (uint64_t n = 0; n < 6; n++)
        for (int trains = 0; trains < 2; trains++)
            for (size_t m = 0; m < COUNT_OF(methods); m++) {
                struct dice d = {n};
                struct graph g;
                uint8_t part[8];
                struct partition_report report;
                struct partition_options o = {.method = methods[m], .seed = 1};
                graph_shape(&g, SHAPE_STAR, n, &d, 1, 4);
                if (!trains) g.train_count = 0;
                OK(partition_graph(&g, 8, even, &o, part, &report, &err));
                for (uint64_t v = 0; v < n; v++) assert_true(part[v] < 8);
                graph_drop(&g);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_read_together_come_together),
                                       cmocka_unit_test(parts_that_share_rows_are_grouped),
                                       cmocka_unit_test(work_is_balanced), cmocka_unit_test(graphs_of_several_levels),
                                       cmocka_unit_test(next_to_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
