#include "planner/claims/changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { WORD_BYTES = 4096 };

enum st changes_pairs(const char *option, const char *text, const char *form, doc *out, struct err *err)
{
    char word[WORD_BYTES];
    for (const char *at = text; at;) {
        size_t n = strcspn(at, ","), left = strcspn(at, "=");
        if (!left || left + 1 >= n || n >= sizeof word)
            return err_set(err, ST_USAGE, "%s: '%.*s' is not %s", option, n < 60 ? (int)n : 60, at, form);
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        word[left] = '\0';
        doc_put(out, word, doc_text(word + left + 1));
        at = at[n] ? at + n + 1 : NULL;
    }
    return ST_OK;
}

const char *changes_next(const doc *changes, const char *target, const char *key)
{
    size_t n = strlen(target);
    while ((key = doc_next_key(changes, key)) && (strncmp(key, target, n) || key[n] != ':')) continue;
    return key;
}

static enum st number_of(const doc *changes, const char *of, double *out, struct err *err)
{
    char *end;
    const char *value = doc_text_value(doc_get(changes, of), "");
    *out = strtod(value, &end);
    if (*end || !(*out >= 0 && *out < 1e15))
        return err_set(err, ST_USAGE, "--change: %.40s of %.*s is '%.40s'; expected a number of 0 or more",
                       strchr(of, ':') + 1, (int)strcspn(of, ":"), of, value);
    return ST_OK;
}

static enum st apply(const doc *changes, const char *of, struct synth_options *o, struct err *err)
{
    static const char *const keys[] = {"kind", "mixing",   "gamma", "communities", "span",
                                       "a",    "vertices", "edges", NULL};
    const char *key = strchr(of, ':') + 1, *near;
    double v = 0;
    int k = 0;
    while (keys[k] && strcmp(keys[k], key)) k++;
    if (k) PASS(number_of(changes, of, &v, err));
    switch (k) {
    case 0: return synth_kind_find(doc_text_value(doc_get(changes, of), ""), &o->kind, err);
    case 1: o->mixing = v; break;
    case 2: o->gamma = v; break;
    case 3: o->communities = (uint64_t)v; break;
    case 4: o->train_span = v; break;
    case 5: /* the other three quarters in their proportions */
        o->b *= (1 - v) / (1 - o->a);
        o->c *= (1 - v) / (1 - o->a);
        o->a = v;
        break;
    case 6: o->vertices = (uint64_t)((double)o->vertices * v); break;
    case 7: o->edges = (uint64_t)((double)o->edges * v); break;
    default:
        near = text_nearest(key, keys);
        return err_set(err, ST_USAGE,
                       "--change: a data set has no '%.40s'%s%s%s; expected kind, mixing, gamma, communities, span, a, "
                       "vertices or edges",
                       key, near ? ", did you mean " : "", near ? near : "", near ? "?" : "");
    }
    return ST_OK;
}

enum st changes_stand_in(const doc *changes, const char *set, struct synth_options *o, struct err *err)
{
    for (const char *of = NULL; (of = changes_next(changes, set, of));) PASS(apply(changes, of, o, err));
    return ST_OK;
}

static bool put_number(doc *d, const char *key, double v)
{
    if (isnan(doc_number(d, key))) return false;
    doc_put(d, key, v == rint(v) ? doc_integer((int64_t)v) : doc_real(v));
    return true;
}

enum st changes_server(const doc *changes, const char *name, doc *d, struct err *err)
{
    doc *gpus = doc_get(d, "gpus");
    double v;
    for (const char *of = NULL; (of = changes_next(changes, name, of));) {
        const char *key = strchr(of, ':') + 1;
        PASS(number_of(changes, of, &v, err));
        bool done = put_number(d, key, v);
        for (uint64_t k = 0; k < doc_size(gpus); k++) done |= put_number(doc_at(gpus, k), key, v);
        if (!done)
            return err_set(err, ST_USAGE,
                           "--change: server %s has no number '%.40s' ('hotset server show %s --json' shows them)",
                           name, key, name);
    }
    return ST_OK;
}

enum st changes_read(const char *text, doc *out, struct err *err)
{
    static const char form[] = "TARGET:KEY=VALUE, such as enwiki:mixing=0.01";
    struct synth_options o;
    struct err no;
    char set[80];
    PASS(changes_pairs("--change", text, form, out, err));
    for (const char *of = NULL; (of = doc_next_key(out, of));) {
        size_t n = strcspn(of, ":");
        if (!n || !of[n] || !of[n + 1]) return err_set(err, ST_USAGE, "--change: '%.60s' is not %s", of, form);
        snprintf(set, sizeof set, "%.*s", (int)n, of);
        synth_defaults(&o);
        if (synth_like(&o, set, 1, &no) == ST_OK) PASS(apply(out, of, &o, err));
    }
    return ST_OK;
}
