/* Fan-outs of -1 (FANOUT_ALL) against the textbook: a mini-batch has every vertex within as many hops of a seed as
 * there are hops, whatever the sampler; a hop draws each entry of the rows of its frontier once. Beside numbers, the
 * hops that take all follow from what the hop before expanded. Threads count alike, and what is said of memory ahead is
 * enough. */
#include "tests/oracle/types_instance.h"
#include "traces/sampling/seeds.h"

static struct sampler *sampler_for(const struct graph *g, const struct workload *w, int threads)
{
    struct sampler *s = NULL;
    OK(sampler_new(g, w, 64, threads, &s, &err));
    return s;
}

/* Rows of any graph by global ids, so that the plain program knows no types. */
struct entry {
    int relation;
    uint64_t row; /* topology row */
    uint32_t to;
};
static uint64_t entries_of(const struct graph *g, uint32_t v, struct entry *out)
{
    uint64_t count = 0;
    for (int r = 0; r < graph_relation_count(g); r++) {
        const struct graph_csr csr = graph_csr(g, r);
        uint64_t row = v - csr.first_target;
        if (v < csr.first_target || row >= csr.rows) continue;
        for (int64_t e = csr.indptr[row]; e < csr.indptr[row + 1]; e++)
            out[count++] = (struct entry){r, csr.first_row + row, (uint32_t)csr.first_source + csr.indices[e]};
    }
    return count;
}

/* What a mini-batch must count. */
struct textbook {
    uint64_t visits[HOPS_MAX][256], draws[1024];
    uint64_t feature[256];
};

/* Breadth-first, level by level, from the marked seeds. */
static void walk_all(const struct graph *g, const struct workload *w, const bool *seed, struct textbook *x)
{
    static struct entry list[8192];
    bool known[256] = {false}, level[256] = {false};
    for (uint32_t v = 0; v < g->n; v++) known[v] = level[v] = seed[v], x->feature[v] += seed[v];
    for (int h = 0; h < w->hops; h++) {
        bool next[256] = {false};
        for (uint32_t v = 0; v < g->n; v++) {
            if (w->frontier == FRONTIER_ALL ? !known[v] : !level[v]) continue;
            x->visits[h][v]++;
            uint64_t count = entries_of(g, v, list);
            for (uint64_t i = 0; i < count; i++) {
                x->draws[list[i].row]++;
                next[list[i].to] = true;
            }
        }
        for (uint32_t v = 0; v < g->n; v++) {
            bool found = next[v] && (w->frontier == FRONTIER_LAYERS || !known[v]);
            x->feature[v] += found;
            level[v] = found;
        }
        for (uint32_t v = 0; v < g->n; v++) known[v] |= level[v];
    }
}

static void judge(const struct graph *g, const struct workload *w, const uint32_t *train, uint64_t trained, int threads,
                  uint64_t seed)
{
    struct sampler *s = sampler_for(g, w, threads);
    struct tally_sheet t;
    struct textbook *x = calloc(1, sizeof *x);
    uint64_t rows = graph_topology_rows(g), most = 0;
    OK(sampler_gpu(s, 3, train, trained, 2, &err));
    sheet_new(&t, g->n, w->hops);
    free(t.c.lines);
    t.c.lines = NULL;
    t.c.draws = workload_counts_draws(w) || !graph_plain(g) ? calloc(rows + 1, sizeof(uint32_t)) : NULL;
    for (uint64_t task = 0; task < 2 * sampler_batches(s); task++) {
        bool seeds[256] = {false};
        uint64_t first = task % sampler_batches(s) * w->batch, epoch = task / sampler_batches(s), found = 0;
        struct textbook one = {0};
        for (uint64_t k = first; k < first + w->batch && k < trained; k++)
            seeds[sampler_order(s)[epoch * trained + k]] = true;
        walk_all(g, w, seeds, &one);
        for (uint64_t v = 0; v < g->n; v++) {
            x->feature[v] += one.feature[v];
            found += one.feature[v];
            for (int h = 0; h < w->hops; h++) x->visits[h][v] += one.visits[h][v];
        }
        for (uint64_t r = 0; r < rows; r++) x->draws[r] += one.draws[r];
        most = found > most ? found : most;
    }
    sampler_run(s, 0, 2 * sampler_batches(s), &t.c);
    for (uint64_t v = 0; v < g->n; v++) {
        EQUAL(t.c.feature[v], x->feature[v], "seed %d, sampler %s, vertex %d", (int)seed, sampler_name(w->sampler),
              (int)v);
        for (int h = 0; h < w->hops; h++)
            EQUAL(t.c.visits[h][v], x->visits[h][v], "seed %d, hop %d of %d", (int)seed, h, (int)v);
        if (graph_plain(g) && !t.c.draws)
            EQUAL(sample_draws(w, degree_of(g, v), t.c.visits, v), x->draws[v], "seed %d, draws of %d", (int)seed,
                  (int)v);
    }
    for (uint64_t r = 0; t.c.draws && r < rows; r++)
        EQUAL(t.c.draws[r], x->draws[r], "seed %d, draws of row %d", (int)seed, (int)r);
    HOLDS(sampler_largest(g, w) >= most, "seed %d: room for %d vertices, %d are there", (int)seed,
          (int)sampler_largest(g, w), (int)most);
    free(t.c.draws);
    free(x);
    sheet_free(&t);
    sampler_free(s);
}

static void all(struct workload *w, int hops)
{
    w->hops = hops;
    for (int h = 0; h < hops; h++) w->fanout[h] = FANOUT_ALL;
}

/* A plain graph in which arcs may come again. */
static void graph_parallel(struct graph *g, struct dice *d)
{
    graph_shape(g, (enum shape)dice_below(d, SHAPES), dice_range(d, 2, 60), d, 1, 4);
    uint32_t *indices = (uint32_t *)(uintptr_t)g->indices;
    for (uint64_t e = 1; e < g->m; e++)
        if (dice_chance(d, 0.2)) indices[e] = indices[e - 1]; /* of another row, perhaps: it is an id all the same */
}

static void every_sampler_takes_all(void **state)
{
    static const enum sampler_kind kinds[] = {SAMPLER_UNIFORM, SAMPLER_BIASED,   SAMPLER_LABOR,
                                              SAMPLER_LABOR,   SAMPLER_TEMPORAL, SAMPLER_TEMPORAL_LAST};
    (void)state;
    for (uint64_t i = 0; i < test_rounds(120); i++) {
        uint64_t seed = test_seed(i);
        struct dice d = {seed * 31 + 7};
        struct graph g;
        graph_parallel(&g, &d);
        float *weights = calloc(g.m + 1, sizeof *weights);
        int64_t *times = calloc(g.n, sizeof *times); /* all alike: nothing is too late */
        for (uint64_t e = 0; e < g.m; e++) weights[e] = (float)dice_below(&d, 4);
        g.weights = weights;
        g.vertex_times = times;
        struct workload w = {.batch = dice_range(&d, 1, 7),
                             .seed = seed,
                             .sampler = kinds[i % COUNT_OF(kinds)],
                             .labor_iterations = i % COUNT_OF(kinds) == 3 ? 2 : 0};
        all(&w, (int)dice_range(&d, 1, 3));
        if (!workload_temporal(&w)) w.frontier = (enum frontier_rule)dice_below(&d, FRONTIER_RULES);
        /* a tree of each seed visits what several seeds share several times; the textbook has one seed then */
        if (workload_temporal(&w)) w.batch = 1;
        judge(&g, &w, g.train, g.train_count, 1 + (int)(i % 3), seed);
        free(weights);
        free(times);
        g.weights = NULL;
        g.vertex_times = NULL;
        graph_drop(&g);
    }
}

static void every_relation_is_taken(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) {
        uint64_t seed = test_seed(i);
        struct dice d = {seed * 13 + 5};
        struct graph g;
        types_random(&g, &d, 30);
        uint32_t *train = types_trains(&g);
        struct workload w = {.batch = dice_range(&d, 1, 7),
                             .seed = seed,
                             .sampler = i % 3 == 1 ? SAMPLER_LABOR : SAMPLER_UNIFORM,
                             .together = i % 3 == 2,
                             .frontier = (enum frontier_rule)dice_below(&d, FRONTIER_RULES)};
        all(&w, (int)dice_range(&d, 1, 3));
        if (g.train_count) judge(&g, &w, train, g.train_count, 1 + (int)(i % 2), seed);
        free(train);
        types_drop(&g);
    }
}

/* [2, -1]: what the second hop expands, it takes whole. Three labels: a seed, drawn by the first hop, the rest. */
static void numbers_before_all(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) {
        uint64_t seed = test_seed(i), drawn = 0;
        struct dice d = {seed * 17 + 3};
        struct graph g;
        struct tally_sheet t;
        graph_parallel(&g, &d);
        struct workload w = {.hops = 2, .fanout = {2, FANOUT_ALL}, .batch = 3, .seed = seed};
        struct sampler *s = sampler_for(&g, &w, 1);
        OK(sampler_gpu(s, 0, g.train, g.train_count, 1, &err));
        sheet_new(&t, g.n, w.hops);
        for (uint64_t b = 0; b < sampler_batches(s); b++) {
            sheet_clear(&t);
            sampler_run(s, b, b + 1, &t.c);
            for (uint64_t v = 0; v < g.n; v++) {
                bool listed = t.c.visits[0][v] || t.c.visits[1][v];
                for (uint64_t u = 0; u < g.n; u++)
                    for (int64_t e = g.indptr[u]; t.c.visits[1][u] && e < g.indptr[u + 1]; e++)
                        listed |= g.indices[e] == v;
                EQUAL(t.c.feature[v], listed, "seed %d, vertex %d", (int)seed, (int)v);
                drawn += t.c.visits[1][v];
                HOLDS(!t.c.visits[0][v] || !t.c.visits[1][v], "seed %d: %d is expanded twice", (int)seed, (int)v);
            }
        }
        HOLDS(drawn <= 2 * g.train_count, "seed %d: the first hop found %d", (int)seed, (int)drawn);
        sheet_free(&t);
        sampler_free(s);
        graph_drop(&g);
    }
}

/* So many vertices draw at most the longest rows among so many, and no bound is more than an eighth above that. */
static void bounds_come_from_degrees(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) {
        struct dice d = {test_seed(i) * 5 + 1};
        struct graph g;
        uint64_t sum = 0, degree[128];
        graph_shape(&g, (enum shape)dice_below(&d, SHAPES), dice_range(&d, 2, 100), &d, 1, 4);
        const struct workload w = {.hops = 2, .fanout = {FANOUT_ALL, 4}, .batch = 1};
        for (uint64_t v = 0; v < g.n; v++) degree[v] = degree_of(&g, v);
        qsort(degree, g.n, sizeof *degree, by_number);
        for (uint64_t k = 1; k <= g.n; k++) {
            uint64_t bound = workload_hop_draws(&g, &w, 0, k);
            sum += degree[g.n - k];
            HOLDS(bound >= sum && 8 * bound <= 9 * sum, "round %d: %d rows have %d entries, said are %d", (int)i,
                  (int)k, (int)sum, (int)bound);
            EQUAL(workload_hop_draws(&g, &w, 1, k), 4 * k, "a number is what it was");
        }
        EQUAL(workload_hop_draws(&g, &w, 0, UINT64_MAX), g.m, "all rows");
        EQUAL(workload_hop_draws(&g, &w, 1, UINT64_MAX), UINT64_MAX, "no overflow");
        EQUAL(workload_longest_row(&g), degree[g.n - 1], "round %d", (int)i);
        EQUAL(sampler_rows_bytes(&g, &w), 12 * degree[g.n - 1], "round %d", (int)i);
        graph_drop(&g);
    }
}

/* Documents say -1 and read it back; words that are none are refused. */
static void documents_say_minus_one(void **state)
{
    struct int_list list = {2, {-1, 5}, NULL};
    struct workload w, back;
    int64_t number;
    (void)state;
    OK(workload_make(NULL, &list, NULL, 8, "new", 1, &w, &err));
    assert_true(w.fanout[0] == FANOUT_ALL && w.fanout[1] == 5 && workload_takes_all(&w));
    assert_true(workload_hop_takes_all(&w, 0) && !workload_hop_takes_all(&w, 1));
    doc *d = doc_object();
    workload_put(NULL, &w, d);
    assert_int_equal(doc_integer_value(doc_at(doc_get(d, "fanout"), 0), 0), -1);
    OK(workload_read(NULL, d, "here", &back, &err));
    assert_true(back.fanout[0] == FANOUT_ALL && back.fanout[1] == 5);
    static const int64_t wrong[] = {0, -2, 65536, (int64_t)FANOUT_ALL};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        doc *fanout = doc_array();
        doc_append(fanout, doc_integer(wrong[i]));
        doc_put(d, "fanout", fanout);
        assert_int_equal(workload_read(NULL, d, "here", &back, &err), ST_INPUT);
        list = (struct int_list){1, {wrong[i]}, NULL};
        assert_int_equal(workload_make(NULL, &list, NULL, 8, "new", 1, &w, &err), ST_USAGE);
    }
    doc_free(d);
    OK(workload_fanout_read("all", "--fanout", 1, &number, &err));
    assert_int_equal(number, -1);
    assert_int_equal(workload_fanout_read("most", "--fanout", 1, &number, &err), ST_USAGE);
    static const char *const layers[] = {"layer-wise", "layer-wise-replace"};
    for (int i = 0; i < 2; i++) {
        struct sampler_args a = {.sampler = layers[i]};
        list = (struct int_list){1, {-1}, NULL};
        OK(workload_make(NULL, &list, NULL, 8, "new", 1, &w, &err));
        assert_true(workload_set_sampler(NULL, &w, &a, &err) == ST_USAGE && strstr(err.text, "--sampler uniform"));
    }
}

/* LABOR's iterations weigh a row that is taken whole as one whose length is its fan-out: beside a relation of which 2
 * are drawn, -1 of rows of three entries draws as 3 does. */
static void labor_weighs_whole_rows(void **state)
{
    enum { VERTICES = 40 };
    static const uint64_t count[] = {VERTICES};
    (void)state;
    for (uint64_t i = 0; i < test_rounds(20); i++) {
        struct dice d = {test_seed(i) + 5};
        struct arcs a = {0}, b = {0};
        struct graph g;
        struct tally_sheet t[2];
        types_begin(&g, 1, count);
        for (uint64_t v = 0; v < VERTICES; v++) {
            for (uint64_t k = 1; k <= 3; k++) arcs_add(&a, v, (v + k) % VERTICES);
            for (uint64_t k = 0; k < 8; k++) arcs_add(&b, v, dice_below(&d, VERTICES));
        }
        types_relate(&g, 0, 0, &a, 0);
        types_relate(&g, 0, 0, &b, 0);
        types_train(&g, 0, &d, 1);
        for (int all = 0; all < 2; all++) {
            uint32_t three = all ? FANOUT_ALL : 3;
            struct workload w = {.hops = 2,
                                 .fanout = {three, three},
                                 .lists = 1,
                                 .list_of = {0, 1},
                                 .list = {{2, 2}},
                                 .batch = 4,
                                 .seed = test_seed(i),
                                 .sampler = SAMPLER_LABOR,
                                 .labor_iterations = 2};
            struct sampler *s = sampler_for(&g, &w, 1);
            OK(sampler_gpu(s, 0, g.type[0].train, g.train_count, 1, &err));
            sheet_new(&t[all], g.n, w.hops);
            free(t[all].c.lines);
            t[all].c.lines = NULL;
            sampler_run(s, 0, sampler_batches(s), &t[all].c);
            sampler_free(s);
        }
        HOLDS(!memcmp(t[0].c.feature, t[1].c.feature, 4 * g.n), "round %d", (int)i);
        HOLDS(!memcmp(t[0].c.visits[1], t[1].c.visits[1], 4 * g.n), "round %d", (int)i);
        for (int all = 0; all < 2; all++) sheet_free(&t[all]);
        types_drop(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_sampler_takes_all),
                                       cmocka_unit_test(every_relation_is_taken),
                                       cmocka_unit_test(numbers_before_all),
                                       cmocka_unit_test(bounds_come_from_degrees),
                                       cmocka_unit_test(labor_weighs_whole_rows),
                                       cmocka_unit_test(documents_say_minus_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
