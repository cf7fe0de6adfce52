#define _GNU_SOURCE
#include "base/doc_seal.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/sha256.h"

enum { DIGITS = 64 };
static const char member[] = "checksum", method[] = "sha256:";
static const char zeros[] = "0000000000000000000000000000000000000000000000000000000000000000";

/* SHA-256 of a text, in which DIGITS bytes from `at` on count as zeros. */
static void checksum_of(const char *text, size_t bytes, size_t at, char hex[65])
{
    struct sha256 h;
    unsigned char digest[32];
    sha256_begin(&h);
    sha256_add(&h, text, at);
    sha256_add(&h, zeros, DIGITS);
    sha256_add(&h, text + at + DIGITS, bytes - at - DIGITS);
    sha256_end(&h, digest);
    sha256_hex(digest, hex);
}

enum st doc_sha256(const doc *d, char hex[65], struct err *err)
{
    struct sha256 h;
    unsigned char digest[32];
    char *text = NULL;
    size_t bytes = 0;
    enum st st;
    TRY(doc_dump(d, &text, &bytes, err));
    sha256_begin(&h);
    sha256_add(&h, text, bytes);
    sha256_end(&h, digest);
    sha256_hex(digest, hex);
done:
    free(text);
    return st;
}

enum st doc_dump_sealed(doc *d, char **out, size_t *size, struct err *err)
{
    char *text = NULL, value[sizeof method + DIGITS], hex[65];
    size_t bytes = 0;
    enum st st;
    snprintf(value, sizeof value, "%s%s", method, zeros);
    doc_put(d, member, doc_text(value));
    TRY(doc_dump(d, &text, &bytes, err));
    char *last = NULL; /* the member is the last one: other texts may have the same value */
    for (char *p = text; (p = strstr(p, value)); p++) last = p;
    BUG_IF(!last);
    size_t at = (size_t)(last - text) + strlen(method);
    checksum_of(text, bytes, at, hex);
    memcpy(text + at, hex, DIGITS);
    memcpy(value + strlen(method), hex, DIGITS); /* d is then what the text says */
    doc_put(d, member, doc_text(value));
    *out = TAKE(text);
    *size = bytes;
done:
    free(text);
    return st;
}

enum st doc_save_sealed(doc *d, const char *path, struct err *err)
{
    char *text = NULL;
    size_t bytes = 0;
    enum st st;
    TRY(doc_dump_sealed(d, &text, &bytes, err));
    TRY(file_write(path, text, bytes, err));
done:
    free(text);
    return st;
}

/* A key that differs from "checksum" in one letter: a damaged name would hide the checksum. */
static const char *nearly_member(const doc *d)
{
    for (const char *key = NULL; (key = doc_next_key(d, key));) {
        int differ = 0;
        if (strlen(key) != strlen(member)) continue;
        for (size_t i = 0; key[i]; i++) differ += key[i] != member[i];
        if (differ == 1) return key;
    }
    return NULL;
}

static enum st check_seal(const doc *d, const char *text, size_t bytes, const char *path, bool *sealed, struct err *err)
{
    char hex[65];
    const doc *stated = doc_get(d, member);
    const char *value = doc_text_value(stated, ""), *near = nearly_member(d);
    *sealed = stated != NULL;
    if (near)
        return err_set(err, ST_INPUT, "%s: key \"%.20s\" looks like a damaged \"%s\"; make the file again", path, near,
                       member);
    if (!stated) return ST_OK;
    if (strncmp(value, method, strlen(method)) || strlen(value) != strlen(method) + DIGITS)
        return err_set(err, ST_INPUT, "%s: \"%s\" is not \"%s\" and %d hex digits; the file is damaged, make it again",
                       path, member, method, DIGITS);
    const char *at = memmem(text, bytes, value, strlen(value));
    if (at) checksum_of(text, bytes, (size_t)(at - text) + strlen(method), hex);
    if (!at || strcmp(hex, value + strlen(method)))
        return err_set(err, ST_INPUT,
                       "%s: its text does not match \"%s\"; the file is damaged or was edited: make it again, or "
                       "remove \"%s\" if you edited it on purpose",
                       path, member, member);
    return ST_OK;
}

enum st doc_load_sealed(const char *path, const char *schema, doc **out, bool *sealed, struct err *err)
{
    OWNED_BY(file_unmap) struct mapping m = {0};
    OWNED_DOC doc *d = NULL;
    bool has = false;
    PASS(doc_load(path, schema, &d, err));
    PASS(file_map(path, &m, err));
    PASS(check_seal(d, m.base, m.bytes, path, &has, err));
    if (sealed) *sealed = has;
    *out = TAKE(d);
    return ST_OK;
}

enum st doc_parse_sealed(const char *text, size_t bytes, const char *name, doc **out, struct err *err)
{
    OWNED_DOC doc *d = NULL;
    bool sealed = false;
    PASS(doc_parse(text, bytes, name, &d, err));
    PASS(check_seal(d, text, bytes, name, &sealed, err));
    if (!sealed) return err_set(err, ST_INPUT, "%s: has no \"%s\"; make the file again", name, member);
    *out = TAKE(d);
    return ST_OK;
}
