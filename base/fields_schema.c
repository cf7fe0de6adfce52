#include "base/fields_schema.h"

#include <string.h>

#include "base/text.h"

enum { PATH = 200, KIND = 240 };

static bool is_needed(const struct field *f) { return f->flags & FIELD_NEEDED; }

/* ---- for programs ---- */

static doc *object_of(const struct field *f);

/* {"type": ..}; where the key may be absent, null is as good. */
static doc *typed(const char *type, bool needed)
{
    doc *d = doc_object(), *types = doc_array();
    doc_append(types, doc_text(type));
    if (!needed) doc_append(types, doc_text("null"));
    doc_put(d, "type", types);
    return d;
}

static doc *integer_of(int64_t low, int64_t high, bool needed)
{
    doc *d = typed("integer", needed);
    doc_put(d, "minimum", doc_integer(low));
    doc_put(d, "maximum", doc_integer(high));
    return d;
}

static doc *real_of(double low, double high, bool needed)
{
    doc *d = typed("number", needed);
    doc_put(d, "minimum", doc_real(low));
    doc_put(d, "maximum", doc_real(high));
    return d;
}

static doc *text_of(const struct field *f)
{
    doc *d = typed("string", is_needed(f));
    if (!(f->flags & FIELD_WHOLE)) return d;
    doc_put(d, "maxLength", doc_integer(f->high ? f->high : (int64_t)f->size - 1));
    doc_put(d, "pattern", doc_text("^[^\\u0000-\\u001f\\u007f]*$"));
    return d;
}

static doc *word_of(const struct field *f)
{
    doc *d = doc_object(), *words = doc_array();
    for (const char *const *w = f->words; *w; w++) doc_append(words, doc_text(*w));
    if (!is_needed(f)) doc_append(words, doc_null());
    doc_put(d, "enum", words);
    return d;
}

/* An integer, or a text with a unit. */
static doc *size_of(const struct field *f)
{
    doc *d = doc_object(), *ways = doc_array(), *text = typed("string", true);
    doc_put(text, "pattern", doc_text("^[0-9]+(\\.[0-9]*)? *([KMGTPkmgtp][Ii]?)?[Bb]?$"));
    doc_append(ways, integer_of(1, (int64_t)1 << 50, is_needed(f)));
    doc_append(ways, text);
    doc_put(d, "anyOf", ways);
    return d;
}

static doc *list_of(const struct field *f)
{
    doc *d = typed("array", is_needed(f)), *entry = NULL;
    struct field inner = *f;
    inner.flags = FIELD_NEEDED | (f->flags & ~FIELD_NESTED);
    const bool whole = !(f->flags & FIELD_GAPS);
    if (f->flags & FIELD_NESTED) entry = list_of(&inner);
    else if (f->kind == FIELD_INTEGERS) entry = integer_of(f->low, f->high, true);
    else if (f->kind == FIELD_REALS) entry = real_of((double)f->low, (double)f->high, whole);
    else if (f->kind == FIELD_TEXTS) entry = typed("string", true);
    else if (f->of) entry = object_of(f->of);
    if (entry) doc_put(d, "items", entry);
    if (f->least > 0) doc_put(d, "minItems", doc_integer((int64_t)f->least));
    if (f->most > 0) doc_put(d, "maxItems", doc_integer((int64_t)f->most));
    return d;
}

static doc *value_of(const struct field *f)
{
    switch (f->kind) {
    case FIELD_INTEGER: return integer_of(f->low, f->high, is_needed(f));
    case FIELD_SIZE: return size_of(f);
    case FIELD_REAL: return real_of(f->least, f->most, is_needed(f));
    case FIELD_GONE: return typed("null", true);
    case FIELD_BOOL: return typed("boolean", is_needed(f));
    case FIELD_TEXT:
    case FIELD_STRING: return text_of(f);
    case FIELD_WORD: return word_of(f);
    case FIELD_INTEGERS:
    case FIELD_REALS:
    case FIELD_TEXTS:
    case FIELD_LIST: return list_of(f);
    case FIELD_OBJECT: break;
    default: return doc_object();
    }
    doc *d = f->of ? object_of(f->of) : doc_object();
    doc *type = typed("object", is_needed(f));
    doc_put_copy(d, "type", doc_get(type, "type"));
    doc_free(type);
    return d;
}

static doc *object_of(const struct field *f)
{
    doc *d = typed("object", true), *members = doc_object(), *needed = doc_array();
    for (; f->key; f++) {
        doc *v = value_of(f);
        char text[400] = "";
        text_append(text, sizeof text, "%s%s%s", f->help ? f->help : "", f->help && f->unit ? " Unit: " : "",
                    f->unit ? f->unit : "");
        if (*text) doc_put(v, "description", doc_text(text));
        doc_put(members, f->key, v);
        if (is_needed(f)) doc_append(needed, doc_text(f->key));
    }
    doc_put(d, "properties", members);
    doc_put(d, "required", needed);
    if (f->kind == FIELD_END) doc_put(d, "additionalProperties", doc_bool(false));
    return d;
}

doc *fields_schema(const struct field *f, const char *name, const char *summary)
{
    static const char *const keys[] = {"type", "properties", "required", "additionalProperties"};
    char id[PATH];
    doc *d = doc_object(), *body = object_of(f);
    snprintf(id, sizeof id, "urn:hotset:%s", name);
    doc_put(d, "$schema", doc_text("https://json-schema.org/draft/2020-12/schema"));
    doc_put(d, "$id", doc_text(id));
    doc_put(d, "title", doc_text(name));
    doc_put(d, "description", doc_text(summary));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (doc_get(body, keys[i])) doc_put_copy(d, keys[i], doc_get(body, keys[i]));
    if (!doc_whole(body)) doc_put(d, "title", NULL); /* the loss is that of the schema */
    doc_free(body);
    return d;
}

/* ---- for people ---- */

static void range(char *out, const char *what, double low, double high)
{
    text_append(out, KIND, "%s", what);
    if (high >= 9e18) text_append(out, KIND, " from %.10g", low);
    else text_append(out, KIND, " from %.10g to %.10g", low, high);
}

static void kind_text(const struct field *f, char out[KIND])
{
    bool list = f->kind == FIELD_INTEGERS || f->kind == FIELD_REALS || f->kind == FIELD_TEXTS || f->kind == FIELD_LIST;
    *out = '\0';
    if (list && f->flags & FIELD_NESTED) text_append(out, KIND, "a list of ");
    if (f->kind == FIELD_LIST) text_append(out, KIND, "a list of objects");
    else if (f->kind == FIELD_OBJECT) text_append(out, KIND, "an object");
    else if (f->kind == FIELD_BOOL) text_append(out, KIND, "true or false");
    else if (f->kind == FIELD_TEXTS) text_append(out, KIND, "a list of texts");
    else if (f->kind == FIELD_TEXT || f->kind == FIELD_STRING) text_append(out, KIND, "a text");
    else if (f->kind == FIELD_GONE) text_append(out, KIND, "null");
    else if (f->kind == FIELD_ANY) text_append(out, KIND, "any value");
    else if (f->kind == FIELD_SIZE) text_append(out, KIND, "an integer, or a text as 16GiB");
    else if (f->kind == FIELD_INTEGER) range(out, "an integer", (double)f->low, (double)f->high);
    else if (f->kind == FIELD_REAL) range(out, "a number", f->least, f->most);
    else if (f->kind == FIELD_INTEGERS) range(out, "a list of integers", (double)f->low, (double)f->high);
    else if (f->kind == FIELD_REALS) range(out, "a list of numbers", (double)f->low, (double)f->high);
    for (int i = 0; f->kind == FIELD_WORD && f->words[i]; i++)
        text_append(out, KIND, "%s%s", i ? " or " : "", f->words[i]);
    if (list && f->most > 0) text_append(out, KIND, "; %.0f to %.0f of them", f->least, f->most);
}

static void print_keys(const struct field *f, const char *within, FILE *to)
{
    for (; f->key; f++) {
        char path[PATH], kind[KIND];
        kind_text(f, kind);
        fprintf(to, "| `%s%s` | %s | %s | %s | %s |\n", within, f->key, kind, f->unit ? f->unit : "",
                is_needed(f) ? "yes" : "", f->help ? f->help : "");
        snprintf(path, sizeof path, "%s%s%s", within, f->key, f->kind == FIELD_LIST ? "[]." : ".");
        if (f->of) print_keys(f->of, path, to);
    }
    if (f->kind == FIELD_OTHERS) fprintf(to, "| `%s..` | any value | | | Further keys are not looked at. |\n", within);
}

void fields_print(const struct field *f, FILE *to)
{
    fputs("| key | value | unit | needed | meaning |\n|---|---|---|---|---|\n", to);
    print_keys(f, "", to);
}
