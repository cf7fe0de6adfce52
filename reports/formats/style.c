/* style.c - palette, numbers and names; see style.h. */
#include "reports/formats/style.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* No two policies share a colour; inside a family no two share a mark, and solid lines are few, so that a grey print
 * can be read. */
static const struct look looks[] = {
    {"hotset", 0xD55E00, 0, 7, 2.6, FAMILY_OURS},
    {"hotset --reach forward", 0xB5361C, 1, 5, 1.8,
     FAMILY_OURS}, /* rows that compare adds: the default at others' reach */
    {"hotset --reach own", 0xC97A1E, 3, 13, 1.8, FAMILY_OURS},
    {"exact", 0x7A1F00, 1, 12, 1.6, FAMILY_OURS},
    {"mean-row", 0xA65628, 2, 8, 1.6, FAMILY_OURS},
    {"single-type", 0x8A4B08, 3, 9, 1.6, FAMILY_OURS},
    {"oracle", 0x111111, 2, 12, 1.4, FAMILY_YARDSTICK},
    {"random", 0x777777, 1, 1, 1.4, FAMILY_YARDSTICK},
    {"legion", 0x0072B2, 0, 5, 1.8, FAMILY_CLIQUE},
    {"legion-public", 0x5A6FE0, 1, 4, 1.6, FAMILY_CLIQUE},
    {"legion-topocpu", 0x2A8C9E, 2, 9, 1.6, FAMILY_CLIQUE},
    {"legion-topogpu", 0x004C6D, 3, 8, 1.6, FAMILY_CLIQUE},
    {"legion+density", 0x1B8A5A, 1, 6, 1.6, FAMILY_CLIQUE},
    {"legion+exact-split", 0x6A8A00, 3, 7, 1.6, FAMILY_CLIQUE},
    {"quiver", 0xAA4499, 0, 11, 1.8, FAMILY_CLIQUE},
    {"quiver-plus", 0x7B2D8B, 1, 10, 1.6, FAMILY_CLIQUE},
    {"data-tiering", 0x332288, 2, 13, 1.8, FAMILY_CLIQUE},
    {"dsp", 0x882255, 0, 5, 1.8, FAMILY_POOL},
    {"gnnlab", 0x00805F, 0, 9, 1.8, FAMILY_ALONE},
    {"pagraph", 0xB07A00, 0, 13, 1.8, FAMILY_ALONE},
    {"pagraph-plus", 0x7D5600, 1, 12, 1.6, FAMILY_ALONE},
    {"aligraph", 0xC0392B, 2, 8, 1.6, FAMILY_ALONE},
    {"ducati", 0xA8325E, 3, 11, 1.6, FAMILY_ALONE},
    {"bgl", 0x117733, 1, 6, 1.6, FAMILY_ALONE},
    {"hyscale", 0x6B6B00, 1, 4, 1.6, FAMILY_NONE},
    {"dgl-uva", 0x555555, 0, 2, 1.6, FAMILY_NONE},
    {"cache:fifo", 0x8C5A00, 1, 5, 1.6, FAMILY_DYNAMIC},
    {"cache:lru", 0x0067A5, 0, 7, 1.8, FAMILY_DYNAMIC},
    {"cache:lfu", 0x2E7D32, 2, 9, 1.6, FAMILY_DYNAMIC},
    {"cache:clock", 0x00798C, 3, 11, 1.6, FAMILY_DYNAMIC},
    {"cache:sieve", 0x9C27B0, 0, 13, 1.8, FAMILY_DYNAMIC},
    {"cache:s3fifo", 0xC2185B, 1, 4, 1.6, FAMILY_DYNAMIC},
    {"cache:belady", 0x000000, 3, 6, 1.4, FAMILY_YARDSTICK},
};
enum { LOOKS = sizeof looks / sizeof looks[0] };

const unsigned style_tiers[3] = {0x0B4F8A, 0x5FA6DE, 0xF7DB9B} /* dark, middle and light also in grey */;

/* By the name in front of its options; "cache:lru" is a cache whose rows change. */
static enum family family_of(const char *policy)
{
    size_t name = strcspn(policy, ":");
    if (style_is_yardstick(policy)) return FAMILY_YARDSTICK;
    if (!strncmp(policy, "cache:", 6)) return FAMILY_DYNAMIC;
    for (int i = 0; i < LOOKS; i++)
        if (strlen(looks[i].policy) == name && !strncmp(looks[i].policy, policy, name)) return looks[i].family;
    return FAMILY_OTHER;
}

const char *style_family(enum family f)
{
    static const char *const names[FAMILIES] = {[FAMILY_OURS] = "this project",
                                                [FAMILY_CLIQUE] = "shared inside a clique",
                                                [FAMILY_POOL] = "one pool of all GPUs",
                                                [FAMILY_ALONE] = "each GPU for itself",
                                                [FAMILY_DYNAMIC] = "each GPU for itself, rows change",
                                                [FAMILY_NONE] = "no cache",
                                                [FAMILY_OTHER] = "other policies",
                                                [FAMILY_YARDSTICK] = "references (know the epochs, or nothing)"};
    return names[f];
}

struct look style_look(const char *policy)
{
    static const unsigned colours[] = {0x0072B2, 0x00805F, 0xAA4499, 0xB07A00, 0x332288,
                                       0x882255, 0x117733, 0x6B6B00, 0xB5446E, 0x3F7F93};
    static const int marks[] = {4, 6, 8, 10, 12, 5, 7, 9, 11, 13};
    uint32_t hash = 2166136261u;
    for (int i = 0; i < LOOKS; i++)
        if (!strcmp(looks[i].policy, policy)) return looks[i];
    for (const unsigned char *c = (const unsigned char *)policy; *c; c++) hash = (hash ^ *c) * 16777619u;
    hash ^= hash >> 15;
    return (struct look){policy, colours[hash % 10], (int)(hash / 10 % 4), marks[hash / 40 % 10],
                         1.6,    family_of(policy)};
}

const char *style_access(const char *word)
{
    static const char *const words[][2] = {{"own", "own memory"},
                                           {"direct", "NVLink neighbours"},
                                           {"forward", "forwarded"},
                                           {"p2p", "PCIe peers"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i][0])) return words[i][1];
    return word;
}

const char *style_policy(char out[STYLE_NAME], const char *policy)
{
    static const char *const infix[] = {" --reach ", " --peer-access "};
    for (size_t i = 0; i < sizeof infix / sizeof *infix; i++) {
        const char *at = strstr(policy, infix[i]), *word = at ? at + strlen(infix[i]) : NULL;
        if (!word || style_access(word) == word) continue;
        snprintf(out, STYLE_NAME, "%.*s (%s)", (int)(at - policy), policy, style_access(word));
        return out;
    }
    return style_cut(out, policy, STYLE_NAME);
}

bool style_is_yardstick(const char *policy) { return !strcmp(policy, "oracle") || !strcmp(policy, "cache:belady"); }

/* The unit (1, k, M, ..) that leaves v below 1000 after rounding to three digits. */
static double scaled(double v, const char **unit)
{
    static const char *const units[] = {"", " k", " M", " G", " T", " P"};
    int step = 0;
    while (fabs(v) >= 999.5 && step < 5) {
        v /= 1000;
        step++;
    }
    *unit = units[step];
    return v;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
const char *style_form(char out[STYLE_TEXT], const char *form, double v)
{
    if (isnan(v)) snprintf(out, STYLE_TEXT, "-");
    else snprintf(out, STYLE_TEXT, form, v);
    return out;
}
#pragma GCC diagnostic pop

const char *style_count(char out[STYLE_TEXT], double v)
{
    const char *unit;
    double s = scaled(v, &unit);
    if (isnan(v)) snprintf(out, STYLE_TEXT, "-");
    else if (fabs(s) >= 1e4) snprintf(out, STYLE_TEXT, "%.3g", v);
    else
        snprintf(out, STYLE_TEXT, "%.*f%s",
                 !*unit            ? (s == rint(s)   ? 0
                                      : fabs(s) < 10 ? 2
                                                     : 1)
                 : fabs(s) < 9.995 ? 2
                 : fabs(s) < 99.95 ? 1
                                   : 0,
                 s, unit);
    return out;
}

/* A small number in plain digits, three that count, without zeros behind: "0.000004". */
static void plain(char out[STYLE_TEXT], double v)
{
    int places = (int)fmin(20, 2 - floor(log10(fabs(v))));
    snprintf(out, STYLE_TEXT, "%.*f", places, v);
    size_t n = strlen(out);
    while (n && out[n - 1] == '0') out[--n] = '\0';
}

const char *style_tick(char out[STYLE_TEXT], double v)
{
    const char *unit;
    double s = scaled(v, &unit);
    if (v != 0 && fabs(v) < 1e-3) {
        plain(out, v);
        return out;
    }
    snprintf(out, STYLE_TEXT, "%.4g%s", s, unit);
    return out;
}

const char *style_number(char out[STYLE_TEXT], double v)
{
    if (fabs(v) >= 1e4) return style_count(out, v);
    if (v != 0 && fabs(v) < 1e-3) plain(out, v);
    else snprintf(out, STYLE_TEXT, isnan(v) ? "-" : fabs(v) < 999.5 ? "%.3g" : "%.0f", v);
    return out;
}

const char *style_percent(char out[STYLE_TEXT], double share, int decimals)
{
    if (isnan(share)) snprintf(out, STYLE_TEXT, "-");
    else if (fabs(share) >= 1e6) snprintf(out, STYLE_TEXT, "%.3g %%", 100 * share);
    else if (fabs(share) >= 0.9995) snprintf(out, STYLE_TEXT, "%.0f %%", 100 * share);
    else
        snprintf(out, STYLE_TEXT, "%.*f %%", decimals,
                 fabs(100 * share) < 0.5 * pow(10, -decimals) ? 0.0 : 100 * share); /* no -0.0 % */
    return out;
}

const char *style_bytes(char out[STYLE_TEXT], double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int step = 0;
    if (isnan(bytes)) return memcpy(out, "-", 2);
    while (bytes >= 1023.5 && step < 5) {
        bytes /= 1024;
        step++;
    }
    snprintf(out, STYLE_TEXT, "%.*f %s",
             !step || bytes >= 99.95 ? 0
             : bytes < 9.995         ? 2
                                     : 1,
             fmin(bytes, 1e9), units[step]);
    return out;
}

const char *style_seconds(char out[STYLE_TEXT], double v)
{
    char text[UNIT_TEXT];
    if (isnan(v)) snprintf(out, STYLE_TEXT, "-");
    else if (v == 0) snprintf(out, STYLE_TEXT, "0 s");
    else snprintf(out, STYLE_TEXT, "%s", units_seconds(text, v)); /* as a terminal has it */
    return out;
}

/* Money as a terminal has it: "0.0025", "2.2e-7". */
static const char *price(char out[STYLE_TEXT], double v)
{
    const int power = v > 0 ? (int)floor(log10(v) + 1e-12) : 0;
    if (power >= -4 || isinf(v)) return style_number(out, v);
    snprintf(out, STYLE_TEXT, "%.3ge%d", v / pow(10, power), power);
    return out;
}

const char *style_quantity(char out[STYLE_TEXT], enum quantity q, double v)
{
    switch (q) {
    case QUANTITY_RATE: return style_percent(out, v, 1);
    case QUANTITY_COUNT: return style_count(out, v);
    case QUANTITY_SECONDS: return style_seconds(out, v);
    case QUANTITY_BYTES: return style_bytes(out, v);
    case QUANTITY_ERROR: {
        const bool whole = fabs(v) >= 0.0995;
        if (v > 0) snprintf(out, STYLE_TEXT, "+%.*f %%", whole ? 0 : 1, fmin(100 * v, 1e12));
        else style_percent(out, v, whole ? 0 : 1);
        return out;
    }
    case QUANTITY_PRICE: break;
    }
    return price(out, v);
}

int style_length(const char *text)
{
    int n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

const char *style_cut(char out[STYLE_NAME], const char *text, int most)
{
    size_t used = 0;
    int characters = 0;
    bool cut = style_length(text) > most;
    for (; *text && used + 8 < STYLE_NAME; text++) {
        bool begins = ((unsigned char)*text & 0xC0) != 0x80;
        if (begins && characters == most - cut) break;
        characters += begins;
        out[used++] = (unsigned char)*text < 32 || *text == 127 ? ' ' : *text;
    }
    while (*text && used && ((unsigned char)*text & 0xC0) == 0x80) /* never half a character */
        if (((unsigned char)out[--used] & 0xC0) != 0x80) break;
    memcpy(out + used, *text ? "\xE2\x80\xA6" : "", *text ? 4 : 1);
    return out;
}

/* Bytes of `line` that stand in it, `most` characters or fewer. */
static size_t line_end(const char *line, int most)
{
    size_t at = 0, blank = 0, sign = 0;
    for (int n = 0; line[at] && n <= most; n++) {
        const bool kept = at && isdigit((unsigned char)line[at - 1]) &&
                          (isalpha((unsigned char)line[at + 1]) || line[at + 1] == '%');
        if (line[at] == ' ' && !kept && at && line[at - 1] != ' ') blank = at;
        if (n == most) return blank ? blank : sign ? sign : at;
        if (strchr(",:=-/_+", line[at])) sign = at + 1;
        for (at++; ((unsigned char)line[at] & 0xC0) == 0x80;) at++;
    }
    return at;
}

int style_wrap(char out[STYLE_NAME], const char *text, int most, int *longest)
{
    char clean[STYLE_NAME], line[STYLE_NAME];
    int lines = 0, unused;
    if (!longest) longest = &unused;
    *longest = 0;
    *out = '\0';
    for (const char *at = style_cut(clean, text, STYLE_NAME); *at || !lines; lines++) {
        const size_t end = line_end(at, most), used = strlen(out);
        snprintf(line, sizeof line, "%.*s", (int)end, at);
        if (style_length(line) > *longest) *longest = style_length(line);
        if (used + end + sizeof STYLE_BREAK > STYLE_NAME) break;
        snprintf(out + used, STYLE_NAME - used, "%s%s", lines ? STYLE_BREAK : "", line);
        at += end;
        while (*at == ' ') at++;
    }
    return lines ? lines : 1;
}

const char *style_slug(char out[STYLE_TEXT], const char *text)
{
    size_t used = 0;
    for (; *text && used < STYLE_TEXT - 9; text++) {
        if (isascii((unsigned char)*text) && isalnum((unsigned char)*text))
            out[used++] = (char)tolower((unsigned char)*text);
        else if (used && out[used - 1] != '-') out[used++] = '-';
    }
    while (used && out[used - 1] == '-') used--;
    out[used] = 0;
    return used ? out : strcpy(out, "unnamed");
}
