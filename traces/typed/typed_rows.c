#include "traces/typed/typed_rows.h"

#include <string.h>

#include "base/cacheline.h"

static void add(struct typed_rows *r, enum typed_kind kind, int of, uint64_t count, uint64_t row_bytes)
{
    r->table[r->tables++] = (struct typed_table){kind, of, r->items, count, row_bytes, row_bytes, PRECISION_HOST};
    r->items += count;
}

enum st typed_rows_make(const struct typed_graph *g, struct typed_rows *out, struct err *err)
{
    memset(out, 0, sizeof *out);
    out->g = g;
    for (int r = 0; r < g->relations; r++) add(out, TYPED_TOPOLOGY, r, g->relation[r].rows, 0);
    for (int t = 0; t < g->types; t++) add(out, TYPED_FEATURE, t, g->type[t].count, g->type[t].features.row_bytes);
    for (int r = 0; r < g->relations; r++) {
        uint64_t bytes = g->relation[r].features.row_bytes;
        add(out, TYPED_EDGE, r, bytes ? g->relation[r].m : 0, bytes);
    }
    if (out->items >= UINT32_MAX)
        return err_set(err, ST_LIMIT, "%s: has %llu rows of all kinds; at most 4294967294 can be planned together",
                       g->path, (unsigned long long)out->items);
    return ST_OK;
}

bool typed_table_there(const struct typed_rows *r, int table)
{
    return r->table[table].count && (r->table[table].kind == TYPED_TOPOLOGY || r->table[table].row_bytes);
}

int typed_table_of(const struct typed_rows *r, uint64_t item)
{
    int low = 0, high = r->tables;
    while (high - low > 1) { /* the last table that begins at or before the item is not empty */
        int middle = (low + high) / 2;
        if (r->table[middle].first <= item) low = middle;
        else high = middle;
    }
    return low;
}

const char *typed_kind_name(enum typed_kind kind)
{
    static const char *const names[TYPED_KINDS] = {"topology", "feature", "edge_feature"};
    return names[kind];
}

const char *typed_table_label(const struct typed_rows *r, int table, char out[TYPED_LABEL_BYTES])
{
    const struct typed_table *t = &r->table[table];
    if (t->kind != TYPED_FEATURE) return typed_relation_label(r->g, t->of, out);
    snprintf(out, TYPED_LABEL_BYTES, "%s", r->g->type[t->of].name);
    return out;
}

static const struct typed_features *features_of(const struct typed_rows *r, int table)
{
    const struct typed_table *t = &r->table[table];
    return t->kind == TYPED_FEATURE ? &r->g->type[t->of].features : &r->g->relation[t->of].features;
}

const char *typed_table_element(const struct typed_rows *r, int table)
{
    return r->table[table].kind == TYPED_TOPOLOGY ? "" : features_of(r, table)->element;
}

bool typed_table_rounds(const struct typed_rows *r, int table, enum precision p)
{
    const struct typed_table *t = &r->table[table];
    const char *element = typed_table_element(r, table);
    bool floats = !strcmp(element, "f64") || !strcmp(element, "f32") || !strcmp(element, "f16") ||
                  !strcmp(element, "bf16");
    return t->row_bytes && floats && precision_row_bytes(p, features_of(r, table)->dim) < t->row_bytes;
}

void typed_table_round(struct typed_rows *r, int table, enum precision p)
{
    struct typed_table *t = &r->table[table];
    t->cached = p;
    t->cached_bytes = p == PRECISION_HOST ? t->row_bytes : precision_row_bytes(p, features_of(r, table)->dim);
}

uint64_t typed_row_bytes(const struct typed_rows *r, int table, uint64_t row)
{
    const struct typed_table *t = &r->table[table];
    return t->kind == TYPED_TOPOLOGY ? typed_topology_bytes(&r->g->relation[t->of], row) : t->cached_bytes;
}

uint64_t typed_row_lines(const struct typed_rows *r, int table, uint64_t row, uint64_t line_bytes)
{
    return cachelines_of_feature(row, r->table[table].row_bytes, line_bytes);
}
