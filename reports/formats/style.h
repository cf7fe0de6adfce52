/* style.h - how things look and how they are written: the same on every plot and on the page.
 *
 * A policy's colour, dash and mark follow from its name alone. Colours start from colour-blind-safe sets (Okabe-Ito,
 * Tol), dark enough to be read on white as text. Twenty colours cannot all be told apart, so policies have families,
 * by who shares what they cache: where there are many policies, figures and tables keep families apart. A name that is
 * not in the table gets a look from its hash. Everything here is a pure function; any thread may call.
 */
#ifndef REPORTS_FORMATS_STYLE_H
#define REPORTS_FORMATS_STYLE_H

#include <stdbool.h>
#include <stddef.h>

/* ---- looks ---- */

/* Which GPUs read what a GPU caches. Yardsticks are references (lower and upper limit), not methods. */
enum family {
    FAMILY_OURS,
    FAMILY_CLIQUE,
    FAMILY_POOL,
    FAMILY_ALONE,
    FAMILY_DYNAMIC,
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
    double width;    /* of a line, gnuplot units */
    enum family family;
};

/* The look of a policy, by its name with options ("gnnlab:samplers=2"). .policy is borrowed from the argument or from
 * the table. */
struct look style_look(const char *policy);
/* The name of a family for headings: "shared inside a clique". */
const char *style_family(enum family f);
/* Whether a policy knows the epochs it is simulated on: such a policy is shown, but never called the best. */
bool style_is_yardstick(const char *policy);

/* Peer access in the words of readers, by that of documents and of --peer-access: "own" is "own memory". Other texts
 * are returned. */
const char *style_access(const char *word);

extern const unsigned style_tiers[3]; /* colours of own memory, peer, host; 0xRRGGBB */

/* ---- numbers and names ----
 * Each function writes into `out` and returns it; a NaN is written "-". */

enum { STYLE_TEXT = 48, STYLE_NAME = 200 }; /* bytes of a number, of a name */

/* What a number is, and so how it is written. */
enum quantity { QUANTITY_RATE, QUANTITY_COUNT, QUANTITY_SECONDS, QUANTITY_BYTES, QUANTITY_PRICE, QUANTITY_ERROR };

/* Three digits and a unit: "980", "12.3 k", "1.23 M". */
const char *style_count(char out[STYLE_TEXT], double v);
/* A number in a form like "%.0f"; "-" for NaN. */
const char *style_form(char out[STYLE_TEXT], const char *form, double v);
/* A number of any unit in three digits, four where it has no fraction: "0.0509", "13", "1555", "2.81 M". */
const char *style_number(char out[STYLE_TEXT], double v);
/* The same with as few digits as the number needs, for ticks: "1 M", "2.5 k". v: not NaN. */
const char *style_tick(char out[STYLE_TEXT], double v);
/* A share in 0..1 in percent: 0.9731 is "97.3 %" with one decimal. */
const char *style_percent(char out[STYLE_TEXT], double share, int decimals);
/* Bytes with a binary unit, in three digits: "1.50 GiB", "19.4 GiB", "437 MiB". */
const char *style_bytes(char out[STYLE_TEXT], double bytes);
/* Seconds (not negative) in three digits: "12.5 ms", "1.2 s". */
const char *style_seconds(char out[STYLE_TEXT], double seconds);
/* A number of that kind: a rate in 0..1 with one decimal, a count, seconds, bytes, money (without an exponent down to
 * 0.0001), or a share with its sign. */
const char *style_quantity(char out[STYLE_TEXT], enum quantity q, double v);

/* At most `most` (>= 1) characters of a text and at most STYLE_NAME - 1 bytes, cut between characters and then ended
 * by an ellipsis; control characters become blanks. */
const char *style_cut(char out[STYLE_NAME], const char *text, int most);
/* The name of a policy as readers see it, with the peer access that compare adds to the default policy's name in
 * documents, or that a user typed: "hotset --reach own" and "hotset --peer-access own" are "hotset (own memory)". */
const char *style_policy(char out[STYLE_NAME], const char *policy);
#define STYLE_BREAK "\xE2\x80\xA8" /* between lines of a text */
/* The text in lines of at most `most` (>= 1) characters, joined by STYLE_BREAK: broken at blanks, and where a word is
 * longer behind another sign. A number keeps its unit. Returns how many lines; longest: the characters of the longest
 * one, or NULL. Control characters become blanks, and what is beyond STYLE_NAME bytes is cut. */
int style_wrap(char out[STYLE_NAME], const char *text, int most, int *longest);
/* The text as part of a file name: a-z, 0-9 and single dashes; never empty. */
const char *style_slug(char out[STYLE_TEXT], const char *text);
/* How many characters (not bytes) a UTF-8 text has. */
int style_length(const char *text);

#endif
