#include "traces/graph/rows.h"

#include <string.h>

#include "base/mem.h"

static void rows_add(struct graph *g, enum row_kind kind, int of, uint64_t count, uint64_t row_bytes)
{
    const struct row_table *before = g->tables ? &g->table[g->tables - 1] : NULL;
    g->table[g->tables++] = (struct row_table){.kind = kind,
                                               .of = of,
                                               .first = before ? before->first + before->count : 0,
                                               .count = count,
                                               .row_bytes = row_bytes,
                                               .cached_bytes = row_bytes};
}

enum st graph_list_tables(struct graph *g, struct err *err)
{
    MAKE(g->table, 2 * g->relations + g->types, "the tables of rows");
    g->tables = 0;
    for (int r = 0; r < g->relations; r++) rows_add(g, ROWS_TOPOLOGY, r, g->relation[r].rows, 0);
    for (int t = 0; t < g->types; t++) rows_add(g, ROWS_FEATURE, t, g->type[t].count, g->type[t].features.row_bytes);
    for (int r = 0; r < g->relations; r++) {
        uint64_t bytes = g->relation[r].features.row_bytes;
        rows_add(g, ROWS_EDGE, r, bytes ? g->relation[r].m : 0, bytes);
    }
    if (graph_items(g) >= UINT32_MAX)
        return err_set(err, ST_LIMIT, "%s: has %llu rows of all kinds; at most 4294967294 can be planned together",
                       g->path, (unsigned long long)graph_items(g));
    return ST_OK;
}

bool graph_table_there(const struct graph *g, int table)
{
    const struct row_table t = graph_table(g, table);
    return t.count && (t.kind == ROWS_TOPOLOGY || t.row_bytes);
}

int graph_feature_sizes(const struct graph *g, int most, uint64_t *out)
{
    int sizes = 0;
    for (uint64_t last = 0;; sizes++) {
        uint64_t next = UINT64_MAX;
        for (int k = 0; k < graph_tables(g); k++) {
            const struct row_table t = graph_table(g, k);
            if (graph_table_there(g, k) && t.kind != ROWS_TOPOLOGY && t.row_bytes > last && t.row_bytes < next)
                next = t.row_bytes;
        }
        if (next == UINT64_MAX) return sizes;
        if (sizes < most) out[sizes] = next;
        last = next;
    }
}

const char *row_kind_name(enum row_kind kind)
{
    static const char *const names[ROWS_KINDS] = {"topology", "feature", "edge_feature"};
    return names[kind];
}

const char *graph_table_label(const struct graph *g, int table, char out[GRAPH_LABEL_BYTES])
{
    const struct row_table t = graph_table(g, table);
    if (graph_plain(g)) snprintf(out, GRAPH_LABEL_BYTES, "%s", row_kind_name(t.kind));
    else if (t.kind != ROWS_FEATURE) graph_relation_label(g, t.of, out);
    else snprintf(out, GRAPH_LABEL_BYTES, "%s", g->type[t.of].name);
    return out;
}

static const struct graph_features *features_of(const struct graph *g, int table)
{
    const struct row_table *t = &g->table[table];
    return t->kind == ROWS_FEATURE ? &g->type[t->of].features : &g->relation[t->of].features;
}

const char *graph_table_element(const struct graph *g, int table)
{
    if (graph_table(g, table).kind == ROWS_TOPOLOGY) return "";
    if (!graph_plain(g)) return features_of(g, table)->element;
    return g->feature_bytes == 4 ? "f32" : g->feature_bytes == 2 ? "f16" : g->feature_bytes == 8 ? "f64" : "i8";
}

uint64_t graph_table_dim(const struct graph *g, int table)
{
    const struct row_table t = graph_table(g, table);
    return t.kind == ROWS_FEATURE ? graph_vertices(g, t.of).dim : g->relation[t.of].features.dim;
}

bool graph_is_rounded(const struct graph *g)
{
    for (int k = 0; k < graph_tables(g); k++)
        if (graph_table(g, k).cached != PRECISION_HOST) return true;
    return false;
}

bool graph_table_rounds(const struct graph *g, int table, enum precision p)
{
    const struct row_table t = graph_table(g, table);
    const char *element = graph_table_element(g, table);
    bool floats = !strcmp(element, "f64") || !strcmp(element, "f32") || !strcmp(element, "f16") ||
                  !strcmp(element, "bf16");
    return t.row_bytes && floats && precision_row_bytes(p, graph_table_dim(g, table)) < t.row_bytes;
}

void graph_table_round(struct graph *g, int table, enum precision p)
{
    if (graph_plain(g)) {
        g->cached = p;
        return;
    }
    struct row_table *t = &g->table[table];
    t->cached = p;
    t->cached_bytes = p == PRECISION_HOST ? t->row_bytes : precision_row_bytes(p, graph_table_dim(g, table));
}

uint64_t graph_row_bytes(const struct graph *g, int table, uint64_t row)
{
    const struct row_table t = graph_table(g, table);
    return row_table_bytes(g, &t, row);
}
