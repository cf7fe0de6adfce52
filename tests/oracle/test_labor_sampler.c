/* Layer-neighbour sampling held against exact expectations: inclusion by the largest threshold, draws per vertex,
 * chances worked out by hand, mini-batches drawn again by a plain program on the same random numbers, overlaps of
 * mini-batches that kappa makes alike. */
#include <math.h>
#include "tests/oracle/drawn_sheet.h"
#include "traces/recording/trace.h"
#include "traces/sampling/labor.h"

/* `seen` of `total` trials against a chance: within 5 standard errors; never and always are exact. */
static void by_chance(uint64_t seen, uint64_t total, double chance, const char *what, int which)
{
    double error = 5 * sqrt((double)total * chance * (1 - chance));
    HOLDS(fabs((double)seen - (double)total * chance) <= error + 1e-6 * (double)total * (chance > 0 && chance < 1),
          "%s %d: %llu of %llu, %.5f was expected", what, which, (unsigned long long)seen, (unsigned long long)total,
          chance);
}

/* ---- what a hop does in the mean, in long doubles and by bisection ---- */

enum { MOST = 64 };

static long double least(long double a, long double b) { return a < b ? a : b; }

/* c with sum of 1 / min(1, c pi_t) over the row = d^2 / k; k / d for rows no longer than the fan-out. */
static long double plain_scale(const struct graph *g, uint64_t v, uint32_t k, const long double *pi)
{
    uint64_t d = degree_of(g, v);
    long double low = 0, high = 1e12L;
    if (d <= k) return (long double)k / d;
    for (int i = 0; i < 300; i++) {
        long double c = (low + high) / 2, sum = 0;
        for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++) sum += 1 / least(1, c * pi[g->indices[e]]);
        if (sum > (long double)(d * d) / k) low = c;
        else high = c;
    }
    return high;
}

/* Chances p[s][t] that the seeds (training vertices, all in one mini-batch) take each vertex. Expected rows beyond the
 * seeds' own. */
static double chances(const struct graph *g, uint32_t k, int iterations, double p[MOST][MOST])
{
    long double pi[MOST], scale[MOST] = {0};
    double rows = 0;
    memset(p, 0, sizeof(double[MOST][MOST]));
    for (int t = 0; t < MOST; t++) pi[t] = 1;
    for (int i = 0; i <= iterations; i++) {
        long double most[MOST] = {0};
        for (uint64_t s = 0; s < g->train_count; s++) {
            uint32_t v = g->train[s];
            if (degree_of(g, v)) scale[v] = plain_scale(g, v, k, pi);
            for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++)
                if (scale[v] > most[g->indices[e]]) most[g->indices[e]] = scale[v];
        }
        for (int t = 0; t < MOST && i < iterations; t++) pi[t] *= most[t] > 0 ? most[t] : 1;
    }
    for (uint64_t t = 0; t < g->n; t++) {
        double best = 0;
        for (uint64_t s = 0; s < g->train_count; s++) {
            uint32_t v = g->train[s];
            p[v][t] = graph_lists(g, v, t) ? (double)least(1, scale[v] * pi[t]) : 0;
            if (p[v][t] > best) best = p[v][t];
        }
        rows += best;
    }
    return rows;
}

/* Seeds 0..seeds-1 (none of which is a neighbour) with rows among `others` vertices. */
static void rows_of(struct graph *g, uint32_t seeds, uint32_t others, struct dice *d)
{
    struct arcs a = {0};
    for (uint32_t s = 0; s < seeds; s++) {
        double density = 0.1 + 0.9 * (double)dice_below(d, 10) / 10;
        arcs_add(&a, s, seeds + dice_below(d, others));
        for (uint32_t t = 0; t < others; t++)
            if (dice_chance(d, density)) arcs_add(&a, s, seeds + t);
    }
    graph_of(g, seeds + others, &a, 1, 4, "in");
    g->train_count = seeds;
}

/* One hop, many epochs: every vertex is in the mini-batch with the largest threshold of the seeds that list it, so the
 * expected rows are the sum of those; every seed draws the sum of its own thresholds, min(k, d) for LABOR-0; each
 * threshold keeps the sum of 1 / p at d^2 / k. */
static void inclusion_is_the_largest_threshold(void **state)
{
    enum { EPOCHS = 6000 };
    static const int iterations[] = {0, 1, 2, 5};
    static double p[MOST][MOST];
    (void)state;
    for (uint64_t i = 0; i < test_rounds(32); i++) {
        uint64_t seed = test_seed(i), all = 0;
        struct dice d = {seed * 29 + 1};
        struct graph g;
        uint32_t seeds = (uint32_t)dice_range(&d, 1, 8), k = (uint32_t)dice_range(&d, 1, 7);
        rows_of(&g, seeds, (uint32_t)dice_range(&d, 2, 40), &d);
        struct workload w = {.hops = 1,
                             .fanout = {k},
                             .batch = seeds,
                             .seed = seed,
                             .sampler = SAMPLER_LABOR,
                             .labor_iterations = iterations[i % 4],
                             .batch_dependency = 1 + (uint32_t)(i % 3),
                             .layer_dependency = i & 1};
        double rows = chances(&g, k, w.labor_iterations, p), variance = 0;
        struct sampler *s = sampler_for(&g, &w, 64, 1);
        struct tally_sheet t;
        OK(sampler_gpu(s, 0, g.train, g.train_count, EPOCHS, &err));
        sheet_for(&t, &g, &w);
        sampler_run(s, 0, EPOCHS, &t.c);
        for (uint32_t v = 0; v < seeds; v++) {
            double mean = 0, spread = 0, inverse = 0, degree = (double)degree_of(&g, v);
            for (uint64_t u = 0; u < g.n; u++) {
                mean += p[v][u];
                spread += p[v][u] * (1 - p[v][u]);
                inverse += p[v][u] > 0 ? 1 / p[v][u] : 0;
            }
            if (!w.labor_iterations) HOLDS(fabs(mean - fmin(k, degree)) < 1e-9, "seed %d: %u draws", (int)seed, v);
            HOLDS(fabs(inverse - degree * degree / fmin(k, degree)) < 1e-6 * inverse, "seed %d: %u", (int)seed, v);
            HOLDS(fabs(t.c.draws[v] - EPOCHS * mean) <= 5 * sqrt(EPOCHS * spread) + 1e-3,
                  "seed %d: seed %u draws %.4f times an epoch, %.4f was expected", (int)seed, v,
                  t.c.draws[v] / (double)EPOCHS, mean);
        }
        for (uint64_t u = seeds; u < g.n; u++) {
            double best = 0;
            for (uint32_t v = 0; v < seeds; v++) best = fmax(best, p[v][u]);
            by_chance(t.c.feature[u], EPOCHS, best, "vertex", (int)u);
            all += t.c.feature[u];
            variance += best * (1 - best);
        }
        HOLDS(fabs((double)all - EPOCHS * rows) <= 5 * sqrt(EPOCHS * variance) + 1e-3,
              "seed %d: %.4f rows a mini-batch, %.4f were expected", (int)seed, (double)all / EPOCHS, rows);
        sheet_drop(&t);
        sampler_free(s);
        graph_drop(&g);
    }
}

/* Fan-out 2; seed 0 lists 2, seed 1 lists 2 3 4. LABOR-0: 2 surely, 3 and 4 with 2/3, in the mean 7/3 rows. LABOR-1:
 * pi(2) = 2/1 from the short row, pi(3) = pi(4) = 2/3, and 1 + 2 / (2/3 c) = 9/2 gives c = 6/7: 2 surely, 3 and 4 with
 * 4/7, in the mean 15/7 rows. More iterations change nothing: 1 + 2 / p = 9/2 has one solution. */
static void by_hand(void **state)
{
    enum { EPOCHS = 60000 };
    static const struct {
        int iterations;
        double chance;
    } cases[] = {{0, 2.0 / 3}, {1, 4.0 / 7}, {2, 4.0 / 7}, {LABOR_CONVERGE, 4.0 / 7}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct arcs a = {0};
        struct graph g;
        struct tally_sheet t;
        struct workload w = {.hops = 1,
                             .fanout = {2},
                             .batch = 2,
                             .seed = 8,
                             .sampler = SAMPLER_LABOR,
                             .labor_iterations = cases[i].iterations};
        arcs_add(&a, 0, 2);
        for (uint32_t u = 2; u < 5; u++) arcs_add(&a, 1, u);
        graph_of(&g, 5, &a, 1, 4, "in");
        g.train_count = 2;
        struct sampler *s = sampler_for(&g, &w, 64, 1);
        OK(sampler_gpu(s, 0, g.train, 2, EPOCHS, &err));
        sheet_for(&t, &g, &w);
        sampler_run(s, 0, EPOCHS, &t.c);
        EQUAL(t.c.feature[2], EPOCHS, "the whole row of 0");
        by_chance(t.c.feature[3], EPOCHS, cases[i].chance, "case", (int)i);
        by_chance(t.c.feature[4], EPOCHS, cases[i].chance, "case", (int)i);
        sheet_drop(&t);
        sampler_free(s);
        graph_drop(&g);
    }
}

/* Two neighbours are taken independently of each other, by one seed and by two: all four outcomes by their products. */
static void neighbours_are_independent(void **state)
{
    enum { EPOCHS = 40000 };
    uint64_t seen[4] = {0};
    struct arcs a = {0};
    struct graph g;
    struct tally_sheet t;
    struct workload w = {.hops = 1, .fanout = {3}, .batch = 2, .seed = 9, .sampler = SAMPLER_LABOR};
    (void)state;
    for (uint32_t u = 2; u < 12; u++) arcs_add(&a, 0, u); /* 3/10 each */
    for (uint32_t u = 8; u < 14; u++) arcs_add(&a, 1, u); /* 1/2 each, and of both rows 1/2 */
    graph_of(&g, 14, &a, 1, 4, "in");
    g.train_count = 2;
    struct sampler *s = sampler_for(&g, &w, 64, 1);
    OK(sampler_gpu(s, 0, g.train, 2, EPOCHS, &err));
    sheet_for(&t, &g, &w);
    for (uint64_t e = 0; e < EPOCHS; e++) {
        sheet_wipe(&t);
        sampler_run(s, e, e + 1, &t.c);
        seen[t.c.feature[2] + 2 * t.c.feature[9]]++;
    }
    by_chance(seen[0], EPOCHS, 0.7 * 0.5, "neither", 0);
    by_chance(seen[1], EPOCHS, 0.3 * 0.5, "the first", 0);
    by_chance(seen[2], EPOCHS, 0.7 * 0.5, "the second", 0);
    by_chance(seen[3], EPOCHS, 0.3 * 0.5, "both", 0);
    sheet_drop(&t);
    sampler_free(s);
    graph_drop(&g);
}

/* Every iteration lowers the expected rows, and '*' is where it ends: by the plain program, which the samples follow
 * (above), and by samples of a larger graph. */
static void iterations_take_fewer_rows(void **state)
{
    static double p[MOST][MOST];
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) {
        struct dice d = {test_seed(i) * 31 + 2};
        struct graph g;
        uint32_t seeds = (uint32_t)dice_range(&d, 2, 12), k = (uint32_t)dice_range(&d, 1, 6);
        rows_of(&g, seeds, (uint32_t)dice_range(&d, 4, 45), &d);
        double before = 1e9;
        for (int j = 0; j < 8; j++) {
            double rows = chances(&g, k, j, p);
            HOLDS(rows <= before * (1 + 1e-9), "round %d: iteration %d: %.6f after %.6f", (int)i, j, rows, before);
            before = rows;
        }
        graph_drop(&g);
    }
    struct dice d = {77};
    struct graph g;
    uint64_t rows[5];
    static const int how[] = {0, 1, 3, 50, LABOR_CONVERGE};
    graph_shape(&g, SHAPE_HUBS, 3000, &d, 1, 4);
    for (int i = 0; i < 5; i++) {
        struct workload w = {.hops = 2,
                             .fanout = {3, 2},
                             .batch = 60,
                             .sampler = SAMPLER_LABOR,
                             .labor_iterations = how[i]};
        struct sampler *s = sampler_for(&g, &w, 64, 1);
        struct tally_sheet t;
        OK(sampler_gpu(s, 0, g.train, g.train_count, 3, &err));
        sheet_for(&t, &g, &w);
        sampler_run(s, 0, 3 * sampler_batches(s), &t.c);
        rows[i] = 0;
        for (uint64_t v = 0; v < g.n; v++) rows[i] += t.c.feature[v];
        sheet_drop(&t);
        sampler_free(s);
    }
    HOLDS(rows[1] < 0.99 * rows[0] && rows[2] < rows[1] && fabs((double)rows[4] / rows[3] - 1) < 2e-3,
          "%d, %d, %d .. %d, * %d rows", (int)rows[0], (int)rows[1], (int)rows[2], (int)rows[3], (int)rows[4]);
    graph_drop(&g);
}

/* ---- mini-batches drawn again ---- */

struct plain_batch {
    const struct graph *g;
    const struct workload *w;
    uint32_t found[MOST * 8], count;
    bool in[MOST * 8];
    struct tally_sheet t;
};

static void add_found(struct plain_batch *b, uint32_t v)
{
    if (b->in[v]) return;
    b->in[v] = true;
    b->found[b->count++] = v;
    b->t.c.feature[v]++;
}

/* One hop of LABOR-0, written down from its law: r_t d < k, exactly. */
static void plain_hop(struct plain_batch *b, int hop, uint32_t from, uint32_t batch, uint32_t who)
{
    uint32_t to = b->count;
    struct labor_variates r = labor_variates_of(b->w, (uint32_t)hop, batch, who);
    for (uint32_t i = from; i < to; i++) {
        uint32_t v = b->found[i];
        uint64_t d = degree_of(b->g, v);
        b->t.c.visits[hop][v]++;
        uint32_t lines = (uint32_t)(plain_lines(8ull * v, 16, 64) +
                                    plain_lines(4 * (uint64_t)b->g->indptr[v], 4 * d, 64));
        b->t.c.lines[v] += lines;
        b->t.c.total_lines += lines;
        for (int64_t e = b->g->indptr[v]; e < b->g->indptr[v + 1]; e++) {
            uint32_t u = b->g->indices[e];
            if ((unsigned __int128)labor_variate(&r, u) * d >= (unsigned __int128)b->w->fanout[hop] << 64) continue;
            b->t.c.draws[v]++;
            add_found(b, u);
        }
    }
}

static void mini_batches_are_drawn_again(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) {
        uint64_t seed = test_seed(i);
        struct dice d = {seed * 37 + 5};
        struct graph g;
        graph_shape(&g, (enum shape)(i % SHAPES), dice_range(&d, 5, 200), &d, 1, 4);
        struct workload w = {.hops = (int)dice_range(&d, 1, 3),
                             .fanout = {4, 2, 3},
                             .batch = dice_range(&d, 1, 12),
                             .frontier = i % 2 ? FRONTIER_ALL : FRONTIER_NEW,
                             .seed = seed,
                             .sampler = SAMPLER_LABOR,
                             .batch_dependency = (uint32_t)dice_range(&d, 0, 5),
                             .layer_dependency = i % 3 == 0};
        struct sampler *s = sampler_for(&g, &w, 64, 1);
        struct plain_batch b = {.g = &g, .w = &w};
        struct tally_sheet t;
        OK(sampler_gpu(s, 3, g.train, g.train_count, 2, &err));
        sheet_for(&t, &g, &w);
        sheet_for(&b.t, &g, &w);
        for (uint64_t task = 0; task < 2 * sampler_batches(s); task++) {
            uint64_t epoch = task / sampler_batches(s), batch = task % sampler_batches(s), from = batch * w.batch;
            const uint32_t *order = sampler_order(s) + epoch * g.train_count;
            memset(b.in, 0, sizeof b.in);
            b.count = 0;
            sheet_wipe(&b.t);
            sheet_wipe(&t);
            for (uint64_t j = from; j < from + w.batch && j < g.train_count; j++) add_found(&b, order[j]);
            for (uint32_t h = 0, begin = 0; h < (uint32_t)w.hops; h++) {
                uint32_t end = b.count;
                plain_hop(&b, (int)h, begin, (uint32_t)batch, 3u << 24 | (uint32_t)epoch);
                if (w.frontier == FRONTIER_NEW) begin = end;
            }
            sampler_run(s, task, task + 1, &t.c);
            HOLDS(sheet_equal(&t, &b.t) && !memcmp(t.c.draws, b.t.c.draws, g.n * sizeof(uint32_t)), "seed %d, task %d",
                  (int)seed, (int)task);
        }
        sheet_drop(&b.t);
        sheet_drop(&t);
        sampler_free(s);
        graph_drop(&g);
    }
}

/* Every vertex lists the same 40, of which half are taken: with layer dependency by all, in every hop. */
static void hops_share_their_numbers(void **state)
{
    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        struct arcs a = {0};
        struct graph g;
        struct tally_sheet t;
        struct workload w = {.hops = 3,
                             .fanout = {20, 20, 20},
                             .batch = 1,
                             .seed = 2,
                             .frontier = FRONTIER_ALL,
                             .sampler = SAMPLER_LABOR,
                             .layer_dependency = shared};
        uint64_t rows = 0;
        for (uint32_t v = 0; v < 41; v++)
            for (uint32_t u = 1; u < 41; u++) arcs_add(&a, v, u);
        graph_of(&g, 41, &a, 1, 4, "in");
        g.train_count = 1;
        struct sampler *s = sampler_for(&g, &w, 64, 1);
        OK(sampler_gpu(s, 0, g.train, 1, 1, &err));
        sheet_for(&t, &g, &w);
        sampler_run(s, 0, 1, &t.c);
        for (uint64_t v = 0; v < g.n; v++) rows += t.c.feature[v];
        if (shared) EQUAL(rows, 1 + t.c.draws[0] / 3, "nobody new after the first hop");
        else HOLDS(rows > 1 + 28, "%d rows: half of the rest in each hop is new", (int)rows);
        sheet_drop(&t);
        sampler_free(s);
        graph_drop(&g);
    }
}

/* Two seeds, one per mini-batch, with the same 1000 neighbours of which 500 are taken by each; both take 1000 (1/4 +
 * asin(cos(pi / (2 kappa))) / (2 pi)) = 250 + 500 (1 / 2) (1 - 1 / kappa): 250, 375, 437.5 and 496.09 for kappa 1, 2,
 * 4, 64. */
static void kappa_makes_mini_batches_alike(void **state)
{
    enum { EPOCHS = 300, ROW = 1000 };
    static const uint32_t kappas[] = {1, 2, 4, 64};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct arcs a = {0};
        struct graph g;
        struct workload w = {.hops = 1,
                             .fanout = {ROW / 2},
                             .batch = 1,
                             .seed = 5,
                             .sampler = SAMPLER_LABOR,
                             .batch_dependency = kappas[i]};
        uint64_t both = 0, taken = 0;
        double expected = 250 + 250 * (1 - 1.0 / kappas[i]), share = expected / ROW;
        for (uint32_t u = 2; u < 2 + ROW; u++) {
            arcs_add(&a, 0, u);
            arcs_add(&a, 1, u);
        }
        graph_of(&g, 2 + ROW, &a, 1, 4, "in");
        g.train_count = 2;
        struct sampler *s = sampler_for(&g, &w, 64, 1);
        OK(sampler_gpu(s, 0, g.train, 2, EPOCHS, &err));
        for (uint64_t e = 0; e < EPOCHS; e++) {
            uint8_t in[2 + ROW] = {0};
            const uint32_t *ids;
            for (uint64_t b = 0; b < 2; b++)
                for (uint64_t j = 0, count = sampler_batch(s, 0, 2 * e + b, NULL, &ids); j < count; j++) {
                    both += ids[j] > 1 && in[ids[j]];
                    taken += ids[j] > 1;
                    in[ids[j]] = 1;
                }
        }
        by_chance(both, EPOCHS * ROW, share, "taken by both, kappa", (int)kappas[i]);
        HOLDS(fabs((double)taken / EPOCHS - ROW) < 5 * sqrt(2.0 * ROW / 2 / EPOCHS), "%.2f taken an epoch",
              (double)taken / EPOCHS);
        sampler_free(s);
        graph_drop(&g);
    }
}

/* Pre-sampling draws mini-batches that do not depend on each other, whatever kappa is: rates need no more epochs. */
static void recordings_do_not_depend_on_kappa(void **state)
{
    struct dice d = {3};
    struct graph g;
    struct assignment a = {.gpus = 2, .cliques = 1, .id = {0, 1}};
    struct trace t[2] = {{.n = 0}, {.n = 0}};
    struct trace_options o = {.epochs = 4, .line_bytes = 64, .threads = 2, .folds = true};
    (void)state;
    graph_shape(&g, SHAPE_HUBS, 400, &d, 1, 4);
    for (int i = 0; i < 2; i++)
        OK(assignment_set_train(&a, i, g.train + g.train_count / 2 * (uint64_t)i, g.train_count / 2, g.n, "a test",
                                &err));
    for (int i = 0; i < 2; i++) {
        struct workload w = {.hops = 2,
                             .fanout = {4, 3},
                             .batch = 20,
                             .sampler = SAMPLER_LABOR,
                             .labor_iterations = 1,
                             .batch_dependency = i ? 64 : 1};
        OK(trace_record(&g, &a, &w, &o, &t[i], &err));
        EQUAL(t[i].workload.batch_dependency, w.batch_dependency, "what was asked for is kept");
    }
    for (int i = 0; i < 2; i++) {
        HOLDS(!memcmp(t[0].topology[i].data, t[1].topology[i].data, g.n * sizeof(uint32_t)) &&
                  !memcmp(t[0].feature[i].data, t[1].feature[i].data, g.n * sizeof(uint32_t)),
              "GPU %d", i);
    }
    EQUAL(t[0].n_tsum[0], t[1].n_tsum[0], "transactions");
    trace_release(&t[0]);
    trace_release(&t[1]);
    assignment_release(&a);
    graph_drop(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(inclusion_is_the_largest_threshold),
                                       cmocka_unit_test(by_hand),
                                       cmocka_unit_test(neighbours_are_independent),
                                       cmocka_unit_test(iterations_take_fewer_rows),
                                       cmocka_unit_test(mini_batches_are_drawn_again),
                                       cmocka_unit_test(hops_share_their_numbers),
                                       cmocka_unit_test(kappa_makes_mini_batches_alike),
                                       cmocka_unit_test(recordings_do_not_depend_on_kappa)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
