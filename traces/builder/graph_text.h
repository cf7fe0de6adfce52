/* graph_text.h - lines and numbers of text graph formats. Reading a number is fast, and strict about what ends it. */
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

/* True for what may stand between two numbers. */
static inline bool text_separates(char c) { return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '\r'; }

/* The first place at or behind p that is no separator. */
static inline const char *text_skip(const char *p)
{
    while (text_separates(*p)) p++;
    return p;
}

/* Takes one integer from *p: TEXT_NUMBER sets *out and moves *p behind it; for anything else *p stays. */
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

/* Writes the message for a kind that is not TEXT_NUMBER and returns ST_INPUT. text: the line; expected: "two vertex
 * ids". */
enum st text_error(enum text_kind kind, const char *path, uint64_t line, const char *text, const char *expected,
                   struct err *err) MUST_USE;

/* Takes one decimal number from *p and moves *p behind it; false, with *p unchanged, for NaN and other texts. */
static inline bool text_real(const char **p, double *out)
{
    const char *s = text_skip(*p);
    char *end;
    *out = strtod(s, &end);
    if (end == s || (*end && !text_separates(*end)) || *out != *out) return false;
    *p = end;
    return true;
}

/* Takes line `number` (from 1) of the file `path`; the line may be changed. */
typedef enum st text_line_taker(void *self, const char *path, uint64_t number, char *line, struct err *err);
/* Gives every line of a text file (compressed ones are unpacked) to take(self, ..). Stops at the first failure and
 * returns it. ST_INPUT when the file cannot be read. */
enum st text_each_line(const char *path, text_line_taker *take, void *self, struct err *err) MUST_USE;

/* The next line of a file's head (not NUL-terminated): copies up to size - 1 bytes of it into line and moves *at behind
 * it. *whole: the head holds its end. False when the head is used up. */
bool text_head_line(const unsigned char *head, size_t bytes, size_t *at, char *line, size_t size, bool *whole);
/* True when head[bytes] has no control bytes but line ends, tabs and form feeds. */
bool text_looks_like(const unsigned char *head, size_t bytes);

#endif
