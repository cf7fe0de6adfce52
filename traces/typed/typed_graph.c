#include "traces/typed/typed_graph.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/sha256.h"
#include "traces/graph/graph.h"

int typed_type_named(const struct typed_graph *g, const char *name)
{
    for (int t = 0; t < g->types; t++)
        if (!strcmp(g->type[t].name, name)) return t;
    return -1;
}

int typed_type_of(const struct typed_graph *g, uint64_t v)
{
    int low = 0, high = g->types;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (g->type[middle].first <= v) low = middle;
        else high = middle;
    }
    return low;
}

int typed_relation_of_row(const struct typed_graph *g, uint64_t row)
{
    int low = 0, high = g->relations;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (g->relation[middle].first_row <= row) low = middle;
        else high = middle;
    }
    return low;
}

const char *typed_relation_label(const struct typed_graph *g, int relation, char out[TYPED_LABEL_BYTES])
{
    const struct typed_relation *r = &g->relation[relation];
    snprintf(out, TYPED_LABEL_BYTES, "%s-%s->%s", g->type[r->source].name, r->name, g->type[r->target].name);
    return out;
}

struct typed_totals typed_graph_totals(const struct typed_graph *g)
{
    struct typed_totals t = {0};
    for (int i = 0; i < g->types; i++) t.feature += g->type[i].count * g->type[i].features.row_bytes;
    for (int r = 0; r < g->relations; r++) {
        t.topology += 4 * g->relation[r].m + 8 * g->relation[r].rows;
        t.edge += g->relation[r].m * g->relation[r].features.row_bytes;
    }
    t.total = t.topology + t.feature + t.edge;
    return t;
}

static void put_features(doc *d, const struct typed_features *f)
{
    doc_put(d, "feature_dim", f->dim ? doc_integer((int64_t)f->dim) : doc_null());
    doc_put(d, "feature_type", f->dim ? doc_text(f->element) : doc_null());
}

doc *typed_graph_document(const struct typed_graph *g)
{
    doc *d = doc_object(), *types = doc_array(), *relations = doc_array();
    for (int t = 0; t < g->types; t++) {
        doc *one = doc_object();
        doc_append(types, one);
        doc_put(one, "name", doc_text(g->type[t].name));
        doc_put(one, "count", doc_integer((int64_t)g->type[t].count));
        put_features(one, &g->type[t].features);
        doc_put(one, "train_vertices", doc_integer((int64_t)g->type[t].train_count));
    }
    for (int r = 0; r < g->relations; r++) {
        const struct typed_relation *x = &g->relation[r];
        doc *one = doc_object();
        doc_append(relations, one);
        doc_put(one, "source", doc_text(g->type[x->source].name));
        doc_put(one, "name", doc_text(x->name));
        doc_put(one, "target", doc_text(g->type[x->target].name));
        doc_put(one, "edges", doc_integer((int64_t)x->m));
        put_features(one, &x->features);
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

enum st typed_graph_fingerprint(const struct typed_graph *g, int threads, char out[80], struct err *err)
{
    char line[3 * TYPED_NAME_BYTES + 160], hex[65], arrays[80];
    unsigned char last[32];
    struct sha256 h;
    enum st st = ST_OK;
    sha256_begin(&h);
    for (int t = 0; t < g->types; t++) {
        const struct typed_type *x = &g->type[t];
        snprintf(line, sizeof line, "type %s %" PRIu64 " %" PRIu64 "\n", x->name, x->count, x->train_count);
        add_line(&h, line);
        if (x->train_count) sha256_add(&h, x->train, x->train_count * sizeof *x->train);
    }
    for (int r = 0; r < g->relations; r++) {
        const struct typed_relation *x = &g->relation[r];
        TRY(graph_fingerprint(x->indptr, x->rows, x->indices, NULL, 0, threads, arrays, err));
        snprintf(line, sizeof line, "relation %s %s %s %s\n", g->type[x->source].name, x->name, g->type[x->target].name,
                 arrays);
        add_line(&h, line);
    }
    sha256_end(&h, last);
    sha256_hex(last, hex);
    snprintf(out, 80, "sha256-16m:%s", hex);
done:
    return st;
}

void typed_graph_close(struct typed_graph *g)
{
    for (int t = 0; g->type && t < g->types; t++) npy_release(&g->type[t].file);
    for (int r = 0; g->relation && r < g->relations; r++)
        for (int i = 0; i < 2; i++) npy_release(&g->relation[r].files[i]);
    mem_free(g->type);
    mem_free(g->relation);
    memset(g, 0, sizeof *g);
}
