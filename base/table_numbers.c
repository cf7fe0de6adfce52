#include "base/table_numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct unit {
    const char *name;
    double factor;
};
enum { UNITS_MOST = 8 };
static const struct unit units[][UNITS_MOST] =
    {[MEASURE_BYTES] =
         {{" B", 1}, {" KiB", 0x1p10}, {" MiB", 0x1p20}, {" GiB", 0x1p30}, {" TiB", 0x1p40}, {" PiB", 0x1p50}},
     [MEASURE_SECONDS] = {{" ns", 1e-9}, {" us", 1e-6}, {" ms", 1e-3}, {" s", 1}},
     [MEASURE_RATE] = {{"/s", 1}, {" k/s", 1e3}, {" M/s", 1e6}, {" G/s", 1e9}},
     [MEASURE_REAL] = {{"", 1}}};

/* The largest unit of which there is at least one. */
static int unit_of(enum measure measure, double value)
{
    int unit = 0;
    for (int i = 1; i < UNITS_MOST && units[measure][i].name; i++)
        if (value >= units[measure][i].factor) unit = i;
    return unit;
}

/* The unit of a column: that of the largest number, or a smaller one in which the least still shows. */
static int unit_of_all(enum measure measure, double least, double most)
{
    enum { PLAIN_BYTES = 10240 };
    int unit = measure == MEASURE_BYTES && most < PLAIN_BYTES ? 0 : unit_of(measure, most);
    while (unit > 0 && least < 0.01 * units[measure][unit].factor) unit--;
    return unit;
}

/* Decimals that show three digits of a number, at most DECIMALS_MOST; bytes have two, and none when they are single
 * bytes. */
static int decimals_of(enum measure measure, int unit, double number)
{
    if (measure == MEASURE_BYTES) return unit == 0 ? 0 : number < 100 ? 2 : 1;
    enum { DECIMALS_MOST = 9 };
    if (number >= 0.1 || measure != MEASURE_REAL) return number >= 100 ? 0 : number >= 10 ? 1 : number >= 1 ? 2 : 3;
    return number > 1e-7 ? 2 - (int)floor(log10(number)) : DECIMALS_MOST;
}

/* Decimals without which a column of plain numbers says the same. */
static int without_zeros(int decimals, const double *value, size_t count)
{
    for (; decimals > 0; decimals--) {
        double scale = pow(10, decimals - 1);
        for (size_t i = 0; i < count; i++)
            if (isfinite(value[i]) && fabs(round(value[i] * scale) / scale - value[i]) > 0.05 / scale) return decimals;
    }
    return 0;
}

struct number_style numbers_style(enum measure measure, const double *value, size_t count)
{
    double least = INFINITY, most = 0;
    struct number_style s = {measure, 0, 0};
    for (size_t i = 0; i < count; i++) {
        double v = fabs(value[i]);
        if (!isfinite(v) || v == 0) continue;
        if (v < least) least = v;
        if (v > most) most = v;
    }
    if (most == 0) return s;
    s.unit = unit_of_all(measure, least, most);
    s.decimals = decimals_of(measure, s.unit, least / units[measure][s.unit].factor);
    if (measure == MEASURE_REAL) s.decimals = without_zeros(s.decimals, value, count);
    else if (most / units[measure][s.unit].factor >= 99999.5) s = (struct number_style){measure, -1, 2};
    return s;
}

/* Sets commas between the thousands of a number's text. */
static void set_commas(char *out, size_t size, const char *digits)
{
    size_t sign = *digits == '-', whole = strcspn(digits + sign, "."), used = 0;
    for (size_t i = 0; digits[i] && used + 2 < size; i++) {
        if (i > sign && i < sign + whole && (sign + whole - i) % 3 == 0) out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = '\0';
}

const char *numbers_text(char *out, size_t size, const struct number_style *style, double value)
{
    char digits[64], grouped[96];
    int unit = style->unit < 0 ? unit_of(style->measure, fabs(value)) : style->unit;
    if (isnan(value)) {
        snprintf(out, size, "-");
        return out;
    }
    snprintf(digits, sizeof digits, "%.*f", style->decimals, value / units[style->measure][unit].factor);
    set_commas(grouped, sizeof grouped, digits);
    snprintf(out, size, "%s%s", grouped, units[style->measure][unit].name);
    return out;
}
