#include "base/fields.h"

#include <string.h>

#include "base/text.h"

enum { FIELD_PATH = 200, FIELD_KEYS_MOST = 64, FIELD_ENTRIES_MOST = 1 << 16 };

/* What is read, and the path to it, which is empty at the top. */
struct reading {
    const char *where;
    char path[FIELD_PATH];
};

static const char *const kind_names[] =
    {[FIELD_INTEGER] = "an integer", [FIELD_REAL] = "a number", [FIELD_BOOL] = "a bool",
     [FIELD_TEXT] = "a text",        [FIELD_WORD] = "a text",   [FIELD_INTEGERS] = "an array",
     [FIELD_OBJECT] = "an object",   [FIELD_LIST] = "an array"};

static const char *kind_of(const doc *d)
{
    return doc_is_integer(d)  ? "an integer"
           : doc_is_number(d) ? "a number"
           : doc_is_text(d)   ? "a text"
           : doc_is_array(d)  ? "an array"
           : doc_is_object(d) ? "an object"
           : doc_is_null(d)   ? "null"
                              : "a bool";
}

static bool has_kind(const struct field *f, const doc *v)
{
    switch (f->kind) {
    case FIELD_INTEGER: return doc_is_integer(v);
    case FIELD_REAL: return doc_is_number(v);
    case FIELD_BOOL: return doc_bool_value(v, true) == doc_bool_value(v, false);
    case FIELD_TEXT:
    case FIELD_WORD: return doc_is_text(v);
    case FIELD_INTEGERS:
    case FIELD_LIST: return doc_is_array(v);
    case FIELD_OBJECT: return doc_is_object(v);
    default: return true;
    }
}

static enum st read_object(const struct field *f, const doc *d, const struct reading *r, void *base, struct err *err);

/* The value that stands for an absent key. */
static void set_absent(const struct field *f, void *base)
{
    char *at = base && f->size ? (char *)base + f->offset : NULL;
    bool list = f->kind == FIELD_INTEGERS || f->kind == FIELD_LIST;
    int number = (int)f->absent;
    if (!at) return;
    if (list) memcpy((char *)base + f->count, &number, sizeof number);
    else if (f->kind == FIELD_TEXT) *at = '\0';
    else if (f->kind == FIELD_REAL) memcpy(at, &f->absent, sizeof f->absent);
    else if (f->kind == FIELD_BOOL) *(bool *)at = number;
    else if (f->size == sizeof number) memcpy(at, &number, sizeof number);
    else if (f->size == sizeof(int64_t)) memcpy(at, &(int64_t){(int64_t)f->absent}, sizeof(int64_t));
}

static enum st read_integer(const struct field *f, int64_t v, const struct reading *r, char *at, struct err *err)
{
    int small = (int)v;
    if (v < f->low || v > f->high)
        return err_set(err, ST_INPUT, "%s: key \"%s\" is %lld, expected %lld to %lld", r->where, r->path, (long long)v,
                       (long long)f->low, (long long)f->high);
    if (at) memcpy(at, f->size == sizeof small ? (const void *)&small : &v, f->size);
    return ST_OK;
}

static enum st read_word(const struct field *f, const char *text, const struct reading *r, char *at, struct err *err)
{
    char known[200] = "";
    for (int i = 0; f->words[i]; i++) {
        text_append(known, sizeof known, "%s%s", i ? ", " : "", f->words[i]);
        if (strcmp(text, f->words[i])) continue;
        if (at) memcpy(at, &i, sizeof i);
        return ST_OK;
    }
    return err_set(err, ST_INPUT, "%s: key \"%s\" is \"%.40s\", expected one of %s", r->where, r->path, text, known);
}

static enum st read_list(const struct field *f, const doc *v, struct reading *r, void *base, struct err *err)
{
    size_t end = strlen(r->path);
    int count = (int)doc_size(v);
    uint64_t most = f->most > 0 ? (uint64_t)f->most : FIELD_ENTRIES_MOST;
    if (doc_size(v) > most)
        return err_set(err, ST_INPUT, "%s: key \"%s\" has %llu entries, expected at most %llu", r->where, r->path,
                       (unsigned long long)doc_size(v), (unsigned long long)most);
    for (int i = 0; i < count && (f->of || f->kind == FIELD_INTEGERS); i++) {
        const doc *one = doc_at(v, (uint64_t)i);
        char *to = base && f->size ? (char *)base + f->offset + (size_t)i * f->size : NULL;
        bool number = f->kind == FIELD_INTEGERS;
        snprintf(r->path + end, sizeof r->path - end, "[%d]", i);
        if (number ? !doc_is_integer(one) : !doc_is_object(one))
            return err_set(err, ST_INPUT, "%s: key \"%s\" is %s, expected %s; correct it", r->where, r->path,
                           kind_of(one), number ? "integer" : "object");
        PASS(number ? read_integer(f, doc_integer_value(one, 0), r, to, err) : read_object(f->of, one, r, to, err));
    }
    if (base && f->size) memcpy((char *)base + f->count, &count, sizeof count);
    return ST_OK;
}

/* r: with the key in its path. */
static enum st read_value(const struct field *f, const doc *v, struct reading *r, void *base, struct err *err)
{
    char *at = base && f->size ? (char *)base + f->offset : NULL;
    double number = doc_real_value(v, 0);
    switch (f->kind) {
    case FIELD_INTEGER: return read_integer(f, doc_integer_value(v, 0), r, at, err);
    case FIELD_REAL:
        if (!(number >= f->least && number <= f->most))
            return err_set(err, ST_INPUT, "%s: key \"%s\" is %g, expected %g to %g", r->where, r->path, number,
                           f->least, f->most);
        if (at) memcpy(at, &number, sizeof number);
        return ST_OK;
    case FIELD_BOOL:
        if (at) *(bool *)at = doc_bool_value(v, false);
        return ST_OK;
    case FIELD_TEXT:
        if (at) snprintf(at, f->size, "%s", doc_text_value(v, ""));
        return ST_OK;
    case FIELD_WORD: return read_word(f, doc_text_value(v, ""), r, at, err);
    case FIELD_INTEGERS:
    case FIELD_LIST: return read_list(f, v, r, base, err);
    case FIELD_OBJECT: return f->of ? read_object(f->of, v, r, base ? (char *)base + f->offset : NULL, err) : ST_OK;
    default: return ST_OK;
    }
}

static enum st read_key(const struct field *f, const doc *d, const struct reading *r, void *base, struct err *err)
{
    struct reading in = *r;
    const doc *v = doc_get(d, f->key);
    bool needed = f->flags & FIELD_NEEDED;
    text_append(in.path, sizeof in.path, "%s%s", *in.path ? "." : "", f->key);
    if (!v && needed)
        return err_set(err, ST_INPUT, "%s: key \"%s\" is missing, expected %s", r->where, in.path, kind_names[f->kind]);
    if (doc_is_null(v) && !needed && f->kind == FIELD_OBJECT && f->of)
        for (const struct field *m = f->of; m->key; m++) set_absent(m, base ? (char *)base + f->offset : NULL);
    else if (doc_is_null(v) && !needed) set_absent(f, base);
    else if (!has_kind(f, v))
        return err_set(err, ST_INPUT, "%s: key \"%s\" is %s, expected %s; correct it%s", r->where, in.path, kind_of(v),
                       strchr(kind_names[f->kind], ' ') + 1, needed ? "" : " or leave it out");
    else return read_value(f, v, &in, base, err);
    return ST_OK;
}

static enum st read_object(const struct field *f, const doc *d, const struct reading *r, void *base, struct err *err)
{
    const char *known[FIELD_KEYS_MOST + 1] = {0}; /* a table is shorter */
    char here[2 * FIELD_PATH];
    for (int n = 0; f->key; f++) {
        PASS(read_key(f, d, r, base, err));
        known[n] = f->key;
        n += n < FIELD_KEYS_MOST;
    }
    if (f->kind == FIELD_OTHERS) return ST_OK;
    snprintf(here, sizeof here, "%.190s%s%s", r->where, *r->path ? ": " : "", r->path);
    return doc_only_keys(d, known, here, err);
}

enum st fields_read(const struct field *f, const doc *d, const char *where, void *out, struct err *err)
{
    struct reading r = {where, ""};
    if (!doc_is_object(d)) return err_set(err, ST_INPUT, "%s: is no object; expected {..}", where);
    return read_object(f, d, &r, out, err);
}
