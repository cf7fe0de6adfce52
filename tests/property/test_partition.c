/* Parts: training vertices within their bounds, the cut as counted again, the same for the same
 * seed; the assignments made from them. */
#include <math.h>
#include <unistd.h>
#include "base/rng.h"
#include "planner/partition/arcs_paired.h"
#include "planner/partition/assign.h"
#include "planner/partition/partition_ahead.h"
#include "planner/partition/partition_memo.h"
#include "traces/sampling/bfs.h"
#include "planner/partition/self_reliant.h"
#include "tests/oracle/instance.h"

static struct err err;
static struct server server;
static const char *const methods[] = {"metis",       "metis-bytes",  "metis-sampled", "multilevel", "reads",
                                      "reads-draws", "reads-fewest", "stream",        "hash"};

/* Training vertices that a part may have more or less; by draws, numbers differ so that work does not. */
static double most_off(double fair, const char *method)
{
    return !strcmp(method, "reads-draws") ? 0.125 * fair + 2 : fmax(0.03 * fair, 1);
}

static void judge_parts(const struct graph *g, int parts, const double *share, const char *method, uint64_t seed)
{
    uint8_t *part = malloc(g->n), *again = malloc(g->n);
    struct partition_options o = {.method = method, .seed = seed};
    struct partition_report report = {0}, second = {0};
    uint64_t cut = 0, trains[PARTS_MAX] = {0};
    double sum = 0;
    memset(part, 0xee, g->n);
    memset(again, 0x77, g->n);
    OK(partition_graph(g, parts, share, &o, part, &report, &err));
    o.threads = 3;
    OK(partition_graph(g, parts, share, &o, again, &second, &err));
    HOLDS(!memcmp(part, again, g->n) && report.cut == second.cut && report.moved == second.moved,
          "seed %d, %s: two runs differ", (int)seed, method);
    for (uint64_t v = 0; v < g->n; v++) {
        HOLDS(part[v] < parts, "seed %d, %s: vertex %d is in part %d of %d", (int)seed, method, (int)v, part[v], parts);
        for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++) cut += part[v] != part[g->indices[e]];
    }
    EQUAL(report.cut, cut, "seed %d, %s", (int)seed, method);
    for (uint64_t i = 0; i < g->train_count; i++) trains[part[g->train[i]]]++;
    for (int p = 0; p < parts; p++) sum += share[p];
    for (int p = 0; p < parts; p++) {
        double fair = (double)g->train_count * share[p] / sum, off = fabs((double)trains[p] - fair),
               most = most_off(fair, method);
        HOLDS(off <= most + 1e-9, "seed %d, %s: part %d of %d has %d training vertices of %d, its share is %.2f",
              (int)seed, method, p, parts, (int)trains[p], (int)g->train_count, fair);
    }
    if (parts > 1) assert_string_equal(report.method, method);
    else assert_string_equal(report.method, "none");
    free(part);
    free(again);
}

static void parts_are_balanced(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(160); i++) {
        uint64_t seed = test_seed(i), n;
        struct dice d = {seed * 17 + 29};
        struct graph g;
        double share[PARTS_MAX];
        int parts = (int)dice_range(&d, 1, 9);
        n = dice_range(&d, 1, dice_chance(&d, 0.3) ? 12 : 500);
        graph_shape(&g, (enum shape)(seed % SHAPES), n, &d, 1, 4);
        if (dice_chance(&d, 0.7)) graph_trains(&g, &d, (double)dice_range(&d, 0, 10) / 10);
        for (int p = 0; p < parts; p++) share[p] = (double)dice_range(&d, 1, 4);
        for (size_t m = 0; m < COUNT_OF(methods); m++) judge_parts(&g, parts, share, methods[m], seed);
        graph_drop(&g);
    }
}

/* Where training vertices sit in one community only, or far from where parts would be cut. */
static void parts_of_lopsided_graphs(void **state)
{
    const double three_and_one[] = {3, 1}, even[] = {1, 1, 1, 1}, many[] = {8, 1, 1, 1, 1, 1, 1, 1, 1};
    (void)state;
    for (uint64_t seed = 0; seed < test_rounds(6); seed++)
        for (size_t m = 0; m < COUNT_OF(methods); m++) {
            struct dice d = {seed};
            struct graph g;
            graph_shape(&g, SHAPE_COMMUNITY, 1500, &d, 1, 4);
            g.train_count = 700 + seed; /* the lowest ids only */
            judge_parts(&g, 2, three_and_one, methods[m], seed);
            judge_parts(&g, 4, even, methods[m], seed);
            judge_parts(&g, 9, many, methods[m], seed);
            graph_drop(&g);
            graph_shape(&g, SHAPE_STAR, 2 + seed * 100, &d, 1, 4); /* two vertices at first */
            judge_parts(&g, 2, three_and_one, methods[m], seed);
            judge_parts(&g, 4, even, methods[m], seed);
            judge_parts(&g, 9, many, methods[m], seed);
            graph_drop(&g);
        }
}

/* Two dense halves with one arc between them: METIS finds them, whatever the ids. */
static void metis_cuts_where_it_is_thin(void **state)
{
    struct dice d = {4};
    struct graph g;
    struct arcs a = {0};
    const double even[] = {1, 1};
    uint8_t part[200];
    struct partition_options o = {.method = "metis", .seed = 1};
    struct partition_report report;
    (void)state;
    for (int i = 0; i < 1500; i++) {
        uint64_t v = dice_below(&d, 200), u = dice_below(&d, 200);
        if (v % 2 != u % 2 || v == u) continue; /* even and odd */
        arcs_add(&a, v, u);
        arcs_add(&a, u, v);
    }
    arcs_add(&a, 0, 1);
    arcs_add(&a, 1, 0);
    graph_of(&g, 200, &a, 1, 4, "both");
    OK(partition_graph(&g, 2, even, &o, part, &report, &err));
    assert_int_equal(report.cut, 2);
    graph_drop(&g);
}

/* Communities are found: far fewer arcs are cut than by chance. And what METIS sees of the edges is the same from
 * both ends, so a part of them suffices. */
static void communities_stay_together(void **state)
{
    static const char *const good[] = {"metis", "metis-sampled", "multilevel", "reads", "stream"};
    const double shares[] = {1, 1, 2};
    (void)state;
    for (uint64_t seed = 0; seed < test_rounds(5); seed++) {
        struct dice d = {seed + 100};
        struct graph g;
        struct partition_report by_hash, r;
        struct partition_options o = {.method = "hash", .seed = seed};
        graph_shape(&g, SHAPE_COMMUNITY, 4000, &d, 1, 4);
        uint8_t *part = malloc(g.n);
        OK(partition_graph(&g, 3, shares, &o, part, &by_hash, &err));
        for (size_t m = 0; m < COUNT_OF(good); m++) {
            o.method = good[m];
            judge_parts(&g, 3, shares, good[m], seed);
            OK(partition_graph(&g, 3, shares, &o, part, &r, &err));
            HOLDS(r.cut * 10 < by_hash.cut * 9, "seed %d, %s cuts %d arcs, hash %d", (int)seed, good[m], (int)r.cut,
                  (int)by_hash.cut);
            if (strcmp(good[m], "multilevel")) continue;
            HOLDS(r.cut * 2 < by_hash.cut, "seed %d, multilevel cuts %d arcs, hash %d", (int)seed, (int)r.cut,
                  (int)by_hash.cut);
            uint64_t size[3] = {0};
            for (uint64_t v = 0; v < g.n; v++) size[part[v]]++;
            for (int p = 0; p < 3; p++)
                HOLDS((double)size[p] < 1.1 * (double)g.n * shares[p] / 4, "seed %d: part %d has %d of %d vertices",
                      (int)seed, p, (int)size[p], (int)g.n);
        }
        free(part);
        graph_drop(&g);
    }
}

/* Bytes of topology rows of the largest of four parts, relative to the mean. */
static double largest_bytes(const struct graph *g, const char *method, uint64_t seed)
{
    const double share[] = {1, 1, 1, 1};
    struct partition_options o = {.method = method, .seed = seed};
    struct partition_report r;
    uint64_t bytes[4] = {0}, most = 0;
    uint8_t *part = malloc(g->n);
    OK(partition_graph(g, 4, share, &o, part, &r, &err));
    for (uint64_t v = 0; v < g->n; v++) bytes[part[v]] += 4 * graph_degree(g, v) + 8;
    for (int p = 0; p < 4; p++) most = bytes[p] > most ? bytes[p] : most;
    free(part);
    return 4.0 * (double)most / (double)(4 * g->m + 8 * g->n);
}

/* Where some communities have long rows, parts of equal vertices differ in bytes; DSP's do not. */
static void parts_of_equal_bytes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_rounds(4); seed++) {
        struct dice d = {seed + 900};
        struct graph g;
        struct arcs a = {0};
        for (uint64_t v = 0; v < 2000; v++) /* four communities with 4, 4, 4 and 40 arcs per vertex */
            for (uint64_t k = 0; k < (v / 500 == 3 ? 40u : 4u); k++) {
                uint64_t u = v / 500 * 500 + dice_below(&d, 500);
                arcs_add(&a, v, u);
                arcs_add(&a, u, v);
            }
        graph_of(&g, 2000, &a, 1, 4, "both");
        graph_trains(&g, &d, 0.05);
        double vertices = largest_bytes(&g, "metis", seed), bytes = largest_bytes(&g, "metis-bytes", seed);
        HOLDS(vertices > 1.5 && bytes < 1.15, "seed %d: %.3f by vertices, %.3f by bytes", (int)seed, vertices, bytes);
        assert_string_equal(partition_by_bytes(&g, "auto"), "metis-bytes");
        assert_string_equal(partition_by_bytes(&g, "metis"), "metis");
        graph_drop(&g);
    }
}

/* A graph directory from elsewhere may say "both" of arcs that are stored one way, or list rows in any order. */
static void a_graph_that_lies_about_directions(void **state)
{
    const double share[] = {1, 2, 1, 1, 3};
    (void)state;
    for (uint64_t seed = 0; seed < test_rounds(24); seed++) {
        struct dice d = {seed};
        struct graph g;
        graph_shape(&g, seed % 2 ? SHAPE_RANDOM : SHAPE_HUBS, dice_range(&d, 5, 700), &d, 1, 4);
        strcpy(g.sample, "both");
        judge_parts(&g, (int)dice_range(&d, 2, 5), share, "metis", seed);
        graph_drop(&g);
    }
}

/* stdout belongs to documents: METIS, which remarks on graphs smaller than the number of parts, must not reach it. */
static void nothing_is_printed(void **state)
{
    struct dice d = {1};
    struct graph g;
    const double many[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct partition_options o = {.method = "metis", .seed = 1};
    struct partition_report report;
    uint8_t part[2];
    FILE *caught = tmpfile();
    (void)state;
    assert_non_null(caught);
    graph_shape(&g, SHAPE_PATH, 2, &d, 1, 4);
    fflush(stdout);
    int kept = dup(1);
    dup2(fileno(caught), 1);
    enum st st = partition_graph(&g, 9, many, &o, part, &report, &err);
    printf("x"); /* and it must be there again afterwards */
    fflush(stdout);
    dup2(kept, 1);
    close(kept);
    assert_int_equal(st, ST_OK);
    assert_int_equal(lseek(fileno(caught), 0, SEEK_END), 1);
    fclose(caught);
    graph_drop(&g);
}

static void judge_assignment(const struct assignment *a, const struct graph *g, int skip, uint64_t seed)
{
    uint8_t *seen = calloc(g->n, 1);
    uint64_t all = 0;
    EQUAL(a->gpus, server.gpus, "seed %d", (int)seed);
    EQUAL(a->cliques, server.cliques, "seed %d", (int)seed);
    for (int i = 0; i < a->gpus; i++) {
        EQUAL(a->id[i], server.gpu[i].id, "seed %d", (int)seed);
        EQUAL(a->clique_of[i], server.clique_of[i], "seed %d", (int)seed);
        if (i < skip) EQUAL(a->train_count[i], 0, "seed %d: sampler %d", (int)seed, i);
        for (uint64_t k = 0; k < a->train_count[i]; k++) {
            HOLDS(!k || a->train[i][k - 1] < a->train[i][k], "seed %d: GPU %d is not ascending", (int)seed, i);
            EQUAL(seen[a->train[i][k]]++, 0, "seed %d: vertex %u", (int)seed, a->train[i][k]);
        }
        all += a->train_count[i];
    }
    EQUAL(all, g->train_count, "seed %d", (int)seed);
    for (uint64_t k = 0; k < g->train_count; k++)
        EQUAL(seen[g->train[k]], 1, "seed %d: vertex %u", (int)seed, g->train[k]);
    for (int i = skip; i < a->gpus; i++)
        for (int j = skip; j < i; j++) {
            uint64_t x = a->train_count[i], y = a->train_count[j], off = x > y ? x - y : y - x;
            if (a->kind == ASSIGNMENT_GLOBAL ||
                (a->kind == ASSIGNMENT_HIERARCHICAL && a->clique_of[i] == a->clique_of[j]))
                HOLDS(off <= 1, "seed %d: GPUs %d and %d train %d and %d", (int)seed, i, j, (int)x, (int)y);
        }
    for (int c = 0; c < a->cliques && a->kind == ASSIGNMENT_HIERARCHICAL;
         c++) { /* in proportion to the clique's GPUs */
        double fair = (double)g->train_count * server.clique_size[c] / server.gpus, have = 0;
        for (int i = 0; i < a->gpus; i++) have += a->clique_of[i] == c ? (double)a->train_count[i] : 0;
        HOLDS(fabs(have - fair) <= most_off(fair, a->partition) + 1e-9,
              "seed %d: clique %d trains %.0f, its share is %.2f", (int)seed, c, have, fair);
    }
    free(seen);
}

static void check_pairs(uint64_t n, struct arcs *a, bool expected)
{
    struct graph g;
    bool both = !expected;
    graph_of(&g, n, a, 1, 4, "in");
    OK(arcs_paired(&g, &both, &err));
    assert_int_equal(both, expected);
    graph_drop(&g);
}

/* An edge list with both directions makes the graph that --undirected makes, but for what the directory says of it. */
static void symmetric_graphs_need_not_say_so(void **state)
{
    enum { N = 40000 };
    struct graph g;
    struct dice d = {5};
    struct arcs loop = {0}, lone = {0}, away = {0}, turned = {0};
    uint8_t *said = malloc(N), *unsaid = malloc(N);
    const double even[] = {1, 1, 1};
    struct partition_report report;
    (void)state;
    graph_shape(&g, SHAPE_COMMUNITY, N, &d, 1, 4);
    graph_trains(&g, &d, 0.3);
    assert_string_equal(g.sample, "both");
    for (size_t m = 0; m < COUNT_OF(methods); m++) {
        struct partition_options o = {.method = methods[m], .seed = 3};
        if (!strcmp(methods[m], "metis-sampled")) continue; /* how many entries it leaves out rests on what is said */
        snprintf(g.sample, sizeof g.sample, "both");
        OK(partition_graph(&g, 3, even, &o, said, &report, &err));
        snprintf(g.sample, sizeof g.sample, "in");
        OK(partition_graph(&g, 3, even, &o, unsaid, &report, &err));
        HOLDS(!memcmp(said, unsaid, N), "%s: parts depend on what graph.json says", methods[m]);
    }
    graph_drop(&g);
    free(said);
    free(unsaid);
    arcs_add(&loop, 0, 0), arcs_add(&loop, 0, 1), arcs_add(&loop, 1, 0);
    check_pairs(3, &loop, true);
    arcs_add(&lone, 0, 1), arcs_add(&lone, 1, 0), arcs_add(&lone, 1, 2);
    check_pairs(3, &lone, false);
    arcs_add(&turned, 0, 1), arcs_add(&turned, 0, 2), arcs_add(&turned, 1, 0), arcs_add(&turned, 2, 0);
    graph_of(&g, 3, &turned, 1, 4, "in");
    uint32_t *row = (uint32_t *)(uintptr_t)g.indices;
    bool both = true;
    row[0] = 2;
    row[1] = 1; /* the row falls */
    OK(arcs_paired(&g, &both, &err));
    assert_false(both);
    graph_drop(&g);
    arcs_add(&away, 0, 1), arcs_add(&away, 2, 1), arcs_add(&away, 1, 0); /* as many entries as a pair more would have */
    check_pairs(3, &away, false);
}

static void assignments_deal_every_vertex_once(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(120); i++) {
        uint64_t seed = test_seed(i);
        struct dice d = {seed * 3 + 1};
        struct graph g;
        struct assignment a = {0}, b = {0};
        struct partition_report report;
        struct partition_options o = {.method = i % 8 ? methods[i % 8 - 1] : "auto", .seed = seed};
        graph_shape(&g, (enum shape)(seed % SHAPES), dice_range(&d, 1, 500), &d, 1, 4);
        if (dice_chance(&d, 0.7)) graph_trains(&g, &d, 0.3);
        server_random(&server, &d);
        OK(assign_hierarchical(&g, &server, &o, &a, &report, &err));
        OK(assign_hierarchical(&g, &server, &o, &b, &report, &err));
        assert_int_equal(a.kind, ASSIGNMENT_HIERARCHICAL);
        judge_assignment(&a, &g, 0, seed);
        for (int k = 0; k < a.gpus; k++) assert_memory_equal(a.train[k], b.train[k], 4 * a.train_count[k]);
        assignment_release(&a);
        assignment_release(&b);
        uint8_t part[500];
        OK(assign_per_gpu(&g, &server, &o, part, &a, &report, &err));
        assert_int_equal(a.kind, ASSIGNMENT_PER_GPU);
        judge_assignment(&a, &g, 0, seed);
        for (int k = 0; k < a.gpus; k++)
            for (uint64_t j = 0; j < a.train_count[k]; j++)
                EQUAL(part[a.train[k][j]], k, "seed %d: a training vertex outside its GPU's part", (int)seed);
        assignment_release(&a);
        OK(assign_self_reliant(&g, &server, 1 + (int)(seed % 3), SCORE_PAPER, &a, &err));
        assert_int_equal(a.kind, ASSIGNMENT_SELF_RELIANT);
        judge_assignment(&a, &g, 0, seed);
        for (int k = 0; k < a.gpus; k++)
            HOLDS(a.train_count[k] <= (g.train_count + (uint64_t)a.gpus - 1) / (uint64_t)a.gpus,
                  "seed %d: GPU %d trains %d", (int)seed, k, (int)a.train_count[k]);
        assignment_release(&a);
        int skip = server.gpus > 1 ? (int)dice_below(&d, (uint64_t)server.gpus) : 0;
        OK(assign_global(&g, &server, skip, seed, &a, &err));
        assert_int_equal(a.kind, ASSIGNMENT_GLOBAL);
        judge_assignment(&a, &g, skip, seed);
        assignment_release(&a);
        graph_drop(&g);
    }
    server.links_known = false; /* nobody knows the links: only a lone GPU needs none */
    server.gpus = 2;
    struct assignment a = {0};
    assert_int_equal(assign_groups(&server, ASSIGNMENT_HIERARCHICAL, &a, &err), ST_INPUT);
}

/* What METIS found is taken again for the same question about the same graph, and for no other. */
static void found_parts_are_kept(void **state)
{
    (void)state;
    struct dice d = {11};
    struct graph g, other;
    struct partition_memo memo = {.graph = &g};
    struct partition_report report;
    double share[3] = {1, 2, 1}, even[3] = {1, 1, 1};
    uint8_t first[300], again[300], none[300];
    graph_shape(&g, SHAPE_RANDOM, 300, &d, 1, 4);
    graph_shape(&other, SHAPE_RANDOM, 300, &d, 1, 4);
    struct partition_options o = {.method = "metis", .seed = 5, .memo = &memo}, plain = {.method = "metis", .seed = 5};
    OK(partition_graph(&g, 3, share, &plain, none, &report, &err));
    OK(partition_graph(&g, 3, share, &o, first, &report, &err));
    OK(partition_graph(&g, 3, share, &o, again, &report, &err));
    assert_memory_equal(first, none, 300);
    assert_memory_equal(again, none, 300);
    assert_int_equal(memo.count, 1);
    OK(partition_graph(&g, 3, even, &o, again, &report, &err));
    o.seed = 6;
    OK(partition_graph(&g, 3, even, &o, again, &report, &err));
    OK(partition_graph(&g, 2, even, &o, again, &report, &err));
    assert_int_equal(memo.count, 4);
    OK(partition_graph(&other, 2, even, &o, again, &report, &err));
    assert_int_equal(memo.count, 4);
    o.seed = 5; /* the memo is believed: other parts in it come back */
    for (int v = 0; v < 300; v++) memo.kept[0].part[v] = (uint8_t)(v % 4 == 3 ? 1 : v % 4);
    OK(partition_graph(&g, 3, share, &o, again, &report, &err));
    assert_memory_not_equal(again, first, 300);
    partition_memo_release(&memo);
    graph_drop(&g);
    graph_drop(&other);
}

/* Places in an order are found by who asks first, and lent to others of the same graph and training vertices. */
static void places_are_found_once(void **state)
{
    struct graph g, other, trained;
    struct dice d = {17};
    struct partition_memo memo = {.graph = &g};
    uint32_t *place = NULL, *again = NULL;
    (void)state;
    graph_shape(&g, SHAPE_RANDOM, 300, &d, 1, 4);
    graph_shape(&other, SHAPE_RANDOM, 300, &d, 1, 4);
    trained = g;
    uint32_t train[2] = {4, 7};
    trained.train = train;
    trained.train_count = 2;
    assert_false(partition_memo_claim_places(NULL, &g, true, &place));
    assert_false(partition_memo_claim_places(&memo, &other, true, &place));
    assert_false(partition_memo_claim_places(&memo, &g, true, &place));
    assert_false(partition_memo_give_places(&memo, &g, true, NULL)); /* could not be found: the next one is asked */
    assert_false(partition_memo_claim_places(&memo, &g, true, &place));
    OK(bfs_positions(&g, &place, &err));
    assert_true(partition_memo_give_places(&memo, &g, true, place));
    assert_true(partition_memo_claim_places(&memo, &g, true, &again) && again == place);
    assert_false(partition_memo_claim_places(&memo, &trained, true, &again) || again);
    assert_false(partition_memo_claim_places(&memo, &g, false, &again)); /* of a search: another order */
    partition_memo_release(&memo);
    graph_drop(&g);
    graph_drop(&other);
}

/* Cuts made side by side are those that calls one by one make, and are not made again. */
static void cuts_made_ahead_are_the_same(void **state)
{
    enum { N = 600 };
    struct graph g;
    struct dice d = {31};
    struct partition_memo memo = {0};
    struct partition_report report;
    struct partition_cut cut[] = {{"auto", 2, {1, 1}},
                                  {"reads", 4, {1, 1, 1, 1}},
                                  {"metis-bytes", 4, {1, 1, 1, 1}},
                                  {"metis", 4, {1, 1, 1, 1}},
                                  {"hash", 4, {1, 1, 1, 1}},
                                  {"auto", 1, {1}}};
    uint8_t alone[N], found[N];
    (void)state;
    graph_shape(&g, SHAPE_COMMUNITY, N, &d, 1, 4);
    graph_trains(&g, &d, 0.3);
    memo.graph = &g;
    struct partition_options with = {.seed = 9, .memo = &memo, .threads = 2}, without = {.seed = 9};
    struct partition_ahead *ahead = partition_ahead_begin(&g, &with, cut, 6);
    assert_true(partition_ahead_has(ahead, "metis", 2) && partition_ahead_has(ahead, "metis-bytes", 4));
    assert_false(partition_ahead_has(ahead, "hash", 4) || partition_ahead_has(NULL, "metis", 2));
    assert_false(partition_memo_take(&memo, &g, "metis", 4, cut[3].share, 9)); /* it has it, or will */
    for (int i = 0; i < 4; i++) {                                              /* while they are made */
        with.method = cut[i].method;
        OK(partition_graph(&g, cut[i].parts, cut[i].share, &with, found, &report, &err));
    }
    partition_ahead_end(ahead);
    assert_int_equal(memo.count, 3); /* auto and metis are one method here, reads begins with it; hash takes no time */
    partition_ahead_end(partition_ahead_begin(&g, &with, cut, 6));
    assert_int_equal(memo.count, 3);
    for (int i = 0; i < 4; i++) {
        with.method = without.method = cut[i].method;
        OK(partition_graph(&g, cut[i].parts, cut[i].share, &without, alone, &report, &err));
        OK(partition_graph(&g, cut[i].parts, cut[i].share, &with, found, &report, &err));
        assert_memory_equal(alone, found, N);
    }
    assert_int_equal(memo.count, 3);
    with.seed = without.seed = 11; /* ended before all are begun: nobody waits for those */
    partition_ahead_end(partition_ahead_begin(&g, &with, cut, 6));
    for (int i = 0; i < 4; i++) {
        with.method = without.method = cut[i].method;
        OK(partition_graph(&g, cut[i].parts, cut[i].share, &without, alone, &report, &err));
        OK(partition_graph(&g, cut[i].parts, cut[i].share, &with, found, &report, &err));
        assert_memory_equal(alone, found, N);
    }
    assert_int_equal(memo.count, 6);
    with.threads = 1; /* nothing to do side by side */
    with.seed = 10;
    partition_ahead_end(partition_ahead_begin(&g, &with, cut, 6));
    assert_int_equal(memo.count, 6);
    assert_false(partition_memo_busy(&memo, &g, "metis", 2, cut[0].share, 10));
    assert_true(partition_memo_take(&memo, &g, "metis", 2, cut[0].share, 10)); /* another study of one thread has it */
    assert_true(partition_memo_busy(&memo, &g, "metis", 2, cut[0].share, 10));
    assert_true(partition_ahead_meanwhile(&g, &with)); /* the two others, by who waits for it */
    assert_true(partition_ahead_meanwhile(&g, &with));
    assert_false(partition_ahead_meanwhile(&g, &with));
    assert_int_equal(memo.count, 8);
    partition_memo_settle(&memo, &g, "metis", 2, cut[0].share, 10);
    assert_true(partition_ahead_meanwhile(&g, &with)); /* that one failed, and left it */
    assert_int_equal(memo.count, 9);
    without.seed = 10;
    for (int i = 0; i < 4; i++) {
        with.method = without.method = cut[i].method;
        OK(partition_graph(&g, cut[i].parts, cut[i].share, &without, alone, &report, &err));
        OK(partition_graph(&g, cut[i].parts, cut[i].share, &with, found, &report, &err));
        assert_memory_equal(alone, found, N);
    }
    partition_memo_release(&memo);
    graph_drop(&g);
}

/* Cuts that share their levels are those that are made alone. */
static void levels_are_shared(void **state)
{
    enum { N = 40000 }; /* beyond the coarsest level's size, so that there are clusters */
    struct graph g;
    struct dice d = {33};
    struct partition_memo memo = {0};
    struct partition_report report;
    const struct partition_cut cut[] = {{"multilevel", 2, {1, 1}},
                                        {"multilevel", 4, {1, 1, 2, 2}},
                                        {"multilevel", 2, {1, 1}}};
    uint8_t *alone = malloc(N), *found = malloc(N);
    (void)state;
    graph_shape(&g, SHAPE_COMMUNITY, N, &d, 1, 4);
    graph_trains(&g, &d, 0.3);
    memo.graph = &g;
    struct partition_options with = {.seed = 9, .memo = &memo, .threads = 2, .method = "multilevel"}, without = with;
    without.memo = NULL;
    partition_ahead_end(partition_ahead_begin(&g, &with, cut, 3));
    assert_int_equal(memo.count, 2);
    for (int i = 0; i < 2; i++) {
        OK(partition_graph(&g, cut[i].parts, cut[i].share, &without, alone, &report, &err));
        OK(partition_graph(&g, cut[i].parts, cut[i].share, &with, found, &report, &err));
        assert_memory_equal(alone, found, N);
    }
    with.seed = 10;
    with.memory = 1 << 20; /* too little to do more than one cut at a time */
    partition_ahead_end(partition_ahead_begin(&g, &with, cut, 3));
    assert_int_equal(memo.count, 2);
    partition_memo_release(&memo);
    graph_drop(&g);
    free(alone);
    free(found);
}

/* The method that a cut for reads begins with on a graph of n vertices with 33 arcs each: two of three to those
 * around, or all to any. */
static const char *begins_with(uint64_t n, bool near, const char *method)
{
    enum { DEGREE = 33 };
    int64_t *indptr = calloc(n + 1, sizeof *indptr);
    uint32_t *indices = calloc(n * DEGREE, sizeof *indices), train[] = {0, 1};
    assert_non_null(indptr);
    assert_non_null(indices);
    for (uint64_t v = 0; v < n; v++) {
        for (uint64_t k = 0; k < DEGREE; k++)
            indices[v * DEGREE + k] = (uint32_t)(near && k % 3 ? (v + n + k - DEGREE / 2) % n : rng_hash(1, v, k) % n);
        indptr[v + 1] = (int64_t)((v + 1) * DEGREE);
    }
    struct graph g = {.n = n, .m = n * DEGREE, .sample = "both", .indptr = indptr, .indices = indices};
    struct partition_options o = {.method = method, .threads = 2};
    g.train = train;
    g.train_count = 2;
    const char *first = partition_first_method(&g, &o, method);
    free(indptr);
    free(indices);
    return first;
}

/* METIS takes long where no parts are to be found, and cuts for reads then gain nothing by it. */
static void cuts_for_reads_begin_with_parts_where_there_are_some(void **state)
{
    enum { FEW = 1 << 12, MANY = 1 << 16 };
    (void)state;
    assert_string_equal(begins_with(MANY, false, "reads"), "hash");
    assert_string_equal(begins_with(MANY, false, "reads-draws"), "hash");
    assert_string_equal(begins_with(MANY, false, PARTITION_AUTO_OR_HASH), "hash");
    assert_string_equal(begins_with(MANY, true, PARTITION_AUTO_OR_HASH), begins_with(MANY, true, "auto"));
    assert_string_equal(begins_with(MANY, false, "auto"), "metis");
    assert_string_equal(begins_with(MANY, true, "reads"), "metis");
    assert_string_equal(begins_with(MANY, true, "reads-draws"), "metis-bytes");
    assert_string_equal(begins_with(FEW, false, "reads"), "metis");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_balanced),
                                       cmocka_unit_test(parts_of_lopsided_graphs),
                                       cmocka_unit_test(metis_cuts_where_it_is_thin),
                                       cmocka_unit_test(communities_stay_together),
                                       cmocka_unit_test(parts_of_equal_bytes),
                                       cmocka_unit_test(a_graph_that_lies_about_directions),
                                       cmocka_unit_test(nothing_is_printed),
                                       cmocka_unit_test(found_parts_are_kept),
                                       cmocka_unit_test(places_are_found_once),
                                       cmocka_unit_test(cuts_made_ahead_are_the_same),
                                       cmocka_unit_test(levels_are_shared),
                                       cmocka_unit_test(symmetric_graphs_need_not_say_so),
                                       cmocka_unit_test(assignments_deal_every_vertex_once),
                                       cmocka_unit_test(cuts_for_reads_begin_with_parts_where_there_are_some)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
