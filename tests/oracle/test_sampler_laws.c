/* The laws of a mini-batch, checked one mini-batch at a time: frontiers, members of rows, exact numbers of draws,
 * lines; and what draws cost on average, against the closed form (model/transactions.md). */
#include <math.h>
#include "tests/oracle/instance.h"

static struct err err;

/* Everything that one mini-batch's counts must obey. */
static void judge_batch(const struct graph *g, const struct workload *w, uint64_t line_bytes,
                        const struct tally_sheet *t, uint64_t seed)
{
    uint64_t n = g->n, lines = 0;
    uint8_t *known = calloc(n, 1); /* 1: in the mini-batch when the hop begins; 2: found in this hop */
    uint64_t frontier = 0;
    for (uint64_t v = 0; v < n; v++) known[v] = t->c.visits[0][v] ? 1 : 0;
    for (int h = 0; h < w->hops; h++) {
        uint64_t draws = 0, found = 0, must = 0;
        for (uint64_t v = 0; v < n; v++) {
            uint32_t visits = t->c.visits[h][v];
            uint64_t degree = degree_of(g, v), k = degree < w->fanout[h] ? degree : w->fanout[h], near = 0;
            HOLDS(visits <= 1, "seed %d: %llu is expanded %u times in hop %d", (int)seed, (unsigned long long)v, visits,
                  h);
            if (!visits) continue;
            frontier++;
            draws += k;
            HOLDS(known[v] == 1, "seed %d: %llu is expanded in hop %d before it is known", (int)seed,
                  (unsigned long long)v, h);
            for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++) near += t->c.feature[g->indices[e]] != 0;
            HOLDS(near >= k, "seed %d: %llu drew %llu in hop %d, but %llu of its row are in the mini-batch", (int)seed,
                  (unsigned long long)v, (unsigned long long)k, h, (unsigned long long)near);
        }
        /* Found in this hop: what the next hop expands beyond the known; after the last hop, what else is in the
         * mini-batch. */
        for (uint64_t v = 0; v < n; v++) {
            bool in_next = h + 1 < w->hops ? t->c.visits[h + 1][v] != 0 : t->c.feature[v] != 0, drawable = false,
                 certain = false;
            if (known[v]) {
                if (h + 1 < w->hops)
                    HOLDS(in_next == (w->frontier == FRONTIER_ALL), "seed %d: %llu was known before hop %d; rule %s",
                          (int)seed, (unsigned long long)v, h, frontier_name(w->frontier));
                continue;
            }
            for (uint64_t u = 0; u < n; u++) {
                if (!t->c.visits[h][u] || !graph_lists(g, u, v)) continue;
                drawable = true;
                certain |= degree_of(g, u) <= w->fanout[h];
            }
            must += certain;
            HOLDS(!in_next || drawable, "seed %d: %llu appeared in hop %d, but nobody expanded could draw it",
                  (int)seed, (unsigned long long)v, h);
            HOLDS(in_next || !certain, "seed %d: %llu is in a row drawn whole in hop %d and did not appear", (int)seed,
                  (unsigned long long)v, h);
            if (in_next) {
                known[v] = 2;
                found++;
            }
        }
        HOLDS(found <= draws && found >= must, "seed %d: hop %d found %llu in %llu draws", (int)seed, h,
              (unsigned long long)found, (unsigned long long)draws);
        for (uint64_t v = 0; v < n; v++) {
            if (w->frontier == FRONTIER_NEW && known[v] == 1) known[v] = 3; /* rule new: not to be expanded again */
            if (known[v] == 2) known[v] = 1;
        }
    }
    for (uint64_t v = 0; v < n; v++) {
        uint64_t visits = 0, most = 0, least = 0, first = 4 * (uint64_t)g->indptr[v], degree = degree_of(g, v);
        HOLDS(t->c.feature[v] == (known[v] != 0), "seed %d: %llu counts %u times", (int)seed, (unsigned long long)v,
              t->c.feature[v]);
        for (int h = 0; h < w->hops; h++) {
            uint64_t k = degree < w->fanout[h] ? degree : w->fanout[h],
                     all = plain_lines(first, 4 * degree, line_bytes), full = (4 * k + line_bytes - 1) / line_bytes;
            if (!t->c.visits[h][v]) continue;
            visits++;
            least += k == degree ? all : full;
            most += k < all ? k : all;
            if (k == degree) most += all - (k < all ? k : all);
        }
        uint64_t pair = visits * plain_lines(8 * v, 16, line_bytes);
        HOLDS(t->c.lines[v] >= pair + least && t->c.lines[v] <= pair + most,
              "seed %d: %llu costs %u lines, between %llu and %llu are possible", (int)seed, (unsigned long long)v,
              t->c.lines[v], (unsigned long long)(pair + least), (unsigned long long)(pair + most));
        lines += t->c.lines[v];
    }
    EQUAL(t->c.total_lines, lines, "seed %d", (int)seed);
    HOLDS(frontier > 0, "seed %d: nobody is expanded", (int)seed);
    free(known);
}

static void every_mini_batch_obeys(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(90); i++) {
        uint64_t seed = test_seed(i), n;
        struct dice d = {seed * 77 + 1};
        struct graph g;
        n = dice_range(&d, 2, 60);
        graph_shape(&g, (enum shape)dice_below(&d, SHAPES), n, &d, 1, 4);
        if (dice_chance(&d, 0.5)) graph_trains(&g, &d, 0.4);
        struct workload w = {.hops = (int)dice_range(&d, 1, 4),
                             .batch = dice_range(&d, 1, 8),
                             .frontier = dice_chance(&d, 0.5) ? FRONTIER_ALL : FRONTIER_NEW,
                             .seed = seed};
        for (int h = 0; h < w.hops; h++) w.fanout[h] = (uint32_t)dice_range(&d, 1, 6);
        uint64_t line_bytes = 32u << dice_below(&d, 3), epochs = 2;
        struct sampler *s = NULL;
        struct tally_sheet t;
        uint32_t *trained = calloc(n, sizeof *trained);
        OK(sampler_new(&g, &w, line_bytes, 1, &s, &err));
        OK(sampler_gpu(s, (int)dice_below(&d, 256), g.train, g.train_count, epochs, &err));
        sheet_new(&t, n, w.hops);
        EQUAL(sampler_batches(s), (g.train_count + w.batch - 1) / w.batch, "seed %d", (int)seed);
        for (uint64_t task = 0; task < epochs * sampler_batches(s); task++) {
            uint64_t seeds = 0, batch = task % sampler_batches(s), left = g.train_count - batch * w.batch;
            sheet_clear(&t);
            sampler_run(s, task, task + 1, &t.c);
            for (uint64_t v = 0; v < n; v++) {
                seeds += t.c.visits[0][v];
                trained[v] += t.c.visits[0][v];
            }
            EQUAL(seeds, left < w.batch ? left : w.batch, "seed %d, task %d", (int)seed, (int)task);
            judge_batch(&g, &w, line_bytes, &t, seed);
        }
        for (uint64_t v = 0, at = 0; v < n; v++) { /* each training vertex once an epoch, nobody else */
            bool trains = at < g.train_count && g.train[at] == v;
            at += trains;
            EQUAL(trained[v], trains ? epochs : 0, "seed %d, vertex %d", (int)seed, (int)v);
        }
        free(trained);
        sheet_free(&t);
        sampler_free(s);
        graph_drop(&g);
    }
}

/* Rule layers: hop h + 1 expands nobody but neighbours of hop h, and all neighbours where rows are drawn whole, known
 * or not; a feature row counts once per layer, the last of which is what is left. */
static void judge_layers(const struct graph *g, const struct workload *w, const struct tally_sheet *t, uint64_t seed)
{
    for (int h = 0; h < w->hops; h++) {
        uint64_t found = 0, draws = 0;
        for (uint64_t v = 0; v < g->n; v++) {
            uint32_t in = t->c.feature[v];
            bool drawable = false, certain = false;
            uint64_t degree = degree_of(g, v);
            if (t->c.visits[h][v]) draws += degree < w->fanout[h] ? degree : w->fanout[h];
            for (int k = 0; k < w->hops; k++) in -= t->c.visits[k][v];
            if (h + 1 < w->hops) in = t->c.visits[h + 1][v];
            HOLDS(in <= 1, "seed %d: %llu is %u times in layer %d", (int)seed, (unsigned long long)v, in, h + 1);
            for (uint64_t u = 0; u < g->n; u++) {
                if (!t->c.visits[h][u] || !graph_lists(g, u, v)) continue;
                drawable = true;
                certain |= degree_of(g, u) <= w->fanout[h];
            }
            found += in;
            HOLDS(drawable || !in, "seed %d: nobody could draw %llu for layer %d", (int)seed, (unsigned long long)v,
                  h + 1);
            HOLDS(in || !certain, "seed %d: %llu is not in layer %d", (int)seed, (unsigned long long)v, h + 1);
        }
        HOLDS(found <= draws, "seed %d: layer %d has %d of %d draws", (int)seed, h + 1, (int)found, (int)draws);
    }
}

static void layers_obey(void **state)
{
    uint64_t again = 0;
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) {
        uint64_t seed = test_seed(i);
        struct dice d = {seed * 79 + 3};
        struct graph g;
        struct sampler *s = NULL;
        struct tally_sheet t;
        struct workload w = {.hops = 3, .batch = dice_range(&d, 1, 6), .frontier = FRONTIER_LAYERS, .seed = seed};
        graph_shape(&g, (enum shape)dice_below(&d, SHAPES), dice_range(&d, 2, 60), &d, 1, 4);
        for (int h = 0; h < w.hops; h++) w.fanout[h] = (uint32_t)dice_range(&d, 1, 6);
        OK(sampler_new(&g, &w, 64, 1, &s, &err));
        OK(sampler_gpu(s, 1, g.train, g.train_count, 1, &err));
        sheet_new(&t, g.n, w.hops);
        for (uint64_t task = 0; task < sampler_batches(s); task++) {
            const uint32_t *ids;
            uint64_t rows = 0;
            sheet_clear(&t);
            sampler_run(s, task, task + 1, &t.c);
            judge_layers(&g, &w, &t, seed);
            for (uint64_t v = 0; v < g.n; v++) {
                rows += t.c.feature[v];
                again += t.c.feature[v] > 1;
            }
            uint64_t found = sampler_batch(s, 0, task, NULL, &ids);
            EQUAL(found, rows, "seed %d", (int)seed);
            HOLDS(found <= sampler_largest(&g, &w), "seed %d: more than the largest mini-batch", (int)seed);
        }
        sheet_free(&t);
        sampler_free(s);
        graph_drop(&g);
    }
    assert_true(again > 0); /* else the rule was not tried */
}

/* One seed, one hop, no self-loops: the mini-batch shows exactly what was drawn. */
static void draws_and_lines_exactly(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < test_rounds(60); i++) {
        uint64_t seed = test_seed(i), line_bytes = 32u << i % 3, n = 400;
        struct dice d = {seed * 31 + 5};
        struct graph g;
        struct arcs a = {0};
        for (uint32_t v = 0; v < 40; v++) { /* rows of 0 to 200 among vertices that do not train */
            uint64_t degree = dice_chance(&d, 0.1) ? 0 : dice_range(&d, 1, dice_chance(&d, 0.5) ? 20 : 200);
            while (degree--) arcs_add(&a, v, 40 + dice_below(&d, 360));
        }
        graph_of(&g, n, &a, 1, 4, "in");
        g.train_count = 40;
        struct workload w = {.hops = 1,
                             .fanout = {(uint32_t)dice_range(&d, 1, dice_chance(&d, 0.5) ? 12 : 120)},
                             .batch = 1,
                             .seed = seed};
        struct sampler *s = NULL;
        struct tally_sheet t;
        OK(sampler_new(&g, &w, line_bytes, 1, &s, &err));
        OK(sampler_gpu(s, 3, g.train, g.train_count, 1, &err));
        sheet_new(&t, n, 1);
        for (uint64_t task = 0; task < sampler_batches(s); task++) {
            uint64_t v = 0, drawn = 0, lines = 0, last = UINT64_MAX;
            sheet_clear(&t);
            sampler_run(s, task, task + 1, &t.c);
            while (!t.c.visits[0][v]) v++;
            for (int64_t e = g.indptr[v]; e < g.indptr[v + 1]; e++) {
                if (!t.c.feature[g.indices[e]]) continue;
                drawn++;
                if ((uint64_t)e * 4 / line_bytes != last) lines++;
                last = (uint64_t)e * 4 / line_bytes;
            }
            uint64_t degree = degree_of(&g, v), k = degree < w.fanout[0] ? degree : w.fanout[0], in_batch = 0;
            for (uint64_t u = 0; u < n; u++) in_batch += t.c.feature[u];
            EQUAL(drawn, k, "seed %d, vertex %d of degree %d", (int)seed, (int)v, (int)degree);
            EQUAL(in_batch, 1 + k, "seed %d, vertex %d", (int)seed, (int)v);
            EQUAL(t.c.total_lines, plain_lines(8 * v, 16, line_bytes) + lines, "seed %d, vertex %d, lines of %d",
                  (int)seed, (int)v, (int)line_bytes);
        }
        sheet_free(&t);
        sampler_free(s);
        graph_drop(&g);
    }
}

/* A vertex of degree 5 and fan-out 2 as a seed and behind a seed: all ten pairs equally likely at both hops, and the
 * two hops independent. */
static void subsets_through_the_sampler(void **state)
{
    enum { EPOCHS = 30000 };
    struct graph g;
    struct arcs a = {0};
    (void)state;
    arcs_add(&a, 0, 1); /* 0 trains and always finds 1 */
    for (uint32_t u = 2; u < 7; u++) arcs_add(&a, 1, u);
    graph_of(&g, 7, &a, 1, 4, "in");
    g.train_count = 1;
    struct workload w = {.hops = 2, .fanout = {1, 2}, .batch = 4, .seed = 21};
    struct sampler *s = NULL;
    struct tally_sheet t;
    uint64_t seen[128] = {0}, pairs[25] = {0}, cells = 0, before = 0;
    OK(sampler_new(&g, &w, 64, 1, &s, &err));
    OK(sampler_gpu(s, 0, g.train, 1, EPOCHS, &err));
    sheet_new(&t, 7, 2);
    for (uint64_t e = 0; e < EPOCHS; e++) {
        uint64_t bits = 0;
        sheet_clear(&t);
        sampler_run(s, e, e + 1, &t.c);
        for (int u = 2; u < 7; u++) bits |= (uint64_t)t.c.feature[u] << u;
        assert_int_equal(__builtin_popcountll(bits), 2);
        seen[bits]++;
        uint64_t low = (uint64_t)__builtin_ctzll(bits) - 2;
        if (e % 2) pairs[5 * before + low]++; /* of neighbouring epochs */
        before = low;
    }
    for (int b = 0; b < 128; b++)
        if (seen[b]) seen[cells++] = seen[b];
    assert_int_equal(cells, 10);
    HOLDS(chi_square(seen, 10, EPOCHS / 10.0) < chi_limit(9), "chi-square %.1f", chi_square(seen, 10, EPOCHS / 10.0));
    /* The lower of two of five is 0..3 with chances 4, 3, 2, 1 of 10. */
    double chi = 0;
    for (int x = 0; x < 4; x++)
        for (int y = 0; y < 4; y++) {
            double expected = EPOCHS / 2 * (4 - x) / 10.0 * (4 - y) / 10.0;
            chi += ((double)pairs[5 * x + y] - expected) * ((double)pairs[5 * x + y] - expected) / expected;
        }
    HOLDS(chi < chi_limit(15), "epochs depend on each other: chi-square %.1f", chi);
    sheet_free(&t);
    sampler_free(s);
    graph_drop(&g);
}

/* Mean lines of drawing k of a row, against sum over its lines of 1 - C(deg - c, k) / C(deg, k); the ratio of
 * binomials as a product. */
static double estimates_lines(uint64_t first, uint64_t degree, uint64_t k, uint64_t line_bytes)
{
    double sum = 0;
    for (uint64_t from = 0; from < degree;) {
        uint64_t to = from;
        while (to < degree && (first + 4 * to) / line_bytes == (first + 4 * from) / line_bytes) to++;
        double none = 1;
        for (uint64_t i = 0; i < k; i++)
            none *= degree - (to - from) > i ? (double)(degree - (to - from) - i) / (double)(degree - i) : 0;
        sum += 1 - none;
        from = to;
    }
    return sum;
}

static void lines_cost_what_the_closed_form_says(void **state)
{
    enum { EPOCHS = 4000 };
    const struct {
        uint64_t before, degree, fanout, line_bytes;
    } c[] = {{3, 100, 10, 64}, {0, 33, 5, 32}, {7, 1000, 25, 128}, {1, 64, 40, 64}, {5, 3000, 40, 32}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(c); i++) {
        struct graph g;
        struct arcs a = {0};
        struct sampler *s = NULL;
        struct tally_sheet t;
        double sum = 0, squares = 0;
        for (uint64_t u = 0; u < c[i].before; u++) arcs_add(&a, 0, u); /* shifts the row that is judged */
        for (uint64_t u = 0; u < c[i].degree; u++) arcs_add(&a, 1, 2 + u);
        graph_of(&g, 2 + c[i].degree, &a, 1, 4, "in");
        g.train_count = 2;
        struct workload w = {.hops = 1, .fanout = {(uint32_t)c[i].fanout}, .batch = 2, .seed = i};
        OK(sampler_new(&g, &w, c[i].line_bytes, 1, &s, &err));
        OK(sampler_gpu(s, 0, g.train, 2, EPOCHS, &err));
        sheet_new(&t, g.n, 1);
        for (uint64_t e = 0; e < EPOCHS; e++) {
            t.c.lines[1] = 0;
            sampler_run(s, e, e + 1, &t.c);
            double x = (double)t.c.lines[1] - (double)plain_lines(8, 16, c[i].line_bytes);
            sum += x;
            squares += x * x;
        }
        double mean = sum / EPOCHS, deviation = sqrt((squares / EPOCHS - mean * mean) / EPOCHS),
               closed = estimates_lines(4 * c[i].before, c[i].degree, c[i].fanout, c[i].line_bytes);
        HOLDS(fabs(mean - closed) < 4 * deviation + 1e-9, "case %zu: %.4f lines on average, the closed form says %.4f",
              i, mean, closed);
        sheet_free(&t);
        sampler_free(s);
        graph_drop(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_mini_batch_obeys), cmocka_unit_test(layers_obey),
                                       cmocka_unit_test(draws_and_lines_exactly),
                                       cmocka_unit_test(subsets_through_the_sampler),
                                       cmocka_unit_test(lines_cost_what_the_closed_form_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
