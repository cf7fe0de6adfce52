/* graph_text.h - numbers in the lines of text graph formats: fast, and strict about what ends a number. */
#ifndef TRACES_BUILDER_GRAPH_TEXT_H
#define TRACES_BUILDER_GRAPH_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "base/file.h"

enum text_kind {
    TEXT_NUMBER,
    TEXT_END,      /* nothing but separators left */
    TEXT_OTHER,    /* a word that is no integer */
    TEXT_NEGATIVE, /* an integer below 0 */
    TEXT_BEYOND    /* an integer beyond 63 bits */
};

static inline bool text_separates(char c) { return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r'; }

static inline const char *text_skip(const char *p)
{
    while (text_separates(*p)) p++;
    return p;
}

/* Takes one integer; *p moves behind it only for TEXT_NUMBER. */
static inline enum text_kind text_take(const char **p, uint64_t *out)
{
    const char *s = text_skip(*p);
    uint64_t v = 0;
    bool negative = false, beyond = false;
    if (!*s) return TEXT_END;
    if (*s == '-' || *s == '+') negative = *s++ == '-';
    const char *digits = s;
    for (; *s >= '0' && *s <= '9'; s++) {
        if (v > ((uint64_t)INT64_MAX - (uint64_t)(*s - '0')) / 10) beyond = true;
        v = 10 * v + (uint64_t)(*s - '0');
    }
    if (s == digits || (*s && !text_separates(*s))) return TEXT_OTHER;
    if (beyond) return TEXT_BEYOND;
    if (negative && v) return TEXT_NEGATIVE;
    *p = s;
    *out = v;
    return TEXT_NUMBER;
}

/* The sentence for anything but TEXT_NUMBER. expected: "two vertex ids". */
enum st text_error(enum text_kind kind, const char *path, uint64_t line, const char *text, const char *expected,
                   struct err *err) MUST_USE;

/* Takes one decimal number, not NaN. */
static inline bool text_real(const char **p, double *out)
{
    const char *s = text_skip(*p);
    char *end;
    *out = strtod(s, &end);
    if (end == s || (*end && !text_separates(*end)) || *out != *out) return false;
    *p = end;
    return true;
}

/* A line of the head of a file (not NUL-terminated): copies up to size - 1 bytes of the next line. False at the end.
 * *whole: it has its end. */
bool text_head_line(const unsigned char *head, size_t bytes, size_t *at, char *line, size_t size, bool *whole);
/* True when the head has no control bytes that text does not have. */
bool text_looks_like(const unsigned char *head, size_t bytes);

#endif
