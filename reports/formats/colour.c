/* colour.c - Oklab and contrast; see colour.h. */
#include "reports/formats/colour.h"

#include <math.h>
#include <stdbool.h>

/* Oklab: lightness, green to red, blue to yellow. */
struct lab {
    double l, a, b;
};

static double linear_of(unsigned channel)
{
    double v = channel / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* Channels as light, 0..1. */
static void light_of(unsigned colour, double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = linear_of(colour >> (16 - 8 * i) & 255);
}

static struct lab lab_of(unsigned colour)
{
    double c[3];
    light_of(colour, c);
    double l = cbrt(0.4122214708 * c[0] + 0.5363325363 * c[1] + 0.0514459929 * c[2]),
           m = cbrt(0.2119034982 * c[0] + 0.6806995451 * c[1] + 0.1073969566 * c[2]),
           s = cbrt(0.0883024619 * c[0] + 0.2817188376 * c[1] + 0.6299787005 * c[2]);
    return (struct lab){0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
                        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
                        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

/* The colour, and whether the screen has it; channels outside are cut. */
static bool colour_of(struct lab lab, unsigned *out)
{
    double l = pow(lab.l + 0.3963377774 * lab.a + 0.2158037573 * lab.b, 3),
           m = pow(lab.l - 0.1055613458 * lab.a - 0.0638541728 * lab.b, 3),
           s = pow(lab.l - 0.0894841775 * lab.a - 1.2914855480 * lab.b, 3),
           c[3] = {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
                   -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                   -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
    bool inside = true;
    *out = 0;
    for (int i = 0; i < 3; i++) {
        double v = fmin(1, fmax(0, c[i]));
        inside = inside && c[i] > -0.001 && c[i] < 1.001;
        v = v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
        *out = *out << 8 | (unsigned)(255 * v + 0.5);
    }
    return inside;
}

unsigned colour_dark(unsigned colour)
{
    const double lightest = 0.93, darkest = 0.2, bend = 1.8; /* the bend lifts middle colours off the ground */
    struct lab lab = lab_of(colour);
    unsigned dark;
    lab.l = lightest - (lightest - darkest) * pow(fmin(1, lab.l), bend);
    for (int i = 0; i < 20 && !colour_of(lab, &dark); i++) { /* paler until the screen has it */
        lab.a *= 0.9;
        lab.b *= 0.9;
    }
    colour_of(lab, &dark);
    return dark;
}

static double luminance(unsigned colour)
{
    double c[3];
    light_of(colour, c);
    return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
}

double colour_contrast(unsigned a, unsigned b)
{
    double x = luminance(a), y = luminance(b);
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}
