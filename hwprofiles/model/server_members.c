#include "hwprofiles/model/server_members.h"

#include <string.h>

#include "base/units.h"

bool member_said(const doc *object, const char *key) { return !doc_is_null(doc_get(object, key)); }

enum st member_integer(const doc *object, const char *key, int64_t low, int64_t high, const char *where, int *out,
                       struct err *err)
{
    int64_t v;
    if (member_said(object, key)) {
        PASS(doc_need_integer(object, key, low, high, where, &v, err));
        *out = (int)v;
    }
    return ST_OK;
}

enum st member_real(const doc *object, const char *key, double low, double high, const char *where, double *out,
                    struct err *err)
{
    return member_said(object, key) ? doc_need_real(object, key, low, high, where, out, err) : ST_OK;
}

enum st member_text(const doc *object, const char *key, const char *where, char *out, size_t size, struct err *err)
{
    const char *text;
    if (!member_said(object, key)) return ST_OK;
    PASS(doc_need_text(object, key, where, &text, err));
    if (strlen(text) >= size)
        return err_set(err, ST_INPUT, "%s: \"%s\" is %zu bytes long, but at most %zu are allowed; shorten it", where,
                       key, strlen(text), size - 1);
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127)
            return err_set(err, ST_INPUT,
                           "%s: \"%s\" holds the control character %d, but only printable text is allowed; remove it",
                           where, key, *c);
    memcpy(out, text, strlen(text) + 1);
    return ST_OK;
}

enum st member_size(const doc *object, const char *key, const char *where, uint64_t *out, struct err *err)
{
    int64_t v;
    if (!member_said(object, key)) return ST_OK;
    if (doc_is_text(doc_get(object, key))) {
        if (units_size(doc_text_value(doc_get(object, key), ""), key, out, err) != ST_OK) {
            err->code = ST_INPUT;
            PASS(err_prefix(err, "%s: ", where));
        }
        if (*out == 0 || *out > (uint64_t)1 << 50)
            return err_set(err, ST_INPUT,
                           "%s: \"%s\" is %s, but 1 byte to 1024 TiB is possible; write null for an unknown size",
                           where, key, doc_text_value(doc_get(object, key), ""));
    } else {
        PASS(doc_need_integer(object, key, 1, (int64_t)1 << 50, where, &v, err));
        *out = (uint64_t)v;
    }
    return ST_OK;
}

doc *member_count(int64_t v, int64_t unknown) { return v == unknown ? doc_null() : doc_integer(v); }
