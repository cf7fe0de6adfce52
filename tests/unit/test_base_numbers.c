/* Known answers: SHA-256, Philox, rounding; sizes, integers and reals in words; transactions of a read. */
#include "tests/unit/unit.h"
#include "base/cacheline.h"
#include "base/rng.h"
#include "base/sha256.h"
#include "base/units.h"

static struct err err;

static bool portable; /* without the processor's instructions */

static const char *sha(const void *data, size_t bytes, size_t step)
{
    static char hex[65];
    struct sha256 h;
    unsigned char digest[32];
    sha256_begin(&h);
    if (portable) h.instructions = false;
    for (size_t at = 0; at < bytes; at += step)
        sha256_add(&h, (const char *)data + at, bytes - at < step ? bytes - at : step);
    sha256_end(&h, digest);
    sha256_hex(digest, hex);
    return hex;
}

/* Digests of the letter 'a' so many times, around the ends of blocks and of the room for the length; from the
 * examples of FIPS 180-4 and from an independent implementation. */
static void sha256_known_answers(void **state)
{
    static const struct {
        size_t count;
        const char *hex;
    } runs[] = {
        {0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {1, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"},
        {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {57, "f13b2d724659eb3bf47f2dd6af1accc87b81f09f59f2b75e5c0bed6589dfe8c6"},
        {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
        {118, "879dc4f05b19ebc3b037f4683633df1332b054cf52fa372d323c421cb893a2aa"},
        {119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
        {120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
        {127, "c57e9278af78fa3cab38667bef4ce29d783787a2f731d4e12200270f0c32320a"},
        {128, "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e"},
        {129, "c12cb024a2e5551cca0e08fce8f1c5e314555cc3fef6329ee994a3db752166ae"},
        {1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"},
    };
    static char text[1000];
    (void)state;
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        for (size_t step = 1; step <= 200; step += 33) assert_string_equal(sha(text, runs[i].count, step), runs[i].hex);
    assert_string_equal(sha("abc", 3, 64), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(sha("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, 64),
                        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void sha256_million(void **state)
{
    char *text = malloc(1000000);
    (void)state;
    memset(text, 'a', 1000000);
    assert_string_equal(sha(text, 1000000, 4099), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(text);
}

/* The portable rounds, on machines that use their processor's instructions above. */
static void sha256_without_instructions(void **state)
{
    portable = true;
    sha256_known_answers(state);
    sha256_million(state);
    portable = false;
}

static void philox_is(uint64_t key, const uint32_t c[4], const uint32_t want[4])
{
    struct rng_block b = rng_philox(key, c[0], c[1], c[2], c[3]);
    assert_memory_equal(b.word, want, 16);
}

/* The three vectors that Random123 publishes for philox4x32, 10 rounds. */
static void philox_known_answers(void **state)
{
    (void)state;
    philox_is(0, (uint32_t[]){0, 0, 0, 0}, (uint32_t[]){0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    philox_is(UINT64_MAX, (uint32_t[]){~0u, ~0u, ~0u, ~0u},
              (uint32_t[]){0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    philox_is(0x299f31d0a4093822, (uint32_t[]){0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
              (uint32_t[]){0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

static void unit_numbers(void **state)
{
    double sum = 0;
    (void)state;
    for (uint64_t i = 0; i < 10000; i++) {
        double x = rng_unit(7, 3, i);
        assert_true(x >= 0 && x < 1);
        sum += x;
        assert_true(rng_hash(7, 3, i) != rng_hash(7, 4, i) && rng_hash(7, 3, i) != rng_hash(8, 3, i) &&
                    rng_hash(7, 3, i) != rng_hash(7, 3, i + 1));
    }
    assert_true(sum > 4900 && sum < 5100);                               /* standard deviation 29 */
    assert_true(rng_hash(1, 1, (uint64_t)1 << 32) != rng_hash(1, 1, 0)); /* the upper half of the index counts */
    assert_true(rng_hash((uint64_t)1 << 32, 1, 0) != rng_hash(0, 1, 0));
}

static void rounding(void **state)
{
    (void)state;
    assert_true(units_round_half_up(0, 1) == 0 && units_round_half_up(1, 2) == 1 && units_round_half_up(1, 3) == 0 &&
                units_round_half_up(2, 3) == 1);
    assert_true(units_round_half_up(5, 2) == 3 && units_round_half_up(7, 7) == 1 && units_round_half_up(49, 100) == 0 &&
                units_round_half_up(50, 100) == 1);
    unsigned __int128 huge = (unsigned __int128)1 << 126;
    assert_true(units_round_half_up(huge + huge / 2, huge) == 2); /* twice the rest would overflow */
    assert_true(units_round_half_up(huge + huge / 2 - 1, huge) == 1);
    assert_true(units_round_half_up((unsigned __int128)UINT64_MAX * 3, 3) == UINT64_MAX);
    for (uint64_t n = 0; n < 200; n++)
        for (uint64_t d = 1; d < 40; d++) assert_int_equal(units_round_half_up(n, d), (2 * n + d) / (2 * d));
}

/* Against counting line by line. */
static void transactions(void **state)
{
    (void)state;
    for (uint64_t line_bytes = 4; line_bytes <= 128; line_bytes *= 2)
        for (uint64_t from = 0; from < 200; from++)
            for (uint64_t length = 0; length < 200; length += length < 20 ? 1 : 17) {
                uint64_t lines = 0, last = UINT64_MAX;
                for (uint64_t b = from; b < from + length; b++)
                    if (b / line_bytes != last) {
                        last = b / line_bytes;
                        lines++;
                    }
                assert_int_equal(cachelines_touched(from, length, line_bytes), lines);
            }
    assert_int_equal(cachelines_of_offsets(7, 64), 2);
    assert_int_equal(cachelines_of_offsets(8, 64), 1);
    assert_int_equal(cachelines_of_feature(5, 48, 64), 2);
    assert_int_equal(cachelines_of_feature(1ull << 32, 512, 64), 8);
}

static void sizes(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0},
                {"4096", 4096},
                {"4096B", 4096},
                {"16GiB", 16ull << 30},
                {"16GB", 16000000000},
                {"1.5MiB", 1572864},
                {"1.5 MiB", 1572864},
                {"2kb", 2000},
                {"2kib", 2048},
                {"1TiB", 1ull << 40},
                {"3PB", 3000000000000000},
                {"0.1KiB", 102},
                {"0.5B", 1},
                {"9007199254740993", 9007199254740993},
                {"4611686018427387903", (1ull << 62) - 1}};
    static const char *const bad[] = {"",
                                      " 1",
                                      "-1",
                                      "+1",
                                      "x",
                                      "GiB",
                                      "1 2",
                                      "1Gi",
                                      "16G",
                                      "1e400",
                                      "0x10GiBx",
                                      "inf",
                                      "nan",
                                      "4611686018427387904",
                                      "99999999999999999999",
                                      "5000PiB",
                                      "4PiBs",
                                      "5%",
                                      "1,5GiB",
                                      "0.05",
                                      "64."};
    uint64_t v = 77;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        GOOD(units_size(good[i].text, "--memory", &v, &err));
        if (v != good[i].bytes) fail_msg("%s: %llu", good[i].text, (unsigned long long)v);
    }
    v = 77;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        BAD(ST_USAGE, "--memory", units_size(bad[i], "--memory", &v, &err));
    assert_int_equal(v, 77); /* untouched on failure */
}

/* What people write instead, and the right form that the message must have. */
static void units_that_were_forgotten(void **state)
{
    const struct {
        const char *text, *right;
    } wrong[] = {{"64g", "64GiB"}, {"64G", "64GiB"}, {"1.5t", "1.5TiB"}, {"3Mi", "3MiB"}, {"0.05", "0.05GiB"}};
    uint64_t v;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        BAD(ST_USAGE, wrong[i].right, units_size(wrong[i].text, "--memory", &v, &err));
    BAD(ST_USAGE, "64GiB for a size, or 64B", units_bare("64", 64, "--host-memory", 4096, "one page", false, &err));
    BAD(ST_USAGE, "4096 bytes", units_bare("4095", 4095, "--host-memory", 4096, "one page", false, &err));
    GOOD(units_bare("4096", 4096, "--host-memory", 4096, "one page", false, &err));
    GOOD(units_bare("0", 0, "--host-memory", 4096, "one page", false, &err));
    GOOD(units_bare("64B", 64, "--host-memory", 4096, "one page", false, &err)); /* a unit was given */
}

static void integers_and_reals(void **state)
{
    static const char *const bad[] =
        {"", " 1", "1 ", "1x", "x", "0x10", "1.0", "9223372036854775808", "-9223372036854775809", "--1"};
    int64_t v = 5;
    double d = 5;
    (void)state;
    GOOD(units_integer("-9223372036854775808", "n", INT64_MIN, INT64_MAX, &v, &err));
    assert_true(v == INT64_MIN);
    GOOD(units_integer("10", "n", 10, 10, &v, &err));
    assert_int_equal(v, 10);
    BAD(ST_USAGE, "out of range, expected 1 to 9", units_integer("10", "n", 1, 9, &v, &err));
    BAD(ST_USAGE, "out of range", units_integer("0", "n", 1, 9, &v, &err));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        BAD(ST_USAGE, "n: ", units_integer(bad[i], "n", INT64_MIN, INT64_MAX, &v, &err));
    assert_int_equal(v, 10);
    BAD(ST_USAGE, "n: '1k' is not an integer; write digits alone", units_integer("1k", "n", 1, 9, &v, &err));
    BAD(ST_USAGE, "x: '50x' is not a number; write digits alone, as in 50 or 0.5", units_real("50x", "x", &d, &err));
    BAD(ST_USAGE, "n: 99999999999999999999 is out of range, expected 1 to 9",
        units_integer("99999999999999999999", "n", 1, 9, &v, &err));
    BAD(ST_USAGE, "x: '5 %' is a percentage, but a plain number is expected; write 0.05",
        units_real("5 %", "x", &d, &err));
    GOOD(units_real("2.5e-3", "x", &d, &err));
    assert_true(d == 2.5e-3);
    static const char *const no_reals[] = {"", "x", "1x", "nan", "inf", "-inf", "1e999"};
    for (size_t i = 0; i < sizeof no_reals / sizeof *no_reals; i++)
        BAD(ST_USAGE, "x: ", units_real(no_reals[i], "x", &d, &err));
    assert_true(d == 2.5e-3);
}

static void words(void **state)
{
    char t[UNIT_TEXT];
    (void)state;
    assert_string_equal(units_bytes(t, 0), "0 B");
    assert_string_equal(units_bytes(t, 1023), "1023 B");
    assert_string_equal(units_bytes(t, 1024), "1.00 KiB");
    assert_string_equal(units_bytes(t, 1ull << 40), "1.00 TiB");
    assert_string_equal(units_bytes(t, 1536), "1.50 KiB");
    assert_string_equal(units_bytes(t, 150ull << 30), "150.0 GiB");
    assert_string_equal(units_bytes(t, UINT64_MAX), "16.00 EiB");
    char exact[BYTES_TEXT];
    assert_string_equal(units_bytes_exact(exact, 1), "1 byte");
    assert_string_equal(units_bytes_exact(exact, 10239), "10239 bytes");
    assert_string_equal(units_bytes_exact(exact, 3ull << 30), "3,221,225,472 bytes (3.00 GiB)");
    assert_string_equal(units_bytes_exact(exact, UINT64_MAX), "18,446,744,073,709,551,615 bytes (16.00 EiB)");
    assert_string_equal(units_count(t, 0), "0");
    assert_string_equal(units_count(t, 999), "999");
    assert_string_equal(units_count(t, 1000), "1,000");
    assert_string_equal(units_count(t, 12345678), "12,345,678");
    assert_string_equal(units_count(t, UINT64_MAX), "18,446,744,073,709,551,615");
    assert_string_equal(units_seconds(t, 0.35), "350 ms");
    assert_string_equal(units_seconds(t, 12.34), "12.3 s");
    assert_string_equal(units_seconds(t, 250), "4 min 10 s");
    assert_string_equal(units_seconds(t, 5.3764e-4), "538 us"); /* once "1 ms" */
    assert_string_equal(units_seconds(t, 4.2e-8), "42.0 ns");
    assert_string_equal(units_seconds(t, 9.996e-4), "1.00 ms");
    assert_string_equal(units_seconds(t, 119.4), "119 s");
    assert_string_equal(units_seconds(t, 0), "0 ns");
    assert_string_equal(units_seconds(t, 7199), "119 min 59 s");
    assert_string_equal(units_seconds(t, 92400), "25 h 40 min");
    char other[UNIT_TEXT]; /* two that differ read differently */
    units_seconds_apart(t, 1.407e-4, other, 1.412e-4);
    assert_true(!strcmp(t, "140.7 us") && !strcmp(other, "141.2 us"));
    units_seconds_apart(t, 0.35, other, 0.36);
    assert_true(!strcmp(t, "350 ms") && !strcmp(other, "360 ms"));
    units_seconds_apart(t, 0.35, other, 0.35);
    assert_true(!strcmp(t, "350 ms") && !strcmp(other, "350 ms"));
    assert_string_equal(units_percent(t, 0.97309), "97.31 %");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sha256_known_answers),
                                       cmocka_unit_test(sha256_million),
                                       cmocka_unit_test(sha256_without_instructions),
                                       cmocka_unit_test(philox_known_answers),
                                       cmocka_unit_test(unit_numbers),
                                       cmocka_unit_test(rounding),
                                       cmocka_unit_test(transactions),
                                       cmocka_unit_test(sizes),
                                       cmocka_unit_test(units_that_were_forgotten),
                                       cmocka_unit_test(integers_and_reals),
                                       cmocka_unit_test(words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
