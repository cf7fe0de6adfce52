/* What a training vertex costs in every part: as it is defined, one entry after the other, and by lanes. */
#include "tests/unit/unit.h"

#include "base/mem.h"
#include "base/rng.h"
#include "planner/partition/reads_costs.h"

enum { ROWS = 300, TRAINS = 20, LONGEST = 16000, COUNTED = 5000, SEED = 3, HELD = 4 };

/* Rows with random counts and levels, lists of random rows, and sums of reads that rise ever more slowly. */
static void make(struct reads *x, int parts, int groups)
{
    struct err e = {0};
    *x = (struct reads){.groups = groups, .held = HELD, .weight = {0, 500, 1100, 2500, 4096}};
    x->c.parts = parts;
    x->c.trains = TRAINS;
    x->stride = (uint64_t)(2 * parts + groups + 3) / 4 * 4;
    x->l.rows = ROWS;
    x->record = mem_array(ROWS * x->stride + READS_RECORD_SLACK, 1, "rows", &e);
    x->c.own = mem_array(TRAINS, 1, "parts", &e);
    x->l.start = mem_array(TRAINS + 1, sizeof *x->l.start, "lists", &e);
    x->l.row = mem_array(TRAINS * LONGEST, sizeof *x->l.row, "lists", &e);
    x->l.times = mem_array(TRAINS * LONGEST, 1, "lists", &e);
    x->gather[0] = mem_array((uint64_t)(COUNTED + READS_SAMPLES + 1) * (READS_SAMPLES + 1), sizeof *x->gather[0],
                             "sums", &e);
    assert_true(x->record && x->c.own && x->l.start && x->l.row && x->l.times && x->gather[0]);
    uint32_t *gather = x->gather[0], *more = gather + COUNTED + READS_SAMPLES + 1;
    for (uint32_t r = 0; r <= COUNTED + READS_SAMPLES; r++) gather[r] = r * 250000 - r * r * 20;
    for (int k = 0; k < READS_SAMPLES; k++) {
        for (int p = 0; p < parts; p++) {
            x->gather[p] = gather;
            x->more[k][p] = more;
        }
        for (int r = 0; r <= COUNTED; r++) more[r] = gather[r + k + 1] - gather[r];
        more += COUNTED + 1;
    }
    for (int p = 0; p < parts; p++) x->group[p] = (uint8_t)(p * groups / parts);
    for (uint64_t v = 0; v < ROWS; v++) {
        uint8_t *record = x->record + v * x->stride;
        for (int p = 0; p < parts; p++)
            ((uint16_t *)record)[p] = (uint16_t)(READS_SAMPLES + rng_hash(SEED, v, (uint64_t)p) % (COUNTED - 4));
        for (int k = 0; k < groups; k++)
            record[2 * parts + k] = (uint8_t)(rng_hash(SEED + 1, v, (uint64_t)k) % (HELD + 1));
    }
    for (uint64_t t = 0; t < TRAINS; t++) {
        uint64_t at = x->l.start[t], count = t ? rng_hash(SEED, 7, t) % LONGEST : 0; /* the first reads nothing */
        x->c.own[t] = (uint8_t)(t % (uint64_t)parts);
        for (uint64_t i = at; i < at + count; i++) {
            x->l.row[i] = (uint32_t)(rng_hash(SEED, 8, i) % ROWS);
            x->l.times[i] = (uint8_t)(1 + rng_hash(SEED, 9, i) % READS_SAMPLES);
        }
        x->l.start[t + 1] = at + count;
    }
}

static void drop(struct reads *x)
{
    mem_free(x->record);
    mem_free(x->c.own);
    mem_free(x->gather[0]);
    mem_free(x->l.start);
    mem_free(x->l.row);
    mem_free(x->l.times);
}

/* What t's samples add to the rows that part p gathers, without t if it is there. */
static void define(const struct reads *x, uint64_t t, int p, int64_t *price, int64_t *work)
{
    *price = *work = 0;
    for (uint64_t i = x->l.start[t]; i < x->l.start[t + 1]; i++) {
        const uint8_t *record = x->record + x->l.row[i] * x->stride;
        const int times = x->l.times[i], before = ((const uint16_t *)record)[p] - (p == x->c.own[t] ? times : 0);
        const int64_t added = (int64_t)x->gather[0][before + times] - x->gather[0][before];
        *work += added;
        *price += added * x->weight[record[2 * x->c.parts + x->group[p]]];
    }
}

static void costs_are_those_defined(void **state)
{
    static const int shape[][2] = {{8, 1}, {8, 2}, {8, 8}, {7, 3}, {4, 4}, {2, 1}, {16, 2}};
    (void)state;
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        struct reads *x = malloc(sizeof *x);
        assert_non_null(x);
        make(x, shape[k][0], shape[k][1]);
        const bool lanes = reads_lanes_work(x);
        assert_false(shape[k][0] > READS_LANES && lanes);
        for (uint64_t t = 0; t < TRAINS; t++) {
            int64_t price[PARTS_MAX], work[PARTS_MAX];
            for (int by = 0; by <= lanes; by++) {
                if (by) reads_costs_lanes(x, t, price, work);
                else reads_costs_each(x, t, price, work);
                for (int p = 0; p < x->c.parts; p++) {
                    int64_t should_price, should_work;
                    define(x, t, p, &should_price, &should_work);
                    assert_int_equal(price[p], should_price);
                    assert_int_equal(work[p], should_work);
                }
            }
        }
        drop(x);
        free(x);
    }
}

/* Parts of unlike shares have sums of their own. */
static void lanes_need_like_parts(void **state)
{
    (void)state;
    struct reads *x = malloc(sizeof *x);
    assert_non_null(x);
    make(x, 4, 2);
    uint32_t other = 0;
    const bool works = reads_lanes_work(x);
    x->gather[3] = &other;
    assert_false(reads_lanes_work(x));
    x->gather[3] = x->gather[0];
    assert_int_equal(reads_lanes_work(x), works);
    x->held = READS_LANES; /* more weights than lanes */
    assert_false(reads_lanes_work(x));
    drop(x);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(costs_are_those_defined),
                                       cmocka_unit_test(lanes_need_like_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
