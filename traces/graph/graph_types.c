/* graph_types.c - what graphs with several types have to say (declared in graph.h): names, bytes, documents,
 * fingerprints. */
#include <inttypes.h>
#include <string.h>

#include "base/sha256.h"
#include "traces/graph/graph_fields.h"
#include "traces/graph/graph_types.h"

int graph_type_named(const struct graph *g, const char *name)
{
    for (int t = 0; t < g->types; t++)
        if (!strcmp(g->type[t].name, name)) return t;
    return -1;
}

const char *graph_suffix(const struct graph *g, int of, char out[GRAPH_SUFFIX])
{
    *out = '\0';
    if (!graph_plain(g)) snprintf(out, GRAPH_SUFFIX, "_%d", of);
    return out;
}

const char *graph_vertex_text(const struct graph *g, uint64_t v, char out[GRAPH_VERTEX_TEXT])
{
    int t = graph_type_of(g, v);
    if (graph_plain(g)) snprintf(out, GRAPH_VERTEX_TEXT, "%" PRIu64, v);
    else snprintf(out, GRAPH_VERTEX_TEXT, "%s:%" PRIu64, g->type[t].name, v - g->type[t].first);
    return out;
}

const char *graph_of_type(const struct graph *g, int t, char out[GRAPH_OF_TYPE])
{
    *out = '\0';
    if (!graph_plain(g)) snprintf(out, GRAPH_OF_TYPE, " of type %s", g->type[t].name);
    return out;
}

const char *graph_relation_label(const struct graph *g, int relation, char out[GRAPH_LABEL_BYTES])
{
    const struct graph_relation *r = &g->relation[relation];
    snprintf(out, GRAPH_LABEL_BYTES, "%s-%s->%s", g->type[r->source].name, r->name, g->type[r->target].name);
    return out;
}

struct graph_totals graph_totals(const struct graph *g)
{
    struct graph_totals t = {0};
    for (int i = 0; i < graph_type_count(g); i++)
        t.feature += graph_vertices(g, i).count * graph_vertices(g, i).row_bytes;
    for (int r = 0; r < graph_relation_count(g); r++) {
        const struct graph_csr csr = graph_csr(g, r);
        t.topology += (4 + csr.weight_bytes) * csr.m + 8 * csr.rows;
    }
    for (int r = 0; r < g->relations; r++) t.edge += g->relation[r].m * g->relation[r].features.row_bytes;
    t.total = t.topology + t.feature + t.edge;
    return t;
}

doc *graph_types_document(const struct graph *g)
{
    doc *d = doc_object(), *types = doc_array(), *relations = doc_array();
    for (int t = 0; t < g->types; t++) {
        doc *one = doc_object();
        doc_append(types, one);
        fields_put(graph_type_fields, &g->type[t], NULL, one);
    }
    for (int r = 0; r < g->relations; r++) {
        const struct graph_relation *relation = &g->relation[r];
        OWNED_DOC doc *ends = doc_object();
        doc *one = doc_object();
        doc_append(relations, one);
        doc_put(ends, "source", doc_text(g->type[relation->source].name));
        doc_put(ends, "target", doc_text(g->type[relation->target].name));
        fields_put(graph_relation_fields, relation, ends, one);
    }
    doc_put(d, "name", doc_text(g->name));
    doc_put(d, "vertices", doc_integer((int64_t)g->n));
    doc_put(d, "edges", doc_integer((int64_t)g->m));
    doc_put(d, "types", types);
    doc_put(d, "relations", relations);
    doc_put(d, "train_vertices", doc_integer((int64_t)g->train_count));
    doc_put(d, "fingerprint", doc_text(g->fingerprint));
    return d;
}

static void add_line(struct sha256 *h, const char *line) { sha256_add(h, line, strlen(line)); }

static void add_type(struct sha256 *h, const char *name, uint64_t count, const uint32_t *train, uint64_t train_count)
{
    char line[GRAPH_NAME_BYTES + 80];
    snprintf(line, sizeof line, "type %s %" PRIu64 " %" PRIu64 "\n", name, count, train_count);
    add_line(h, line);
    if (train_count) sha256_add(h, train, train_count * sizeof *train);
}

static enum st add_relation(struct sha256 *h, const char *const name[3], const int64_t *indptr, uint64_t rows,
                            const uint32_t *indices, bool sampled, int threads, struct err *err)
{
    char line[3 * GRAPH_NAME_BYTES + 160], arrays[80];
    PASS(graph_arrays_digest(indptr, rows, indices, NULL, 0, sampled, threads, arrays, err));
    snprintf(line, sizeof line, "relation %s %s %s %s\n", name[0], name[1], name[2], arrays);
    add_line(h, line);
    return ST_OK;
}

static enum st add_all(struct sha256 *h, const struct graph *g, bool sampled, int threads, struct err *err)
{
    const char *const only[3] = {g->type_name, g->relation_name, g->type_name};
    if (graph_plain(g)) {
        add_type(h, g->type_name, g->n, g->train, g->train_count);
        return add_relation(h, only, g->indptr, g->n, g->indices, sampled, threads, err);
    }
    for (int t = 0; t < g->types; t++)
        add_type(h, g->type[t].name, g->type[t].count, g->type[t].train, g->type[t].train_count);
    for (int r = 0; r < g->relations; r++) {
        const struct graph_relation *relation = &g->relation[r];
        const char *const name[3] = {g->type[relation->source].name, relation->name, g->type[relation->target].name};
        PASS(add_relation(h, name, relation->indptr, relation->rows, relation->indices, sampled, threads, err));
    }
    return ST_OK;
}

enum st graph_digest(const struct graph *g, bool sampled, int threads, char out[80], struct err *err)
{
    char hex[65];
    unsigned char last[32];
    struct sha256 h;
    if (graph_plain(g) && !*g->type_name)
        return graph_arrays_digest(g->indptr, g->n, g->indices, g->train, g->train_count, sampled, threads, out, err);
    sha256_begin(&h);
    PASS(add_all(&h, g, sampled, threads, err));
    sha256_end(&h, last);
    sha256_hex(last, hex);
    snprintf(out, 80, "%s%s", sampled ? "sha256-sample:" : "sha256-16m:", hex);
    return ST_OK;
}
