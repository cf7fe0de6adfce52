/* The samplers beside the uniform one and the temporal ones (SAMPLER_TEMPORAL is the first of those;
 * test_temporal_sampler.c): chances worked out by hand and held against many mini-batches, laws of every mini-batch,
 * walks walked again by a plain program on the same random numbers, and counts that do not depend on threads. */
#include <math.h>
#include "tests/oracle/drawn_sheet.h"
#include "traces/sampling/draw.h"
#include "traces/sampling/seeds.h"

/* Chi-square against chances of their own. */
static void fits(const char *what, const uint64_t *seen, const double *chance, int cells, uint64_t total)
{
    double sum = 0, all = 0;
    int freedom = -1;
    for (int i = 0; i < cells; i++) {
        double expected = chance[i] * (double)total;
        all += chance[i];
        if (expected == 0) HOLDS(!seen[i], "%s: cell %d cannot happen and did %d times", what, i, (int)seen[i]);
        if (expected == 0) continue;
        sum += ((double)seen[i] - expected) * ((double)seen[i] - expected) / expected;
        freedom++;
    }
    HOLDS(fabs(all - 1) < 1e-9, "%s: chances add up to %g", what, all);
    HOLDS(sum < chi_limit(freedom), "%s: chi-square %.1f of %d", what, sum, freedom);
}

/* Row 0 lists 1..n-1; only 0 trains. */
static void one_row(struct graph *g, uint32_t n)
{
    struct arcs a = {0};
    for (uint32_t u = 1; u < n; u++) arcs_add(&a, 0, u);
    graph_of(g, n, &a, 1, 4, "in");
    g->train_count = 1;
}

/* ---- biased ---- */

/* Two of four neighbours with weights 1 2 3 4: {i, j} has chance w_i/10 w_j/(10 - w_i) + w_j/10 w_i/(10 - w_j). */
static void pairs_by_weight(void **state)
{
    enum { EPOCHS = 40000 };
    static const float weights[] = {1, 2, 3, 4};
    struct graph g;
    struct tally_sheet t;
    struct workload w = {.hops = 1, .fanout = {2}, .batch = 1, .seed = 3, .sampler = SAMPLER_BIASED};
    uint64_t seen[16] = {0};
    double chance[16] = {0};
    (void)state;
    one_row(&g, 5);
    g.weights = weights;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            if (i != j) chance[1 << i | 1 << j] += weights[i] / 10.0 * weights[j] / (10.0 - weights[i]);
    struct sampler *s = sampler_for(&g, &w, 64, 1);
    OK(sampler_gpu(s, 0, g.train, 1, EPOCHS, &err));
    sheet_for(&t, &g, &w);
    for (uint64_t e = 0; e < EPOCHS; e++) {
        int set = 0;
        sheet_wipe(&t);
        sampler_run(s, e, e + 1, &t.c);
        for (int u = 1; u < 5; u++) set |= t.c.feature[u] ? 1 << (u - 1) : 0;
        seen[set]++;
    }
    fits("pairs", seen, chance, 16, EPOCHS);
    sheet_drop(&t);
    sampler_free(s);
    graph_drop(&g);
}

/* The first draw of a long row: each neighbour in proportion to its weight, extremes included. */
static void first_by_weight(void **state)
{
    enum { N = 301, EPOCHS = 60000 };
    float weights[N - 1];
    double chance[N] = {0}, sum = 0;
    uint64_t seen[N] = {0};
    struct graph g;
    struct tally_sheet t;
    struct workload w = {.hops = 1, .fanout = {1}, .batch = 1, .seed = 4, .sampler = SAMPLER_BIASED};
    (void)state;
    one_row(&g, N);
    for (int i = 0; i < N - 1; i++) sum += weights[i] = i % 7 == 0 ? 0 : i % 50 == 1 ? 20.0f : 1 + (float)(i % 3);
    weights[299] = 1e-30f; /* 299 % 7 = 5: was 3 */
    sum -= 3;
    for (int i = 0; i < N - 1; i++) chance[i + 1] = i == 299 ? 0 : weights[i] / sum;
    g.weights = weights;
    struct sampler *s = sampler_for(&g, &w, 64, 1);
    OK(sampler_gpu(s, 0, g.train, 1, EPOCHS, &err));
    sheet_for(&t, &g, &w);
    sampler_run(s, 0, EPOCHS, &t.c);
    for (int u = 1; u < N; u++) seen[u] = t.c.feature[u];
    fits("first draws", seen, chance, N, EPOCHS);
    sheet_drop(&t);
    sampler_free(s);
    graph_drop(&g);
}

/* Weights 0 5 0 0 and two draws: neighbour 2 always, of the others each in a third of the cases. All weights 0:
 * uniform. */
static void weight_zero_comes_last(void **state)
{
    enum { EPOCHS = 30000 };
    static const float some[] = {0, 5, 0, 0}, none[] = {0, 0, 0, 0};
    (void)state;
    for (int round = 0; round < 2; round++) {
        static const double third[4] = {1.0 / 3, 0, 1.0 / 3, 1.0 / 3}, quarter[4] = {0.25, 0.25, 0.25, 0.25};
        struct graph g;
        struct tally_sheet t;
        struct workload w = {.hops = 1, .fanout = {round ? 1 : 2}, .batch = 1, .seed = 5, .sampler = SAMPLER_BIASED};
        one_row(&g, 5);
        g.weights = round ? none : some;
        struct sampler *s = sampler_for(&g, &w, 64, 1);
        OK(sampler_gpu(s, 0, g.train, 1, EPOCHS, &err));
        sheet_for(&t, &g, &w);
        sampler_run(s, 0, EPOCHS, &t.c);
        uint64_t seen[4] = {t.c.feature[1], t.c.feature[2], t.c.feature[3], t.c.feature[4]};
        if (!round) EQUAL(seen[1], EPOCHS, "the only positive weight");
        if (!round) seen[1] = 0;
        fits("weights of zero", seen, round ? quarter : third, 4, EPOCHS);
        sheet_drop(&t);
        sampler_free(s);
        graph_drop(&g);
    }
}

/* Mini-batch by mini-batch: the offset pair and both rows whole, or one row where all of it is drawn. */
static void biased_rows_are_read_whole(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(40); i++) {
        uint64_t seed = test_seed(i), line_bytes = 32u << i % 3, sum = 0;
        struct dice d = {seed * 13 + 2};
        struct graph g;
        graph_shape(&g, (enum shape)(i % SHAPES), dice_range(&d, 20, 200), &d, 1, 4);
        float *weights = calloc(g.m + 1, sizeof *weights);
        for (uint64_t e = 0; e < g.m; e++) weights[e] = (float)dice_below(&d, 5);
        g.weights = weights;
        struct workload w = {.hops = 2,
                             .fanout = {3, 5},
                             .batch = dice_range(&d, 1, 9),
                             .seed = seed,
                             .sampler = SAMPLER_BIASED};
        struct sampler *s = sampler_for(&g, &w, line_bytes, 2);
        struct tally_sheet t;
        OK(sampler_gpu(s, 1, g.train, g.train_count, 1, &err));
        sheet_for(&t, &g, &w);
        sampler_run(s, 0, sampler_batches(s), &t.c);
        for (uint64_t v = 0; v < g.n; v++) {
            uint64_t expected = 0, row = plain_lines(4 * (uint64_t)g.indptr[v], 4 * degree_of(&g, v), line_bytes);
            for (int h = 0; h < 2; h++)
                expected += t.c.visits[h][v] *
                            (plain_lines(8 * v, 16, line_bytes) + (degree_of(&g, v) > w.fanout[h] ? 2 : 1) * row);
            EQUAL(t.c.lines[v], expected, "seed %d, vertex %d", (int)seed, (int)v);
            sum += expected;
        }
        EQUAL(t.c.total_lines, sum, "seed %d", (int)seed);
        sheet_drop(&t);
        sampler_free(s);
        free(weights);
        graph_drop(&g);
    }
}

/* ---- layer-wise ---- */

/* Rows 0 (three neighbours) and 1 (six, none of them shared) in one mini-batch, three draws. */
static void two_rows(struct graph *g)
{
    struct arcs a = {0};
    for (uint32_t i = 0; i < 9; i++) arcs_add(&a, i < 3 ? 0 : 1, 2 + i);
    graph_of(g, 11, &a, 1, 4, "in");
    g->train_count = 2;
}

/* Without replacement all 84 sets of three entries are equally likely; with it the three draws are independent: row 0
 * has 3 of 9 entries. */
static void layers_draw_from_all_rows(void **state)
{
    enum { EPOCHS = 42000 };
    (void)state;
    for (int replace = 0; replace < 2; replace++) {
        struct graph g;
        struct tally_sheet t;
        struct workload w = {.hops = 1,
                             .fanout = {3},
                             .batch = 2,
                             .seed = 6,
                             .sampler = replace ? SAMPLER_LAYER_WISE_REPLACE : SAMPLER_LAYER_WISE};
        uint64_t sets[512] = {0}, of_row[4] = {0}, cells = 0, found[4] = {0};
        static const double binomial[4] = {8.0 / 27, 12.0 / 27, 6.0 / 27, 1.0 / 27},
                            distinct[4] = {0, 1.0 / 81, 24.0 / 81, 56.0 / 81};
        two_rows(&g);
        struct sampler *s = sampler_for(&g, &w, 64, 1);
        OK(sampler_gpu(s, 0, g.train, 2, EPOCHS, &err));
        sheet_for(&t, &g, &w);
        for (uint64_t e = 0; e < EPOCHS; e++) {
            int set = 0;
            sheet_wipe(&t);
            sampler_run(s, e, e + 1, &t.c);
            for (int u = 0; u < 9; u++) set |= t.c.feature[2 + u] ? 1 << u : 0;
            EQUAL(t.c.draws[0] + t.c.draws[1], 3, "draws of the hop");
            EQUAL(t.c.visits[0][0] + t.c.visits[0][1], 2, "visits of the hop");
            EQUAL(t.c.total_lines, 2 + (t.c.draws[0] > 0) + (t.c.draws[1] > 0),
                  "offset pairs, and the one line of each row that was drawn from");
            sets[set]++;
            of_row[t.c.draws[0]]++;
            found[__builtin_popcount((unsigned)set)]++;
        }
        for (int i = 0; i < 512; i++)
            if (sets[i]) sets[cells++] = sets[i];
        if (replace) {
            fits("draws of row 0", of_row, binomial, 4, EPOCHS);
            fits("distinct vertices", found, distinct, 4, EPOCHS); /* 9 8 7 / 9^3 all apart, 9 / 9^3 all alike */
        } else {
            EQUAL(cells, 84, "sets of three");
            HOLDS(chi_square(sets, 84, EPOCHS / 84.0) < chi_limit(83), "sets of three: chi-square %.1f",
                  chi_square(sets, 84, EPOCHS / 84.0));
        }
        sheet_drop(&t);
        sampler_free(s);
        graph_drop(&g);
    }
}

/* Laws of every mini-batch, hop by hop: the frontier is visited, draws add up to the budget or to all there is, what
 * is found was in reach. */
static void layers_obey(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) {
        uint64_t seed = test_seed(i), line_bytes = 32u << i % 3;
        struct dice d = {seed * 17 + 3};
        struct graph g;
        graph_shape(&g, (enum shape)(i % SHAPES), dice_range(&d, 5, 120), &d, 1, 4);
        struct workload w = {.hops = 1,
                             .fanout = {(uint32_t)dice_range(&d, 1, 60)},
                             .batch = dice_range(&d, 1, 12),
                             .seed = seed,
                             .sampler = i & 1 ? SAMPLER_LAYER_WISE_REPLACE : SAMPLER_LAYER_WISE};
        struct sampler *s = sampler_for(&g, &w, line_bytes, 1);
        struct tally_sheet t;
        OK(sampler_gpu(s, 2, g.train, g.train_count, 1, &err));
        sheet_for(&t, &g, &w);
        for (uint64_t b = 0; b < sampler_batches(s); b++) {
            uint64_t entries = 0, draws = 0, lines = 0;
            sheet_wipe(&t);
            sampler_run(s, b, b + 1, &t.c);
            for (uint64_t v = 0; v < g.n; v++) {
                uint64_t degree = degree_of(&g, v), pair = plain_lines(8 * v, 16, line_bytes), k = t.c.draws[v],
                         row = plain_lines(4 * (uint64_t)g.indptr[v], 4 * degree, line_bytes);
                bool drawable = t.c.visits[0][v] != 0;
                entries += t.c.visits[0][v] ? degree : 0;
                draws += k;
                lines += t.c.lines[v];
                HOLDS(t.c.visits[0][v] || !k, "seed %d: %d draws without a visit", (int)seed, (int)v);
                HOLDS(k <= degree || w.sampler == SAMPLER_LAYER_WISE_REPLACE, "seed %d: %d draws beyond its row",
                      (int)seed, (int)v);
                if (t.c.visits[0][v])
                    HOLDS(t.c.lines[v] >= pair + (k > 0) && t.c.lines[v] <= pair + (k < row ? k : row),
                          "seed %d: lines of %d", (int)seed, (int)v);
                for (uint64_t u = 0; u < g.n && !drawable; u++) drawable = t.c.draws[u] && graph_lists(&g, u, v);
                HOLDS(!t.c.feature[v] || drawable, "seed %d: %d came from nowhere", (int)seed, (int)v);
            }
            EQUAL(draws,
                  !entries                                                   ? 0
                  : w.sampler == SAMPLER_LAYER_WISE && entries < w.fanout[0] ? entries
                                                                             : w.fanout[0],
                  "seed %d, batch %d", (int)seed, (int)b);
            EQUAL(t.c.total_lines, lines, "seed %d, batch %d", (int)seed, (int)b);
        }
        sheet_drop(&t);
        sampler_free(s);
        graph_drop(&g);
    }
}

/* ---- walks ---- */

/* Walk `k` of a seed through one mini-batch, on the sampler's random numbers. */
static void walk_plainly(const struct graph *g, const struct workload *w, uint32_t seed, uint32_t k, uint32_t batch,
                         uint32_t who, struct tally_sheet *t)
{
    uint32_t at = seed;
    t->c.feature[seed] = 1;
    for (int h = 0; h < w->hops; h++) {
        struct draw_key key = {w->seed, seed, (uint32_t)h, batch, who};
        struct rng_block words = draws_block(&key, k, 0);
        if (h > 0 && (double)words.word[0] / 4294967296.0 < w->restart) at = seed;
        uint64_t degree = degree_of(g, at);
        t->c.visits[h][at]++;
        t->c.lines[at] += (uint32_t)plain_lines(8ull * at, 16, 64) + (degree > 0);
        if (!degree) {
            at = seed;
            continue;
        }
        at = g->indices[g->indptr[at] + draws_below(&key, k, 1, words.word[1], (uint32_t)degree)];
        t->c.feature[at] = 1;
    }
}

static void walks_are_walked_again(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(48); i++) {
        uint64_t seed = test_seed(i);
        struct dice d = {seed * 19 + 4};
        struct graph g;
        graph_shape(&g, (enum shape)(i % SHAPES), dice_range(&d, 5, 150), &d, 1, 4);
        struct workload w = {.hops = (int)dice_range(&d, 1, 6),
                             .batch = dice_range(&d, 1, 12),
                             .seed = seed,
                             .sampler = SAMPLER_WALK,
                             .walks = (uint32_t)dice_range(&d, 1, 5),
                             .restart = (double)dice_below(&d, 4) / 4};
        for (int h = 0; h < w.hops; h++) w.fanout[h] = 1;
        struct sampler *s = sampler_for(&g, &w, 64, 1);
        struct tally_sheet t, seeds, plain;
        OK(sampler_gpu(s, 3, g.train, g.train_count, 2, &err));
        sheet_for(&t, &g, &w);
        sheet_for(&plain, &g, &w);
        struct workload only = {.hops = 1,
                                .fanout = {1},
                                .batch = w.batch,
                                .seed = seed}; /* the same seeds, in the uniform sampler */
        struct sampler *u = sampler_for(&g, &only, 64, 1);
        OK(sampler_gpu(u, 3, g.train, g.train_count, 2, &err));
        sheet_for(&seeds, &g, &only);
        for (uint64_t task = 0; task < 2 * sampler_batches(s); task++) {
            sheet_wipe(&t);
            sheet_wipe(&plain);
            sheet_wipe(&seeds);
            sampler_run(s, task, task + 1, &t.c);
            sampler_run(u, task, task + 1, &seeds.c);
            for (uint32_t v = 0; v < g.n; v++)
                for (uint32_t k = 0; seeds.c.visits[0][v] && k < w.walks; k++)
                    walk_plainly(&g, &w, v, k, (uint32_t)(task % sampler_batches(s)),
                                 3u << 24 | (uint32_t)(task / sampler_batches(s)), &plain);
            for (uint64_t v = 0; v < g.n; v++) plain.c.total_lines += plain.c.lines[v];
            HOLDS(sheet_equal(&t, &plain), "seed %d, mini-batch %d", (int)seed, (int)task);
        }
        sheet_drop(&t);
        sheet_drop(&plain);
        sheet_drop(&seeds);
        sampler_free(s);
        sampler_free(u);
        graph_drop(&g);
    }
}

/* On the one-way ring the steps since the last restart are the place: in the third step 0 with chance r, 1 with (1 -
 * r) r, 2 with (1 - r)^2. */
static void restarts_by_chance(void **state)
{
    enum { N = 8, EPOCHS = 20000 };
    static const double r = 0.3;
    double chance[3] = {r, (1 - r) * r, (1 - r) * (1 - r)};
    struct arcs a = {0};
    struct graph g;
    struct tally_sheet t;
    struct workload w =
        {.hops = 3, .fanout = {1, 1, 1}, .batch = 1, .seed = 9, .sampler = SAMPLER_WALK, .walks = 2, .restart = r};
    (void)state;
    for (uint32_t v = 0; v < N; v++) arcs_add(&a, v, (v + 1) % N);
    graph_of(&g, N, &a, 1, 4, "in");
    g.train_count = 1;
    struct sampler *s = sampler_for(&g, &w, 64, 1);
    OK(sampler_gpu(s, 0, g.train, 1, EPOCHS, &err));
    sheet_for(&t, &g, &w);
    sampler_run(s, 0, EPOCHS, &t.c);
    uint64_t seen[3] = {t.c.visits[2][0], t.c.visits[2][1], t.c.visits[2][2]};
    EQUAL(t.c.visits[0][0], 2 * EPOCHS, "every walk begins at its seed");
    fits("places in the third step", seen, chance, 3, 2 * EPOCHS);
    sheet_drop(&t);
    sampler_free(s);
    graph_drop(&g);
}

/* ---- all ---- */

static void counts_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 4 * SAMPLER_TEMPORAL; i++) {
        struct dice d = {i * 23 + 7};
        struct graph g;
        uint64_t n = dice_range(&d, 20, 300);
        graph_shape(&g, (enum shape)(i % SHAPES), n, &d, 3, 4);
        graph_trains(&g, &d, 0.5);
        float *weights = calloc(g.m + 1, sizeof *weights);
        for (uint64_t e = 0; e < g.m; e++) weights[e] = (float)dice_below(&d, 4);
        g.weights = weights;
        struct workload w = {.hops = 3,
                             .fanout = {4, 7, 2},
                             .batch = dice_range(&d, 1, 30),
                             .seed = i,
                             .sampler = (enum sampler_kind)(i % SAMPLER_TEMPORAL),
                             .frontier = (i % SAMPLER_TEMPORAL != SAMPLER_WALK && i & 1) ? FRONTIER_ALL : FRONTIER_NEW,
                             .walks = 3,
                             .restart = 0.4,
                             .edge_share = i < 2 * SAMPLER_TEMPORAL ? 0 : 0.6};
        if (w.sampler == SAMPLER_WALK) w.fanout[0] = w.fanout[1] = w.fanout[2] = 1;
        struct tally_sheet whole;
        sheet_for(&whole, &g, &w);
        for (int threads = 1; threads <= 3; threads++) {
            struct sampler *s = sampler_for(&g, &w, 64, threads);
            struct tally_sheet t;
            OK(sampler_gpu(s, 7, g.train, g.train_count, 2, &err));
            uint64_t tasks = 2 * sampler_batches(s);
            if (threads == 1) sampler_run(s, 0, tasks, &whole.c);
            sheet_for(&t, &g, &w);
            for (uint64_t to = tasks, from; to > 0; to = from) {
                from = to - (to < 5 ? to : 5);
                sampler_run(s, from, to, &t.c);
            }
            HOLDS(sheet_equal(&whole, &t) && !memcmp(whole.c.draws, t.c.draws, n * sizeof(uint32_t)),
                  "sampler %s, round %d, %d threads", sampler_name(w.sampler), (int)i, threads);
            sheet_drop(&t);
            sampler_free(s);
        }
        sheet_drop(&whole);
        free(weights);
        graph_drop(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_by_weight),
                                       cmocka_unit_test(first_by_weight),
                                       cmocka_unit_test(weight_zero_comes_last),
                                       cmocka_unit_test(biased_rows_are_read_whole),
                                       cmocka_unit_test(layers_draw_from_all_rows),
                                       cmocka_unit_test(layers_obey),
                                       cmocka_unit_test(walks_are_walked_again),
                                       cmocka_unit_test(restarts_by_chance),
                                       cmocka_unit_test(counts_do_not_depend_on_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
