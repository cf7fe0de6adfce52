#include "base/rounded.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Binary floating-point formats: mantissa bits, the exponent of the least normal value, the largest value. */
struct format {
    int mantissa, least;
    double most;
    bool saturates; /* beyond the largest value; else infinite */
};
static const struct format formats[PRECISIONS] = {[PRECISION_F16] = {10, -14, 65504, false},
                                                  [PRECISION_BF16] = {7, -126, 0x1.fep127, false},
                                                  [PRECISION_F8] = {3, -6, 448, true}};

/* Double holds every step exactly. */
static float round_float(const struct format *f, float x)
{
    int exponent;
    if (!isfinite(x) || x == 0) return x;
    (void)frexp((double)x, &exponent); /* |x| in [2^(exponent - 1), 2^exponent) */
    int step = (exponent - 1 < f->least ? f->least : exponent - 1) - f->mantissa;
    double y = ldexp(nearbyint(ldexp((double)x, -step)), step);
    if (fabs(y) > f->most) y = copysign(f->saturates ? f->most : HUGE_VAL, y);
    return (float)y;
}

static float largest(const float *x, uint64_t dim)
{
    float most = 0;
    for (uint64_t i = 0; i < dim; i++) most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    return most;
}

/* scale: of the row, for i8. */
static float round_one(enum precision p, float x, float scale)
{
    if (p != PRECISION_I8) return round_float(&formats[p], x);
    double q = scale > 0 ? nearbyint((double)x / (double)scale) + 0.0 : 0; /* there is no -0 */
    q = q > 127 ? 127 : q < -127 ? -127 : q;                               /* a subnormal scale is itself rounded */
    return (float)(q * (double)scale);
}

void rounded_row(enum precision p, const float *x, uint64_t dim, float *out)
{
    float scale = largest(x, dim) / 127;
    for (uint64_t i = 0; i < dim; i++) out[i] = round_one(p, x[i], scale);
}

double rounded_error(enum precision p, const float *x, uint64_t dim)
{
    float scale = largest(x, dim) / 127;
    double lost = 0, all = 0;
    for (uint64_t i = 0; i < dim; i++) {
        if (!isfinite(x[i])) return (double)NAN;
        double d = (double)x[i] - (double)round_one(p, x[i], scale);
        lost += d * d;
        all += (double)x[i] * (double)x[i];
    }
    return all > 0 ? sqrt(lost / all) : 0;
}

/* ---- as bits ---- */

/* Values are exact: rounded before. f8 has no infinity; all its bits but the sign's are NaN. */
static uint32_t pack(const struct format *f, int bits, float y)
{
    uint32_t sign = signbit(y) ? (uint32_t)1 << (bits - 1) : 0, all = ((uint32_t)1 << (bits - 1)) - 1;
    uint32_t infinite = all >> f->mantissa << f->mantissa;
    int exponent;
    if (y == 0) return sign;
    if (!isfinite(y)) return sign | (f->saturates ? all : isnan(y) ? infinite + 1 : infinite);
    (void)frexp((double)y, &exponent);
    if (--exponent < f->least) return sign | (uint32_t)ldexp(fabs((double)y), f->mantissa - f->least);
    return sign | (((uint32_t)(exponent - f->least) << f->mantissa) +
                   (uint32_t)ldexp(fabs((double)y), f->mantissa - exponent));
}

static float unpack(const struct format *f, int bits, uint32_t x)
{
    uint32_t all = ((uint32_t)1 << (bits - 1)) - 1, magnitude = x & all, one = (uint32_t)1 << f->mantissa,
             infinite = all >> f->mantissa << f->mantissa;
    double value = f->saturates ? (double)NAN : magnitude == infinite ? HUGE_VAL : (double)NAN;
    if (magnitude < (f->saturates ? all : infinite)) {
        uint32_t field = magnitude >> f->mantissa, fraction = magnitude & (one - 1);
        value = ldexp(field ? one + fraction : fraction, f->least - f->mantissa + (field ? (int)field - 1 : 0));
    }
    return (float)(x >> (bits - 1) ? -value : value);
}

void rounded_store(enum precision p, const float *x, uint64_t dim, void *to)
{
    float scale = largest(x, dim) / 127;
    uint8_t *bytes = to;
    for (uint64_t i = 0; i < dim; i++) {
        float y = round_one(p, x[i], scale);
        if (p == PRECISION_I8) bytes[i] = (uint8_t)(int8_t)(scale > 0 ? nearbyint((double)y / (double)scale) : 0);
        else if (p == PRECISION_F8) bytes[i] = (uint8_t)pack(&formats[p], 8, y);
        else {
            uint16_t half = (uint16_t)pack(&formats[p], 16, y);
            memcpy(bytes + 2 * i, &half, sizeof half);
        }
    }
    if (p == PRECISION_I8) memcpy(bytes + dim, &scale, sizeof scale);
}

void rounded_load(enum precision p, const void *from, uint64_t dim, float *out)
{
    const uint8_t *bytes = from;
    float scale = 0;
    if (p == PRECISION_I8) memcpy(&scale, bytes + dim, sizeof scale);
    for (uint64_t i = 0; i < dim; i++) {
        uint16_t half;
        if (p == PRECISION_I8) out[i] = (float)((double)(int8_t)bytes[i] * (double)scale);
        else if (p == PRECISION_F8) out[i] = unpack(&formats[p], 8, bytes[i]);
        else {
            memcpy(&half, bytes + 2 * i, sizeof half);
            out[i] = unpack(&formats[p], 16, half);
        }
    }
}

float rounded_half(uint16_t bits) { return unpack(&formats[PRECISION_F16], 16, bits); }

/* ---- rows of the host ---- */

void rounded_read(const char *element, const void *row, uint64_t dim, float *out)
{
    enum precision p = precision_named(element);
    if (p < PRECISIONS) rounded_load(p, row, dim, out);
    else if (!strcmp(element, "f32")) memcpy(out, row, dim * sizeof *out);
    for (uint64_t i = 0; i < dim && !strcmp(element, "f64"); i++) {
        double x;
        memcpy(&x, (const uint8_t *)row + 8 * i, sizeof x);
        out[i] = (float)x;
    }
}

void rounded_write(const char *element, const float *x, uint64_t dim, void *row)
{
    enum precision p = precision_named(element);
    if (p < PRECISIONS) rounded_store(p, x, dim, row);
    else if (!strcmp(element, "f32")) memcpy(row, x, dim * sizeof *x);
    for (uint64_t i = 0; i < dim && !strcmp(element, "f64"); i++) {
        double y = (double)x[i];
        memcpy((uint8_t *)row + 8 * i, &y, sizeof y);
    }
}
