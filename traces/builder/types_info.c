#include "traces/builder/types_info.h"

#include "base/table.h"
#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"

struct lengths {
    uint64_t longest, empty;
};

static struct lengths types_info_measure(const struct graph_relation *r)
{
    struct lengths l = {0, 0};
    for (uint64_t v = 0; v < r->rows; v++) {
        uint64_t degree = relation_degree(r, v);
        l.longest = degree > l.longest ? degree : l.longest;
        l.empty += !degree;
    }
    return l;
}

doc *types_info_document(const struct graph *g, enum fingerprint_check check)
{
    doc *d = doc_object(), *bytes = doc_object(), *members = graph_document(g);
    const struct graph_totals sum = graph_totals(g);
    doc_put(d, "schema", doc_text("graph-info/2"));
    for (const char *key = doc_next_key(members, NULL); key; key = doc_next_key(members, key))
        doc_put(d, key, doc_copy(doc_get(members, key)));
    for (int r = 0; r < g->relations; r++) {
        struct lengths l = types_info_measure(&g->relation[r]);
        doc *one = doc_at(doc_get(d, "relations"), (uint64_t)r);
        doc_put(one, "rows", doc_integer((int64_t)g->relation[r].rows));
        doc_put(one, "longest_row", doc_integer((int64_t)l.longest));
        doc_put(one, "empty_rows", doc_integer((int64_t)l.empty));
        doc_put(one, "weights", doc_bool(g->relation[r].weights != NULL));
    }
    for (int t = 0; t < g->types; t++)
        if (g->type[t].name_bytes)
            doc_put(doc_at(doc_get(d, "types"), (uint64_t)t), "name_bytes",
                    doc_integer((int64_t)g->type[t].name_bytes));
    doc_put(bytes, "topology", doc_integer((int64_t)sum.topology));
    doc_put(bytes, "feature", doc_integer((int64_t)sum.feature));
    doc_put(bytes, "edge_feature", doc_integer((int64_t)sum.edge));
    doc_put(bytes, "total", doc_integer((int64_t)sum.total));
    doc_put(d, "bytes", bytes);
    doc_put(d, "verified",
            check == CHECK_EQUAL || check == CHECK_DIFFERS ? doc_bool(check == CHECK_EQUAL) : doc_null());
    doc_free(members);
    return d;
}

/* "128 x f32", or "-". */
static void add_features(struct table *t, const struct graph_features *f)
{
    if (f->dim) table_add(t, "%llu x %s", (unsigned long long)f->dim, f->element);
    else table_add(t, "-");
}

static void print_types(const struct graph *g, FILE *to)
{
    static const char *const headers[] = {"type",           ">vertices", ">training", "features",
                                          ">bytes per row", ">bytes",    NULL};
    struct table *t = table_new(headers);
    char text[UNIT_TEXT];
    for (int i = 0; i < g->types; i++) {
        const struct graph_type *type = &g->type[i];
        table_add(t, "%s", type->name);
        table_add(t, "%s", units_count(text, type->count));
        table_add(t, "%s", units_count(text, type->train_count));
        add_features(t, &type->features);
        table_add(t, "%s", units_count(text, type->features.row_bytes));
        table_add(t, "%s", units_bytes(text, type->count * type->features.row_bytes));
    }
    table_show(t, to);
}

/* Which types have names. */
static void print_names(const struct graph *g, FILE *to)
{
    char list[GRAPH_TYPES_MAX * (GRAPH_NAME_BYTES + 2)] = "";
    for (int t = 0; t < g->types; t++)
        if (g->type[t].name_bytes) text_append(list, sizeof list, "%s%s", *list ? ", " : "", g->type[t].name);
    if (*list) terminal_print(to, "vertices with names: %s\n", list);
}

static void print_relations(const struct graph *g, FILE *to)
{
    static const char *const headers[] = {"relation", ">edges",          ">rows",         ">mean", ">longest",
                                          ">empty",   ">topology bytes", "edge features", NULL};
    struct table *t = table_new(headers);
    char text[UNIT_TEXT], label[GRAPH_LABEL_BYTES];
    for (int i = 0; i < g->relations; i++) {
        const struct graph_relation *relation = &g->relation[i];
        struct lengths l = types_info_measure(relation);
        table_add(t, "%s", graph_relation_label(g, i, label));
        table_add(t, "%s", units_count(text, relation->m));
        table_add(t, "%s", units_count(text, relation->rows));
        table_add(t, "%.2f", (double)relation->m / (double)relation->rows);
        table_add(t, "%s", units_count(text, l.longest));
        table_add(t, "%s", units_count(text, l.empty));
        table_add(t, "%s", units_bytes(text, 4 * relation->m + 8 * relation->rows));
        add_features(t, &relation->features);
    }
    table_show(t, to);
}

void types_info_print(const struct graph *g, enum fingerprint_check check, FILE *to)
{
    static const char *const remarks[] = {"", " (verified)", " (differs)", " (not computed by hotset)"};
    const struct graph_totals sum = graph_totals(g);
    char text[4][UNIT_TEXT];
    terminal_print(to, "%s: %s vertices of %d types, %s edges of %d relations\n\n", g->name, units_count(text[0], g->n),
                   g->types, units_count(text[1], g->m), g->relations);
    print_types(g, to);
    print_names(g, to);
    fputc('\n', to);
    print_relations(g, to);
    terminal_print(to, "\nbytes: topology %s, features %s, edge features %s; together %s, a budget of 100%%\n",
                   units_bytes(text[0], sum.topology), units_bytes(text[1], sum.feature),
                   units_bytes(text[2], sum.edge), units_bytes(text[3], sum.total));
    terminal_print(to, "fingerprint %s%s\n", g->fingerprint[0] ? g->fingerprint : "missing", remarks[check]);
}
