/* Edge seeds: keyed orders are permutations without favourites, shares are exact, the same edges are trained in every
 * epoch and under every seed, and undirected edges count once. And what a workload says of its sampler: words,
 * documents, refusals. */
#include "tests/oracle/instance.h"
#include "traces/sampling/seeds.h"

static struct err err;

static void refuses(enum st code, const char *words, enum st st)
{
    if (st != code || !strstr(err.text, words))
        fail_msg("code %d, expected %d with '%s': %s", (int)st, (int)code, words, err.text);
    err_clear(&err);
}

static void orders_are_permutations(void **state)
{
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 24, 25, 26, 99, 100, 101, 1000, 4097};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (uint64_t key = 0; key < 3; key++) {
            uint8_t *seen = calloc(sizes[i], 1);
            for (uint64_t x = 0; x < sizes[i]; x++) {
                uint64_t y = seeds_permute(key, 5, sizes[i], x);
                HOLDS(y < sizes[i] && !seen[y], "size %d: %d goes to %d", (int)sizes[i], (int)x, (int)y);
                seen[y] = 1;
            }
            free(seen);
        }
    for (uint64_t x = 0; x < 100; x++)
        HOLDS(seeds_permute(1, 2, (uint64_t)1 << 61, x << 40) < (uint64_t)1 << 61, "large orders stay within");
}

/* Over 12,000 keys every element comes to every place equally often. */
static void orders_have_no_favourites(void **state)
{
    enum { N = 10, KEYS = 12000 };
    uint64_t seen[N * N] = {0};
    (void)state;
    for (uint32_t key = 0; key < KEYS; key++)
        for (uint64_t x = 0; x < N; x++) seen[x * N + seeds_permute(7, key, N, x)]++;
    HOLDS(chi_square(seen, N * N, KEYS / (double)N) < chi_limit((N - 1) * (N - 1)), "chi-square %.1f",
          chi_square(seen, N * N, KEYS / (double)N));
}

static uint64_t arc_number(const struct graph *g, const uint32_t end[2])
{
    for (int64_t e = g->indptr[end[0]]; e < g->indptr[end[0] + 1]; e++)
        if (g->indices[e] == end[1]) return (uint64_t)e;
    fail_msg("%u does not list %u", end[0], end[1]);
    return 0;
}

static void shares_are_exact_and_fixed(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(36); i++) {
        uint64_t seed = test_seed(i), edges = 0;
        struct dice d = {seed * 29 + 1};
        struct graph g;
        graph_shape(&g, (enum shape)(i % SHAPES), dice_range(&d, 5, 80), &d, 1, 4);
        if (dice_chance(&d, 0.5)) graph_trains(&g, &d, 0.6);
        bool both = !strcmp(g.sample, "both");
        struct workload w = {.hops = 1, .fanout = {2}, .batch = 7, .edge_share = (double)dice_range(&d, 1, 10) / 10};
        for (uint64_t j = 0; j < g.train_count; j++)
            for (int64_t e = g.indptr[g.train[j]]; e < g.indptr[g.train[j] + 1]; e++)
                edges += !both || g.indices[e] >= g.train[j];
        uint64_t trained = (uint64_t)plain_round((__int128)edges * (uint64_t)(w.edge_share * 10 + 0.5), 10);
        EQUAL(seeds_count(&w, &g, g.train, g.train_count), trained, "seed %d", (int)seed);
        EQUAL(seeds_batches(&w, &g, g.train, g.train_count), (trained + 6) / 7, "seed %d", (int)seed);
        struct edge_seeds s = {0};
        OK(edge_seeds_make(&w, &g, g.train, g.train_count, &s, &err));
        uint8_t *times = calloc(g.m + 1, 1);
        for (uint32_t run = 0; run < 4; run++) /* two seeds, two epochs each */
            for (uint64_t e = 0; e < trained; e++) {
                uint32_t end[2];
                edge_seeds_at(&s, 10 + run / 2, run % 2, e, end);
                times[arc_number(&g, end)]++;
                HOLDS(!both || end[0] <= end[1], "seed %d: an undirected edge begins at its lower end", (int)seed);
            }
        for (uint64_t e = 0; e < g.m; e++)
            HOLDS(times[e] == 0 || times[e] == 4, "seed %d: arc %d is trained %d times in 4 epochs", (int)seed, (int)e,
                  times[e]);
        free(times);
        edge_seeds_release(&s);
        graph_drop(&g);
    }
}

/* A loop of an undirected graph is an edge, once: 0-1, 1-1 and 2-2 are all that train, each once in an epoch. */
static void loops_are_edges(void **state)
{
    static const uint32_t ends[3][2] = {{0, 1}, {1, 1}, {2, 2}};
    struct arcs a = {0};
    struct graph g;
    struct edge_seeds s = {0};
    bool seen[3] = {false};
    const struct workload w = {.hops = 1, .fanout = {1}, .batch = 2, .edge_share = 1};
    (void)state;
    arcs_add(&a, 0, 1);
    arcs_add(&a, 1, 0);
    arcs_add(&a, 1, 1);
    arcs_add(&a, 2, 2);
    graph_of(&g, 3, &a, 1, 4, "both");
    EQUAL(seeds_count(&w, &g, g.train, g.train_count), 3, "edges");
    OK(edge_seeds_make(&w, &g, g.train, g.train_count, &s, &err));
    for (uint64_t e = 0; e < 3; e++) {
        uint32_t end[2];
        edge_seeds_at(&s, 1, 0, e, end);
        for (int k = 0; k < 3; k++) seen[k] |= end[0] == ends[k][0] && end[1] == ends[k][1];
    }
    for (int k = 0; k < 3; k++) HOLDS(seen[k], "%d-%d trains", (int)ends[k][0], (int)ends[k][1]);
    edge_seeds_release(&s);
    graph_drop(&g);
}

/* The seeds of a mini-batch are the distinct end points of its edges, wherever a run begins. */
static void both_ends_are_seeds(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(24); i++) {
        uint64_t seed = test_seed(i);
        struct dice d = {seed * 31 + 1};
        struct graph g;
        graph_shape(&g, (enum shape)(i % SHAPES), dice_range(&d, 5, 80), &d, 1, 4);
        struct workload w = {.hops = 1, .fanout = {1}, .batch = dice_range(&d, 1, 9), .seed = seed, .edge_share = 0.8};
        struct sampler *s = NULL;
        struct edge_seeds edges = {0};
        struct tally_sheet t;
        OK(sampler_new(&g, &w, 64, 1, &s, &err));
        OK(sampler_gpu(s, 4, g.train, g.train_count, 2, &err));
        OK(edge_seeds_make(&w, &g, g.train, g.train_count, &edges, &err));
        sheet_new(&t, g.n, 1);
        for (uint64_t task = 2 * sampler_batches(s); task-- > 0;) {
            uint64_t epoch = task / sampler_batches(s), from = task % sampler_batches(s) * w.batch,
                     to = from + w.batch < edges.trained ? from + w.batch : edges.trained;
            uint8_t *seeds = calloc(g.n, 1);
            sheet_clear(&t);
            sampler_run(s, task, task + 1, &t.c);
            for (uint64_t e = from; e < to; e++) {
                uint32_t end[2];
                edge_seeds_at(&edges, w.seed, 4u << 24 | (uint32_t)epoch, e, end);
                seeds[end[0]] = seeds[end[1]] = 1;
            }
            for (uint64_t v = 0; v < g.n; v++)
                EQUAL(t.c.visits[0][v], seeds[v], "seed %d, mini-batch %d, vertex %d", (int)seed, (int)task, (int)v);
            free(seeds);
        }
        sheet_free(&t);
        edge_seeds_release(&edges);
        sampler_free(s);
        graph_drop(&g);
    }
}

/* ---- words and documents ---- */

static struct workload plain(bool all)
{
    struct int_list fanout = {2, {25, 10}, NULL};
    struct workload w;
    OK(workload_make(NULL, &fanout, NULL, 100, all ? "all" : "new", 1, &w, &err));
    return w;
}

static void words_of_samplers(void **state)
{
    struct workload w = plain(false);
    (void)state;
    OK(workload_set_sampler(NULL, &w, &(struct sampler_args){.sampler = "walk"}, &err));
    assert_int_equal(w.hops, 3);
    assert_int_equal(w.fanout[0] + w.fanout[1] + w.fanout[2], 3);
    assert_int_equal(w.walks, 10);
    assert_true(w.restart == 0.5);
    w = plain(false);
    OK(workload_set_sampler(NULL, &w, &(struct sampler_args){.sampler = "layer-wise", .seeds = "edges"}, &err));
    assert_true(w.edge_share == 0.8 && w.hops == 2 && w.fanout[0] == 25);
    w = plain(true);
    refuses(ST_USAGE, "--frontier all",
            workload_set_sampler(NULL, &w, &(struct sampler_args){.sampler = "walk"}, &err));
    w = plain(false);
    refuses(ST_USAGE, "--walks",
            workload_set_sampler(NULL, &w, &(struct sampler_args){.sampler = "biased", .walks = 3}, &err));
    refuses(ST_USAGE, "--walk-length", workload_set_sampler(NULL, &w, &(struct sampler_args){.walk_length = 3}, &err));
    refuses(ST_USAGE, "--restart", workload_set_sampler(NULL, &w, &(struct sampler_args){.restart = "0.5"}, &err));
    refuses(ST_USAGE, "--restart: 1",
            workload_set_sampler(NULL, &w, &(struct sampler_args){.sampler = "walk", .restart = "1"}, &err));
    refuses(ST_USAGE, "--restart",
            workload_set_sampler(NULL, &w, &(struct sampler_args){.sampler = "walk", .restart = "often"}, &err));
    w = plain(false);
    refuses(ST_USAGE, "--edge-share",
            workload_set_sampler(NULL, &w, &(struct sampler_args){.edge_share = "0.5"}, &err));
    refuses(ST_USAGE, "--edge-share: 0",
            workload_set_sampler(NULL, &w, &(struct sampler_args){.seeds = "edges", .edge_share = "0"}, &err));
    w = plain(false);
    refuses(ST_USAGE, "--edge-share: 1.5",
            workload_set_sampler(NULL, &w, &(struct sampler_args){.seeds = "edges", .edge_share = "1.5"}, &err));
    refuses(ST_USAGE, "'ladies'", workload_set_sampler(NULL, &w, &(struct sampler_args){.sampler = "ladies"}, &err));
}

/* Every sampler comes back from the document that it was written to; others are refused. */
static void documents_of_samplers(void **state)
{
    static const struct {
        const char *key;
        bool text;
        const char *word;
        double number;
        const char *says;
    } bad[] = {{"sampler", true, "ladies", 0, "ladies"},
               {"seeds", true, "faces", 0, "faces"},
               {"edge_share", false, NULL, 1.5, "edge_share"},
               {"restart", false, NULL, 1, "restart"},
               {"frontier", true, "all", 0, "no frontier"}};
    (void)state;
    for (int kind = 0; kind < SAMPLER_TEMPORAL; kind++) /* those take no edges */
        for (int edges = 0; edges < 2; edges++) {
            struct workload w = plain(false), back;
            OK(workload_set_sampler(NULL, &w,
                                    &(struct sampler_args){.sampler = sampler_name((enum sampler_kind)kind),
                                                           .seeds = edges ? "edges" : "vertices"},
                                    &err));
            doc *d = doc_object();
            workload_put(NULL, &w, d);
            OK(workload_read(NULL, d, "here", &back, &err));
            assert_true(back.sampler == w.sampler && back.hops == w.hops && back.walks == w.walks &&
                        back.restart == w.restart && back.edge_share == w.edge_share);
            doc_free(d);
        }
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct workload w = plain(false), back;
        OK(workload_set_sampler(NULL, &w, &(struct sampler_args){.sampler = "walk", .seeds = "edges"}, &err));
        doc *d = doc_object();
        workload_put(NULL, &w, d);
        doc_put(d, bad[i].key, bad[i].text ? doc_text(bad[i].word) : doc_real(bad[i].number));
        refuses(ST_INPUT, bad[i].says, workload_read(NULL, d, "here", &back, &err));
        doc_free(d);
    }
}

static void weights_are_wanted(void **state)
{
    struct graph g;
    struct arcs a = {0};
    struct sampler *s = NULL;
    struct workload w = {.hops = 1, .fanout = {2}, .batch = 3, .sampler = SAMPLER_BIASED};
    static const float weights[1] = {1};
    (void)state;
    arcs_add(&a, 0, 1);
    graph_of(&g, 2, &a, 1, 4, "in");
    refuses(ST_INPUT, "weights.npy", workload_attach(&w, &g, &err));
    refuses(ST_INPUT, "weights.npy", sampler_new(&g, &w, 64, 1, &s, &err));
    g.weights = weights;
    OK(workload_attach(&w, &g, &err));
    assert_int_equal(graph_topology_bytes(&g, 0), 16); /* id, weight, offset */
    assert_int_equal(graph_total_bytes(&g), 8 + 16 + 8);
    w.sampler = SAMPLER_UNIFORM;
    OK(workload_attach(&w, &g, &err));
    assert_int_equal(graph_topology_bytes(&g, 0), 12);
    graph_drop(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders_are_permutations),
                                       cmocka_unit_test(orders_have_no_favourites),
                                       cmocka_unit_test(shares_are_exact_and_fixed),
                                       cmocka_unit_test(loops_are_edges),
                                       cmocka_unit_test(both_ends_are_seeds),
                                       cmocka_unit_test(words_of_samplers),
                                       cmocka_unit_test(documents_of_samplers),
                                       cmocka_unit_test(weights_are_wanted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
