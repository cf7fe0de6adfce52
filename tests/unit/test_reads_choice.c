/* Prices of parts cut for reads: at them, the cheapest parts keep numbers and work in bounds. The cheapest parts are
 * found here one by one, without the code under test. */
#include "tests/unit/unit.h"

#include <math.h>

#include "base/mem.h"
#include "base/rng.h"
#include "planner/partition/reads_choice.h"

enum { SEED = 5 };

struct off {
    double number, work; /* how far the worst part is off, in parts of what it should have */
};

/* Training vertices that all like the first parts best and gather more rows there. */
static struct reads_choice make(uint64_t trains, int parts, int threads)
{
    struct reads_choice x = {.trains = trains, .parts = parts, .threads = threads, .unit = 1000};
    struct err e = {0};
    x.own = mem_array(trains, 1, "parts", &e);
    x.wish = mem_array(trains, 1, "parts", &e);
    x.price = mem_array(trains * 2 * (uint64_t)parts, sizeof *x.price, "costs", &e);
    assert_true(x.own && x.wish && x.price);
    for (int p = 0; p < parts; p++) {
        x.share[p] = 2.0 * (p + 1) / (parts * (parts + 1));
        x.real[p] = 1;
        x.want[p] = (uint64_t)((double)trains * x.share[p]);
        x.least[p] = x.want[p] - x.want[p] / 50;
        x.most[p] = x.want[p] + x.want[p] / 50 + 1;
    }
    for (uint64_t t = 0; t < trains; t++) {
        x.own[t] = (uint8_t)(t % (uint64_t)parts);
        for (int p = 0; p < parts; p++) {
            uint64_t r = rng_hash(SEED, (uint64_t)p, t);
            reads_rows(&x, t)[p] = (float)(100000 + r % 50000);
            reads_cost(&x, t)[p] = (float)(r % 100000 + 20000 * (uint64_t)p);
        }
        x.work[x.own[t]] += (uint64_t)reads_rows(&x, t)[x.own[t]];
    }
    assert_int_equal(reads_choice_sample(&x, SEED, &e), ST_OK);
    assert_int_equal(reads_choose(&x, &e), ST_OK);
    return x;
}

static struct off off_at_prices(const struct reads_choice *x)
{
    double number[PARTS_MAX] = {0}, work[PARTS_MAX] = {0}, all = 0;
    struct off most = {0, 0};
    for (uint64_t t = 0; t < x->trains; t++) {
        int best = 0;
        double least = INFINITY;
        for (int p = 0; p < x->parts; p++) {
            double cost = reads_cost(x, t)[p] + x->price_count[p] + x->price_work[p] * reads_rows(x, t)[p];
            if (cost < least) {
                least = cost;
                best = p;
            }
        }
        number[best]++;
        work[best] += reads_rows(x, t)[best];
    }
    for (int p = 0; p < x->parts; p++) all += (double)x->work[p];
    for (int p = 0; p < x->parts; p++) {
        most.number = fmax(most.number, fabs(number[p] / ((double)x->trains * x->share[p]) - 1));
        most.work = fmax(most.work, work[p] / (all * x->share[p]) - 1);
    }
    return most;
}

static void prices_keep_numbers_and_work_in_bounds(void **state)
{
    (void)state;
    for (int parts = 2; parts <= 9; parts += 7) {
        struct reads_choice x = make(20011, parts, 1); /* all are in the sample; the last 43 are no full stretch */
        struct off off = off_at_prices(&x);
        assert_int_equal(x.sample, x.trains);
        assert_true(off.number <= 0.0101 && off.work <= 0.0151);
        reads_choice_release(&x);
    }
}

static void a_sample_is_enough(void **state)
{
    (void)state;
    struct reads_choice x = make(200003, 2, 2);
    struct off off = off_at_prices(&x);
    assert_true(x.sample < x.trains / 4);
    assert_true(off.number <= 0.03 && off.work <= 0.03);
    reads_choice_release(&x);
}

static void numbers_end_within_their_limits(void **state)
{
    (void)state;
    struct reads_choice x = make(20011, 5, 2);
    uint64_t count[PARTS_MAX] = {0};
    for (uint64_t t = 0; t < x.trains; t++) count[x.wish[t]]++;
    for (int p = 0; p < x.parts; p++) assert_in_range(count[p], x.least[p], x.most[p]);
    reads_choice_release(&x);
}

static void threads_make_no_difference(void **state)
{
    (void)state;
    struct reads_choice one = make(30000, 7, 1), three = make(30000, 7, 3);
    assert_memory_equal(one.wish, three.wish, one.trains);
    assert_memory_equal(one.price_count, three.price_count, sizeof one.price_count);
    reads_choice_release(&one);
    reads_choice_release(&three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_keep_numbers_and_work_in_bounds),
        cmocka_unit_test(a_sample_is_enough),
        cmocka_unit_test(numbers_end_within_their_limits),
        cmocka_unit_test(threads_make_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
