/* Mini-batches worked by hand: who is visited, what is counted, how an epoch is shuffled and cut. */
#include "base/mem.h"
#include "tests/oracle/instance.h"
#include "traces/sampling/draw.h"
#include "traces/sampling/marks.h"

static struct err err;

static struct sampler *sampler_for(const struct graph *g, const struct workload *w, uint64_t line_bytes, int threads)
{
    struct sampler *s = NULL;
    OK(sampler_new(g, w, line_bytes, threads, &s, &err));
    return s;
}

/* Six vertices; v: what v draws.
 *   0: 1 2    1: 2    2: nothing    3: 3 4 (itself too)    4: 0    5: 4
 * indptr is 0 2 3 3 5 6 7. Seeds are 0, 3, 5 in one mini-batch; fan-outs of 5 draw every row whole, so nothing is
 * left to chance. */
static void six_vertices(struct graph *g)
{
    const uint8_t arc[][2] = {{0, 1}, {0, 2}, {1, 2}, {3, 3}, {3, 4}, {4, 0}, {5, 4}};
    static const uint32_t seeds[] = {0, 3, 5};
    struct arcs a = {0};
    for (size_t i = 0; i < COUNT_OF(arc); i++) arcs_add(&a, arc[i][0], arc[i][1]);
    graph_of(g, 6, &a, 4, 4, "in");
    memcpy((void *)(uintptr_t)g->train, seeds, sizeof seeds);
    g->train_count = 3;
}

static void run_six(bool all, uint64_t line_bytes, struct tally_sheet *t)
{
    struct graph g;
    struct workload w = {.hops = 3,
                         .fanout = {5, 5, 5},
                         .batch = 3,
                         .frontier = all ? FRONTIER_ALL : FRONTIER_NEW,
                         .seed = 1};
    six_vertices(&g);
    struct sampler *s = sampler_for(&g, &w, line_bytes, 1);
    OK(sampler_gpu(s, 0, g.train, g.train_count, 1, &err));
    assert_int_equal(sampler_batches(s), 1);
    sheet_new(t, 6, 3);
    sampler_run(s, 0, 1, &t->c);
    sampler_free(s);
    graph_drop(&g);
}

static void same(const uint32_t *found, const uint32_t *expected)
{
    for (int v = 0; v < 6; v++) EQUAL(found[v], expected[v], "vertex %d", v);
}

/* Hop 0 expands 0, 3, 5 and finds 1, 2 (of 0) and 4 (of 3, again of 5; 3 itself is known). Hop 1 expands 1, 2, 4,
 * whose rows hold 2 and 0, both known. Hop 2 has nobody left. */
static void rule_new(void **state)
{
    struct tally_sheet t;
    (void)state;
    run_six(false, 64, &t);
    same(t.c.feature, (uint32_t[]){1, 1, 1, 1, 1, 1});
    same(t.c.visits[0], (uint32_t[]){1, 0, 0, 1, 0, 1});
    same(t.c.visits[1], (uint32_t[]){0, 1, 1, 0, 1, 0});
    same(t.c.visits[2], (uint32_t[]){0, 0, 0, 0, 0, 0});
    /* All 56 bytes of offsets lie in one line of 64, all 28 bytes of rows in another: a visit costs two lines, that
     * of 2 (no row) one. */
    same(t.c.lines, (uint32_t[]){2, 2, 1, 2, 2, 2});
    assert_int_equal(t.c.total_lines, 11);
    sheet_free(&t);
}

/* Hop 0 as before; hops 1 and 2 expand all six. Lines of 32 bytes: the offset pair of 3 is bytes 24..39, two lines;
 * rows end at byte 28. */
static void rule_all(void **state)
{
    struct tally_sheet t;
    (void)state;
    run_six(true, 32, &t);
    same(t.c.feature, (uint32_t[]){1, 1, 1, 1, 1, 1});
    same(t.c.visits[0], (uint32_t[]){1, 0, 0, 1, 0, 1});
    same(t.c.visits[1], (uint32_t[]){1, 1, 1, 1, 1, 1});
    same(t.c.visits[2], (uint32_t[]){1, 1, 1, 1, 1, 1});
    same(t.c.lines, (uint32_t[]){3 * 2, 2 * 2, 2 * 1, 3 * 3, 2 * 2, 3 * 2});
    assert_int_equal(t.c.total_lines, 6 + 4 + 2 + 9 + 4 + 6);
    sheet_free(&t);
}

/* H_T of a vertex: visits of each hop times min(fan-out of that hop, degree). */
static void draws_of_a_vertex(void **state)
{
    struct workload w = {.hops = 2, .fanout = {25, 10}};
    uint32_t first[] = {3}, second[] = {4}, *visits[HOPS_MAX] = {first, second};
    (void)state;
    assert_int_equal(sample_draws(&w, 100, visits, 0), 3 * 25 + 4 * 10);
    assert_int_equal(sample_draws(&w, 12, visits, 0), 3 * 12 + 4 * 10);
    assert_int_equal(sample_draws(&w, 0, visits, 0), 0);
}

/* Seven training vertices in mini-batches of three: 3, 3, 1. */
static void the_short_batch_is_kept(void **state)
{
    struct graph g;
    struct arcs none = {0};
    struct workload w = {.hops = 1, .fanout = {2}, .batch = 3, .seed = 5};
    (void)state;
    graph_of(&g, 7, &none, 1, 4, "in");
    struct sampler *s = sampler_for(&g, &w, 64, 1);
    OK(sampler_gpu(s, 2, g.train, 7, 2, &err));
    assert_int_equal(sampler_batches(s), 3);
    for (int epoch = 0; epoch < 2; epoch++) {
        uint32_t seen[7] = {0};
        for (uint64_t b = 0; b < 3; b++) {
            struct tally_sheet t;
            uint64_t seeds = 0;
            sheet_new(&t, 7, 1);
            sampler_run(s, (uint64_t)epoch * 3 + b, (uint64_t)epoch * 3 + b + 1, &t.c);
            for (int v = 0; v < 7; v++) {
                assert_int_equal(t.c.visits[0][v], t.c.feature[v]); /* no neighbours: the seeds are all there is */
                seeds += t.c.visits[0][v];
                seen[v] += t.c.visits[0][v];
            }
            assert_int_equal(seeds, b < 2 ? 3 : 1);
            assert_int_equal(t.c.total_lines, seeds); /* an offset pair each: 64 bytes of offsets, one line */
            sheet_free(&t);
        }
        for (int v = 0; v < 7; v++) assert_int_equal(seen[v], 1);
    }
    sampler_free(s);
    graph_drop(&g);
}

/* A GPU may have no training vertices, and hands over to one that has. */
static void no_training_vertices(void **state)
{
    struct graph g;
    struct workload w = {.hops = 1, .fanout = {2}, .batch = 3, .seed = 5};
    struct tally_sheet t;
    (void)state;
    six_vertices(&g);
    sheet_new(&t, 6, 1);
    struct sampler *s = sampler_for(&g, &w, 64, 2);
    OK(sampler_gpu(s, 0, NULL, 0, 4, &err));
    assert_int_equal(sampler_batches(s), 0);
    sampler_run(s, 0, 0, &t.c);
    for (int v = 0; v < 6; v++) assert_int_equal(t.c.feature[v], 0);
    OK(sampler_gpu(s, 1, g.train, g.train_count, 1, &err));
    sampler_run(s, 0, 1, &t.c);
    assert_int_equal(t.c.feature[0], 1);
    sheet_free(&t);
    sampler_free(s);
    graph_drop(&g);
}

/* Order of the training vertices of an epoch, seen through mini-batches of one. */
static void epoch_order(struct sampler *s, uint64_t epoch, uint64_t count, uint64_t n, uint32_t *order)
{
    struct tally_sheet t;
    sheet_new(&t, n, 1);
    for (uint64_t b = 0; b < count; b++) {
        int found = 0;
        sheet_clear(&t);
        sampler_run(s, epoch * count + b, epoch * count + b + 1, &t.c);
        for (uint32_t v = 0; v < n; v++)
            if (t.c.visits[0][v]) {
                order[b] = v;
                found++;
            }
        assert_int_equal(found, 1);
    }
    sheet_free(&t);
}

static void shuffles_are_permutations_of_their_own(void **state)
{
    enum { N = 60 };
    struct graph g;
    struct arcs none = {0};
    struct workload w = {.hops = 1, .fanout = {2}, .batch = 1, .seed = 5};
    uint32_t order[6][N], reversed[N];
    (void)state;
    graph_of(&g, N, &none, 1, 4, "in");
    for (uint32_t v = 0; v < N; v++) reversed[v] = N - 1 - v;
    struct sampler *s = sampler_for(&g, &w, 64, 1);
    OK(sampler_gpu(s, 0, g.train, N, 3, &err));
    for (uint64_t e = 0; e < 3; e++) epoch_order(s, e, N, N, order[e]);
    OK(sampler_gpu(s, 1, g.train, N, 1, &err)); /* another GPU */
    epoch_order(s, 0, N, N, order[3]);
    OK(sampler_gpu(s, 0, reversed, N, 1, &err)); /* the same set in another order: the same epoch */
    epoch_order(s, 0, N, N, order[4]);
    assert_memory_equal(order[4], order[0], sizeof order[0]);
    sampler_free(s);
    w.seed = 6;
    s = sampler_for(&g, &w, 64, 1);
    OK(sampler_gpu(s, 0, g.train, N, 1, &err));
    epoch_order(s, 0, N, N, order[4]);
    sampler_free(s);
    for (uint32_t v = 0; v < N; v++) order[5][v] = v;
    for (int a = 0; a < 6; a++) {
        uint64_t seen = 0;
        for (int i = 0; i < N; i++) seen |= 1ull << order[a][i];
        assert_int_equal(seen, (1ull << N) - 1);
        for (int b = 0; b < a; b++) assert_memory_not_equal(order[a], order[b], sizeof order[0]);
    }
    graph_drop(&g);
}

/* Four training vertices over 12,000 epochs: all 24 orders equally often. */
static void every_order_is_equally_likely(void **state)
{
    enum { EPOCHS = 12000 };
    struct graph g;
    struct arcs none = {0};
    struct workload w = {.hops = 1, .fanout = {2}, .batch = 1, .seed = 8};
    uint64_t seen[256] = {0}, cells = 0;
    (void)state;
    graph_of(&g, 4, &none, 1, 4, "in");
    struct sampler *s = sampler_for(&g, &w, 64, 1);
    OK(sampler_gpu(s, 0, g.train, 4, EPOCHS, &err));
    for (uint64_t e = 0; e < EPOCHS; e++) {
        uint32_t o[4];
        epoch_order(s, e, 4, 4, o);
        seen[o[0] << 6 | o[1] << 4 | o[2] << 2 | o[3]]++;
    }
    for (int i = 0; i < 256; i++)
        if (seen[i]) seen[cells++] = seen[i];
    assert_int_equal(cells, 24);
    HOLDS(chi_square(seen, 24, EPOCHS / 24.0) < chi_limit(23), "chi-square %.1f", chi_square(seen, 24, EPOCHS / 24.0));
    sampler_free(s);
    graph_drop(&g);
}

/* The same counts on 1, 2 and 3 threads, in one run or in many, forwards or backwards; totals are sums. */
static void counts_do_not_depend_on_how_they_are_made(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 24; seed++) {
        struct dice d = {seed};
        struct graph g;
        uint64_t n = dice_range(&d, 20, 300);
        graph_shape(&g, (enum shape)(seed % SHAPES), n, &d, 3, 4);
        graph_trains(&g, &d, 0.5);
        struct workload w = {.hops = 3,
                             .fanout = {4, (uint32_t)dice_range(&d, 1, 40), 2},
                             .batch = dice_range(&d, 1, 30),
                             .frontier = seed & 1 ? FRONTIER_ALL : FRONTIER_NEW,
                             .seed = seed};
        struct tally_sheet whole;
        sheet_new(&whole, n, 3);
        for (int threads = 1; threads <= 3; threads++) {
            struct sampler *s = sampler_for(&g, &w, 64, threads);
            struct tally_sheet t;
            OK(sampler_gpu(s, 7, g.train, g.train_count, 3, &err));
            uint64_t tasks = 3 * sampler_batches(s), sum = 0;
            if (threads == 1) sampler_run(s, 0, tasks, &whole.c);
            sheet_new(&t, n, 3);
            sampler_run(s, 0, tasks, &t.c);
            HOLDS(sheet_equal(&whole, &t), "seed %d, %d threads: one run", (int)seed, threads);
            sheet_clear(&t);
            for (uint64_t to = tasks, from; to > 0; to = from) {
                from = to - (to < 5 ? to : 5);
                sampler_run(s, from, to, &t.c);
            }
            HOLDS(sheet_equal(&whole, &t), "seed %d, %d threads: in pieces", (int)seed, threads);
            for (uint64_t v = 0; v < n; v++) sum += t.c.lines[v];
            EQUAL(t.c.total_lines, sum, "seed %d", (int)seed);
            struct sample_counts only = t.c; /* lines may be left out, the sum stays */
            only.lines = NULL;
            only.total_lines = 0;
            sampler_run(s, 0, tasks, &only);
            EQUAL(only.total_lines, sum, "seed %d: without lines per vertex", (int)seed);
            sheet_free(&t);
            sampler_free(s);
        }
        sheet_free(&whole);
        graph_drop(&g);
    }
}

/* Position i of a visit by Floyd's algorithm on the random numbers of its key, which nothing but the visit sets. */
static void floyd(const struct draw_key *key, uint32_t degree, uint32_t count, uint32_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        struct rng_block words = draws_block(key, i / 4, 0);
        uint32_t top = degree - count + i, x = draws_below(key, i / 4, i % 4, words.word[i % 4], top + 1);
        out[i] = draws_among(out, i, x) ? top : x;
    }
}

/* Every visit of mini-batches draws as if it were alone, whatever is visited beside it. */
static void every_visit_draws_by_its_own_key(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        enum { GPU = 3 };
        struct dice d = {seed};
        struct graph g;
        uint64_t n = dice_range(&d, 50, 600);
        graph_shape(&g, (enum shape)(seed % SHAPES), n, &d, 3, 4);
        graph_trains(&g, &d, 0.5);
        struct workload w = {.hops = 2,
                             .fanout = {(uint32_t)dice_range(&d, 1, 9), (uint32_t)dice_range(&d, 1, 40)},
                             .batch = dice_range(&d, 1, 200),
                             .seed = seed};
        struct sampler *s = sampler_for(&g, &w, 64, 1);
        const struct sample_steps *steps;
        const uint32_t *ids;
        OK(sampler_keep_steps(s, &err));
        OK(sampler_gpu(s, GPU, g.train, g.train_count, 1, &err));
        for (uint64_t b = 0; b < sampler_batches(s); b++) {
            (void)sampler_batch(s, 0, b, NULL, &ids);
            OK(sampler_steps(s, 0, &steps, &err));
            uint64_t place = 0, visit = 0;
            for (uint32_t hop = 0; hop < 2; hop++)
                for (; visit < steps->end[hop + 1].visits; visit++) {
                    const uint32_t v = steps->visited[visit], degree = (uint32_t)graph_degree(&g, v);
                    const struct draw_key key = {seed, v, hop, (uint32_t)b, GPU << 24};
                    uint32_t want[40], count = degree < w.fanout[hop] ? degree : w.fanout[hop];
                    for (uint32_t i = 0; i < count; i++) want[i] = i;
                    if (degree > count) floyd(&key, degree, count, want);
                    EQUAL(steps->drawn[visit], count, "seed %d: vertex %d", (int)seed, (int)v);
                    for (uint32_t i = 0; i < count; i++)
                        EQUAL(steps->place[place++], (uint64_t)g.indptr[v] + want[i], "seed %d: vertex %d, hop %d",
                              (int)seed, (int)v, (int)hop);
                }
        }
        sampler_free(s);
        graph_drop(&g);
    }
}

/* Few marks among many are taken back one by one, many at once; afterwards none is left, and each was new once. */
static void marks_are_taken_back(void **state)
{
    enum { N = 100000, FIRST = 7 };
    uint64_t *marks = NULL, few[] = {1, 40, 3000};
    uint32_t ids[3000];
    (void)state;
    marks = mem_array(marks_words(N), sizeof *marks, "marks", &err);
    assert_non_null(marks);
    for (size_t i = 0; i < COUNT_OF(few); i++) {
        uint64_t fresh = 0;
        for (uint64_t k = 0; k < few[i]; k++) ids[k] = (uint32_t)(FIRST + k * 7919 % N); /* all different */
        for (int twice = 0; twice < 2; twice++)
            for (uint64_t k = 0; k < few[i]; k++) fresh += marks_add(marks, ids[k] - FIRST);
        assert_int_equal(fresh, few[i]);
        marks_clear(marks, N, FIRST, ids, few[i]);
        for (uint64_t w = 0; w < marks_words(N); w++) assert_int_equal(marks[w], 0);
    }
    mem_free(marks);
}

/* Mini-batches that find far fewer vertices than the graph has: on a ring each seed finds its two successors, and so
 * does the seed behind it, again. */
static void few_on_a_ring(uint64_t n)
{
    enum { EPOCHS = 3, RING = 20000 };
    struct arcs list = {0};
    struct graph g;
    struct workload w = {.hops = 2, .fanout = {1, 1}, .batch = 1, .seed = 1};
    struct tally_sheet t;
    uint32_t seeds[64];
    for (uint32_t v = 0; v < RING; v++) arcs_add(&list, v, (v + 1) % RING);
    graph_of(&g, n, &list, 1, 4, "in");
    for (uint32_t i = 0; i < 64; i++) seeds[i] = 64 * 3 + i; /* side by side: in one word of marks */
    struct sampler *s = sampler_for(&g, &w, 64, 2);
    OK(sampler_gpu(s, 0, seeds, 64, EPOCHS, &err));
    sheet_new(&t, n, 2);
    sampler_run(s, 0, sampler_batches(s) * EPOCHS, &t.c);
    for (uint32_t v = 0; v < n; v++) {
        uint32_t of_three = 0;
        for (uint32_t back = 0; back < 3; back++) of_three += v >= seeds[0] + back && v - back < seeds[0] + 64;
        EQUAL(t.c.feature[v], EPOCHS * of_three, "vertex %d", (int)v);
        EQUAL(t.c.visits[0][v], EPOCHS * (v >= seeds[0] && v < seeds[0] + 64), "vertex %d", (int)v);
        EQUAL(t.c.visits[1][v], EPOCHS * (v > seeds[0] && v <= seeds[0] + 64), "vertex %d", (int)v);
    }
    sheet_free(&t);
    sampler_free(s);
    graph_drop(&g);
}

/* Marks that stay in a near cache, and those that do not. */
static void small_mini_batches_of_a_large_graph(void **state)
{
    (void)state;
    few_on_a_ring(20000);
    few_on_a_ring(2500000);
}

/* Room for a mini-batch: seeds and everything they could draw, each vertex once; hop by hop where levels count apart.
 */
static void largest_mini_batches(void **state)
{
    static const struct {
        enum frontier_rule rule;
        uint64_t batch;
        int hops;
        uint32_t fanout[2];
        uint64_t most;
    } cases[] = {{FRONTIER_NEW, 60, 1, {1, 0}, 100}, /* 60 + 60 */
                 {FRONTIER_NEW, 10, 2, {2, 3}, 90},  /* 10 + 20 + 60 */
                 {FRONTIER_ALL, 10, 2, {2, 3}, 100}, /* 10 + 20 + 90 */
                 {FRONTIER_NEW, 200, 1, {1, 0}, 100},  {FRONTIER_LAYERS, 60, 1, {1, 0}, 120},
                 {FRONTIER_LAYERS, 10, 2, {2, 9}, 130}}; /* 10 + 20 + 100 of 180 */
    struct arcs a = {0};
    struct graph g;
    (void)state;
    graph_of(&g, 100, &a, 1, 4, "in");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct workload w = {.frontier = cases[i].rule, .batch = cases[i].batch, .hops = cases[i].hops};
        memcpy(w.fanout, cases[i].fanout, sizeof cases[i].fanout);
        EQUAL(sampler_largest(&g, &w), cases[i].most, "case %d", (int)i);
    }
    graph_drop(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(largest_mini_batches),
                                       cmocka_unit_test(rule_new),
                                       cmocka_unit_test(rule_all),
                                       cmocka_unit_test(draws_of_a_vertex),
                                       cmocka_unit_test(the_short_batch_is_kept),
                                       cmocka_unit_test(no_training_vertices),
                                       cmocka_unit_test(shuffles_are_permutations_of_their_own),
                                       cmocka_unit_test(every_order_is_equally_likely),
                                       cmocka_unit_test(counts_do_not_depend_on_how_they_are_made),
                                       cmocka_unit_test(every_visit_draws_by_its_own_key),
                                       cmocka_unit_test(marks_are_taken_back),
                                       cmocka_unit_test(small_mini_batches_of_a_large_graph)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
