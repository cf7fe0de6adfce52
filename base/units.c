#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct unit {
    const char *name;
    uint64_t bytes;
};
static const struct unit units[] = {{"B", 1},
                                    {"KiB", 1ull << 10},
                                    {"MiB", 1ull << 20},
                                    {"GiB", 1ull << 30},
                                    {"TiB", 1ull << 40},
                                    {"PiB", 1ull << 50},
                                    {"KB", 1000},
                                    {"MB", 1000000},
                                    {"GB", 1000000000},
                                    {"TB", 1000000000000},
                                    {"PB", 1000000000000000}};

/* The unit that was meant: "64g" becomes "64GiB (powers of 1024) or 64GB"; anything else, the list of units. */
static enum st no_unit(const char *text, const char *name, int digits, const char *unit, struct err *err)
{
    static const char letters[] = "KMGTP";
    const char *at = *unit && (!unit[1] || text_equal_nocase(unit + 1, "i")) ? strchr(letters, *unit & ~0x20) : NULL;
    if (!*unit)
        return err_set(err, ST_USAGE, "%s: '%.60s' has no unit; write %.60sGiB, or a whole number of bytes", name, text,
                       text);
    if (at && *at)
        return err_set(err, ST_USAGE, "%s: '%.60s' is not a size; write %.*s%ciB (powers of 1024) or %.*s%cB (of 1000)",
                       name, text, digits, text, *at, digits, text, *at);
    return err_set(err, ST_USAGE,
                   "%s: '%.60s' is not a size; units are KiB MiB GiB TiB (powers of 1024) and KB MB GB TB (powers of "
                   "1000)",
                   name, text);
}

enum st units_bare(const char *text, uint64_t bytes, const char *name, uint64_t least, const char *what, bool share,
                   struct err *err)
{
    char need[BYTES_TEXT], percent[32] = "";
    if (!bytes || bytes >= least || !*text || text[strspn(text, "0123456789")]) return ST_OK;
    if (share && bytes <= 100) snprintf(percent, sizeof percent, "%s%% for a share, ", text);
    return err_set(err, ST_USAGE,
                   "%s: '%.60s' means bytes, which do not hold %s (%s); write %s%.60sGiB for a size, or %.60sB where "
                   "bytes are meant",
                   name, text, what, units_bytes_exact(need, least), percent, text, text);
}

enum st units_size(const char *text, const char *name, uint64_t *bytes, struct err *err)
{
    char *end = NULL;
    errno = 0;
    double v = text[0] >= '0' && text[0] <= '9' ? strtod(text, &end) : -1;
    if (v < 0)
        return err_set(err, ST_USAGE, "%s: '%.60s' is not a size; write 16GiB, 16GB or a number of bytes", name, text);
    if (strspn(text, "0123456789") == strlen(text)) { /* plain bytes: every digit counts */
        uint64_t whole = strtoull(text, NULL, 10);
        if (errno || whole >> 62) return err_set(err, ST_USAGE, "%s: '%.60s' is beyond 4 EiB", name, text);
        *bytes = whole;
        return ST_OK;
    }
    bool plain = strspn(text, "0123456789.") ==
                 (size_t)(end - text); /* 0x10 and 1e3 are numbers to C, not sizes to people */
    while (*end == ' ') end++;
    for (size_t i = 0; plain && i < sizeof units / sizeof *units; i++) {
        long double exact = (long double)v * (long double)units[i].bytes;
        if (!text_equal_nocase(end, units[i].name)) continue;
        if (!(exact < 0x1p62L)) return err_set(err, ST_USAGE, "%s: '%.60s' is beyond 4 EiB", name, text);
        *bytes = (uint64_t)(exact + 0.5L);
        return ST_OK;
    }
    return no_unit(text, name, (int)(end - text), plain ? end : "?", err);
}

enum st units_integer(const char *text, const char *name, int64_t low, int64_t high, int64_t *out, struct err *err)
{
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (end == text || *end || text[0] == ' ')
        return err_set(err, ST_USAGE, "%s: '%.60s' is not an integer; write digits alone, as in 1000", name, text);
    if (errno)
        return err_set(err, ST_USAGE, "%s: %.60s is out of range, expected %lld to %lld", name, text, (long long)low,
                       (long long)high);
    if (v < low || v > high)
        return err_set(err, ST_USAGE, "%s: %lld is out of range, expected %lld to %lld", name, v, (long long)low,
                       (long long)high);
    *out = v;
    return ST_OK;
}

bool units_in_range(double v) { return v == 0 || (fabs(v) >= 1e-60 && fabs(v) <= 1e60); }

enum st units_real(const char *text, const char *name, double *out, struct err *err)
{
    char *end;
    double v = strtod(text, &end);
    if (end != text && !strcmp(end + strspn(end, " "), "%") && isfinite(v))
        return err_set(err, ST_USAGE, "%s: '%.60s' is a percentage, but a plain number is expected; write %.9g", name,
                       text, v / 100);
    if (end == text || *end || !isfinite(v))
        return err_set(err, ST_USAGE, "%s: '%.60s' is not a number; write digits alone, as in 50 or 0.5", name, text);
    if (!units_in_range(v))
        return err_set(err, ST_USAGE, "%s: %.60s is out of range, expected " UNITS_RANGE, name, text);
    *out = v;
    return ST_OK;
}

const char *units_bytes(char out[UNIT_TEXT], uint64_t bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double v = (double)bytes;
    int i = 0;
    for (; v >= 1024 && i < 6; i++) v /= 1024;
    snprintf(out, UNIT_TEXT, i == 0 ? "%.0f %s" : v < 100 ? "%.2f %s" : "%.1f %s", v, names[i]);
    return out;
}

const char *units_count(char out[UNIT_TEXT], uint64_t n)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), at = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

const char *units_bytes_exact(char out[BYTES_TEXT], uint64_t bytes)
{
    enum { PLAIN_BELOW = 10240 };
    char whole[UNIT_TEXT], about[UNIT_TEXT];
    if (bytes < PLAIN_BELOW) snprintf(out, BYTES_TEXT, "%llu byte%s", (unsigned long long)bytes, bytes == 1 ? "" : "s");
    else snprintf(out, BYTES_TEXT, "%s bytes (%s)", units_count(whole, bytes), units_bytes(about, bytes));
    return out;
}

/* Three digits, as "3.60", "36.0" and "360"; what is whole stays so below ten: "2". */
static const char *three_digits(char out[16], double v)
{
    const int digits = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
    snprintf(out, 16, "%.*f", v == floor(v) && v < 10 ? 0 : digits, v);
    return out;
}

static const struct {
    double unit;
    const char *name;
} times[] = {{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}};

/* The unit that leaves one to three digits of a time before the point. */
static int unit_of(double s)
{
    const double limit = 0.9995; /* from there on three digits are 1.00 of the next unit */
    int at = 0;
    while (at < 3 && s >= times[at + 1].unit * limit) at++;
    return at;
}

const char *units_seconds(char out[UNIT_TEXT], double s)
{
    const int at = unit_of(s);
    char digits[16];
    if (s >= 7200) snprintf(out, UNIT_TEXT, "%.0f h %02.0f min", floor(s / 3600), floor(fmod(s, 3600) / 60));
    else if (s >= 120) snprintf(out, UNIT_TEXT, "%.0f min %02.0f s", floor(s / 60), floor(fmod(s, 60)));
    else snprintf(out, UNIT_TEXT, "%s %s", three_digits(digits, s / times[at].unit), times[at].name);
    return out;
}

void units_seconds_apart(char a[UNIT_TEXT], double s, char b[UNIT_TEXT], double t)
{
    enum { MOST_DIGITS = 7 };
    const int at = unit_of(fmin(s, t));
    units_seconds(a, s);
    units_seconds(b, t);
    for (int digits = 4; s != t && !strcmp(a, b) && digits <= MOST_DIGITS; digits++) {
        snprintf(a, UNIT_TEXT, "%.*g %s", digits, s / times[at].unit, times[at].name);
        snprintf(b, UNIT_TEXT, "%.*g %s", digits, t / times[at].unit, times[at].name);
    }
}

double units_energy(double kwh, const char **name)
{
    static const char *const names[] = {"uWh", "mWh", "Wh", "kWh", "MWh", "GWh"};
    double unit = 1e-9;
    int at = 0;
    for (; at < 5 && kwh >= 1000 * unit; at++) unit *= 1000;
    *name = names[at];
    return unit;
}

const char *units_percent(char out[UNIT_TEXT], double share)
{
    snprintf(out, UNIT_TEXT, "%.2f %%", 100 * share);
    return out;
}
