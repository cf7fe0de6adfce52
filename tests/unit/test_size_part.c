/* Rows of curves in the parts of a Slurm array: every bit comes back, answers are made again, and rows that no curve
 * can have are refused. */
#include "tests/unit/unit.h"

#include <float.h>
#include <math.h>

#include "planner/decisions/size_part.h"

static struct err err;

/* Reads a text as a row into *c. */
static enum st read_text(const char *text, const struct size_question *q, struct size_curve *c)
{
    doc *row = NULL;
    enum st st = doc_parse(text, strlen(text), "the test", &row, &err);
    if (st == ST_OK) st = size_part_curve(q, row, "P: curve 4", c, &err);
    doc_free(row);
    return st;
}

/* The row as a file holds it: written and parsed again. The caller frees it. */
static doc *through_text(const struct size_curve *c)
{
    char *text;
    size_t bytes;
    doc *row = size_part_row(c), *back = NULL;
    GOOD(doc_dump(row, &text, &bytes, &err));
    GOOD(doc_parse(text, bytes, "the test", &back, &err));
    free(text);
    doc_free(row);
    return back;
}

/* Three points whose hit rates are 1/3, 2/3 and 1; the other values are hard to write. */
static struct size_curve sample(void)
{
    static const double hard[] = {0.1, 1.0 / 3, DBL_MAX, DBL_TRUE_MIN, -0.0, 9007199254740993.0, 1 + DBL_EPSILON};
    struct size_curve c = {.step = 77, .count = 3, .answer = -1, .unknowns = 2};
    int n = 0;
    snprintf(c.unknown[0], sizeof c.unknown[0], "nic_gbps");
    snprintf(c.unknown[1], sizeof c.unknown[1], "gpu \"x\"");
    for (int i = 0; i < c.count; i++) {
        struct size_point *p = &c.point[i];
        p->budget = ((uint64_t)1 << 60) + (uint64_t)i;
        for (int k = 0; k < SIZE_METRICS; k++) p->value[k] = hard[n++ % 7];
        for (int k = 0; k < EPOCH_STAGES; k++) p->stage[k] = k == i ? NAN : hard[n++ % 7];
        p->value[SIZE_FEATURE_HIT] = (i + 1) / 3.0;
        p->inner = i == 1;
        snprintf(p->bottleneck, sizeof p->bottleneck, "%s", i ? "transfer" : "");
        snprintf(p->limited_by, sizeof p->limited_by, "switch %d", i);
    }
    c.point[2].value[SIZE_SECONDS] = NAN;
    c.ssd = c.point[1];
    c.ssd.storage = 1.0 / 3;
    c.ssd.ssd_reads = 9007199254740993.0;
    snprintf(c.ssd_lacks, sizeof c.ssd_lacks, "a rate");
    return c;
}

static void assert_bits(const double *got, const double *want, int count)
{
    for (int i = 0; i < count; i++) {
        if (isnan(got[i]) && isnan(want[i])) continue;
        if (memcmp(&got[i], &want[i], sizeof *got)) fail_msg("%d: %a instead of %a", i, got[i], want[i]);
    }
}

static void every_bit_comes_back(void **state)
{
    (void)state;
    struct size_question q = {.targets = 0};
    struct size_curve c = sample(), got = {.answer = -1};
    doc *row = through_text(&c);
    GOOD(size_part_curve(&q, row, "P", &got, &err));
    doc_free(row);
    assert_int_equal(got.step, 77);
    assert_int_equal(got.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_true(got.point[i].budget == c.point[i].budget);
        assert_bits(got.point[i].value, c.point[i].value, SIZE_METRICS);
        assert_bits(got.point[i].stage, c.point[i].stage, EPOCH_STAGES);
        assert_string_equal(got.point[i].bottleneck, c.point[i].bottleneck);
        assert_string_equal(got.point[i].limited_by, c.point[i].limited_by);
        assert_int_equal(got.point[i].inner, i == 1);
    }
    assert_bits(got.ssd.value, c.ssd.value, SIZE_METRICS);
    assert_bits((double[]){got.ssd.storage, got.ssd.ssd_reads}, (double[]){c.ssd.storage, c.ssd.ssd_reads}, 2);
    assert_true(got.ssd.budget == c.ssd.budget);
    assert_string_equal(got.ssd_lacks, c.ssd_lacks);
    assert_int_equal(got.unknowns, 2);
    assert_string_equal(got.unknown[0], "nic_gbps");
    assert_string_equal(got.unknown[1], "gpu \"x\"");
}

/* Hit rates 1/3, 2/3, 1: the second is the first that is at least one half. Times unknown at the last point. */
static void answers_are_made_again(void **state)
{
    (void)state;
    struct size_question q = {.targets = 1, .target = {{.metric = SIZE_FEATURE_HIT, .value = 0.5}}};
    struct size_curve c = sample(), got = {.answer = -1};
    c.point[0].value[SIZE_SECONDS] = 3;
    c.point[1].value[SIZE_SECONDS] = 4;
    doc *row = through_text(&c);
    GOOD(size_part_curve(&q, row, "P", &got, &err));
    assert_int_equal(got.answer, 1);
    assert_true(got.simulated && !got.unsure);
    assert_true(!got.point[0].meets && got.point[1].meets && got.point[2].meets);
    for (int i = 0; i < 3; i++) assert_true(got.point[i].best_seconds == 3);
    q.target[0] = (struct size_target){.metric = SIZE_SECONDS, .value = 2};
    GOOD(size_part_curve(&q, row, "P", &got, &err));
    doc_free(row);
    assert_int_equal(got.answer, -1);
    assert_true(got.unsure && got.point[2].unsure && !got.point[1].unsure);
}

#define VALUES "\"values\": [null, null, null, null, null, null, null], \"stages\": [null, null, null, null]"
#define WORDS "\"more\": [null, null, null, null], \"bottleneck\": \"\", \"limited_by\": \"\""
#define POINT(budget, values) "{\"budget_bytes\": " #budget ", " values ", " WORDS ", \"inner\": false}"
#define SSD "\"ssd\": " POINT(0, VALUES) ", \"ssd_lacks\": \"\""
#define ROW(points) "{\"step_bytes\": 1, \"points\": [" points "], " SSD ", \"unknown\": []}"

static void wrong_rows_are_refused(void **state)
{
    (void)state;
    struct size_question q = {.targets = 0};
    struct size_curve c = {.answer = -1}, small = {.answer = -1, .missing = 5};
    assert_int_equal(SIZE_METRICS, 7);
    assert_int_equal(EPOCH_STAGES, 4);
    GOOD(read_text(ROW(POINT(0, VALUES) ", " POINT(1, VALUES)), &q, &c));
    assert_int_equal(c.count, 2);
    GOOD(read_text(ROW(""), &q, &small));
    assert_int_equal(small.count, 0);
    assert_true(!small.simulated);
    BAD(ST_INPUT, "P: curve 4: 1 points", read_text(ROW(POINT(0, VALUES)), &q, &small));
    BAD(ST_INPUT, "P: curve 4: 0 points", read_text(ROW(""), &q, &c));
    BAD(ST_INPUT, "do not ascend", read_text(ROW(POINT(1, VALUES) ", " POINT(1, VALUES)), &q, &c));
    BAD(ST_INPUT, "budget_bytes", read_text(ROW(POINT(-1, VALUES)), &q, &c));
    BAD(ST_INPUT, "1 values, expected 7", read_text(ROW(POINT(0, "\"values\": [null], \"stages\": []")), &q, &c));
    BAD(ST_INPUT, "'0x1p0x' is no number",
        read_text(ROW(POINT(0, "\"values\": [\"0x1p0x\", null, null, null, null, null, null], \"stages\": []")), &q,
                  &c));
    BAD(ST_INPUT, "'' is no number",
        read_text(ROW(POINT(0, "\"values\": [7, null, null, null, null, null, null], \"stages\": []")), &q, &c));
    BAD(ST_INPUT, "bottleneck 'a bottleneck that is long' is too long",
        read_text(ROW("{\"budget_bytes\": 0, " VALUES ", \"more\": [null, null, null, null], \"bottleneck\": \"a "
                      "bottleneck that "
                      "is long\", "
                      "\"limited_by\": \"\"}"),
                  &q, &c));
    BAD(ST_INPUT, "points", read_text("{}", &q, &c));
    BAD(ST_NO, "policy x on y: no room", read_text("{\"refused\": \"policy x on y: no room\"}", &q, &c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_bit_comes_back), cmocka_unit_test(answers_are_made_again),
                                       cmocka_unit_test(wrong_rows_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
