/* Drives: texts, files, and the time that they take. */
#include "tests/unit/unit.h"
#include <math.h>
#include "hwprofiles/model/drive.h"

static struct err err;

static void texts(void **state)
{
    (void)state;
    struct drives d = {0};
    GOOD(drives_parse("gen4", "--ssd", &d, &err));
    assert_int_equal(d.count, 1);
    assert_int_equal(d.block_bytes, 4096);
    GOOD(drives_parse("4xgen4", "--ssd", &d, &err));
    assert_int_equal(d.count, 4);
    assert_string_equal(d.name, "gen4");
    assert_int_equal(drives_parse("65xgen4", "--ssd", &d, &err), ST_USAGE);
    assert_int_equal(drives_parse("0xgen4", "--ssd", &d, &err), ST_USAGE);
    assert_int_equal(drives_parse("99999999999999999999xgen4", "--ssd", &d, &err), ST_USAGE);
    assert_int_equal(drives_parse("", "--ssd", &d, &err), ST_USAGE);
    assert_int_equal(drives_parse("4x", "--ssd", &d, &err), ST_INPUT);
    const char *const mixed[] = {"2xgen4,2xgen5", "2xgen5+2xgen4", "3xgen5,gen4"};
    for (int i = 0; i < 3; i++) { /* a gen5 reads more blocks per second, so gen4 is what all wait for */
        assert_int_equal(drives_parse(mixed[i], "--ssd", &d, &err), ST_USAGE);
        assert_non_null(strstr(err.text, "write 4xgen4 "));
    }
    assert_int_equal(drives_parse("40xgen4,40xgen5", "--ssd", &d, &err), ST_USAGE);
    assert_int_equal(drives_parse("2xgen4,", "--ssd", &d, &err), ST_USAGE);
    assert_int_equal(drives_parse("2xgen4,nosuch", "--ssd", &d, &err), ST_INPUT);
    assert_int_equal(d.count, 4); /* set on success only */
}

/* 4 drives, 1,000,000 reads and 7 GB/s each: 7e9 / 4096 = 1,708,984 blocks, so reads are the limit. */
static void times(void **state)
{
    (void)state;
    struct drives d = {0};
    GOOD(drives_parse("4xgen4", "--ssd", &d, &err));
    assert_true(fabs(drives_seconds(&d, 8e6) - 2) < 1e-12);
    assert_string_equal(drives_limit(&d), "reads per second");
    d.block_bytes = 1 << 14; /* 7e9 / 16384 = 427,246 blocks per second and drive */
    assert_true(fabs(drives_seconds(&d, 8e6) - 8e6 * 16384 / 28e9) < 1e-12);
    assert_string_equal(drives_limit(&d), "bandwidth");
    d.gbps = 0;
    assert_true(fabs(drives_seconds(&d, 8e6) - 2) < 1e-12);
    d.reads_per_second = 0;
    assert_true(isnan(drives_seconds(&d, 1)));
}

/* 2 drives of 5 GB/s take 4 s for 40 GB. With p = 2 (unoverlapped: the root of 2, less 1) a path of 40 / 3 GB/s, 3 s,
 * makes 5 s of them, one of 10 GB/s 4 s times the root of 2; with 0 the longer stands, with 1 (p = 1) the sum. */
static void arrays(void **state)
{
    struct drives d = {.count = 2, .block_bytes = 4096, .gbps = 5, .array_gbps = 8, .unoverlapped = 0}, same = {0};
    const double blocks = 40e9 / 4096;
    (void)state;
    assert_true(fabs(drives_seconds(&d, blocks) - 5) < 1e-9);
    assert_string_equal(drives_limit(&d), "shared path");
    d.unoverlapped = 1;
    assert_true(fabs(drives_seconds(&d, blocks) - 9) < 1e-9);
    d.unoverlapped = sqrt(2) - 1;
    d.array_gbps = 10;
    assert_true(fabs(drives_seconds(&d, blocks) - 4 * sqrt(2)) < 1e-9);
    d.array_gbps = 40 / 3.0;
    assert_true(fabs(drives_seconds(&d, blocks) - 5) < 1e-9);
    assert_string_equal(drives_limit(&d), "bandwidth");
    assert_true(drives_seconds(&d, 0) == 0);
    d.array_gbps = 20;
    d.unoverlapped = 0.25;
    doc *o = drives_document(&d);
    GOOD(drives_read(o, "a test", &same, &err));
    assert_true(same.array_gbps == 20 && same.unoverlapped == 0.25);
    doc_put(o, "array", doc_real(20));
    assert_int_equal(drives_read(o, "a test", &same, &err), ST_INPUT);
    doc_free(o);
    GOOD(drives_parse("6xgen4-bam", "--ssd", &d, &err)); /* measured: about 20 GB/s */
    assert_true(fabs(40 / drives_seconds(&d, 40e9 / 4096) / 20 - 1) < 0.05);
}

/* What is written is read again, of any number of drives; numbers that no array has are refused. */
static void documents(void **state)
{
    static const struct {
        const char *key;
        int64_t value;
    } wrong[] = {{"drives", 0},         {"drives", 65},   {"bytes", -4},
                 {"block_bytes", 1000}, {"read_gbps", 0}, {"reads_per_second", -1}};
    (void)state;
    for (int count = 1; count <= DRIVES_MAX; count *= 4) {
        struct drives d = {0}, same = {0};
        char text[16];
        snprintf(text, sizeof text, "%dxgen4", count);
        GOOD(drives_parse(text, "--ssd", &d, &err));
        doc *o = drives_document(&d);
        GOOD(drives_read(o, "a test", &same, &err));
        assert_int_equal(same.count, count);
        assert_int_equal(same.bytes, d.bytes);
        assert_int_equal(same.block_bytes, d.block_bytes);
        assert_string_equal(same.name, d.name);
        assert_true(fabs(drives_seconds(&same, 8e6) / drives_seconds(&d, 8e6) - 1) < 1e-12);
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            doc *hurt = doc_copy(o);
            doc_put(hurt, wrong[i].key, doc_integer(wrong[i].value));
            assert_int_equal(drives_read(hurt, "a test", &same, &err), ST_INPUT);
            doc_free(hurt);
        }
        doc_free(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts), cmocka_unit_test(times), cmocka_unit_test(arrays),
                                       cmocka_unit_test(documents)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
