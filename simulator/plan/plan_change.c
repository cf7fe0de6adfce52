#include "simulator/plan/plan_change.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"

/* Whether both objects have that member alike: a text or an integer, or neither. */
static bool alike(const doc *a, const doc *b, const char *key)
{
    const doc *x = doc_get(a, key), *y = doc_get(b, key);
    return doc_integer_value(x, -1) == doc_integer_value(y, -1) &&
           !strcmp(doc_text_value(x, ""), doc_text_value(y, ""));
}

static bool alike_in(const doc *a, const doc *b, const char *const *keys)
{
    for (; *keys; keys++)
        if (!alike(a, b, *keys)) return false;
    return true;
}

/* Whether the members `list` have as many entries, which agree in those members. */
static bool lists_alike(const doc *a, const doc *b, const char *list, const char *const *keys)
{
    const doc *x = doc_get(a, list), *y = doc_get(b, list);
    bool same = doc_size(x) == doc_size(y);
    for (uint64_t i = 0; same && i < doc_size(x); i++) {
        same = alike_in(doc_at(x, i), doc_at(y, i), keys);
        bool features = doc_is_integer(doc_get(doc_at(y, i), "feature_dim"));
        if (features && doc_get(doc_at(y, i), "edges")) same = same && alike(doc_at(x, i), doc_at(y, i), "edges");
    }
    return same;
}

bool plan_change_same_rows(const doc *of, const struct graph *g)
{
    static const char *const all[] = {"vertices", "feature_dim", "feature_bytes", NULL},
                             *const type[] = {"name", "count", "feature_dim", "feature_type", NULL},
                             *const relation[] = {"source", "name", "target", "feature_dim", "feature_type", NULL};
    doc *now = graph_document(g);
    bool same = alike_in(of, now, all) && lists_alike(of, now, "types", type) &&
                lists_alike(of, now, "relations", relation);
    doc_free(now);
    return same;
}

/* The fingerprint of g with other training vertices: ids of all types, ascending. */
static enum st fingerprint_with(const struct graph *g, const uint32_t *ids, uint64_t count, int threads, char out[80],
                                struct err *err)
{
    enum st st = ST_OK;
    struct graph view = *g;
    OWNED uint32_t *within = NULL;
    view.type = NULL;
    if (graph_plain(g)) {
        view.train = ids;
        view.train_count = count;
        return graph_fingerprint(&view, threads, out, err);
    }
    NEW(view.type, g->types, "node types");
    NEW(within, count, "training vertices");
    memcpy(view.type, g->type, (size_t)g->types * sizeof *view.type);
    for (uint64_t t = 0, i = 0; t < (uint64_t)g->types; t++) {
        struct graph_type *type = &view.type[t];
        type->train = within + i;
        type->train_count = 0;
        for (; i < count && ids[i] < type->first + type->count; i++) within[i] = (uint32_t)(ids[i] - type->first);
        type->train_count = (uint64_t)(within + i - type->train);
    }
    st = graph_fingerprint(&view, threads, out, err);
done:
    mem_free(view.type);
    return st;
}

static inline void mark(uint64_t *bits, uint64_t v) { bits[v / 64] |= (uint64_t)1 << (v % 64); }
static inline bool marked(const uint64_t *bits, uint64_t v) { return bits[v / 64] >> (v % 64) & 1; }

void plan_change_add(const struct plan *p, uint64_t *bits, struct plan_change *c)
{
    for (int k = 0; k < p->assignment.gpus; k++) {
        for (uint64_t i = 0; i < p->assignment.train_count[k]; i++) mark(bits, p->assignment.train[k][i]);
        c->train_before += p->assignment.train_count[k];
    }
}

enum st plan_change_find(const uint64_t *bits, const doc *of, const struct graph *g, int threads, struct plan_change *c,
                         struct err *err)
{
    uint64_t count = 0;
    OWNED uint32_t *ids = NULL;
    char print[80] = "";
    const char *stated = doc_text_value(doc_get(of, "fingerprint"), "");
    for (int t = 0; t < graph_type_count(g); t++) {
        const struct graph_vertices type = graph_vertices(g, t);
        for (uint64_t i = 0; i < type.train_count; i++) c->train_shared += marked(bits, type.first + type.train[i]);
        c->train_now += type.train_count;
    }
    c->train = c->train_now != c->train_before || c->train_shared != c->train_now;
    if (c->train && !c->more) {
        MAKE(ids, c->train_before, "training vertices");
        for (uint64_t v = 0; v < g->n; v++)
            if (marked(bits, v)) ids[count++] = (uint32_t)v;
        PASS(fingerprint_with(g, ids, count, threads, print, err));
    }
    c->edges = c->more || strcmp(print, stated);
    return ST_OK;
}

const char *plan_change_text(const struct plan_change *c, char out[PLAN_CHANGE_TEXT])
{
    char now[UNIT_TEXT], both[UNIT_TEXT], before[UNIT_TEXT];
    *out = '\0';
    if (c->train)
        text_append(out, PLAN_CHANGE_TEXT, "the training set differs (%s vertices, %s of them among the plan's %s)",
                    units_count(now, c->train_now), units_count(both, c->train_shared),
                    units_count(before, c->train_before));
    if (c->edges && c->more)
        text_append(out, PLAN_CHANGE_TEXT, "%s%s edges %s", *out ? ", " : "",
                    units_count(now, (uint64_t)(c->more < 0 ? -c->more : c->more)), c->more < 0 ? "fewer" : "more");
    else if (c->edges) text_append(out, PLAN_CHANGE_TEXT, "%sother edges", *out ? ", " : "");
    return out;
}
