#include "base/fields.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

enum { FIELD_PATH = 200, FIELD_KEYS_MOST = 64, FIELD_ENTRIES_MOST = 1 << 16 };
#define SIZE_MOST ((uint64_t)1 << 50)

/* What is read, and the path to it, which is empty at the top. */
struct reading {
    const char *where;
    char path[FIELD_PATH];
};

static const char *const kind_names[] =
    {[FIELD_INTEGER] = "an integer", [FIELD_REAL] = "a number",  [FIELD_BOOL] = "a bool",
     [FIELD_TEXT] = "a text",        [FIELD_WORD] = "a text",    [FIELD_INTEGERS] = "an array",
     [FIELD_REALS] = "an array",     [FIELD_SIZE] = "a size",    [FIELD_OBJECT] = "an object",
     [FIELD_LIST] = "an array",      [FIELD_TEXTS] = "an array", [FIELD_STRING] = "a text"};

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
    case FIELD_SIZE: return doc_is_integer(v) || doc_is_text(v);
    case FIELD_REAL: return doc_is_number(v);
    case FIELD_BOOL: return doc_bool_value(v, true) == doc_bool_value(v, false);
    case FIELD_TEXT:
    case FIELD_STRING:
    case FIELD_WORD: return doc_is_text(v);
    case FIELD_INTEGERS:
    case FIELD_REALS:
    case FIELD_TEXTS:
    case FIELD_LIST: return doc_is_array(v);
    case FIELD_OBJECT: return doc_is_object(v);
    default: return true;
    }
}

static enum st read_object(const struct field *f, const doc *d, const struct reading *r, void *base, struct err *err);

static bool is_list(const struct field *f)
{
    return f->kind == FIELD_INTEGERS || f->kind == FIELD_REALS || f->kind == FIELD_TEXTS || f->kind == FIELD_LIST;
}

/* An integer member, by its size. */
static void put_integer(char *at, size_t size, int64_t v)
{
    if (at && size == sizeof(bool)) *(bool *)at = v;
    else if (at && size == sizeof(uint16_t)) memcpy(at, &(uint16_t){(uint16_t)v}, size);
    else if (at && size == sizeof(int)) memcpy(at, &(int){(int)v}, size);
    else if (at && size == sizeof v) memcpy(at, &v, size);
}

static int64_t get_integer(const char *at, size_t size)
{
    int64_t v = 0;
    int small = 0;
    uint16_t least = 0;
    if (size == sizeof(bool)) return *(const bool *)at;
    if (size == sizeof v) return memcpy(&v, at, size), v;
    if (size == sizeof least) return memcpy(&least, at, size), least;
    return memcpy(&small, at, sizeof small), small;
}

/* The value that stands for an absent key; of an object without a member of its own, those of its members. */
static void set_absent(const struct field *f, void *base)
{
    char *at = base && (f->size || f->kind == FIELD_OBJECT) ? (char *)base + f->offset : NULL;
    if (!at) return;
    if (f->kind == FIELD_OBJECT) {
        if (f->of) fields_forget(f->of, at);
        return;
    }
    if (is_list(f)) put_integer((char *)base + f->count, sizeof(int), (int64_t)f->absent);
    else if (f->kind == FIELD_TEXT) *at = '\0';
    else if (f->kind == FIELD_STRING) memset(at, 0, f->size);
    else if (f->kind == FIELD_REAL) memcpy(at, &f->absent, sizeof f->absent);
    else put_integer(at, f->size, (int64_t)f->absent);
}

void fields_forget(const struct field *f, void *base)
{
    for (; f->key; f++) set_absent(f, base);
}

/* Whether the member of a row has another value. */
static bool is_known(const struct field *f, const char *base)
{
    const char *at = base + f->offset;
    double real = 0;
    if (is_list(f)) return get_integer(base + f->count, sizeof(int)) != (int64_t)f->absent;
    if (f->kind == FIELD_TEXT) return *at;
    if (f->kind == FIELD_STRING) return get_integer(at, f->size);
    if (f->kind != FIELD_REAL) return get_integer(at, f->size) != (int64_t)f->absent;
    memcpy(&real, at, sizeof real);
    return !isnan(real) && real != f->absent;
}

static enum st read_integer(const struct field *f, int64_t v, const struct reading *r, char *at, struct err *err)
{
    if (v < f->low || v > f->high)
        return err_set(err, ST_INPUT, "%s: key \"%s\" is %lld, expected %lld to %lld", r->where, r->path, (long long)v,
                       (long long)f->low, (long long)f->high);
    put_integer(at, f->size, v);
    return ST_OK;
}

static enum st read_real(double v, double low, double high, const char *unit, const struct reading *r, char *at,
                         struct err *err)
{
    if (!(v >= low && v <= high))
        return err_set(err, ST_INPUT, "%s: key \"%s\" is %g, expected %g to %g%s%s", r->where, r->path, v, low, high,
                       unit ? " " : "", unit ? unit : "");
    if (at) memcpy(at, &v, sizeof v);
    return ST_OK;
}

static enum st read_size(const struct field *f, const doc *v, const struct reading *r, char *at, struct err *err)
{
    uint64_t bytes = (uint64_t)doc_integer_value(v, 0);
    if (doc_is_text(v) && units_size(doc_text_value(v, ""), r->path, &bytes, err) != ST_OK) {
        err->code = ST_INPUT;
        return err_prefix(err, "%s: ", r->where);
    }
    if (!bytes || bytes > SIZE_MOST)
        return err_set(err, ST_INPUT,
                       "%s: key \"%s\" is %lld, expected 1 byte to 1024 TiB; write null where it is unknown", r->where,
                       r->path, (long long)bytes);
    put_integer(at, f->size, (int64_t)bytes);
    return ST_OK;
}

static enum st read_text(const struct field *f, const char *text, const struct reading *r, char *at, struct err *err)
{
    size_t most = f->high ? (size_t)f->high : f->size - 1, length = strlen(text);
    if (f->flags & FIELD_WHOLE && length > most)
        return err_set(err, ST_INPUT, "%s: key \"%s\" is %zu bytes long, expected at most %zu; shorten it", r->where,
                       r->path, length, most);
    for (const char *c = text; f->flags & FIELD_WHOLE && *c; c++)
        if ((unsigned char)*c < 32 || *c == 127)
            return err_set(err, ST_INPUT,
                           "%s: key \"%s\" holds the control character %d, expected printable text; remove it",
                           r->where, r->path, *c);
    if (at) snprintf(at, f->size, "%s", text);
    return ST_OK;
}

static enum st read_word(const struct field *f, const char *text, const struct reading *r, char *at, struct err *err)
{
    char known[200] = "";
    for (int i = 0; f->words[i]; i++) {
        text_append(known, sizeof known, "%s%s", i ? ", " : "", f->words[i]);
        if (strcmp(text, f->words[i])) continue;
        put_integer(at, f->size, i);
        return ST_OK;
    }
    return err_set(err, ST_INPUT, "%s: key \"%s\" is \"%.40s\", expected one of %s", r->where, r->path, text, known);
}

static enum st read_list(const struct field *f, const doc *v, struct reading *r, void *base, struct err *err);

/* Entry `one` of a list, with its number in the path. */
static enum st read_entry(const struct field *f, const doc *one, struct reading *r, char *to, struct err *err)
{
    bool integer = f->kind == FIELD_INTEGERS, real = f->kind == FIELD_REALS, text = f->kind == FIELD_TEXTS,
         nested = f->flags & FIELD_NESTED;
    struct field inner = *f;
    inner.flags &= ~FIELD_NESTED;
    if (doc_is_null(one) && f->flags & FIELD_GAPS && !nested) {
        if (to) memcpy(to, &(double){NAN}, sizeof(double));
        return ST_OK;
    }
    if (nested    ? !doc_is_array(one)
        : integer ? !doc_is_integer(one)
        : real    ? !doc_is_number(one)
        : text    ? !doc_is_text(one)
                  : !doc_is_object(one))
        return err_set(err, ST_INPUT, "%s: key \"%s\" is %s, expected %s; correct it", r->where, r->path, kind_of(one),
                       nested    ? "array"
                       : integer ? "integer"
                       : real    ? "number"
                       : text    ? "text"
                                 : "object");
    if (nested) return read_list(&inner, one, r, NULL, err);
    if (integer) return read_integer(f, doc_integer_value(one, 0), r, to, err);
    if (text) return ST_OK;
    if (real) return read_real(doc_real_value(one, 0), (double)f->low, (double)f->high, f->unit, r, to, err);
    return read_object(f->of, one, r, to, err);
}

static enum st read_list(const struct field *f, const doc *v, struct reading *r, void *base, struct err *err)
{
    size_t end = strlen(r->path);
    int count = (int)doc_size(v);
    uint64_t most = f->most > 0 ? (uint64_t)f->most : FIELD_ENTRIES_MOST;
    if (doc_size(v) < (uint64_t)f->least)
        return err_set(err, ST_INPUT, "%s: key \"%s\" has %llu entries, expected %.0f to %llu", r->where, r->path,
                       (unsigned long long)doc_size(v), f->least, (unsigned long long)most);
    if (doc_size(v) > most)
        return err_set(err, ST_INPUT, "%s: key \"%s\" has %llu entries, expected at most %llu", r->where, r->path,
                       (unsigned long long)doc_size(v), (unsigned long long)most);
    char *to = base && f->size ? (char *)base + f->offset : NULL;
    if (to && f->flags & FIELD_POINTER) memcpy(&to, to, sizeof to);
    for (int i = 0; i < count && (f->of || f->kind != FIELD_LIST); i++) {
        snprintf(r->path + end, sizeof r->path - end, "[%d]", i);
        PASS(read_entry(f, doc_at(v, (uint64_t)i), r, to ? to + (size_t)i * f->size : NULL, err));
    }
    if (to) put_integer((char *)base + f->count, sizeof count, count);
    return ST_OK;
}

/* r: with the key in its path. */
static enum st read_value(const struct field *f, const doc *v, struct reading *r, void *base, struct err *err)
{
    char *at = base && f->size ? (char *)base + f->offset : NULL;
    switch (f->kind) {
    case FIELD_GONE: return err_set(err, ST_INPUT, "%s: key \"%s\" is %s", r->where, r->path, f->help);
    case FIELD_INTEGER: return read_integer(f, doc_integer_value(v, 0), r, at, err);
    case FIELD_SIZE: return read_size(f, v, r, at, err);
    case FIELD_REAL: return read_real(doc_real_value(v, 0), f->least, f->most, f->unit, r, at, err);
    case FIELD_BOOL:
        if (at) *(bool *)at = doc_bool_value(v, false);
        return ST_OK;
    case FIELD_TEXT: return read_text(f, doc_text_value(v, ""), r, at, err);
    case FIELD_WORD: return read_word(f, doc_text_value(v, ""), r, at, err);
    case FIELD_STRING:
        if (at) memcpy(at, &(const char *){doc_text_value(v, "")}, f->size);
        return ST_OK;
    case FIELD_INTEGERS:
    case FIELD_REALS:
    case FIELD_TEXTS:
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
    if (doc_is_null(v) && !needed) set_absent(f, base);
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
    int n = 0;
    while (f[n].key && n < FIELD_KEYS_MOST) known[n] = f[n].key, n++;
    snprintf(here, sizeof here, "%.190s%s%s", r->where, *r->path ? ": " : "", r->path);
    if (f[n].kind != FIELD_OTHERS) PASS(doc_only_keys(d, known, here, err)); /* a typo is no missing key */
    for (; f->key; f++) PASS(read_key(f, d, r, base, err));
    return ST_OK;
}

enum st fields_read(const struct field *f, const doc *d, const char *where, void *out, struct err *err)
{
    struct reading r = {where, ""};
    if (!doc_is_object(d)) return err_set(err, ST_INPUT, "%s: is no object; expected {..}", where);
    return read_object(f, d, &r, out, err);
}

/* ---- writing ---- */

static bool put_members(const struct field *f, const char *base, const doc *rest, doc *to);

static doc *list_of(const struct field *f, const char *at, int count)
{
    doc *list = doc_array();
    for (int i = 0; i < count; i++, at += f->size) {
        doc *one = f->kind == FIELD_LIST ? doc_object() : NULL;
        double real = 0;
        if (f->kind == FIELD_REALS) memcpy(&real, at, sizeof real);
        if (f->kind == FIELD_LIST) put_members(f->of, at, NULL, one);
        else one = f->kind == FIELD_REALS ? doc_real(real) : doc_integer(get_integer(at, f->size));
        doc_append(list, one);
    }
    return list;
}

/* *out: the value of the row, NULL without memory. False, and nothing in *out, where none is known. */
static bool value_of(const struct field *f, const char *base, const doc *rest, doc **out)
{
    const char *at = base + f->offset;
    const doc *stated = doc_get(rest, f->key);
    double real = 0;
    if (f->kind == FIELD_OBJECT && f->of) {
        doc *object = doc_object();
        if (put_members(f->of, at, stated, object)) return *out = object, true;
        return doc_free(object), false;
    }
    if (!f->size) return doc_is_null(stated) ? false : (*out = doc_copy(stated), true);
    bool whole = f->kind == FIELD_INTEGER || f->kind == FIELD_SIZE || f->kind == FIELD_WORD || f->kind == FIELD_BOOL;
    if (!is_known(f, base) && !(whole && f->flags & FIELD_NEEDED)) return false;
    const char *string = NULL;
    if (f->kind == FIELD_REAL) memcpy(&real, at, sizeof real);
    if (f->kind == FIELD_STRING) memcpy(&string, at, sizeof string);
    int64_t v = whole ? get_integer(at, f->size) : 0;
    *out = is_list(f)                ? list_of(f, at, (int)get_integer(base + f->count, sizeof(int)))
           : f->kind == FIELD_TEXT   ? doc_text(at)
           : f->kind == FIELD_STRING ? doc_text(string)
           : f->kind == FIELD_REAL   ? doc_real(real)
           : f->kind == FIELD_WORD   ? doc_text(f->words[v])
           : f->kind == FIELD_BOOL   ? doc_bool(v)
                                     : doc_integer(v);
    return true;
}

/* True when a member is known. */
static bool put_members(const struct field *f, const char *base, const doc *rest, doc *to)
{
    bool any = false;
    for (; f->key; f++) {
        doc *v = NULL;
        bool known = value_of(f, base, rest, &v);
        if (known || f->flags & FIELD_NULL) doc_put(to, f->key, known ? v : doc_null());
        any |= known;
    }
    return any;
}

void fields_put(const struct field *f, const void *from, const doc *rest, doc *to)
{
    (void)put_members(f, from, rest, to);
}

/* ---- filling gaps ---- */

struct filling {
    void (*told)(void *context, const char *path);
    void *context;
    char path[FIELD_PATH];
};

static void fill_fields(const struct field *f, char *into, const char *from, struct filling *filling)
{
    size_t end = strlen(filling->path);
    for (; f->key; f++) {
        char *to = into + f->offset;
        const char *at = from + f->offset;
        bool paired = f->flags & FIELD_PAIRED;
        int n = f->size && is_list(f) ? (int)get_integer(from + f->count, sizeof(int)) : 1;
        filling->path[end] = '\0';
        text_append(filling->path, sizeof filling->path, "%s%s%s", end ? "." : "", f->key, paired ? "[]" : "");
        if (f->kind == FIELD_OBJECT && f->of) fill_fields(f->of, to, at, filling);
        if (!f->size || !is_known(f, from) || (is_known(f, into) && !paired)) continue;
        for (int i = 0; paired && i < n; i++)
            fill_fields(f->of, to + (size_t)i * f->size, at + (size_t)i * f->size, filling);
        if (paired) continue;
        memcpy(to, at, (size_t)n * f->size);
        if (is_list(f)) put_integer(into + f->count, sizeof n, n);
        filling->told(filling->context, filling->path);
    }
    filling->path[end] = '\0';
}

void fields_fill(const struct field *f, void *into, const void *from, void (*told)(void *context, const char *path),
                 void *context)
{
    struct filling filling = {told, context, ""};
    fill_fields(f, into, from, &filling);
}
