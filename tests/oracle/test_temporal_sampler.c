/* The temporal samplers against the law of PyG's NeighborLoader with time_attr (sampler.h): a plain program that grows
 * each seed's tree by itself says which entries may be drawn and how many must be; `last` is equal to it entry by
 * entry, `uniform` in its chances (chi-square against exact ones); counts do not depend on threads. */
#include <math.h>
#include "tests/oracle/drawn_sheet.h"
#include "traces/sampling/seeds.h"

/* Times of all arcs and vertices, few distinct ones, so that many are equal. */
struct timed {
    struct graph g;
    int64_t *edges, *vertices;
};
static void timed_make(struct timed *t, struct dice *d, uint64_t i, bool of_vertices)
{
    graph_shape(&t->g, (enum shape)(i % SHAPES), dice_range(d, 10, 80), d, 1, 4);
    t->edges = calloc(t->g.m + 1, sizeof *t->edges);
    t->vertices = calloc(t->g.n, sizeof *t->vertices);
    for (uint64_t e = 0; e < t->g.m; e++) t->edges[e] = (int64_t)dice_below(d, 12) - 3;
    for (uint64_t v = 0; v < t->g.n; v++) t->vertices[v] = (int64_t)dice_below(d, 12) - 3;
    t->g.edge_times = of_vertices ? NULL : t->edges;
    t->g.vertex_times = t->vertices;
}
static void timed_drop(struct timed *t)
{
    free(t->edges);
    free(t->vertices);
    graph_drop(&t->g);
}
static int64_t time_of(const struct graph *g, uint64_t e)
{
    return g->edge_times ? g->edge_times[e] : g->vertex_times[g->indices[e]];
}

/* Whether a seed of that time may draw the entry. */
static bool allowed(const struct graph *g, const struct workload *w, int64_t seed, uint64_t e)
{
    double away = (double)(w->forward ? time_of(g, e) - seed : seed - time_of(g, e));
    return away >= 0 && (w->time_window == 0 || away <= w->time_window);
}

/* Whether `last` takes entry k before entry e: it is nearer to the seed, or of the same time and later in the row. */
static bool comes_first(const struct graph *g, const struct workload *w, uint64_t k, uint64_t e)
{
    int64_t a = time_of(g, k), b = time_of(g, e);
    return a == b ? k > e : w->forward ? a < b : a > b;
}

/* ---- `last`, tree by tree ---- */

struct expected {
    uint64_t visits[HOPS_MAX][128], draws[128];
    bool found[128];
};

/* Grows the tree of one seed by `last`, with the straightforward rule: an entry is drawn when the seed's time allows
 * it, and fewer than `fanout` entries that it allows come first. */
static void grow(const struct graph *g, const struct workload *w, uint32_t seed, struct expected *x)
{
    bool known[128] = {false}, level[128] = {false};
    known[seed] = level[seed] = true;
    for (int h = 0; h < w->hops; h++) {
        bool next[128] = {false};
        for (uint32_t v = 0; v < g->n; v++) {
            if (!level[v]) continue;
            x->visits[h][v]++;
            for (uint64_t e = (uint64_t)g->indptr[v]; e < (uint64_t)g->indptr[v + 1]; e++) {
                uint64_t first = 0;
                for (uint64_t k = (uint64_t)g->indptr[v]; k < (uint64_t)g->indptr[v + 1]; k++)
                    first += allowed(g, w, g->vertex_times[seed], k) && comes_first(g, w, k, e);
                if (!allowed(g, w, g->vertex_times[seed], e) || first >= w->fanout[h]) continue;
                x->draws[v]++;
                if (!known[g->indices[e]]) next[g->indices[e]] = true;
                known[g->indices[e]] = true;
            }
        }
        memcpy(level, next, sizeof level);
    }
    for (uint32_t v = 0; v < g->n; v++) x->found[v] |= known[v];
}

static void last_is_exact(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(120); i++) {
        uint64_t seed = test_seed(i), sum = 0;
        struct dice d = {seed * 7 + 5};
        struct timed t;
        struct tally_sheet sheet;
        timed_make(&t, &d, i, i % 3 == 0);
        struct workload w = {.hops = 3,
                             .fanout = {2, 3, 1},
                             .batch = dice_range(&d, 1, 9),
                             .seed = seed,
                             .sampler = SAMPLER_TEMPORAL_LAST,
                             .time_window = i % 2 ? (double)dice_range(&d, 1, 8) : 0,
                             .forward = i % 4 > 1};
        if (i % 5 == 4) w.fanout[1] = FANOUT_ALL;
        struct sampler *s = sampler_for(&t.g, &w, 64, 1);
        OK(sampler_gpu(s, 1, t.g.train, t.g.train_count, 1, &err));
        sheet_for(&sheet, &t.g, &w);
        for (uint64_t b = 0; b < sampler_batches(s); b++) {
            struct expected *x = calloc(1, sizeof *x);
            uint64_t first = b * w.batch, last = first + w.batch < t.g.train_count ? first + w.batch : t.g.train_count;
            for (uint64_t k = first; k < last; k++) grow(&t.g, &w, sampler_order(s)[k], x);
            sheet_wipe(&sheet);
            sheet.c.total_lines = 0;
            sampler_run(s, b, b + 1, &sheet.c);
            sum = 0;
            for (uint64_t v = 0; v < t.g.n; v++) {
                uint64_t start = (uint64_t)t.g.indptr[v], lines = 0;
                EQUAL(sheet.c.feature[v], x->found[v], "seed %d, vertex %d", (int)seed, (int)v);
                EQUAL(sheet.c.draws[v], x->draws[v], "seed %d, draws of %d", (int)seed, (int)v);
                for (int h = 0; h < w.hops; h++) {
                    EQUAL(sheet.c.visits[h][v], x->visits[h][v], "seed %d, visits of %d", (int)seed, (int)v);
                    lines += x->visits[h][v] *
                             (plain_lines(8 * v, 16, 64) + plain_lines(4 * start, 4 * degree_of(&t.g, v), 64) +
                              plain_lines(8 * start, 8 * degree_of(&t.g, v), 64));
                }
                EQUAL(sheet.c.lines[v], lines, "seed %d, lines of %d", (int)seed, (int)v);
                sum += lines;
            }
            EQUAL(sheet.c.total_lines, sum, "seed %d", (int)seed);
            free(x);
        }
        sheet_drop(&sheet);
        sampler_free(s);
        timed_drop(&t);
    }
}

/* ---- `uniform` ---- */

/* Row 0 lists 1..6 at times 10..60; the seed is 0 at 45: of 1..4 each pair has a chance of 1/6. With a time of 10
 * (equal counts) there is 1 alone, with 5 nobody. */
static void pairs_before_the_seed(void **state)
{
    enum { EPOCHS = 30000 };
    (void)state;
    static const int64_t edges[] = {10, 20, 30, 40, 50, 60};
    int64_t vertices[7] = {45, 0, 0, 0, 0, 0, 0};
    struct arcs a = {0};
    struct graph g;
    struct tally_sheet t;
    struct workload w = {.hops = 1, .fanout = {2}, .batch = 1, .seed = 3, .sampler = SAMPLER_TEMPORAL};
    for (uint32_t u = 1; u < 7; u++) arcs_add(&a, 0, u);
    graph_of(&g, 7, &a, 1, 4, "in");
    g.train_count = 1;
    g.edge_times = edges;
    g.vertex_times = vertices;
    struct sampler *s = sampler_for(&g, &w, 64, 1);
    OK(sampler_gpu(s, 0, g.train, 1, EPOCHS, &err));
    sheet_for(&t, &g, &w);
    uint64_t seen[64] = {0}, cells = 0;
    double sum = 0;
    for (uint64_t e = 0; e < EPOCHS; e++) {
        int set = 0;
        sheet_wipe(&t);
        sampler_run(s, e, e + 1, &t.c);
        for (int u = 1; u < 7; u++) set |= t.c.feature[u] ? 1 << (u - 1) : 0;
        seen[set]++;
    }
    for (int set = 0; set < 64; set++) {
        bool pair = __builtin_popcount((unsigned)set) == 2 && set < 16;
        HOLDS(pair || !seen[set], "set %d cannot be drawn", set);
        if (pair) sum += ((double)seen[set] - EPOCHS / 6.0) * ((double)seen[set] - EPOCHS / 6.0) / (EPOCHS / 6.0);
        cells += pair;
    }
    HOLDS(sum < chi_limit((int)cells - 1), "chi-square %.1f of %d", sum, (int)cells - 1);
    for (int early = 0; early < 2; early++) {
        vertices[0] = early ? 5 : 10;
        sheet_wipe(&t);
        sampler_run(s, 0, 100, &t.c);
        EQUAL(t.c.draws[0], early ? 0 : 100, "entries up to the seed's own time");
        EQUAL(t.c.feature[1], early ? 0 : 100, "the one at that time");
    }
    sheet_drop(&t);
    sampler_free(s);
    graph_drop(&g);
}

/* Seeds 0 and 1 of one mini-batch both reach 2, whose row lists 3..5, one draw: the trees draw independently, so both
 * take the same one in a third of the cases. The later seed alone sees 6. */
static void trees_are_independent(void **state)
{
    enum { EPOCHS = 30000 };
    (void)state;
    struct arcs a = {0};
    struct graph g;
    struct tally_sheet t;
    struct workload w = {.hops = 2, .fanout = {1, 1}, .batch = 2, .seed = 9, .sampler = SAMPLER_TEMPORAL};
    const int64_t vertices[7] = {5, 5, 0, 1, 2, 3, 9};
    uint64_t same = 0;
    arcs_add(&a, 0, 2);
    arcs_add(&a, 1, 2);
    for (uint32_t u = 3; u < 7; u++) arcs_add(&a, 2, u);
    graph_of(&g, 7, &a, 1, 4, "in");
    g.train_count = 2;
    g.vertex_times = vertices;
    struct sampler *s = sampler_for(&g, &w, 64, 1);
    OK(sampler_gpu(s, 0, g.train, 2, EPOCHS, &err));
    sheet_for(&t, &g, &w);
    for (uint64_t e = 0; e < EPOCHS; e++) {
        sheet_wipe(&t);
        sampler_run(s, e, e + 1, &t.c);
        EQUAL(t.c.visits[1][2], 2, "a visit per tree");
        EQUAL(t.c.draws[2], 2, "a draw per tree");
        EQUAL(t.c.feature[2], 1, "its feature row once");
        EQUAL(t.c.feature[6], 0, "too late");
        same += t.c.feature[3] + t.c.feature[4] + t.c.feature[5] == 1;
    }
    double off = ((double)same - EPOCHS / 3.0) / sqrt(EPOCHS * 2.0 / 9);
    HOLDS(fabs(off) < 5, "%.1f standard deviations from a third", off);
    sheet_drop(&t);
    sampler_free(s);
    graph_drop(&g);
}

/* Forward in time is backward with all times negated: the same random numbers draw the same. */
static void forward_is_backward_mirrored(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(20); i++) {
        struct dice d = {test_seed(i) + 99};
        struct timed t;
        struct tally_sheet sheet[2];
        timed_make(&t, &d, i, i % 2);
        struct workload w = {.hops = 2,
                             .fanout = {2, 3},
                             .batch = 4,
                             .seed = test_seed(i),
                             .sampler = i % 4 < 2 ? SAMPLER_TEMPORAL : SAMPLER_TEMPORAL_LAST,
                             .time_window = (double)(i % 3)};
        for (int k = 0; k < 2; k++) {
            w.forward = k;
            struct sampler *s = sampler_for(&t.g, &w, 64, 1);
            OK(sampler_gpu(s, 0, t.g.train, t.g.train_count, 3, &err));
            sheet_for(&sheet[k], &t.g, &w);
            sampler_run(s, 0, 3 * sampler_batches(s), &sheet[k].c);
            sampler_free(s);
            for (uint64_t e = 0; e < t.g.m; e++) t.edges[e] = -t.edges[e];
            for (uint64_t v = 0; v < t.g.n; v++) t.vertices[v] = -t.vertices[v];
        }
        HOLDS(!memcmp(sheet[0].c.draws, sheet[1].c.draws, 4 * t.g.n), "draws, round %d", (int)i);
        HOLDS(!memcmp(sheet[0].c.feature, sheet[1].c.feature, 4 * t.g.n), "rows, round %d", (int)i);
        for (int k = 0; k < 2; k++) sheet_drop(&sheet[k]);
        timed_drop(&t);
    }
}

/* Options and documents of windows and directions; fine times; what is refused. */
static void windows_are_written_and_read(void **state)
{
    static const struct {
        const char *text;
        double window;
    } good[] = {{"7", 7}, {"90s", 90}, {"2min", 120}, {"1.5h", 5400}, {"7d", 604800}, {"0.25", 0.25}};
    static const char *const bad[] = {"0", "-1", "7w", "d", "", "nan", "inf", "1e17", "0.12345678901"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(good) + COUNT_OF(bad); i++) {
        struct workload w = {.hops = 1, .fanout = {2}, .batch = 3}, back;
        bool fine = i < COUNT_OF(good);
        struct sampler_args a = {.sampler = "temporal",
                                 .time_window = fine ? good[i].text : bad[i - COUNT_OF(good)],
                                 .time_direction = i % 2 ? "forward" : "backward"};
        enum st st = workload_set_sampler(NULL, &w, &a, &err);
        if (!fine) {
            HOLDS(st == ST_USAGE && strstr(err.text, "--time-window"), "'%s' is %d", a.time_window, (int)st);
            continue;
        }
        OK(st);
        doc *d = doc_object();
        workload_put(NULL, &w, d);
        OK(workload_read(NULL, d, "here", &back, &err));
        HOLDS(back.time_window == good[i].window && back.forward == i % 2, "%s", a.time_window);
        HOLDS(!doc_get(d, "time_direction") == !(i % 2), "a direction is written where it is not the default");
        doc_put(d, "time_window", doc_integer(0));
        assert_int_equal(workload_read(NULL, d, "here", &back, &err), ST_INPUT);
        doc_put(d, "time_window", doc_integer(3));
        doc_put(d, "sampler", doc_text("uniform"));
        assert_int_equal(workload_read(NULL, d, "here", &back, &err), ST_INPUT);
        doc_free(d);
    }
    static const struct sampler_args others[] = {{.sampler = "uniform", .time_window = "3"},
                                                 {.time_direction = "forward"},
                                                 {.sampler = "temporal", .time_direction = "both"}};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        struct workload w = {.hops = 1, .fanout = {2}, .batch = 3};
        assert_int_equal(workload_set_sampler(NULL, &w, &others[i], &err), ST_USAGE);
    }
    const int64_t times[2] = {0, 0};
    struct graph g = {.n = 2, .vertex_times = times, .time_unit = 1e-6};
    struct workload w = {.hops = 1, .fanout = {2}, .batch = 1, .sampler = SAMPLER_TEMPORAL, .time_window = 1e-6};
    OK(workload_needs(&w, &g, &err));
    w.time_window = 1e-7;
    assert_int_equal(workload_needs(&w, &g, &err), ST_INPUT);
    w.time_window = 0x1p53;
    assert_int_equal(workload_needs(&w, &g, &err), ST_INPUT);
}

static void threads_count_alike(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(20); i++) {
        struct dice d = {test_seed(i)};
        struct timed t;
        struct tally_sheet sheet[2];
        timed_make(&t, &d, i, i % 2);
        struct workload w = {.hops = 2,
                             .fanout = {3, 2},
                             .batch = 5,
                             .seed = test_seed(i),
                             .sampler = i % 4 < 2 ? SAMPLER_TEMPORAL : SAMPLER_TEMPORAL_LAST,
                             .time_window = (double)(i % 5),
                             .forward = i % 3 == 2};
        for (int k = 0; k < 2; k++) {
            struct sampler *s = sampler_for(&t.g, &w, 64, k + 1);
            OK(sampler_gpu(s, 0, t.g.train, t.g.train_count, 3, &err));
            sheet_for(&sheet[k], &t.g, &w);
            sampler_run(s, 0, 3 * sampler_batches(s), &sheet[k].c);
            sampler_free(s);
        }
        for (int h = 0; h < w.hops; h++)
            HOLDS(!memcmp(sheet[0].c.visits[h], sheet[1].c.visits[h], 4 * t.g.n), "visits, round %d", (int)i);
        HOLDS(!memcmp(sheet[0].c.draws, sheet[1].c.draws, 4 * t.g.n), "draws, round %d", (int)i);
        HOLDS(!memcmp(sheet[0].c.feature, sheet[1].c.feature, 4 * t.g.n), "rows, round %d", (int)i);
        EQUAL(sheet[0].c.total_lines, sheet[1].c.total_lines, "lines, round %d", (int)i);
        for (int k = 0; k < 2; k++) sheet_drop(&sheet[k]);
        timed_drop(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(last_is_exact),
                                       cmocka_unit_test(pairs_before_the_seed),
                                       cmocka_unit_test(trees_are_independent),
                                       cmocka_unit_test(threads_count_alike),
                                       cmocka_unit_test(forward_is_backward_mirrored),
                                       cmocka_unit_test(windows_are_written_and_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
