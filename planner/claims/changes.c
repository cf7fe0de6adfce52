#include "planner/claims/changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { CHANGES_MOST = 32, TEXT_MOST = 2048 };

/* One change, as its words. */
struct change {
    const char *target, *key, *value;
};

struct list {
    char copy[TEXT_MOST]; /* in which the words lie */
    struct change at[CHANGES_MOST];
    int count;
};

static enum st split(const char *changes, struct list *out, struct err *err)
{
    char *part[CHANGES_MOST];
    out->count = 0;
    if (!changes) return ST_OK;
    if (strlen(changes) >= TEXT_MOST) return err_set(err, ST_USAGE, "--change: the list is too long");
    strcpy(out->copy, changes);
    int n = text_split(out->copy, ',', part, CHANGES_MOST);
    if (n < 0) return err_set(err, ST_USAGE, "--change: more than %d changes", CHANGES_MOST);
    for (int i = 0; i < n; i++) {
        char *key = strchr(part[i], ':'), *value = key ? strchr(key, '=') : NULL;
        if (!value || key == part[i] || value == key + 1 || !value[1])
            return err_set(err, ST_USAGE, "--change: '%.60s' is not TARGET:KEY=VALUE, such as enwiki:mixing=0.01",
                           part[i]);
        *key++ = *value++ = '\0';
        out->at[i] = (struct change){part[i], key, value};
    }
    out->count = n;
    return ST_OK;
}

static enum st number_of(const struct change *c, double *out, struct err *err)
{
    char *end;
    *out = strtod(c->value, &end);
    if (*end || !(*out >= 0 && *out < 1e15))
        return err_set(err, ST_USAGE, "--change: %.40s of %.40s is '%.40s'; expected a number of 0 or more", c->key,
                       c->target, c->value);
    return ST_OK;
}

static enum st apply(const struct change *c, struct synth_options *o, struct err *err)
{
    static const char *const keys[] = {"kind", "mixing",   "gamma", "communities", "span",
                                       "a",    "vertices", "edges", NULL};
    double v = 0;
    int k = 0;
    while (keys[k] && strcmp(keys[k], c->key)) k++;
    if (k) PASS(number_of(c, &v, err));
    switch (k) {
    case 0: PASS(synth_kind_find(c->value, &o->kind, err)); break;
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
    default: {
        const char *near = text_nearest(c->key, keys);
        return err_set(err, ST_USAGE,
                       "--change: a data set has no '%.40s'%s%s%s; expected kind, mixing, gamma, communities, span, a, "
                       "vertices or edges",
                       c->key, near ? ", did you mean " : "", near ? near : "", near ? "?" : "");
    }
    }
    return ST_OK;
}

enum st changes_stand_in(const char *changes, const char *set, struct synth_options *o, struct err *err)
{
    struct list l;
    PASS(split(changes, &l, err));
    for (int i = 0; i < l.count; i++)
        if (!strcmp(l.at[i].target, set)) PASS(apply(&l.at[i], o, err));
    return ST_OK;
}

bool changes_any(const char *changes, const char *target)
{
    struct err ignored;
    struct list l;
    bool any = false;
    if (split(changes, &l, &ignored) != ST_OK) return false;
    for (int i = 0; i < l.count; i++) any |= !strcmp(l.at[i].target, target);
    return any;
}

static bool put_number(doc *d, const char *key, double v)
{
    if (isnan(doc_number(d, key))) return false;
    doc_put(d, key, v == rint(v) ? doc_integer((int64_t)v) : doc_real(v));
    return true;
}

enum st changes_server(const char *changes, const char *name, doc *d, struct err *err)
{
    struct list l;
    doc *gpus = doc_get(d, "gpus");
    double v;
    PASS(split(changes, &l, err));
    for (int i = 0; i < l.count; i++) {
        if (strcmp(l.at[i].target, name)) continue;
        PASS(number_of(&l.at[i], &v, err));
        bool done = put_number(d, l.at[i].key, v);
        for (uint64_t k = 0; k < doc_size(gpus); k++) done |= put_number(doc_at(gpus, k), l.at[i].key, v);
        if (!done)
            return err_set(err, ST_USAGE,
                           "--change: server %s has no number '%.40s' ('hotset server show %s --json' shows them)",
                           name, l.at[i].key, name);
    }
    return ST_OK;
}

enum st changes_check(const char *changes, struct err *err)
{
    struct list l;
    struct synth_options o;
    struct err no;
    PASS(split(changes, &l, err));
    for (int i = 0; i < l.count; i++) {
        synth_defaults(&o);
        if (synth_like(&o, l.at[i].target, 1, &no) == ST_OK) PASS(apply(&l.at[i], &o, err));
    }
    return ST_OK;
}
