/* plan_names.c - how plan.json and the files beside it name tables of rows (declared in plan.h and plan_lists.h). */
#include <stdio.h>
#include <string.h>

#include "simulator/plan/plan_lists.h"

doc *plan_table_document(const struct graph *graph, int table)
{
    const struct row_table t = graph_table(graph, table);
    doc *d = doc_object();
    doc_put(d, "kind", doc_text(row_kind_name(t.kind)));
    if (graph_plain(graph)) return d;
    if (t.kind == ROWS_FEATURE) {
        doc_put(d, "type", doc_text(graph->type[t.of].name));
        return d;
    }
    DOC_PUT(d, IS("source", graph->type[graph->relation[t.of].source].name), IS("relation", graph->relation[t.of].name),
            IS("target", graph->type[graph->relation[t.of].target].name));
    return d;
}

bool plan_table_is(const struct graph *graph, int table, const doc *entry)
{
    doc *name = plan_table_document(graph, table);
    bool same = true;
    for (const char *key = doc_next_key(name, NULL); key; key = doc_next_key(name, key))
        same &= !strcmp(doc_text_value(doc_get(name, key), ""), doc_text_value(doc_get(entry, key), "-"));
    doc_free(name);
    return same;
}

void plan_list_file(const struct graph *graph, int id, int table, char out[PLAN_FILE_NAME])
{
    const struct row_table t = graph_table(graph, table);
    char suffix[GRAPH_SUFFIX];
    snprintf(out, PLAN_FILE_NAME, "gpu%d_%s%s.npy", id, row_kind_name(t.kind), graph_suffix(graph, t.of, suffix));
}

void plan_train_file(const struct graph *graph, int id, int type, char out[PLAN_FILE_NAME])
{
    char suffix[GRAPH_SUFFIX];
    snprintf(out, PLAN_FILE_NAME, "gpu%d_train%s.npy", id, graph_suffix(graph, type, suffix));
}

/* The table that an entry of lists[] or tables[] names, or -1. */
static int table_named(const struct graph *graph, const doc *entry)
{
    for (int t = 0; t < graph->tables; t++)
        if (plan_table_is(graph, t, entry)) return t;
    return -1;
}

void plan_order_file(int id, char out[PLAN_FILE_NAME]) { snprintf(out, PLAN_FILE_NAME, "gpu%d_order.npy", id); }

doc *plan_lists_new(const struct graph *g, doc *owner)
{
    if (graph_plain(g)) return owner;
    doc *lists = doc_array();
    doc_put(owner, "lists", lists);
    return lists;
}

doc *plan_lists_add(const struct graph *g, doc *lists, int table, const char *file, uint64_t count, uint64_t bytes)
{
    const bool plain = graph_plain(g);
    doc *d = plain ? doc_object() : plan_table_document(g, table);
    if (plain) doc_put(lists, row_kind_name(graph_table(g, table).kind), d);
    else doc_append(lists, d);
    DOC_PUT(d, IS("file", file), IS("count", count), IS("bytes", bytes));
    return d;
}

enum st plan_lists_find(const struct graph *g, const doc *owner, const char *whose, const char *where,
                        const doc *list[GRAPH_TABLES_MAX], struct err *err)
{
    doc *lists = NULL;
    const bool plain = graph_plain(g);
    for (int t = 0; t < graph_tables(g); t++)
        list[t] = plain ? doc_get(owner, row_kind_name(graph_table(g, t).kind)) : NULL;
    if (plain) return ST_OK;
    PASS(doc_need_array(owner, "lists", where, &lists, err));
    for (uint64_t i = 0; i < doc_size(lists); i++) {
        int t = table_named(g, doc_at(lists, i));
        if (t < 0)
            return err_set(err, ST_INPUT, "%s: a list of %s names rows that the graph does not have", where, whose);
        if (list[t]) return err_set(err, ST_INPUT, "%s: %s has two lists of the same rows", where, whose);
        list[t] = doc_at(lists, i);
    }
    return ST_OK;
}

doc *plan_cached_document(const struct graph *graph)
{
    doc *all = NULL;
    for (int t = 0; t < graph_tables(graph); t++) {
        const struct row_table table = graph_table(graph, t);
        if (table.cached == PRECISION_HOST) continue;
        if (!all) all = doc_array();
        doc *d = plan_table_document(graph, t);
        doc_append(all, d);
        DOC_PUT(d, IS("element", precision_name(table.cached)), IS("row_bytes", table.cached_bytes),
                IS("host_element", graph_table_element(graph, t)), IS("host_row_bytes", table.row_bytes));
    }
    return all;
}

enum st plan_cached_load(const doc *d, const char *where, struct graph *graph, struct err *err)
{
    const doc *all = doc_get(d, "cache_types");
    for (int t = 0; t < graph->tables; t++) graph_table_round(graph, t, PRECISION_HOST);
    for (uint64_t i = 0; i < doc_size(all); i++) {
        int t = table_named(graph, doc_at(all, i));
        const char *name = doc_text_value(doc_get(doc_at(all, i), "element"), "");
        enum precision p = precision_named(name);
        if (t < 0 || p == PRECISIONS || !graph_table_rounds(graph, t, p))
            return err_set(err, ST_INPUT,
                           "%s: \"cache_types\" entry %llu (element '%.20s') is not one of " PRECISION_WORDS
                           " that makes floating-point rows of this graph smaller; the plan is damaged, make it again",
                           where, (unsigned long long)i, name);
        graph_table_round(graph, t, p);
    }
    return ST_OK;
}
