/* Recording worked by hand, and its limits. */
#include <unistd.h>
#include "tests/oracle/instance.h"
#include "traces/recording/trace.h"
#include "traces/recording/wide_counts.h"

static struct err err;

/* 0: 1 2 1: 2 2: nothing 3: 3 4. Position 0 (GPU 6, clique 1) trains 0, position 1 (GPU 7, clique 0) trains 2 and 3,
 * position 2 (GPU 9, clique 1) nothing. Fan-outs of 2 draw every row whole, so three epochs count three times the
 * same. */
static void four_vertices(struct graph *g, struct assignment *a)
{
    const uint8_t arc[][2] = {{0, 1}, {0, 2}, {1, 2}, {3, 3}, {3, 4}};
    struct arcs list = {0};
    for (size_t i = 0; i < COUNT_OF(arc); i++) arcs_add(&list, arc[i][0], arc[i][1]);
    graph_of(g, 5, &list, 1, 4, "in");
    *a = (struct assignment){.gpus = 3, .cliques = 2, .id = {6, 7, 9}, .clique_of = {1, 0, 1}};
    OK(assignment_set_train(a, 0, (uint32_t[]){0}, 1, 5, "a test", &err));
    OK(assignment_set_train(a, 1, (uint32_t[]){3, 2}, 2, 5, "a test", &err));
    OK(assignment_set_train(a, 2, NULL, 0, 5, "a test", &err));
}

static void counts_are(struct count_row found, const uint32_t *expected)
{
    for (uint64_t v = 0; v < 5; v++) EQUAL(count_at(found, v), expected[v], "vertex %d", (int)v);
}

static void a_recording_by_hand(void **state)
{
    struct graph g;
    struct assignment a;
    struct workload w = {.hops = 2, .fanout = {2, 2}, .batch = 1, .seed = 1};
    struct trace t = {0};
    struct trace_options o = {.epochs = 3, .line_bytes = 64, .threads = 2, .server_name = "a server"};
    (void)state;
    four_vertices(&g, &a);
    assert_int_equal(a.train[1][0], 2); /* ascending */
    OK(trace_record(&g, &a, &w, &o, &t, &err));
    /* GPU 6: {0} finds 1 and 2; hop 1 expands 1 (draws 2) and 2 (draws nothing). */
    counts_are(t.feature[0], (uint32_t[]){3, 3, 3, 0, 0});
    counts_are(t.topology[0], (uint32_t[]){6, 3, 0, 0, 0});
    counts_are(t.visits[0][0], (uint32_t[]){3, 0, 0, 0, 0});
    counts_are(t.visits[1][0], (uint32_t[]){0, 3, 3, 0, 0});
    /* GPU 7, two mini-batches: {2} finds nobody; {3} finds 4, which has no row and costs its offset pair. */
    counts_are(t.feature[1], (uint32_t[]){0, 0, 3, 3, 3});
    counts_are(t.topology[1], (uint32_t[]){0, 0, 0, 6, 0});
    counts_are(t.visits[0][1], (uint32_t[]){0, 0, 3, 3, 0});
    counts_are(t.visits[1][1], (uint32_t[]){0, 0, 0, 0, 3});
    counts_are(t.feature[2], (uint32_t[]){0, 0, 0, 0, 0});
    /* Offsets are 48 bytes, rows 20: one line each. Clique 1: 0 and 1 cost two lines, 2 one; clique 0: 2 and 4 one, 3
     * two. */
    assert_int_equal(t.n_tsum[1], 3 * 5);
    assert_int_equal(t.n_tsum[0], 3 * 4);
    assert_string_equal(t.n_tsum_source, "model");
    assert_string_equal(t.server_name, "a server");
    assert_int_equal(t.epochs, 3);
    trace_release(&t);
    assignment_release(&a);
    graph_drop(&g);
}

/* 100,000 epochs of one mini-batch with fan-out 65,535 could count a vertex beyond 2^32: refused before anything is
 * drawn. */
static void counters_do_not_overflow(void **state)
{
    struct graph g;
    struct assignment a;
    struct workload w = {.hops = 1, .fanout = {65535}, .batch = 8, .seed = 1};
    struct trace t = {0};
    struct trace_options o = {.epochs = 100000, .line_bytes = 64, .threads = 1};
    (void)state;
    four_vertices(&g, &a);
    assert_int_equal(trace_record(&g, &a, &w, &o, &t, &err), ST_LIMIT);
    assert_int_equal(t.assignment.gpus, 0);
    assignment_release(&a);
    graph_drop(&g);
}

/* A quarter of the training vertices for each of four GPUs, whose cliques alternate. */
static void deal_to_four(const struct graph *g, struct assignment *a)
{
    const uint64_t count = g->train_count;
    *a = (struct assignment){.gpus = 4, .cliques = 2, .id = {0, 1, 2, 3}, .clique_of = {0, 1, 1, 0}};
    for (uint64_t i = 0; i < 4; i++)
        OK(assignment_set_train(a, (int)i, g->train + count * i / 4, count * (i + 1) / 4 - count * i / 4, g->n,
                                "a test", &err));
}

static void counts_equal(struct count_row a, struct count_row b, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) assert_int_equal(count_at(a, i), count_at(b, i));
}

static void traces_are_equal(const struct trace *a, const struct trace *b)
{
    assert_int_equal(a->folds, b->folds);
    for (int i = 0; i < a->assignment.gpus; i++) {
        counts_equal(a->topology[i], b->topology[i], a->n);
        counts_equal(a->feature[i], b->feature[i], a->n);
        for (int h = 0; h < a->workload.hops; h++) counts_equal(a->visits[h][i], b->visits[h][i], a->n);
    }
    for (int c = 0; c < a->assignment.cliques; c++) {
        assert_int_equal(a->n_tsum[c], b->n_tsum[c]);
        if (a->folds) counts_equal(a->fold[c], b->fold[c], a->n * (uint64_t)(a->folds * (1 + a->workload.hops)));
    }
}

/* In memory, then in a new store in `out`, which o takes from then on. Both are the same; the caller releases both, and
 * closes s. */
static void record_twice(const struct graph *g, const struct assignment *a, const struct workload *w,
                         struct trace_options *o, struct checkpoint *s, const char *out, struct trace *memory,
                         struct trace *files)
{
    doc *about = doc_object();
    OK(trace_record(g, a, w, o, memory, &err));
    OK(checkpoint_open(s, out, NULL, about, false, &err));
    doc_free(about);
    o->checkpoint = s;
    o->part = "x-";
    OK(trace_record(g, a, w, o, files, &err));
    traces_are_equal(memory, files);
}

/* A hub that every mini-batch of one GPU visits and that draws 250 neighbours each time: in files, counts take as many
 * bytes as the largest of a GPU needs, and those that are read as 32 bits are the same. */
static void files_hold_counts_of_every_width(void **state)
{
    enum { N = 301, TRAIN = 290 };
    char folder[] = "/tmp/hotset-trace-XXXXXX", out[64];
    struct arcs list = {0};
    struct graph g;
    struct assignment a = {.gpus = 2, .cliques = 1, .id = {0, 1}};
    struct workload w = {.hops = 2, .fanout = {300, 250}, .batch = 1, .seed = 1};
    struct trace memory = {0}, files = {0};
    struct checkpoint s = {0};
    struct trace_options o = {.epochs = 3, .line_bytes = 64, .threads = 2};
    struct wide_counts wide = {{NULL}, NULL};
    uint32_t train[TRAIN];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(out, sizeof out, "%s/T", folder);
    for (uint32_t v = 1; v < N; v++) {
        arcs_add(&list, v, 0);
        arcs_add(&list, 0, v);
    }
    graph_of(&g, N, &list, 1, 4, "in");
    for (uint32_t i = 0; i < TRAIN; i++) train[i] = i + 1;
    OK(assignment_set_train(&a, 0, train, TRAIN, N, "a test", &err));
    OK(assignment_set_train(&a, 1, (uint32_t[]){300}, 1, N, "a test", &err));
    record_twice(&g, &a, &w, &o, &s, out, &memory, &files);
    EQUAL(files.topology[0].bytes, 4, "%d draws", count_at(files.topology[0], 0));
    EQUAL(files.feature[0].bytes, 2, "%d mini-batches", count_at(files.feature[0], 0));
    EQUAL(files.visits[0][0].bytes, 2, "%d visits", count_at(files.visits[1][0], 0));
    EQUAL(files.topology[1].bytes, 2, "%d draws", count_at(files.topology[1], 0));
    EQUAL(files.feature[1].bytes, 1, "%d mini-batches", count_at(files.feature[1], 0));
    assert_false(wide_counts_are(files.topology, 2));
    assert_true(wide_counts_are(memory.topology, 2));
    OK(wide_counts_make(files.topology, 2, 0, N, 2, &wide, &err));
    for (int i = 0; i < 2; i++) counts_equal(count_row_wide(wide.row[i]), memory.topology[i], N);
    wide_counts_release(&wide);
    trace_release(&memory);
    trace_release(&files);
    checkpoint_close(&s, true);
    assignment_release(&a);
    graph_drop(&g);
    rmdir(folder);
}

/* A run that was killed before the folds of the clique of GPUs 1 and 2 were kept: the same counts. */
static void after_a_kill(const struct graph *g, const struct assignment *a, const struct workload *w,
                         struct trace_options o, const char *out, const struct trace *memory)
{
    struct trace again = {0};
    char note[100];
    o.keep_always = 1; /* folds of both together */
    o.part = "y-";
    snprintf(note, sizeof note, "%s.partial/y-%s2.note", out, memory->folds ? "folds" : "gpu");
    for (int kill = 0; kill < 2; kill++) {
        OK(trace_record(g, a, w, &o, &again, &err));
        traces_are_equal(memory, &again);
        trace_release(&again);
        assert_int_equal(unlink(note), 0);
    }
    snprintf(note, sizeof note, "%s.partial/y-folds1.note", out);
    assert_int_not_equal(access(note, F_OK), 0);
}

/* In memory, in files, and in files of which a part was there from an earlier run: the same counts, for every
 * sampler, with folds and without. */
static void files_hold_what_memory_holds(void **state)
{
    char folder[] = "/tmp/hotset-trace-XXXXXX", out[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(out, sizeof out, "%s/T", folder);
    for (uint64_t seed = 0; seed < 24; seed++) {
        struct dice d = {seed + 3};
        struct graph g;
        struct assignment a;
        struct workload w = {.hops = 2,
                             .fanout = {4, 3},
                             .batch = 7,
                             .seed = seed,
                             .sampler = seed % 3 == 0   ? SAMPLER_UNIFORM
                                        : seed % 3 == 1 ? SAMPLER_LAYER_WISE
                                                        : SAMPLER_WALK,
                             .walks = 2};
        struct trace memory = {0}, files = {0}, again = {0};
        struct checkpoint s = {0};
        struct trace_options o = {.epochs = seed % 5 + 1,
                                  .line_bytes = 64,
                                  .threads = 1 + (int)(seed % 3), /* in memory: as many GPUs at a time */
                                  .folds = seed % 4 != 0};
        if (w.sampler == SAMPLER_WALK) w.fanout[0] = w.fanout[1] = 1;
        graph_shape(&g, (enum shape)(seed % SHAPES), dice_range(&d, 20, 300), &d, 1, 4);
        deal_to_four(&g, &a);
        record_twice(&g, &a, &w, &o, &s, out, &memory, &files);
        trace_drop_pages(&files); /* files keep what pages held */
        trace_prefetch_pages(&files, 1);
        traces_are_equal(&memory, &files);
        trace_release(&files);
        OK(trace_record(&g, &a, &w, &o, &again, &err)); /* all of it is there */
        traces_are_equal(&memory, &again);
        trace_release(&again);
        after_a_kill(&g, &a, &w, o, out, &memory);
        trace_release(&memory);
        checkpoint_close(&s, true);
        assignment_release(&a);
        graph_drop(&g);
    }
    rmdir(folder);
}

/* Files hold counts in 1, 2 or 4 bytes, as the largest one needs; an earlier run's files say how many. */
static void files_are_as_narrow_as_counts(void **state)
{
    static const struct {
        uint64_t epochs;
        int visit_bytes, fold_bytes;
    } expected[] = {{3, 1, 1}, {255, 1, 1}, {256, 2, 1}, {70000, 4, 2}};
    char folder[] = "/tmp/hotset-trace-XXXXXX", out[64];
    struct workload w = {.hops = 2, .fanout = {2, 2}, .batch = 1, .seed = 1};
    struct graph g;
    struct assignment a;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(out, sizeof out, "%s/T", folder);
    four_vertices(&g, &a);
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        struct trace memory = {0}, files = {0};
        struct checkpoint s = {0};
        doc *about = doc_object();
        struct trace_options o = {.epochs = expected[i].epochs,
                                  .line_bytes = 64,
                                  .threads = 2,
                                  .folds = true,
                                  .part = ""};
        OK(trace_record(&g, &a, &w, &o, &memory, &err));
        OK(checkpoint_open(&s, out, NULL, about, false, &err));
        o.checkpoint = &s;
        for (int again = 0; again < 2; again++) {
            OK(trace_record(&g, &a, &w, &o, &files, &err));
            assert_int_equal(files.visits[0][0].bytes, expected[i].visit_bytes);
            assert_int_equal(files.visits[1][2].bytes, 1); /* a GPU that trains nothing */
            assert_int_equal(files.fold[0].bytes, expected[i].fold_bytes);
            traces_are_equal(&memory, &files);
            trace_release(&files);
        }
        trace_release(&memory);
        checkpoint_close(&s, true);
        doc_free(about);
    }
    assignment_release(&a);
    graph_drop(&g);
    rmdir(folder);
}

/* Counts of some vertices are those of a recording of all. */
static void sample_is_some_of(const struct trace *all, const struct trace *some, const struct trace_sample *of)
{
    assert_int_equal(some->n, of->rows);
    assert_int_equal(some->folds, all->folds);
    for (uint64_t i = 0; i < of->rows; i++) {
        const uint64_t v = of->id[i];
        for (int g = 0; g < all->assignment.gpus; g++) {
            assert_int_equal(count_at(some->topology[g], i), count_at(all->topology[g], v));
            assert_int_equal(count_at(some->feature[g], i), count_at(all->feature[g], v));
            for (int h = 0; h < all->workload.hops; h++)
                assert_int_equal(count_at(some->visits[h][g], i), count_at(all->visits[h][g], v));
        }
        for (int c = 0; c < all->assignment.cliques; c++)
            for (int f = 0; f < all->folds * (1 + all->workload.hops); f++)
                assert_int_equal(count_at(some->fold[c], (uint64_t)f * of->rows + i),
                                 count_at(all->fold[c], (uint64_t)f * all->n + v));
    }
}

/* Sums are those of all vertices. */
static void sums_are_of_all(const struct graph *g, const struct trace *all, const struct trace *some)
{
    const struct workload *w = &all->workload;
    for (int i = 0; i < all->assignment.gpus; i++) {
        struct trace_sums sum = {0};
        for (uint64_t v = 0; v < all->n; v++) {
            sum.feature += count_at(all->feature[i], v);
            sum.topology += count_at(all->topology[i], v);
            for (int h = 0; h < w->hops; h++) {
                const uint64_t visits = count_at(all->visits[h][i], v), degree = graph_degree(g, v);
                sum.visits[h] += visits;
                sum.draws[h] += (double)(visits * (degree < w->fanout[h] ? degree : w->fanout[h]));
            }
        }
        assert_int_equal(sum.feature, some->sums[i].feature);
        assert_int_equal(sum.topology, some->sums[i].topology);
        for (int h = 0; h < w->hops; h++) {
            assert_int_equal(sum.visits[h], some->sums[i].visits[h]);
            assert_true(sum.draws[h] == some->sums[i].draws[h]); /* whole numbers */
        }
    }
}

/* A recording of some vertices keeps the counts of a recording of all, and sums of all: for every way of counting
 * draws, with folds and without, GPU by GPU and side by side. */
static void samples_hold_what_all_hold(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 24; seed++) {
        struct dice d = {seed + 5};
        struct graph g;
        struct assignment a;
        struct workload w = {.hops = 2,
                             .fanout = {4, 3},
                             .batch = 7,
                             .seed = seed,
                             .sampler = (enum sampler_kind[]){SAMPLER_UNIFORM, SAMPLER_LAYER_WISE,
                                                              SAMPLER_LABOR}[seed % 3]};
        struct trace all = {0}, some = {0};
        struct trace_options o = {.epochs = seed % 5 + 1,
                                  .line_bytes = 64,
                                  .threads = 1 + (int)(seed % 4),
                                  .folds = seed % 4 != 0};
        uint64_t id[300], rows = 0;
        graph_shape(&g, (enum shape)(seed % SHAPES), dice_range(&d, 20, 300), &d, 1, 4);
        for (uint64_t v = 0; v < g.n; v++)
            if (dice_range(&d, 0, 2) == 0 || !rows) id[rows++] = v;
        deal_to_four(&g, &a);
        OK(trace_record(&g, &a, &w, &o, &all, &err));
        assert_null(all.sums);
        o.sample = (struct trace_sample){id, rows};
        OK(trace_record(&g, &a, &w, &o, &some, &err));
        sample_is_some_of(&all, &some, &o.sample);
        sums_are_of_all(&g, &all, &some);
        for (int c = 0; c < 2; c++) assert_int_equal(all.n_tsum[c], some.n_tsum[c]);
        trace_release(&all);
        trace_release(&some);
        assignment_release(&a);
        graph_drop(&g);
    }
}

static void training_vertices_are_checked(void **state)
{
    struct assignment a = {.gpus = 1};
    (void)state;
    assert_int_equal(assignment_set_train(&a, 0, (uint32_t[]){1, 5}, 2, 5, "a file", &err), ST_INPUT);
    assert_int_equal(assignment_set_train(&a, 0, (uint32_t[]){4, 1, 4}, 3, 5, "a file", &err), ST_INPUT);
    assert_non_null(strstr(err.text, "a file"));
    assert_null(a.train[0]);
}

/* Every GPU is in one clique; positions follow "gpus", cliques their order. */
static void cliques_are_checked(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {{"{\"gpus\": [4, 7, 9], \"cliques\": [[9], [7, 4]]}", NULL},
                 {"{\"gpus\": [4, 7, 9], \"cliques\": [[9], [7]]}", "name 2 of 3 GPUs; every GPU must be in one"},
                 {"{\"gpus\": [4, 7, 9], \"cliques\": []}", "name 0 of 3 GPUs"},
                 {"{\"gpus\": [4, 7, 9], \"cliques\": [[9], [7, 9, 4]]}", "clique 1 names a GPU that"},
                 {"{\"gpus\": [4, 7, 9], \"cliques\": [[9], [7, 5]]}", "clique 1 names a GPU that"},
                 {"{\"gpus\": [4, 7, 9], \"cliques\": [[9, 7, 4], []]}", "clique 1 is not a list"}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct assignment a = {0};
        OWNED_DOC doc *d = NULL;
        OK(doc_parse(cases[i].text, strlen(cases[i].text), "a test", &d, &err));
        enum st st = assignment_read_groups(doc_get(d, "gpus"), doc_get(d, "cliques"), "a test", &a, &err);
        HOLDS((st == ST_INPUT) == !!cases[i].says && (!cases[i].says || strstr(err.text, cases[i].says)),
              "case %d: status %d, \"%s\"", (int)i, (int)st, err.text);
        if (!cases[i].says)
            HOLDS(a.cliques == 2 && a.clique_of[0] == 1 && a.clique_of[1] == 1 && !a.clique_of[2], "which");
        err_clear(&err);
    }
}

static void folds_of_epochs(void **state)
{
    static const int folds[] = {0, 4, 2, 3, 4, 5, 6,
                                7, 8, 3, 5, 8, 6, 8}; /* by epochs: one epoch is cut into 4 parts */
    (void)state;
    for (int epochs = 1; epochs <= 13; epochs++)
        if (epochs != 11) assert_int_equal(trace_folds((uint64_t)epochs), folds[epochs]);
    assert_int_equal(trace_folds(11), FOLDS_MAX); /* primes above 8: the last epochs are in no fold */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_recording_by_hand),
                                       cmocka_unit_test(counters_do_not_overflow),
                                       cmocka_unit_test(files_hold_what_memory_holds),
                                       cmocka_unit_test(files_hold_counts_of_every_width),
                                       cmocka_unit_test(files_are_as_narrow_as_counts),
                                       cmocka_unit_test(samples_hold_what_all_hold),
                                       cmocka_unit_test(training_vertices_are_checked),
                                       cmocka_unit_test(cliques_are_checked),
                                       cmocka_unit_test(folds_of_epochs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
