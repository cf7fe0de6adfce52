/* style.h - how things look and how they are written: the same on every plot and on the page.
 *
 * A policy's colour, dash and mark follow from its name alone. Colours start from colour-blind-safe sets (Okabe-Ito,
 * Tol), dark enough to be read on white as text. Twenty colours cannot all be told apart, so policies have families,
 * by who shares what they cache: where there are many, figures and tables set families apart. A name that is not in
 * the table gets a look from its hash.
 */
#ifndef REPORTS_FORMATS_STYLE_H
#define REPORTS_FORMATS_STYLE_H

#include <stdbool.h>
#include <stddef.h>

/* By who reads what a GPU caches. Yardsticks are floor and ceiling, not methods. */
enum family {
    FAMILY_OURS,
    FAMILY_CLIQUE,
    FAMILY_POOL,
    FAMILY_ALONE,
    FAMILY_NONE,
    FAMILY_OTHER,
    FAMILY_YARDSTICK,
    FAMILIES
};

struct look {
    const char *policy;
    unsigned colour; /* 0xRRGGBB */
    int dash;        /* 0 solid, 1 dashed, 2 dotted, 3 dash and dot */
    int mark;        /* gnuplot point type */
    double width;
    enum family family;
};
struct look style_look(const char *policy);
const char *style_family(enum family f); /* "shared inside a clique" */
/* A policy that knows the epochs it is judged on: shown, never called the best. */
bool style_is_yardstick(const char *policy);

extern const unsigned style_tiers[3]; /* own memory, peer, host */

enum { STYLE_TEXT = 48, STYLE_NAME = 200 };

/* "1.23 M", "980", "12.3 k"; "-" for NaN. */
const char *style_count(char out[STYLE_TEXT], double v);
/* The same with as few digits as needed, for ticks: "1 M", "2.5 k". */
const char *style_tick(char out[STYLE_TEXT], double v);
/* 0.9731 -> "97.3 %"; "-" for NaN. */
const char *style_percent(char out[STYLE_TEXT], double share, int decimals);
/* "1.5 GiB". */
const char *style_bytes(char out[STYLE_TEXT], double bytes);
/* At most `most` characters of a text, cut on a character; controls become blanks. */
const char *style_cut(char out[STYLE_NAME], const char *text, int most);
/* For file names: a-z, 0-9 and dashes; never empty. */
const char *style_slug(char out[STYLE_TEXT], const char *text);
/* Characters, not bytes. */
int style_length(const char *text);

#endif
