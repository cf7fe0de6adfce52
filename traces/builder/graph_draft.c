#include "traces/builder/graph_draft.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/precision.h"

enum st graph_draft_begin(struct graph_draft *d, const char *name, const char *origin, struct err *err)
{
    memset(d, 0, sizeof *d);
    snprintf(d->g.name, sizeof d->g.name, "%s", name);
    snprintf(d->origin, sizeof d->origin, "%s", origin);
    MAKE(d->g.type, GRAPH_TYPES_MAX, "node types");
    MAKE(d->g.relation, GRAPH_RELATIONS_MAX, "relations");
    MAKE(d->train, GRAPH_TYPES_MAX, "training vertices");
    return ST_OK;
}

void graph_draft_release(struct graph_draft *d)
{
    for (int t = 0; d->train && t < GRAPH_TYPES_MAX; t++) mem_free(d->train[t].ids);
    mem_free(d->train);
    graph_close(&d->g);
    memset(d, 0, sizeof *d);
}

static enum st set_name(const char *what, const char *name, char out[GRAPH_NAME_BYTES], struct err *err)
{
    bool good = *name && strlen(name) < GRAPH_NAME_BYTES;
    for (const char *c = name; good && *c; c++) good = isalnum((unsigned char)*c) || strchr("_.+/-", *c);
    if (!good)
        return err_set(err, ST_INPUT,
                       "the %s '%.80s' cannot be kept; names have 1 to %d letters, digits and _ . + / - only", what,
                       name, GRAPH_NAME_BYTES - 1);
    snprintf(out, GRAPH_NAME_BYTES, "%s", name);
    return ST_OK;
}

static enum st set_features(uint64_t dim, const char *element, struct graph_features *out, struct err *err)
{
    if (!dim) return ST_OK;
    if (dim > 1 << 24 || !precision_element_bytes(element))
        return err_set(err, ST_INPUT,
                       "rows of %llu elements of type '%.20s' cannot be kept; expected up to 16777216 elements of one "
                       "of " GRAPH_ELEMENT_WORDS,
                       (unsigned long long)dim, element);
    out->dim = dim;
    snprintf(out->element, sizeof out->element, "%s", element);
    out->row_bytes = dim * precision_element_bytes(element);
    return ST_OK;
}

enum st graph_draft_type(struct graph_draft *d, const char *name, uint64_t count, uint64_t dim, const char *element,
                         struct err *err)
{
    struct graph_type *t = &d->g.type[d->g.types];
    if (d->g.types == GRAPH_TYPES_MAX)
        return err_set(err, ST_INPUT, "there are more than %d node types", GRAPH_TYPES_MAX);
    PASS(set_name("type name", name, t->name, err));
    if (graph_type_named(&d->g, name) >= 0) return err_set(err, ST_INPUT, "the type '%s' is there twice", name);
    if (count < 1 || count >= UINT32_MAX || d->g.n + count >= UINT32_MAX)
        return err_set(err, ST_INPUT, "type %s: has %llu vertices; expected 1 to 4294967294, all types together", name,
                       (unsigned long long)count);
    PASS(set_features(dim, element, &t->features, err));
    t->count = count;
    t->first = d->g.n;
    d->g.n += count;
    d->g.types++;
    return ST_OK;
}

enum st graph_draft_relation(struct graph_draft *d, const char *source, const char *name, const char *target,
                             uint64_t dim, const char *element, struct err *err)
{
    struct graph_relation *r = &d->g.relation[d->g.relations];
    if (d->g.relations == GRAPH_RELATIONS_MAX)
        return err_set(err, ST_INPUT, "there are more than %d relations", GRAPH_RELATIONS_MAX);
    PASS(set_name("relation name", name, r->name, err));
    r->source = graph_type_named(&d->g, source);
    r->target = graph_type_named(&d->g, target);
    if (r->source < 0 || r->target < 0)
        return err_set(err, ST_INPUT, "relation %s: its %s '%.60s' is none of the types", name,
                       r->source < 0 ? "source" : "target", r->source < 0 ? source : target);
    PASS(set_features(dim, element, &r->features, err));
    r->rows = d->g.type[r->target].count;
    d->g.relations++;
    return ST_OK;
}

/* Arcs with their numbers as weights. */
static enum st read_numbered(const void *self, uint64_t first, uint64_t count, uint32_t *pairs, float *weights,
                             struct err *err)
{
    const struct arc_source *from = self;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t number = (uint32_t)(first + i);
        memcpy(&weights[i], &number, sizeof number);
    }
    return from->read(from->self, first, count, pairs, NULL, err);
}

enum st graph_draft_edges(struct graph_draft *d, int relation, const struct arc_source *arcs, int threads,
                          bool progress, const struct output *to, struct err *err)
{
    struct graph_relation *r = &d->g.relation[relation];
    bool numbered = r->features.row_bytes > 0;
    const struct arc_source with_numbers = {arcs, arcs->count, true, read_numbered};
    struct csr_result made;
    char prefix[32];
    snprintf(prefix, sizeof prefix, "relation%d_", relation);
    const struct csr_options rules = {.n = r->rows,
                                      .threads = threads,
                                      .progress = progress,
                                      .listed = d->g.type[r->source].count,
                                      .prefix = prefix,
                                      .numbered = numbered};
    if (numbered && arcs->count >= UINT32_MAX)
        return err_set(err, ST_LIMIT, "relation %s: has %llu edges with features; the limit is 4294967294", r->name,
                       (unsigned long long)arcs->count);
    PASS(csr_write(numbered ? &with_numbers : arcs, &rules, to, &made, err));
    r->m = made.m;
    d->g.m += made.m;
    if (numbered) d->g.edge_rows += made.m;
    d->duplicates += made.duplicates;
    return ST_OK;
}

static enum st save_document(const struct graph_draft *d, const struct output *to, struct err *err)
{
    char path[PATH_BYTES];
    OWNED_DOC doc *members = graph_document(&d->g), *out = doc_object();
    doc_put(out, "schema", doc_text("graph/2"));
    for (const char *key = doc_next_key(members, NULL); key; key = doc_next_key(members, key))
        doc_put(out, key, doc_copy(doc_get(members, key)));
    for (int t = 0; t < d->g.types; t++)
        if (d->g.type[t].name_bytes)
            doc_put(doc_at(doc_get(out, "types"), (uint64_t)t), "name_bytes",
                    doc_integer((int64_t)d->g.type[t].name_bytes));
    if (*d->g.sampled) doc_put(out, "sampled", doc_text(d->g.sampled));
    doc_put(out, "sample", doc_text("in"));
    doc_put(out, "origin", doc_text(d->origin));
    doc_put(out, "duplicates_dropped", doc_integer((int64_t)d->duplicates));
    PASS(output_path(to, "graph.json", path, err));
    remove(path); /* the one without a fingerprint */
    return doc_save(out, path, err);
}

enum st graph_draft_save(struct graph_draft *d, int threads, const struct output *to, struct err *err)
{
    OWNED_BY(graph_close) struct graph made = {.types = 0};
    char path[PATH_BYTES], file[48];
    for (int t = 0; t < d->g.types; t++) {
        if (!d->train[t].count) continue;
        snprintf(file, sizeof file, "type%d_train.npy", t);
        PASS(output_path(to, file, path, err));
        PASS(npy_save(path, "u4", 1, &d->train[t].count, d->train[t].ids, err));
        d->g.type[t].train_count = d->train[t].count;
        d->g.train_count += d->train[t].count;
    }
    PASS(save_document(d, to, err));
    PASS(graph_open_any(to->temporary, threads, &made, err));
    PASS(graph_fingerprint(&made, threads, d->g.fingerprint, err));
    if (graph_samples(made.n, made.m)) PASS(graph_digest(&made, true, threads, d->g.sampled, err));
    return save_document(d, to, err);
}
