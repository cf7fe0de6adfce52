/* Codes of WebGraph, each worked out by hand from its definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "traces/formats/graph_bits.h"

static struct bits bits_of(const char *text, unsigned char bytes[32])
{
    memset(bytes, 0, 32);
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++) bytes[i / 8] |= (unsigned char)((text[i] - '0') << (7 - i % 8));
    return (struct bits){.bytes = bytes, .size = 8 * ((n + 7) / 8)};
}

static void codes(void **state)
{
    (void)state;
    unsigned char raw[32];
    struct bits b = bits_of("0001"
                            "1"
                            "00110"
                            "01110"
                            "100"
                            "1010"
                            "0110"
                            "00011001",
                            raw);
    assert_int_equal(bits_unary(&b), 3);
    assert_int_equal(bits_gamma(&b), 0);
    assert_int_equal(bits_gamma(&b), 5); /* 6 = 110: two zeros, then 110 */
    assert_int_equal(bits_delta(&b), 5); /* 6 has two bits behind its first: gamma(2) = 011, then 10 */
    assert_int_equal(bits_zeta(&b, 3), 0);
    assert_int_equal(bits_zeta(&b, 3), 1);
    assert_int_equal(bits_golomb(&b, 3), 4); /* quotient 1 = 01, rest 1 of 3 = 10 */
    assert_int_equal(bits_nibble(&b), 9);    /* 001 001: a group that goes on, and a last one */
    assert_false(b.bad);
}

static void long_runs(void **state)
{
    (void)state;
    unsigned char raw[32] = {0};
    raw[20] = 1;
    struct bits b = {.bytes = raw, .size = 8 * 21};
    assert_int_equal(bits_unary(&b), 167);
    assert_false(b.bad);
    assert_int_equal(b.at, 168);
    bits_take(&b, 1);
    assert_true(b.bad);
}

static void bad_codes(void **state)
{
    (void)state;
    unsigned char raw[32] = {0};
    for (int code = 0; code < 6; code++) {
        struct bits b = {.bytes = raw, .size = 8 * 32}; /* zeros only: no code ends */
        uint64_t v = code == 0   ? bits_unary(&b)
                     : code == 1 ? bits_gamma(&b)
                     : code == 2 ? bits_delta(&b)
                     : code == 3 ? bits_zeta(&b, 3)
                     : code == 4 ? bits_golomb(&b, 5)
                                 : bits_nibble(&b);
        assert_true(b.bad);
        assert_int_equal(v, 0);
    }
    struct bits empty = {.bytes = raw, .size = 0};
    assert_int_equal(bits_gamma(&empty), 0);
    assert_true(empty.bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(codes), cmocka_unit_test(long_runs),
                                       cmocka_unit_test(bad_codes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
