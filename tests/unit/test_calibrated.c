/* Calibrated estimates in a world whose rates are known: Poisson counts, bins of like vertices that still differ
 * inside. */
#include <math.h>
#include "planner/hotness/calibrated.h"
#include "tests/oracle/types_planning.h"

enum { N = 60000, FOLDS = 4 };
static struct err err;
static uint16_t count[FOLDS_MAX][N];
static float prior[N], rate[N], raw[N];
static double truth[N];
static uint8_t train[N];

/* Knuth's product; fine for the small rates here. */
static uint16_t poisson(struct dice *d, double mean)
{
    double limit = exp(-mean), p = 1;
    uint16_t k = 0;
    for (;; k++) {
        p *= ((double)(dice_word(d) >> 11) + 0.5) * 0x1p-53;
        if (p < limit) return k;
    }
}

static struct calibrated_input input(int folds)
{
    struct calibrated_input in =
        {.n = N, .folds = folds, .prior = prior, .train = train, .folds_per_epoch = 1, .threads = 2};
    for (int f = 0; f < folds; f++) in.fold[f] = (struct count_row){count[f], sizeof *count[f]};
    return in;
}

/* Priors fall over four decades; a true rate is its prior times 1/4, 1 or 7/4. One vertex in eleven trains. */
static void make_world(uint64_t seed)
{
    struct dice d = {seed * 31 + 7};
    for (int v = 0; v < N; v++) {
        double level = 8 * exp(-9.0 * v / N);
        prior[v] = (float)level;
        train[v] = v % 11 == 0;
        truth[v] = level * (0.25 + 0.75 * (double)dice_below(&d, 3));
        raw[v] = 0;
        for (int f = 0; f < FOLDS; f++) {
            count[f][v] = poisson(&d, truth[v]);
            raw[v] += (float)count[f][v] / FOLDS;
        }
    }
}

static const float *sort_by;
static int by_rate(const void *a, const void *b)
{
    uint32_t u = *(const uint32_t *)a, v = *(const uint32_t *)b;
    return sort_by[u] > sort_by[v] ? -1 : sort_by[u] < sort_by[v] ? 1 : (u > v) - (u < v);
}

/* How far what `guess` promises for its own hottest `top` vertices is off, in standard deviations of the recorded
 * sum; and for the rest, as a share. */
static void errors_of(const float *guess, int top, double *hot, double *rest)
{
    static uint32_t order[N];
    double promised[2] = {0}, true_sum[2] = {0};
    for (uint32_t v = 0; v < N; v++) order[v] = v;
    sort_by = guess;
    qsort(order, N, sizeof *order, by_rate);
    for (int i = 0; i < N; i++) {
        promised[i >= top] += (double)guess[order[i]];
        true_sum[i >= top] += truth[order[i]];
    }
    *hot += (promised[0] - true_sum[0]) / sqrt(true_sum[0] / FOLDS);
    *rest += promised[1] / true_sum[1] - 1;
}

/* Means over ten worlds. What is promised for the chosen is off by less than three standard deviations of one
 * recording; the rest, which is what a plan leaves, is a little too high: a table of three folds' history knows less
 * than the choice by four. Raw means choose the lucky and believe their luck: far too high for what is chosen, too
 * low for the rest. */
static void sums_over_top_sets_are_unbiased(void **state)
{
    enum { WORLDS = 10 };
    static const int tops[] = {N / 50, N / 10, N / 4, N / 2};
    double hot[COUNT_OF(tops)] = {0}, rest[COUNT_OF(tops)] = {0}, raw_hot[COUNT_OF(tops)] = {0},
           raw_rest[COUNT_OF(tops)] = {0};
    (void)state;
    for (uint64_t w = 0; w < WORLDS; w++) {
        struct calibrated_input in = input(FOLDS);
        make_world(test_seed(w));
        OK(calibrated_rates(&in, rate, &err));
        for (size_t t = 0; t < COUNT_OF(tops); t++) {
            errors_of(rate, tops[t], &hot[t], &rest[t]);
            errors_of(raw, tops[t], &raw_hot[t], &raw_rest[t]);
        }
    }
    for (size_t t = 0; t < COUNT_OF(tops); t++) {
        print_message("# top %d: %+.2f sigma, rest %+.1f %%; raw means %+.2f sigma, rest %+.1f %%\n", tops[t],
                      hot[t] / WORLDS, 100 * rest[t] / WORLDS, raw_hot[t] / WORLDS, 100 * raw_rest[t] / WORLDS);
        HOLDS(fabs(hot[t]) < 3 * WORLDS && fabs(rest[t]) < 0.05 * WORLDS, "top %d", tops[t]);
        HOLDS(raw_hot[t] > 5 * WORLDS && raw_rest[t] < -0.01 * WORLDS, "raw means, top %d", tops[t]);
    }
}

/* Three in ten rows have rates that are exponential with mean 1, the others are never read, and priors say nothing of
 * it. The rest is what four folds did not read. Its rate is 0.3 / 25 per row of all; three folds promise 0.3 / 16 for
 * each of 0.775 that they did not read, which is 0.0184 for the 0.76 that four did not: 53 % too much. The offset one
 * fold shorter is (0.3 / 16) / (0.3 / 9 * 0.775 / 0.8) - 1 = -0.42; times 3/4 it leaves 5 %. */
static void extended_histories_see_the_rest(void **state)
{
    enum { WORLDS = 5 };
    double hot = 0, plain = 0, extended = 0;
    (void)state;
    for (uint64_t w = 0; w < WORLDS; w++) {
        struct dice d = {test_seed(w) * 17 + 3};
        struct calibrated_input in = input(FOLDS);
        make_world(test_seed(w));
        for (int v = 0; v < N; v++) {
            double u = ((double)(dice_word(&d) >> 11) + 0.5) * 0x1p-53;
            truth[v] = u < 0.3 ? -log(u / 0.3) : 0;
            for (int f = 0; f < FOLDS; f++) count[f][v] = poisson(&d, truth[v]);
        }
        OK(calibrated_rates(&in, rate, &err));
        errors_of(rate, N / 4, &hot, &plain);
        in.extend = true;
        OK(calibrated_rates(&in, rate, &err));
        errors_of(rate, N / 4, &hot, &extended);
    }
    print_message("# the rest: %+.1f %%, extended %+.1f %%\n", 100 * plain / WORLDS, 100 * extended / WORLDS);
    HOLDS(plain > 0.3 * WORLDS && fabs(extended) < 0.1 * WORLDS, "%+.3f, %+.3f", plain / WORLDS, extended / WORLDS);
}

/* What pooling moves between bins is put back: the estimates of training vertices, and those of all others, add up to
 * what was counted of them, also where few vertices train and their bins have few events. */
static void everything_adds_up(void **state)
{
    struct calibrated_input in = input(FOLDS);
    (void)state;
    for (int few = 0; few < 2; few++) {
        double promised[2] = {0}, counted[2] = {0};
        make_world(5);
        for (int v = 0; v < N; v++) train[v] = few ? v % 101 == 0 && v > N / 3 : train[v];
        OK(calibrated_rates(&in, rate, &err));
        for (int v = 0; v < N; v++) {
            promised[train[v]] += (double)rate[v];
            counted[train[v]] += (double)raw[v];
        }
        for (int kind = 0; kind < 2; kind++)
            HOLDS(fabs(promised[kind] / counted[kind] - 1) < 1e-5, "kind %d: %.3f promised, %.3f counted", kind,
                  promised[kind], counted[kind]);
    }
}

/* Folds of three epochs each count three times as much: an epoch's rates are a third. */
static void longer_folds(void **state)
{
    static float one[N];
    struct calibrated_input in = input(FOLDS);
    (void)state;
    for (int extend = 0; extend < 2; extend++) {
        make_world(8);
        in.extend = extend;
        in.folds_per_epoch = 1;
        OK(calibrated_rates(&in, one, &err));
        in.folds_per_epoch = 1 / 3.0;
        OK(calibrated_rates(&in, rate, &err));
        for (int v = 0; v < N; v++)
            HOLDS(fabsf(3 * rate[v] - one[v]) <= 1e-5f * one[v], "vertex %d: %g of %g", v, (double)rate[v],
                  (double)one[v]);
    }
}

/* One epoch in four parts, whose counts are Poisson's. Where a bin's vertices are alike, what its counts differ by is
 * noise, and they are drawn to the bin's mean; where rates differ more than counts are noisy, they hardly are. */
static void one_epoch_is_drawn_to_its_bins(void **state)
{
    static float noise[N];
    struct dice d = {test_seed(3) * 13 + 1};
    struct calibrated_input in = input(FOLDS);
    (void)state;
    for (int v = 0; v < N; v++) noise[v] = 1;
    in.noise = noise;
    in.folds_per_epoch = FOLDS;
    for (int alike = 0; alike < 2; alike++) {
        double drawn = 0, counted = 0;
        make_world(9);
        for (int v = 0; v < N; v++) {
            truth[v] = alike ? (double)prior[v] : (double)prior[v] * 10 * (double)dice_below(&d, 3);
            raw[v] = 0;
            for (int f = 0; f < FOLDS; f++) raw[v] += count[f][v] = poisson(&d, truth[v] / FOLDS);
        }
        OK(calibrated_rates(&in, rate, &err));
        for (int v = 0; v < N; v++) {
            drawn += ((double)rate[v] - truth[v]) * ((double)rate[v] - truth[v]);
            counted += ((double)raw[v] - truth[v]) * ((double)raw[v] - truth[v]);
        }
        print_message("# squared errors: %.3g of what counts have\n", drawn / counted);
        HOLDS(alike ? drawn < 0.3 * counted : drawn > 0.5 * counted && drawn < 1.1 * counted, "%d: %g", alike,
              drawn / counted);
    }
}

/* Of a recording of two epochs, each is a fold; only one epoch alone is taken for noisy parts. */
static void two_epochs_are_two_folds(void **state)
{
    const int sizes[] = {1, 0};
    struct dice d = {test_seed(6) * 7 + 1};
    struct graph g;
    static struct server server;
    static struct planning p;
    struct assignment a = {.gpus = 1, .cliques = 1};
    const struct workload w = {.hops = 2, .fanout = {3, 2}, .batch = 8, .seed = 5};
    struct calibrated_input in = input(0);
    (void)state;
    graph_shape(&g, SHAPE_HUBS, 400, &d, 16, 4);
    graph_trains(&g, &d, 0.4);
    server_cliques(&server, sizes, 64);
    OK(assignment_set_train(&a, 0, g.train, g.train_count, g.n, "a test", &err));
    planning_make(&p, &g, &server, &a, &w, 2);
    in.n = g.n;
    in.folds = p.trace.folds;
    in.prior = p.estimates[RATE_VIP][0].rows;
    memset(train, 0, sizeof train);
    for (uint64_t i = 0; i < g.train_count; i++) train[g.train[i]] = 1;
    for (int f = 0; f < in.folds; f++) in.fold[f] = trace_fold(&p.trace, 0, f, 0);
    EQUAL(in.folds, 2, "folds");
    OK(calibrated_rates(&in, rate, &err));
    for (uint64_t v = 0; v < g.n; v++)
        HOLDS(fabsf(p.estimates[RATE_CALIBRATED][0].rows[v] - rate[v]) <= 1e-6f * rate[v], "vertex %d: %g, not %g",
              (int)v, (double)p.estimates[RATE_CALIBRATED][0].rows[v], (double)rate[v]);
    planning_drop(&p);
    assignment_release(&a);
    graph_drop(&g);
}

static void all_zero(void **state)
{
    struct calibrated_input in = input(FOLDS);
    (void)state;
    memset(count, 0, sizeof count);
    for (int v = 0; v < N; v++) prior[v] = v % 2 ? 1.0f : 0.0f;
    OK(calibrated_rates(&in, rate, &err));
    for (int v = 0; v < N; v++) HOLDS(rate[v] >= 0 && rate[v] <= 0, "vertex %d: %g", v, (double)rate[v]);
}

/* One fold has nothing to be judged by. */
static void one_fold_is_refused(void **state)
{
    struct calibrated_input in = input(1);
    (void)state;
    memset(&err, 0, sizeof err);
    assert_int_equal(calibrated_rates(&in, rate, &err), ST_BUG);
    assert_true(*err.text);
}

/* The largest counts that a fold can hold, in eight folds, beside zeros: sums of squares stay exact, and the estimate
 * is the count. */
static void extreme_counts(void **state)
{
    struct calibrated_input in = input(FOLDS_MAX);
    (void)state;
    for (int v = 0; v < N; v++) {
        prior[v] = 1;
        train[v] = v % 2;
        for (int f = 0; f < FOLDS_MAX; f++) count[f][v] = v % 5 ? UINT16_MAX : 0;
    }
    OK(calibrated_rates(&in, rate, &err));
    for (int v = 0; v < N; v++)
        HOLDS(fabs((double)rate[v] - (v % 5 ? UINT16_MAX : 0)) < 20, "vertex %d: %g", v, (double)rate[v]);
}

static void threads_do_not_matter(void **state)
{
    static float again[N];
    struct calibrated_input in = input(FOLDS);
    (void)state;
    make_world(3);
    OK(calibrated_rates(&in, rate, &err));
    for (in.threads = 1; in.threads < 6; in.threads += 4) {
        OK(calibrated_rates(&in, again, &err));
        HOLDS(!memcmp(rate, again, sizeof rate), "%d threads", in.threads);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_over_top_sets_are_unbiased),
                                       cmocka_unit_test(extended_histories_see_the_rest),
                                       cmocka_unit_test(everything_adds_up),
                                       cmocka_unit_test(longer_folds),
                                       cmocka_unit_test(one_epoch_is_drawn_to_its_bins),
                                       cmocka_unit_test(two_epochs_are_two_folds),
                                       cmocka_unit_test(all_zero),
                                       cmocka_unit_test(one_fold_is_refused),
                                       cmocka_unit_test(extreme_counts),
                                       cmocka_unit_test(threads_do_not_matter)};
    return cmocka_run_group_tests_name("calibrated", tests, NULL, NULL);
}
