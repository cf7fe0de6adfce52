#define _GNU_SOURCE
#include "base/doc.h"

#include <stdarg.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

/* ---- making ---- */

/* A value that could not be made is a loss, also where its maker takes NULL for "there is none". */
static doc *made(json_t *v)
{
    if (!v) text_note_loss();
    return v;
}

doc *doc_object(void) { return made(json_object()); }
doc *doc_array(void) { return made(json_array()); }
doc *doc_integer(int64_t v) { return made(json_integer(v)); }
doc *doc_unsigned(uint64_t v) { return doc_integer((int64_t)v); }
doc *doc_index(int v) { return v < 0 ? doc_null() : doc_integer(v); }
doc *doc_real(double v) { return isfinite(v) ? made(json_real(v)) : json_null(); }
doc *doc_text(const char *v) { return v ? made(json_string(v)) : json_null(); }
doc *doc_bool(bool v) { return json_boolean(v); }
doc *doc_null(void) { return json_null(); }
void doc_free(doc *d) { json_decref(d); }

/* Stands for a value that could not be made or set; doc_save and doc_print refuse a document that holds it anywhere. It
 * is known by its address. jansson neither counts nor frees a value with this reference count, so marking a container
 * takes no memory. */
static const json_t broken_value = {JSON_NULL, (size_t)-1};
static json_t *broken(void) { return (json_t *)(uintptr_t)&broken_value; }

void doc_put_copy(doc *object, const char *key, const doc *value)
{
    doc_put(object, key, value ? doc_copy(value) : doc_null());
}

/* Whoever made a value that found no place may go on to fill it, so it is never freed: memory has run out, and the
 * command ends. Checkers of leaks are told, where there is one. */
void __lsan_ignore_object(const void *block) __attribute__((weak));
static void keep(json_t *value)
{
    if (value && value != broken() && __lsan_ignore_object) __lsan_ignore_object(value);
}

/* What is printed from a document for people misses the same parts: text_note_loss makes main say so.
 * A container that has no memory for a value is marked as broken in the place of a member that it has; when it is
 * empty, by a second attempt. */
void doc_put(doc *object, const char *key, doc *value)
{
    if (!object || !value) text_note_loss();
    if (!object) {
        keep(value);
        return;
    }
    json_incref(value);
    if (json_object_set_new(object, key, value ? value : broken()) == 0) {
        json_decref(value);
        return;
    }
    text_note_loss();
    keep(value);
    void *any = json_object_iter(object);
    if (any) keep(json_incref(json_object_iter_value(any)));
    if (any) json_object_iter_set_new(object, any, broken());
    else json_object_set_new(object, key, broken());
}

static void put_list(doc *object, const char *key, va_list list)
{
    for (; key; key = va_arg(list, const char *)) doc_put(object, key, va_arg(list, doc *));
}
void doc_put_each(doc *object, ...)
{
    va_list list;
    va_start(list, object);
    put_list(object, va_arg(list, const char *), list);
    va_end(list);
}
doc *doc_of(const char *key, ...)
{
    va_list list;
    doc *d = doc_object();
    va_start(list, key);
    put_list(d, key, list);
    va_end(list);
    return d;
}

void doc_append(doc *array, doc *value)
{
    if (!array || !value) text_note_loss();
    if (!array) {
        keep(value);
        return;
    }
    json_incref(value);
    if (json_array_append_new(array, value ? value : broken()) == 0) {
        json_decref(value);
        return;
    }
    text_note_loss();
    keep(value);
    if (!json_array_size(array)) json_array_append_new(array, broken()); /* an empty one has room */
    keep(json_incref(json_array_get(array, 0)));
    json_array_set_new(array, 0, broken());
}

/* jansson's own deep copy leaves out what it has no memory for. */
doc *doc_copy(const doc *d)
{
    const char *key;
    json_t *value, *copy;
    size_t i;
    if (json_is_object(d)) {
        copy = json_object();
        json_object_foreach((json_t *)(uintptr_t)d, key, value) doc_put(copy, key, doc_copy(value));
        return copy;
    }
    if (json_is_array(d)) {
        copy = json_array();
        json_array_foreach(d, i, value) doc_append(copy, doc_copy(value));
        return copy;
    }
    return d ? json_deep_copy(d) : NULL;
}

static bool is_broken(const json_t *d)
{
    const char *key;
    json_t *value;
    size_t i;
    if (!d || d == broken()) return true;
    if (json_is_object(d)) json_object_foreach((json_t *)(uintptr_t)d, key, value) if (is_broken(value)) return true;
    if (json_is_array(d)) json_array_foreach(d, i, value) if (is_broken(value)) return true;
    return false;
}

bool doc_whole(const doc *d) { return !is_broken(d); }

/* ---- writing ---- */

/* A text that grows. jansson's own leaves out what it has no memory for, and goes on. */
struct growing {
    char *text;
    size_t bytes, capacity;
    bool broken; /* a piece is missing: jansson does not look at every answer */
};

static int add_text(const char *piece, size_t bytes, void *of)
{
    struct growing *g = of;
    if (bytes >= g->capacity - g->bytes) {
        size_t more = 2 * g->capacity + bytes + 1000;
        char *larger = realloc(g->text, more);
        if (!larger) {
            g->broken = true;
            return -1;
        }
        g->text = larger;
        g->capacity = more;
    }
    memcpy(g->text + g->bytes, piece, bytes);
    g->bytes += bytes;
    g->text[g->bytes] = '\0';
    return 0;
}

enum st doc_dump(const doc *d, char **text, size_t *bytes, struct err *err)
{
    struct growing g = {0};
    if (!is_broken(d) && json_dump_callback(d, add_text, &g, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0 &&
        add_text("\n", 1, &g) == 0 && !g.broken) {
        *text = g.text;
        *bytes = g.bytes;
        return ST_OK;
    }
    free(g.text);
    return err_set(err, ST_LIMIT, "out of memory while a JSON document was made");
}

enum st doc_save(const doc *d, const char *path, struct err *err)
{
    char *text = NULL;
    size_t bytes = 0;
    enum st st;
    TRY(doc_dump(d, &text, &bytes, err));
    TRY(file_write(path, text, bytes, err));
done:
    free(text);
    return st;
}

enum st doc_print(const doc *d, FILE *to, struct err *err)
{
    char *text = NULL;
    size_t bytes = 0;
    enum st st;
    TRY(doc_dump(d, &text, &bytes, err));
    if (fwrite(text, 1, bytes, to) != bytes || fflush(to) != 0) FAIL(ST_LIMIT, "standard output cannot be written");
done:
    free(text);
    return st;
}

bool doc_print_line(const doc *d, FILE *to)
{
    return !is_broken(d) && json_dumpf(d, to, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9)) == 0;
}

/* ---- reading ---- */

/* Documents whose major 2 is that of graphs with several node types or relations. */
static bool types_have(const char *schema)
{
    return !strcmp(schema, "graph/1") || !strcmp(schema, "trace/1") || !strcmp(schema, "plan/1");
}

/* Compares "plan/1" with the schema that the document states. */
static enum st check_schema(const doc *d, const char *path, const char *schema, struct err *err)
{
    const char *have = doc_text_value(doc_get(d, "schema"), NULL);
    if (!have)
        return err_set(err, ST_INPUT, "%s: has no \"schema\", expected \"%s\"; is it a document that hotset wrote?",
                       path, schema);
    if (strcmp(have, schema)) {
        size_t stem = strcspn(schema, "/");
        bool newer = !strncmp(have, schema, stem + 1),
             typed = newer && !strcmp(have + stem, "/2") && types_have(schema);
        if (!strcmp(have, "inference/1") && !strncmp(schema, "plan", 4))
            return err_set(err, ST_INPUT,
                           "%s: is a plan of --job inference, which has no mini-batches of training; of plans, 'hotset "
                           "simulate' takes it",
                           path);
        return err_set(err, ST_INPUT, "%s: schema is \"%.40s\", expected \"%s\"; %s", path, have, schema,
                       typed   ? "it is of a graph with several node types or relations, which this command does not "
                                 "know yet ('hotset graph info', 'trace record', 'plan', 'compare', 'simulate', "
                                 "'verify', 'explain' and 'diff' do)"
                       : newer ? "it was written for another major version of hotset"
                               : "this is another kind of document");
    }
    return ST_OK;
}

enum st doc_load(const char *path, const char *schema, doc **out, struct err *err)
{
    OWNED_BY(file_unmap) struct mapping m = {0};
    OWNED_DOC doc *d = NULL;
    PASS(file_map(path, &m, err));
    PASS(doc_parse(m.base, m.bytes, path, &d, err));
    if (!json_is_object(d)) return err_set(err, ST_INPUT, "%s: is not a JSON object", path);
    if (schema) PASS(check_schema(d, path, schema, err));
    *out = TAKE(d);
    return ST_OK;
}

bool doc_is_object(const doc *d) { return json_is_object(d); }
bool doc_is_array(const doc *d) { return json_is_array(d); }
bool doc_is_text(const doc *d) { return json_is_string(d); }
bool doc_is_integer(const doc *d) { return json_is_integer(d); }
bool doc_is_number(const doc *d) { return json_is_number(d); }
bool doc_is_null(const doc *d) { return !d || json_is_null(d); }
doc *doc_get(const doc *object, const char *key) { return json_object_get(object, key); }
uint64_t doc_size(const doc *d) { return json_is_array(d) ? json_array_size(d) : json_object_size(d); }
doc *doc_at(const doc *array, uint64_t i) { return json_array_get(array, i); }
const doc *doc_path(const doc *of, const char *path)
{
    char key[64];
    for (const char *dot = strchr(path, '.'); dot; dot = strchr(path, '.')) {
        snprintf(key, sizeof key, "%.*s", (int)(dot - path), path);
        of = doc_get(of, key);
        path = dot + 1;
    }
    return doc_get(of, path);
}

int64_t doc_integer_value(const doc *d, int64_t otherwise)
{
    return json_is_integer(d) ? json_integer_value(d) : otherwise;
}
double doc_real_value(const doc *d, double otherwise) { return json_is_number(d) ? json_number_value(d) : otherwise; }
double doc_number(const doc *d, const char *key) { return doc_real_value(doc_get(d, key), NAN); }
uint64_t doc_count(const doc *d, const char *key) { return (uint64_t)doc_integer_value(doc_get(d, key), 0); }
const char *doc_text_value(const doc *d, const char *otherwise)
{
    return json_is_string(d) ? json_string_value(d) : otherwise;
}
bool doc_bool_value(const doc *d, bool otherwise) { return json_is_boolean(d) ? json_is_true(d) : otherwise; }

static enum st missing(const char *where, const char *key, const char *kind, const doc *have, struct err *err)
{
    if (!have) return err_set(err, ST_INPUT, "%s: key \"%s\" is missing, expected %s", where, key, kind);
    return err_set(err, ST_INPUT, "%s: key \"%s\" is not %s", where, key, kind);
}

enum st doc_need_integer(const doc *object, const char *key, int64_t low, int64_t high, const char *where, int64_t *out,
                         struct err *err)
{
    const doc *d = doc_get(object, key);
    if (!json_is_integer(d)) return missing(where, key, "an integer", d, err);
    int64_t v = json_integer_value(d);
    if (v < low || v > high)
        return err_set(err, ST_INPUT, "%s: key \"%s\" is %lld, expected %lld to %lld", where, key, (long long)v,
                       (long long)low, (long long)high);
    *out = v;
    return ST_OK;
}

enum st doc_need_real(const doc *object, const char *key, double low, double high, const char *where, double *out,
                      struct err *err)
{
    const doc *d = doc_get(object, key);
    if (!json_is_number(d)) return missing(where, key, "a number", d, err);
    double v = json_number_value(d);
    if (!(v >= low && v <= high))
        return err_set(err, ST_INPUT, "%s: key \"%s\" is %g, expected %g to %g", where, key, v, low, high);
    *out = v;
    return ST_OK;
}

enum st doc_may_rate(const doc *object, const char *key, double high, const char *where, double *out, struct err *err)
{
    return doc_is_null(doc_get(object, key)) ? ST_OK : doc_need_real(object, key, 1e-6, high, where, out, err);
}

enum st doc_need_text(const doc *object, const char *key, const char *where, const char **out, struct err *err)
{
    const doc *d = doc_get(object, key);
    if (!json_is_string(d)) return missing(where, key, "a text", d, err);
    *out = json_string_value(d);
    return ST_OK;
}

enum st doc_need_array(const doc *object, const char *key, const char *where, doc **out, struct err *err)
{
    doc *d = doc_get(object, key);
    if (!json_is_array(d)) return missing(where, key, "an array", d, err);
    *out = d;
    return ST_OK;
}

enum st doc_need_object(const doc *object, const char *key, const char *where, doc **out, struct err *err)
{
    doc *d = doc_get(object, key);
    if (!json_is_object(d)) return missing(where, key, "an object", d, err);
    *out = d;
    return ST_OK;
}

enum st doc_only_keys(const doc *object, const char *const *known, const char *where, struct err *err)
{
    for (const char *key = NULL; (key = doc_next_key(object, key));) {
        const char *const *k = known;
        while (*k && strcmp(*k, key)) k++;
        if (*k) continue;
        const char *near = text_nearest(key, known);
        return err_set(err, ST_INPUT, "%s: key \"%.60s\" is not known%s%s%s; remove it or correct its name", where, key,
                       near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
    return ST_OK;
}

const char *doc_next_key(const doc *object, const char *previous)
{
    json_t *o = (json_t *)(uintptr_t)object; /* jansson's iterators take no const */
    void *at = previous ? json_object_iter_next(o, json_object_key_to_iter(previous)) : json_object_iter(o);
    return at ? json_object_iter_key(at) : NULL;
}

/* Whether a document with that text may state the schema: a text without it, and without escapes, does not. */
static bool may_state(const struct mapping *m, const char *schema)
{
    return m->bytes && (memmem(m->base, m->bytes, schema, strlen(schema)) || memchr(m->base, '\\', m->bytes));
}

/* Several schemas are asked for, one after another, before a plan is read: most answers need no parsing. */
static enum st states_schema(const char *path, const char *schema, bool *has, struct err *err)
{
    OWNED_BY(file_unmap) struct mapping m = {0};
    OWNED_DOC doc *d = NULL;
    PASS(file_map(path, &m, err));
    if (!may_state(&m, schema)) return ST_OK;
    PASS(doc_parse(m.base, m.bytes, path, &d, err));
    *has = !strcmp(doc_text_value(doc_get(d, "schema"), ""), schema);
    return ST_OK;
}

enum st doc_has_schema(const char *path, const char *schema, bool *has, struct err *err)
{
    struct err why = {0};
    *has = false;
    enum st st = file_exists(path) ? states_schema(path, schema, has, &why) : ST_INPUT;
    if (st == ST_LIMIT) *err = why;
    return st == ST_LIMIT ? ST_LIMIT : ST_OK;
}
