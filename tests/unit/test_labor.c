/* Layer-neighbour sampling's arithmetic: the normal distribution against the mathematics library's, scales against
 * bisection, variates that are uniform, independent where they must be, and as much alike as kappa says where not. */
#include <math.h>

#include "base/rng.h"
#include "base/rng_x86.h"
#include "tests/unit/unit.h"
#include "traces/sampling/labor.h"
#include "traces/sampling/normal.h"

static struct err err;

/* ---- the normal distribution ---- */

/* Chance beyond |x|. */
static double tail(double x) { return erfc(fabs(x) / sqrt(2)) / 2; }

static void distribution_against_the_library(void **state)
{
    double before = -1;
    (void)state;
    for (int i = -7500; i <= 7500; i++) {
        double x = i * 0.001, chance = (double)normal_chance(x), small = x < 0 ? chance : (double)~normal_chance(x);
        assert_true(fabs(small * 0x1p-64 / tail(x) - 1) < 1e-9 + 0x1p-63 / tail(x));
        assert_true(chance >= before);
        before = chance;
    }
    assert_true(normal_chance(0) >> 32 == 0x7fffffff || normal_chance(0) >> 32 == 0x80000000);
    assert_true(normal_chance(-40) == 0 && normal_chance(40) == UINT64_MAX);
    assert_true(normal_chance(-1e300) == 0 && normal_chance(1e300) == UINT64_MAX);
}

/* x and what lies beyond it: an error dx of x changes the tail by its density times dx. */
static void inverse_against_the_library(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        uint64_t u = rng_hash(1, 2, i) >> i % 45; /* small ones as well */
        if (i & 1) u = ~u;
        double x = normal_quantile(u), small = ((double)(u < ~u ? u : ~u) + 0.5) * 0x1p-64;
        double density = exp(-x * x / 2) / sqrt(2 * 3.14159265358979324);
        assert_true((x < 0) == (u < ~u) || x == 0);
        assert_true(fabs(tail(x) - small) / density < (fabs(x) < 7 ? 2e-7 : 1e-3) * fabs(x) + 1e-15);
        assert_true(normal_quantile(~u) == -x);
    }
    assert_true(normal_quantile(0) > -9.2 && normal_quantile(0) < -9.1);
}

static void there_and_back(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t u = rng_hash(3, 4, i) >> i % 30, back = normal_chance(normal_quantile(u));
        assert_true(fabs((double)back / ((double)u + 0.5) - 1) < 1e-5);
    }
}

static void turns_against_the_library(void **state)
{
    (void)state;
    for (uint32_t whole = 1; whole < 70; whole++)
        for (uint32_t part = 0; part <= whole; part++) {
            double c, s, angle = 1.5707963267948966 * part / whole;
            normal_turn(part, whole, &c, &s);
            assert_true(fabs(c - cos(angle)) < 1e-15 && fabs(s - sin(angle)) < 1e-15);
        }
}

/* The very bits: others would be other draws. The sum was taken on x86-64; a machine or compiler that fuses products
 * and sums has another one. */
static void bits_are_the_same_everywhere(void **state)
{
    uint64_t sum = 0;
    (void)state;
    for (uint64_t i = 0; i < 100000; i++) {
        double x = normal_quantile(rng_hash(5, 6, i) >> i % 40);
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        sum = rng_hash(sum, 7, bits ^ normal_chance(x * 1.25));
    }
    if (sum != 0x1859189570570186u) fail_msg("the sum is %016llx", (unsigned long long)sum);
}

/* ---- scales ---- */

static double left_side(const double *inverse, uint64_t degree, double scale)
{
    double sum = 0;
    for (uint64_t i = 0; i < degree; i++) sum += scale >= inverse[i] ? 1 : inverse[i] / scale;
    return sum;
}

/* Two of three neighbours, one of them with pi = 2: it is certain, and 1 + 2 / (2/3 c) = 9/2 gives c = 6/7. */
static void scale_by_hand(void **state)
{
    static const double inverse[] = {0.5, 1.5, 1.5}, equal[] = {4, 4, 4, 4, 4};
    (void)state;
    assert_true(fabs(labor_scale(inverse, 3, 2) - 6.0 / 7) < 1e-15);
    assert_true(fabs(labor_scale(equal, 5, 2) - 4 * 2.0 / 5) < 1e-15);
}

static void scales_solve_their_equation(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        double inverse[200], spread = (double)(seed % 30);
        uint64_t degree = 2 + rng_hash(seed, 1, 0) % 199;
        uint32_t k = 1 + (uint32_t)(rng_hash(seed, 1, 1) % (degree - 1));
        for (uint64_t i = 0; i < degree; i++) inverse[i] = exp(spread * (rng_unit(seed, 2, i) - 0.5));
        double target = (double)(degree * degree) / k, scale = labor_scale(inverse, degree, k), low = 0, high = 1e9;
        assert_true(fabs(left_side(inverse, degree, scale) / target - 1) < 1e-10);
        for (int i = 0; i < 200; i++) {
            double middle = (low + high) / 2;
            if (left_side(inverse, degree, middle) > target) low = middle;
            else high = middle;
        }
        assert_true(fabs(scale / low - 1) < 1e-9);
    }
}

static void shares_are_rounded_down(void **state)
{
    (void)state;
    assert_true(labor_share(1, 2) == (uint64_t)1 << 63);
    assert_true(labor_share(1, 3) == 0x5555555555555555u);
    assert_true(labor_share(65535, 65536) == 0xffff000000000000u);
    assert_true(labor_takes(1, UINT64_MAX) && labor_takes(1e30, UINT64_MAX) && !labor_takes(0, 0));
    assert_true(labor_takes(0.5, ((uint64_t)1 << 63) - 1) && !labor_takes(0.5, (uint64_t)1 << 63));
}

/* ---- variates ---- */

enum { MANY = 200000 };
static const double pi = 3.14159265358979324;

/* Share of vertices whose variates lie below one half in both. */
static double both_low(struct labor_variates a, struct labor_variates b)
{
    uint64_t low = 0;
    for (uint32_t t = 0; t < MANY; t++) low += labor_variate(&a, t) >> 63 == 0 && labor_variate(&b, t) >> 63 == 0;
    return (double)low / MANY;
}

/* Of two normal variates with this correlation both are negative with chance 1/4 + asin(correlation) / (2 pi). */
static void are_alike(struct labor_variates a, struct labor_variates b, double correlation)
{
    double expected = 0.25 + asin(correlation) / (2 * pi), error = sqrt(expected * (1 - expected) / MANY),
           found = both_low(a, b);
    if (fabs(found - expected) > 5 * error) fail_msg("%.4f of both are low, %.4f were expected", found, expected);
}

/* In mini-batch j of any window variates are uniform: in 256 equal cells, and in the lowest 1/4096. */
static void variates_are_uniform(void **state)
{
    static const uint32_t kappas[] = {1, 2, 5, 64};
    (void)state;
    for (size_t k = 0; k < 4; k++)
        for (uint32_t batch = 0; batch < kappas[k]; batch += 1 + kappas[k] / 5) {
            struct workload w = {.seed = 11, .sampler = SAMPLER_LABOR, .batch_dependency = kappas[k]};
            struct labor_variates v = labor_variates_of(&w, 1, 3 * kappas[k] + batch, 5);
            uint64_t cell[256] = {0}, lowest = 0;
            double square = 0, expected = MANY / 256.0;
            for (uint32_t t = 0; t < MANY; t++) {
                uint64_t r = labor_variate(&v, t);
                cell[r >> 56]++;
                lowest += r >> 52 == 0;
            }
            for (int i = 0; i < 256; i++) square += (cell[i] - expected) * (cell[i] - expected) / expected;
            if (square > 380) fail_msg("kappa %u, mini-batch %u: chi-square %.0f of 255", kappas[k], batch, square);
            assert_true(fabs((double)lowest - MANY / 4096.0) < 5 * sqrt(MANY / 4096.0));
        }
}

/* Mini-batches i and j of one window are turned by pi/2 (j - i) / kappa; the first of the next window is turned by
 * what is left to a right angle; two windows on nothing is left. */
static void kappa_says_how_alike(void **state)
{
    struct workload w = {.seed = 4, .sampler = SAMPLER_LABOR, .batch_dependency = 8};
    struct labor_variates at[24];
    (void)state;
    for (uint32_t b = 0; b < 24; b++) at[b] = labor_variates_of(&w, 0, b, 0);
    are_alike(at[0], at[1], cos(pi / 16));
    are_alike(at[3], at[4], cos(pi / 16));
    are_alike(at[7], at[8], cos(pi / 16));
    are_alike(at[2], at[6], cos(pi / 4));
    are_alike(at[0], at[8], 0);
    are_alike(at[4], at[8], cos(pi / 4));
    are_alike(at[4], at[12], cos(pi / 4) * sin(pi / 4)); /* they share the window between them */
    are_alike(at[4], at[16], 0);
}

/* Other mini-batches (kappa 1), epochs, GPUs, hops and seeds have other variates; other hops only without layer
 * dependency. */
static void what_variates_depend_on(void **state)
{
    struct workload w = {.seed = 4, .sampler = SAMPLER_LABOR}, shared = w, other = w, one = w;
    struct labor_variates v = labor_variates_of(&w, 0, 0, 0);
    (void)state;
    shared.layer_dependency = true;
    other.seed = 5;
    one.batch_dependency = 1;
    are_alike(v, labor_variates_of(&w, 0, 1, 0), 0);
    are_alike(v, labor_variates_of(&w, 0, 0, 1), 0);
    are_alike(v, labor_variates_of(&w, 0, 0, 1 << 24), 0);
    are_alike(v, labor_variates_of(&w, 1, 0, 0), 0);
    are_alike(v, labor_variates_of(&other, 0, 0, 0), 0);
    struct labor_variates first = labor_variates_of(&shared, 0, 0, 0), third = labor_variates_of(&shared, 2, 0, 0),
                          same = labor_variates_of(&one, 0, 0, 0);
    for (uint32_t t = 0; t < 100; t++) {
        assert_true(labor_variate(&first, t) == labor_variate(&third, t));
        assert_true(labor_variate(&v, t) == labor_variate(&same, t));
    }
    /* and neighbours from each other: vertex t in one, t + 1 in the other */
    uint64_t low = 0;
    for (uint32_t t = 0; t < MANY; t++) low += labor_variate(&v, t) >> 63 == 0 && labor_variate(&v, t + 1) >> 63 == 0;
    assert_true(fabs((double)low / MANY - 0.25) < 5 * sqrt(0.1875 / MANY));
}

/* The short way to a comparison is the comparison, for shares of all sizes and for those next to the variate. */
static void below_is_a_comparison(void **state)
{
    (void)state;
    for (uint32_t batch = 0; batch < 9; batch++) {
        struct workload w = {.seed = 12, .sampler = SAMPLER_LABOR, .batch_dependency = 4};
        struct labor_variates v = labor_variates_of(&w, 0, batch, 1);
        for (uint32_t t = 0; t < 30000; t++) {
            uint64_t r = labor_variate(&v, t), wide = rng_hash(1, 2, t) >> t % 60,
                     share[] = {wide, ~wide, r, r + (r < UINT64_MAX), r - (r > 0), r - (r >> 12), r - (r >> 8)};
            for (size_t i = 0; i < sizeof share / sizeof *share; i++)
                assert_true(labor_below(&v, t, share[i], normal_quantile(share[i])) == (r < share[i]));
        }
    }
}

/* Several at once are what one after the other are, with the processor's instructions and without them. */
static void several_are_one_by_one(void **state)
{
    (void)state;
    for (uint32_t batch = 0; batch < 3; batch++) {
        struct workload w = {.seed = 12, .sampler = SAMPLER_LABOR, .batch_dependency = 1 + batch % 2};
        struct labor_variates v = labor_variates_of(&w, 1, batch, 3);
        for (uint32_t first = 0; first < 20000; first += LABOR_SOME) {
            const int count = 1 + (int)(first / LABOR_SOME % LABOR_SOME);
            uint32_t t[LABOR_SOME];
            for (int i = 0; i < count; i++) t[i] = (uint32_t)rng_hash(7, 8, first + (uint32_t)i);
            const uint64_t of_last = labor_variate(&v,
                                                   t[count - 1]), /* and what is a bit more, or only differs below */
                share[] = {rng_hash(5, 6, first) >> first % 4, of_last, of_last + 1, of_last >> 32 << 32};
            for (size_t k = 0; k < sizeof share / sizeof *share; k++)
                for (int together = 0; together <= rng_x86_works(); together++) {
                    uint32_t expected = 0;
                    v.together = together;
                    for (int i = 0; i < count; i++)
                        expected |= (uint32_t)labor_below(&v, t[i], share[k], normal_quantile(share[k])) << i;
                    assert_int_equal(labor_below_some(&v, t, count, share[k], normal_quantile(share[k])), expected);
                }
        }
    }
}

/* ---- words ---- */

static struct workload plain(void)
{
    struct int_list fanout = {2, {25, 10}, NULL};
    struct workload w;
    if (workload_make(NULL, &fanout, NULL, 100, "new", 1, &w, &err) != ST_OK) fail_msg("%s", err.text);
    return w;
}

static void words_of_labor(void **state)
{
    struct workload w = plain(), back;
    struct sampler_args a = {.sampler = "labor"};
    (void)state;
    assert_true(workload_set_sampler(NULL, &w, &a, &err) == ST_OK);
    assert_true(w.labor_iterations == 0 && w.batch_dependency == 1 && !w.layer_dependency && w.fanout[1] == 10);
    a = (struct sampler_args){.sampler = "labor",
                              .labor_iterations = "*",
                              .batch_dependency = 64,
                              .layer_dependency = true};
    assert_true(workload_set_sampler(NULL, &w, &a, &err) == ST_OK);
    assert_true(w.labor_iterations == LABOR_CONVERGE && w.batch_dependency == 64 && w.layer_dependency);
    doc *d = doc_object();
    workload_put(NULL, &w, d);
    assert_true(workload_read(NULL, d, "here", &back, &err) == ST_OK);
    assert_true(back.labor_iterations == LABOR_CONVERGE && back.batch_dependency == 64 && back.layer_dependency);
    static const struct {
        const char *key;
        int64_t wrong;
    } bad[] = {{"labor_iterations", 51},
               {"labor_iterations", -2},
               {"batch_dependency", 0},
               {"batch_dependency", 65536}};
    for (int i = 0; i < 4; i++) {
        doc *e = doc_copy(d);
        doc_put(e, bad[i].key, doc_integer(bad[i].wrong));
        assert_true(workload_read(NULL, e, "here", &back, &err) == ST_INPUT && strstr(err.text, bad[i].key));
        doc_free(e);
    }
    doc_free(d);
    static const char *const numbers[] = {"51", "-2", "one", "1.5", "**", ""};
    for (int i = 0; i < 6; i++) {
        a = (struct sampler_args){.sampler = "labor", .labor_iterations = numbers[i]};
        assert_true(workload_set_sampler(NULL, &w, &a, &err) == ST_USAGE && strstr(err.text, "--labor-iterations"));
    }
}

/* Options of labor belong to labor, and nothing else writes its members. */
static void others_do_not_know_them(void **state)
{
    static const struct {
        struct sampler_args a;
        const char *says;
    } bad[] = {{{.labor_iterations = "0"}, "--labor-iterations"},
               {{.sampler = "walk", .batch_dependency = 2}, "--batch-dependency"},
               {{.sampler = "biased", .layer_dependency = true}, "--layer-dependency"}};
    struct workload w;
    (void)state;
    for (int i = 0; i < 3; i++) {
        w = plain();
        assert_true(workload_set_sampler(NULL, &w, &bad[i].a, &err) == ST_USAGE && strstr(err.text, bad[i].says));
    }
    w = plain();
    doc *d = doc_object();
    workload_put(NULL, &w, d);
    assert_null(doc_get(d, "labor_iterations"));
    assert_null(doc_get(d, "batch_dependency"));
    assert_null(doc_get(d, "layer_dependency"));
    doc_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(distribution_against_the_library),
                                       cmocka_unit_test(inverse_against_the_library),
                                       cmocka_unit_test(there_and_back),
                                       cmocka_unit_test(turns_against_the_library),
                                       cmocka_unit_test(bits_are_the_same_everywhere),
                                       cmocka_unit_test(scale_by_hand),
                                       cmocka_unit_test(scales_solve_their_equation),
                                       cmocka_unit_test(shares_are_rounded_down),
                                       cmocka_unit_test(variates_are_uniform),
                                       cmocka_unit_test(kappa_says_how_alike),
                                       cmocka_unit_test(what_variates_depend_on),
                                       cmocka_unit_test(below_is_a_comparison),
                                       cmocka_unit_test(several_are_one_by_one),
                                       cmocka_unit_test(words_of_labor),
                                       cmocka_unit_test(others_do_not_know_them)};
    return cmocka_run_group_tests_name("labor", tests, NULL, NULL);
}
