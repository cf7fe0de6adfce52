#include "traces/sampling/normal.h"

#include <float.h>
#include <math.h>

#include "base/rng.h"
#include "traces/sampling/draw.h"

_Static_assert(FLT_EVAL_METHOD == 0, "doubles must be computed as doubles, or draws differ between machines");

/* Coefficients from the highest power down. */
static double polynomial(const double *coefficient, int count, double x)
{
    double sum = coefficient[0];
    for (int i = 1; i < count; i++) sum = sum * x + coefficient[i];
    return sum;
}

/* ---- the inverse ---- */

double normal_quantile(uint64_t u)
{
    static const double a[] = {59.109374720, 159.29113202, 50.434271938, 3.3871327179},
                        b[] = {67.187563600, 78.757757664, 17.895169469, 1},
                        c[] = {0.17023821103, 1.3067284816, 2.7568153900, 1.4234372777},
                        d[] = {0.12021132975, 0.73700164250, 1},
                        e[] = {0.017337203997, 0.42868294337, 3.0812263860, 6.6579051150},
                        f[] = {0.012258202635, 0.24197894225, 1};
    uint64_t tail = u < ~u ? u : ~u; /* (tail + 1/2) / 2^64 is the chance beyond |x| */
    double q = 0.5 - ((double)tail + 0.5) * 0x1p-64, x;
    if (q <= 0.425) {
        double r = 0.180625 - q * q;
        x = q * polynomial(a, 4, r) / polynomial(b, 4, r);
    } else {
        double r = sqrt((double)draw_exponential(tail) * 0x1p-58);
        x = r <= 5 ? polynomial(c, 4, r - 1.6) / polynomial(d, 3, r - 1.6)
                   : polynomial(e, 4, r - 5) / polynomial(f, 3, r - 5);
    }
    return u < ~u ? -x : x;
}

/* ---- the distribution ---- */

/* e^-y, 0 <= y < 700. */
static double decay(double y)
{
    enum { TERMS = 14 };
    static const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33; /* the first product is exact */
    int halvings = (int)(y * 1.4426950408889634 + 0.5);
    double rest = (y - halvings * ln2_high) - halvings * ln2_low, sum = 1; /* |rest| <= ln 2 / 2 */
    for (int k = TERMS; k > 0; k--) sum = 1 - sum * rest / k;
    return ldexp(sum, -halvings);
}

uint64_t normal_chance(double x)
{
    static const double above[] = {0.0352624965998911, 0.700383064443688, 6.37396220353165, 33.912866078383,
                                   112.079291497871,   221.213596169931,  220.206867912376},
                        below[] = {0.0883883476483184, 1.75566716318264, 16.064177579207,  86.7807322029461,
                                   296.564248779674,   637.333633378831, 793.826512519948, 440.413735824752};
    double size = x < 0 ? -x : x, tail;
    if (size > 36) tail = 0;
    else if (size < 7.07106781186547)
        tail = decay(size * size / 2) * (polynomial(above, 7, size) / polynomial(below, 8, size));
    else {
        double fraction = size + 0.65;
        for (int k = 4; k > 0; k--) fraction = size + k / fraction;
        tail = decay(size * size / 2) / fraction / 2.506628274631;
    }
    uint64_t chance = (uint64_t)(tail * 0x1p64);
    return x < 0 ? chance : UINT64_MAX - chance;
}

/* ---- angles ---- */

/* Sine of an angle up to pi / 4, by its series. */
static double small_sine(double x)
{
    double square = x * x, sum = 1;
    for (int k = 16; k > 0; k -= 2) sum = 1 - sum * square / (k * (k + 1));
    return x * sum;
}

static double small_cosine(double x)
{
    double square = x * x, sum = 1;
    for (int k = 16; k > 0; k -= 2) sum = 1 - sum * square / (k * (k - 1));
    return sum;
}

void normal_turn(uint32_t part, uint32_t whole, double *cosine, double *sine)
{
    const double quarter = 1.5707963267948966;
    uint32_t other = whole - part;
    if (part <= other) {
        *cosine = small_cosine(quarter * part / whole);
        *sine = small_sine(quarter * part / whole);
    } else {
        *cosine = small_sine(quarter * other / whole);
        *sine = small_cosine(quarter * other / whole);
    }
}
