/* Rounding to the element types of caches: expectations are worked out by hand from the formats' bits. */
#include <math.h>

#include "base/rounded.h"
#include "tests/unit/unit.h"

static float rounded(enum precision p, float x)
{
    float out;
    rounded_row(p, &x, 1, &out);
    return out;
}

static void halves(void **state)
{
    (void)state;
    assert_true(rounded(PRECISION_F16, 1 + 0x1p-11f) == 1.0f);           /* a tie goes to the even mantissa 0 */
    assert_true(rounded(PRECISION_F16, 1 + 0x3p-11f) == 1 + 0x2p-10f);   /* a tie between mantissas 1 and 2 */
    assert_true(rounded(PRECISION_F16, 1 + 0x1.1p-11f) == 1 + 0x1p-10f); /* beyond the tie */
    assert_true(rounded(PRECISION_F16, -0.1f) == -0x1.998p-4f);          /* 0.1 = 1.6 x 2^-4 = 1638.4 / 1024 */
    assert_true(rounded(PRECISION_F16, 65519.0f) == 65504.0f);           /* the largest half */
    assert_true(rounded(PRECISION_F16, 65520.0f) == INFINITY);           /* half way to 2^16 */
    assert_true(rounded(PRECISION_F16, 0x1p-25f) == 0);                  /* half of the least subnormal: to even */
    assert_true(rounded(PRECISION_F16, 0x1.8p-25f) == 0x1p-24f);         /* above half of it */
    assert_true(rounded(PRECISION_F16, 0x1.003p-14f) == 0x1.004p-14f);   /* 1024.75 steps of 2^-24: 1025 */
    assert_true(isnan(rounded(PRECISION_F16, NAN)));
    assert_true(rounded(PRECISION_BF16, 1 + 0x1p-8f) == 1.0f);
    assert_true(rounded(PRECISION_BF16, 1 + 0x3p-8f) == 1 + 0x2p-7f);
    assert_true(rounded(PRECISION_BF16, 0x1.ffp127f) == INFINITY); /* half way to 2^128 */
    assert_true(rounded(PRECISION_BF16, 0x1.fefp127f) == 0x1.fep127f);
    assert_true(rounded(PRECISION_BF16, 0x1p-133f) == 0x1p-133f); /* the least subnormal */
    assert_true(rounded(PRECISION_BF16, 0x1p-134f) == 0);
}

static void eighths(void **state)
{
    (void)state;
    assert_true(rounded(PRECISION_F8, 1.0625f) == 1.0f);    /* between 1 and 1.125: to even */
    assert_true(rounded(PRECISION_F8, 1.1875f) == 1.25f);   /* between 1.125 and 1.25 */
    assert_true(rounded(PRECISION_F8, -300.0f) == -288.0f); /* steps of 32 from 256 on: 1.17 x 256, mantissa 1.375 */
    assert_true(rounded(PRECISION_F8, 464.0f) == 448.0f);   /* the largest value */
    assert_true(rounded(PRECISION_F8, -1e30f) == -448.0f);  /* stays there */
    assert_true(rounded(PRECISION_F8, 0x1p-9f) == 0x1p-9f); /* the least subnormal */
    assert_true(rounded(PRECISION_F8, 0x1p-10f) == 0);
    assert_true(rounded(PRECISION_F8, 0x3p-10f) == 0x1p-8f); /* 1.5 steps: to the even 2 */
}

static void integers(void **state)
{
    (void)state;
    const float x[4] = {-127, 63.5f, 1.5f, 0.4f}, zeros[2] = {0, 0}, tiny[2] = {0x1p-149f, 0};
    float y[4];
    rounded_row(PRECISION_I8, x, 4, y); /* the scale is 1 */
    assert_true(y[0] == -127 && y[1] == 64 && y[2] == 2 && y[3] == 0);
    rounded_row(PRECISION_I8, zeros, 2, y);
    assert_true(y[0] == 0 && y[1] == 0);
    rounded_row(PRECISION_I8, tiny, 2, y); /* 2^-149 / 127 is 0 */
    assert_true(y[0] == 0 && rounded_error(PRECISION_I8, tiny, 2) == 1);
}

static void errors(void **state)
{
    (void)state;
    const float x[2] = {3, 4 + 0x1p-6f}, zeros[3] = {0, 0, 0}, large[2] = {1, 1e6f}, bad[2] = {1, NAN};
    /* In bf16 values from 4 on have steps of 2^-5: 4 + 2^-6 is a tie and goes to 4. */
    double y = 4 + 0x1p-6;
    assert_true(rounded_error(PRECISION_BF16, x, 2) == sqrt(0x1p-12 / (9 + y * y)));
    assert_true(rounded_error(PRECISION_F16, x, 2) == 0);
    assert_true(rounded_error(PRECISION_F8, zeros, 3) == 0);
    assert_true(isinf(rounded_error(PRECISION_F16, large, 2)));
    assert_true(isnan(rounded_error(PRECISION_F8, bad, 2)));
}

static void sizes(void **state)
{
    (void)state;
    assert_int_equal(precision_row_bytes(PRECISION_F16, 100), 200);
    assert_int_equal(precision_row_bytes(PRECISION_BF16, 100), 200);
    assert_int_equal(precision_row_bytes(PRECISION_F8, 100), 100);
    assert_int_equal(precision_row_bytes(PRECISION_I8, 100), 104);
    assert_int_equal(precision_named("bf16"), PRECISION_BF16);
    assert_int_equal(precision_named("f32"), PRECISIONS);
    assert_int_equal(precision_named(""), PRECISIONS);
}

static void half_bits(void **state)
{
    (void)state;
    assert_true(rounded_half(0x3c00) == 1 && rounded_half(0xc000) == -2 && rounded_half(0x0001) == 0x1p-24f);
    assert_true(rounded_half(0x7bff) == 65504 && rounded_half(0xfc00) == -INFINITY && isnan(rounded_half(0x7e00)));
    assert_true(rounded_half(0x0400) == 0x1p-14f && rounded_half(0x03ff) == 0x1.ff8p-15f);
}

/* What a cache stores is read back as what rounding made of it, bit for bit. */
static void stored(void **state)
{
    static const char *const elements[] = {"f64", "f32", "f16", "bf16"};
    enum { DIM = 9 };
    uint32_t word = 1;
    uint8_t bytes[8 * DIM + 4];
    (void)state;
    for (int i = 0; i < 20000; i++) {
        float x[DIM], y[DIM], z[DIM];
        for (int k = 0; k < DIM; k++) {
            word = word * 1664525 + 1013904223;
            float scale = ldexpf(1, (int)(word >> 8) % 60 - 40);
            x[k] = (i % 3 ? scale : 1) * ((float)(word >> 4 & 0xFFFFF) - 524288) / 65536;
        }
        for (int p = PRECISION_F16; p < PRECISIONS; p++) {
            memset(bytes, 0xA5, sizeof bytes);
            rounded_row((enum precision)p, x, DIM, y);
            rounded_store((enum precision)p, x, DIM, bytes);
            rounded_load((enum precision)p, bytes, DIM, z);
            assert_memory_equal(y, z, sizeof y);
            assert_int_equal(bytes[precision_row_bytes((enum precision)p, DIM)], 0xA5);
        }
        for (size_t e = 0; e < sizeof elements / sizeof *elements; e++) {
            enum precision p = precision_named(elements[e]);
            rounded_write(elements[e], x, DIM, bytes);
            rounded_read(elements[e], bytes, DIM, z);
            memcpy(y, x, sizeof y);
            if (p < PRECISIONS) rounded_row(p, x, DIM, y);
            assert_memory_equal(y, z, sizeof y);
        }
    }
    const float one[2] = {-1.5f, 0};
    rounded_store(PRECISION_F8, one, 2, bytes); /* 1.5 x 2^0: exponent 7, mantissa 4 of 8 */
    assert_true(bytes[0] == 0xBC && bytes[1] == 0);
    rounded_store(PRECISION_BF16, one, 1, bytes);
    assert_true(bytes[0] == 0xC0 && bytes[1] == 0xBF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(halves), cmocka_unit_test(eighths), cmocka_unit_test(integers),
                                       cmocka_unit_test(errors), cmocka_unit_test(sizes),   cmocka_unit_test(half_bits),
                                       cmocka_unit_test(stored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
