#include "base/rounded.h"

#include <math.h>
#include <stdbool.h>

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
    double q = scale > 0 ? nearbyint((double)x / (double)scale) : 0;
    q = q > 127 ? 127 : q < -127 ? -127 : q; /* a subnormal scale is itself rounded */
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

float rounded_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent == 31 ? (mantissa ? (double)NAN : HUGE_VAL)
                   : exponent     ? ldexp(1024 + mantissa, exponent - 25)
                                  : ldexp(mantissa, -24);
    return (float)(bits >> 15 ? -value : value);
}
