/* doc_parse.c - reads JSON (RFC 8259; doc_parse is declared in doc.h).
 *
 * jansson writes the documents, but does not read them: where its parser has no memory it takes good text for bad,
 * drops letters, or reads beyond its buffer. Here every allocation is checked, so bad text and lack of memory are told
 * apart.
 */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"

enum { DEPTH_MAX = 2048, WRONG = 120 }; /* containers in containers: the functions below call themselves */

struct parser {
    const char *begin, *at, *end;
    char *token; /* room for the longest text or number */
    int depth;
    char wrong[WRONG]; /* what is wrong at `at`; empty while nothing is, also when memory runs out */
};

static doc *any_value(struct parser *p);

static void skip_blanks(struct parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')) p->at++;
}

/* The next byte; 0 at the end. A NUL byte within the text fits nowhere either. */
static char next(const struct parser *p) { return p->at < p->end ? *p->at : '\0'; }

static doc *expected(struct parser *p, const char *what)
{
    unsigned char found = (unsigned char)next(p);
    if (p->at == p->end) snprintf(p->wrong, WRONG, "%s expected, but the text ends here", what);
    else if (found < 32 || found > 126) snprintf(p->wrong, WRONG, "%s expected, found the byte 0x%02x", what, found);
    else snprintf(p->wrong, WRONG, "%s expected, found '%c'", what, found);
    return NULL;
}

static doc *wrong(struct parser *p, const char *what)
{
    snprintf(p->wrong, WRONG, "%s", what);
    return NULL;
}

/* ---- texts ---- */

static char *utf8_put(char *to, uint32_t c)
{
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    *to++ = (char)(first[more] | c >> 6 * more);
    while (more--) *to++ = (char)(0x80 | (c >> 6 * more & 0x3f));
    return to;
}

/* Four hex digits; false when there are none. */
static bool hex4(struct parser *p, uint32_t *out)
{
    uint32_t v = 0;
    if (p->end - p->at < 4) return false;
    for (int i = 0; i < 4; i++) {
        char c = p->at[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) return false;
        v = v << 4 | (uint32_t)digit;
    }
    p->at += 4;
    *out = v;
    return true;
}

/* Behind "\u": a character, or two halves of one beyond 0xffff. */
static bool unicode_escape(struct parser *p, uint32_t *out)
{
    uint32_t high, low;
    if (!hex4(p, &high) || high == 0 || (high >= 0xdc00 && high < 0xe000)) return false;
    *out = high;
    if (high < 0xd800 || high >= 0xe000) return true;
    if (p->end - p->at < 2 || p->at[0] != '\\' || p->at[1] != 'u') return false;
    p->at += 2;
    if (!hex4(p, &low) || low < 0xdc00 || low >= 0xe000) return false;
    *out = 0x10000 + ((high - 0xd800) << 10 | (low - 0xdc00));
    return true;
}

/* Behind a backslash. Returns where the token goes on; NULL: no escape. */
static char *escape(struct parser *p, char *to)
{
    static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    uint32_t c;
    const char *known = next(p) ? strchr(names, next(p)) : NULL;
    if (known) {
        p->at++;
        *to++ = bytes[known - names];
        return to;
    }
    if (next(p) != 'u') return NULL;
    p->at++;
    return unicode_escape(p, &c) ? utf8_put(to, c) : NULL;
}

/* Reads a text in quotes into p->token, which it cannot outgrow: an escape is longer than what it stands for. */
static bool read_text(struct parser *p)
{
    char *to = p->token;
    for (p->at++; next(p) != '"';) {
        if (p->at == p->end) return expected(p, "'\"' at the end of a text"), false;
        if ((unsigned char)*p->at < 32) return wrong(p, "a control character in a text; write it as \\u00.."), false;
        if (*p->at == '\\') {
            p->at++;
            to = escape(p, to);
            if (!to) return wrong(p, "an escape that JSON does not know"), false;
            continue;
        }
        int n = text_utf8_bytes(p->at, (size_t)(p->end - p->at));
        if (!n) return wrong(p, "bytes that are not UTF-8"), false;
        while (n--) *to++ = *p->at++;
    }
    p->at++;
    *to = '\0';
    return true;
}

/* ---- numbers and words ---- */

static bool skip_digits(struct parser *p)
{
    const char *from = p->at;
    while (next(p) >= '0' && next(p) <= '9') p->at++;
    return p->at > from;
}

static doc *real_value(struct parser *p, size_t length)
{
    char *point = memchr(p->token, '.', length);
    if (point) *point = *localeconv()->decimal_point; /* strtod obeys the locale, JSON does not */
    double v = strtod(p->token, NULL);
    return units_in_range(v) ? doc_real(v) : wrong(p, "a number out of range, expected " UNITS_RANGE);
}

static doc *number_value(struct parser *p)
{
    const char *from = p->at;
    bool whole = true;
    if (next(p) == '-') p->at++;
    if (next(p) == '0') p->at++; /* nothing but a point may follow */
    else if (!skip_digits(p)) return expected(p, "a digit");
    if (next(p) == '.') {
        whole = false;
        p->at++;
        if (!skip_digits(p)) return expected(p, "a digit");
    }
    if (next(p) == 'e' || next(p) == 'E') {
        whole = false;
        p->at++;
        if (next(p) == '+' || next(p) == '-') p->at++;
        if (!skip_digits(p)) return expected(p, "a digit");
    }
    size_t length = (size_t)(p->at - from);
    memcpy(p->token, from, length);
    p->token[length] = '\0';
    if (!whole) return real_value(p, length);
    errno = 0;
    long long v = strtoll(p->token, NULL, 10);
    return errno ? wrong(p, "an integer beyond 64 bits") : doc_integer(v);
}

static bool skip_word(struct parser *p, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n) != 0) return false;
    p->at += n;
    return true;
}

/* ---- containers ---- */

/* Behind an element: true when another one follows. At the end `close` is passed over. */
static bool another(struct parser *p, char close, const char *what)
{
    skip_blanks(p);
    if (next(p) == ',') {
        p->at++;
        return true;
    }
    if (next(p) == close) p->at++;
    else expected(p, what);
    return false;
}

static doc *array_value(struct parser *p)
{
    doc *array = doc_array(), *value = NULL;
    if (!array) return NULL;
    p->at++;
    skip_blanks(p);
    if (next(p) == ']') {
        p->at++;
        return array;
    }
    do {
        value = any_value(p);
        if (!value) break;
        doc_append(array, value);
    } while (another(p, ']', "',' or ']'"));
    if (value && !*p->wrong) return array;
    doc_free(array);
    return NULL;
}

/* One member into the object; false when it is wrong or memory runs out. */
static bool read_member(struct parser *p, doc *object)
{
    skip_blanks(p);
    if (next(p) != '"') return expected(p, "a key in quotes"), false;
    if (!read_text(p)) return false;
    if (doc_get(object, p->token)) return wrong(p, "a key that comes a second time in its object"), false;
    char *key = strdup(p->token);
    if (!key) return false;
    doc *value = NULL;
    skip_blanks(p);
    if (next(p) == ':') {
        p->at++;
        value = any_value(p);
    } else expected(p, "':'");
    if (value) doc_put(object, key, value);
    free(key);
    return value;
}

static doc *object_value(struct parser *p)
{
    doc *object = doc_object();
    bool good;
    if (!object) return NULL;
    p->at++;
    skip_blanks(p);
    if (next(p) == '}') {
        p->at++;
        return object;
    }
    do good = read_member(p, object);
    while (good && another(p, '}', "',' or '}'"));
    if (good && !*p->wrong) return object;
    doc_free(object);
    return NULL;
}

/* NULL: p->wrong says what is wrong, or memory ran out. */
static doc *any_value(struct parser *p)
{
    doc *value = NULL;
    skip_blanks(p);
    char c = next(p);
    if (c == '{' || c == '[') {
        if (p->depth == DEPTH_MAX) return wrong(p, "more than 2048 containers in each other");
        p->depth++;
        value = c == '{' ? object_value(p) : array_value(p);
        p->depth--;
        return value;
    }
    if (c == '"') return read_text(p) ? doc_text(p->token) : NULL;
    if (c == '-' || (c >= '0' && c <= '9')) return number_value(p);
    if (skip_word(p, "true")) return doc_bool(true);
    if (skip_word(p, "false")) return doc_bool(false);
    if (skip_word(p, "null")) return doc_null();
    return expected(p, "a value");
}

/* The whole text: one object or array. */
static doc *document(struct parser *p)
{
    skip_blanks(p);
    if (next(p) != '{' && next(p) != '[') return expected(p, "'{' or '['");
    doc *d = any_value(p);
    skip_blanks(p);
    if (!d || p->at == p->end) return d;
    doc_free(d);
    return expected(p, "the end");
}

static void position(const struct parser *p, long *line, long *column)
{
    *line = *column = 1;
    for (const char *c = p->begin; c < p->at; c++) {
        ++*column;
        if (*c == '\n') {
            ++*line;
            *column = 1;
        }
    }
}

enum st doc_parse(const char *text, size_t bytes, const char *name, doc **out, struct err *err)
{
    struct parser p = {.token = NULL};
    OWNED_DOC doc *d = NULL;
    long line, column;
    enum st st = ST_OK;
    if (!bytes) text = ""; /* nothing may be nowhere */
    size_t mark = bytes >= 3 && !memcmp(text, UTF8_MARK, 3) ? 3 : 0;
    p.begin = p.at = text + mark;
    p.end = text + bytes;
    p.token = malloc(bytes + 1);
    if (p.token) d = document(&p);
    if (*p.wrong) {
        position(&p, &line, &column);
        FAIL(ST_INPUT, "%s: line %ld, column %ld: not valid JSON: %s", name, line, column, p.wrong);
    }
    if (!doc_whole(d)) FAIL(ST_LIMIT, "%s: out of memory while it was read; free some memory and try again", name);
    *out = TAKE(d);
done:
    free(p.token);
    return st;
}
