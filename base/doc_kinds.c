#include "base/doc_kinds.h"

#include <string.h>

#include "base/text.h"

enum { KEY_PATH = 160, KEY_BYTES = 64 };

static const char *kind_of(const doc *d)
{
    return doc_is_integer(d)  ? "integer"
           : doc_is_number(d) ? "number"
           : doc_is_text(d)   ? "text"
           : doc_is_array(d)  ? "array"
           : doc_is_object(d) ? "object"
                              : "bool";
}

/* Whether the kind is among the words[length], apart by '|'. An integer is a number. */
static bool among(const char *kind, const char *words, size_t length)
{
    for (const char *end = words + length; words < end;) {
        size_t n = strcspn(words, "|");
        if (n > (size_t)(end - words)) n = (size_t)(end - words);
        if (strlen(kind) == n && !memcmp(kind, words, n)) return true;
        if (n == 6 && !memcmp(words, "number", n) && !strcmp(kind, "integer")) return true;
        words += n + 1;
    }
    return false;
}

static enum st wrong(const char *where, const char *path, const doc *d, const char *words, size_t length,
                     struct err *err)
{
    char expected[KEY_BYTES] = "";
    snprintf(expected, sizeof expected, "%.*s", (int)length, words);
    for (char *p = expected; *p; p++)
        if (*p == '|') *p = '/';
    const char *kind = kind_of(d);
    return err_set(err, ST_INPUT, "%s: key \"%s\" is %s %s, expected %s; correct it or leave it out", where, path,
                   strchr("aio", *kind) ? "an" : "a", kind, expected);
}

static enum st doc_kinds_check(const doc *d, const char **at, const char *where, const char *path, struct err *err);

/* Where the members that open with a bracket at `at` end. */
static const char *behind(const char *at)
{
    int depth = 0;
    do {
        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
    } while (*++at && depth);
    return at;
}

/* Members of one object, or of each object of an array. at: behind the bracket. */
static enum st check_inside(const doc *value, char bracket, const char *at, const char *where, const char *path,
                            struct err *err)
{
    char element[KEY_PATH];
    enum st st = ST_OK;
    if (bracket == '{')
        return doc_is_object(value) ? doc_kinds_check(value, &at, where, path, err)
                                    : wrong(where, path, value, "object", 6, err);
    if (!doc_is_array(value)) return wrong(where, path, value, "array", 5, err);
    for (uint64_t i = 0; i < doc_size(value) && st == ST_OK; i++) {
        const char *again = at;
        const doc *one = doc_at(value, i);
        snprintf(element, sizeof element, "%.130s[%llu]", path, (unsigned long long)i);
        if (!doc_is_object(one)) return wrong(where, element, one, "object", 6, err);
        st = doc_kinds_check(one, &again, where, element, err);
    }
    return st;
}

/* Checks the members that *at lists, up to its end or a closing bracket. path: of d, empty at the top. */
static enum st doc_kinds_check(const doc *d, const char **at, const char *where, const char *path, struct err *err)
{
    enum st st = ST_OK;
    while (**at == ' ') ++*at;
    while (st == ST_OK && **at && **at != '}' && **at != ']') {
        char key[KEY_BYTES], full[KEY_PATH];
        size_t n = strcspn(*at, ":{[");
        snprintf(key, sizeof key, "%.*s", (int)n, *at);
        snprintf(full, sizeof full, "%.90s%s%s", path, *path ? "." : "", key);
        const char *mark = *at + n, *words = mark + 1;
        const doc *value = doc_get(d, key);
        size_t length = strcspn(words, " }]");
        if (*mark == ':') {
            if (!doc_is_null(value) && !among(kind_of(value), words, length))
                st = wrong(where, full, value, words, length, err);
            *at = words + length;
        } else {
            if (!doc_is_null(value)) st = check_inside(value, *mark, words, where, full, err);
            *at = behind(mark);
        }
        while (**at == ' ') ++*at;
    }
    return st;
}

enum st doc_kinds(const doc *d, const char *kinds, const char *where, struct err *err)
{
    if (!doc_is_object(d)) return err_set(err, ST_INPUT, "%s: is no object; expected {..}", where);
    return doc_kinds_check(d, &kinds, where, "", err);
}
