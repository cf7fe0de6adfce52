/* plan_tables_save.c - writes plans of graphs that are not plain (declared in plan_tables.h). */
#include <stdio.h>
#include <string.h>

#include "base/id_file.h"
#include "base/mem.h"
#include "simulator/plan/plan_tables.h"

extern const char hotset_version[];

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
    doc_put(d, "source", doc_text(graph->type[graph->relation[t.of].source].name));
    doc_put(d, "relation", doc_text(graph->relation[t.of].name));
    doc_put(d, "target", doc_text(graph->type[graph->relation[t.of].target].name));
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

doc *plan_cached_document(const struct graph *graph)
{
    doc *all = NULL;
    for (int t = 0; t < graph_tables(graph); t++) {
        const struct row_table table = graph_table(graph, t);
        if (table.cached == PRECISION_HOST) continue;
        if (!all) all = doc_array();
        doc *d = plan_table_document(graph, t);
        doc_append(all, d);
        doc_put(d, "element", doc_text(precision_name(table.cached)));
        doc_put(d, "row_bytes", doc_integer((int64_t)table.cached_bytes));
        doc_put(d, "host_element", doc_text(graph_table_element(graph, t)));
        doc_put(d, "host_row_bytes", doc_integer((int64_t)table.row_bytes));
    }
    return all;
}

/* ---- the document ---- */

doc *plan_tables_predicted(const struct plan *p, const struct graph *graph)
{
    doc *d = plan_predicted_totals(p), *tables = doc_array();
    doc_put(d, "held_out", doc_bool(p->predicted_held_out));
    for (int t = 0; t < p->tables; t++) {
        double reads = 0, missed = 0;
        for (int c = 0; c < p->assignment.cliques; c++) {
            reads += p->expected[c * p->tables + t].reads;
            missed += p->expected[c * p->tables + t].missed;
        }
        if (!(reads > 0)) continue;
        doc *one = plan_table_document(graph, t);
        doc_put(one, "hit_rate", doc_real(1 - missed / reads));
        doc_put(one, "transactions", doc_integer((int64_t)plan_expected_transactions(p, t)));
        doc_append(tables, one);
    }
    doc_put(d, "tables", tables);
    return d;
}

doc *plan_tables_clique(const struct plan *p, int clique, const struct graph *graph)
{
    doc *d = doc_object(), *gpus = doc_array();
    uint64_t budget = 0, bytes[GRAPH_TABLES_MAX], count[GRAPH_TABLES_MAX], of[ROWS_KINDS] = {0};
    for (int g = 0; g < p->assignment.gpus; g++) {
        if (p->assignment.clique_of[g] != clique) continue;
        doc_append(gpus, doc_integer(p->assignment.id[g]));
        budget += p->budget[g];
        (void)placement_held(&p->placement, g, graph, bytes, count);
        for (int t = 0; t < graph->tables; t++) of[graph->table[t].kind] += bytes[t];
    }
    doc_put(d, "gpus", gpus);
    doc_put(d, "budget_bytes", doc_integer((int64_t)budget));
    doc_put(d, "topology_bytes", doc_integer((int64_t)of[ROWS_TOPOLOGY]));
    doc_put(d, "feature_bytes", doc_integer((int64_t)of[ROWS_FEATURE]));
    doc_put(d, "edge_feature_bytes", doc_integer((int64_t)of[ROWS_EDGE]));
    doc_put(d, "predicted_transactions",
            doc_integer((int64_t)(p->clique[clique].topology + p->clique[clique].feature)));
    return d;
}

/* ---- the files ---- */

/* What the lists of one GPU are written with. */
struct saving {
    const struct plan *p;
    const struct graph *graph;
    const struct output *o;
    uint32_t *room; /* for the longest list */
    doc *files;
};

/* Writes the rows of one table that GPU g holds. */
static enum st save_table(const struct saving *s, int g, int table, doc *lists, struct err *err)
{
    const struct placement *placement = &s->p->placement;
    const struct row_table *t = &s->graph->table[table];
    bool topology = t->kind == ROWS_TOPOLOGY;
    const struct row_list *l = topology ? &placement->topology[g] : &placement->feature[g];
    uint64_t count = 0, bytes = 0, first = topology ? t->first : t->first - s->graph->topology_rows;
    char name[PLAN_FILE_NAME];
    for (uint64_t i = 0; i < l->count; i++) {
        uint64_t row = l->id[i] - first;
        if (row >= t->count) continue;
        s->room[count++] = (uint32_t)row;
        bytes += graph_row_bytes(s->graph, table, row);
    }
    if (!count) return ST_OK;
    plan_list_file(s->graph, s->p->assignment.id[g], table, name);
    doc *d = plan_table_document(s->graph, table);
    doc_append(lists, d);
    doc_put(d, "file", doc_text(name));
    doc_put(d, "count", doc_integer((int64_t)count));
    doc_put(d, "bytes", doc_integer((int64_t)bytes));
    if (t->cached != PRECISION_HOST) doc_put(d, "element", doc_text(precision_name(t->cached)));
    return id_file_save(s->o, name, s->room, count, s->files, err);
}

static enum st save_train(const struct saving *s, int g, doc *trains, struct err *err)
{
    const struct assignment *a = &s->p->assignment;
    for (int t = 0; t < s->graph->types; t++) {
        const struct graph_type *type = &s->graph->type[t];
        uint64_t count = 0;
        char name[PLAN_FILE_NAME];
        for (uint64_t i = 0; i < a->train_count[g]; i++)
            if (a->train[g][i] - type->first < type->count) s->room[count++] = a->train[g][i] - (uint32_t)type->first;
        if (!count) continue;
        plan_train_file(s->graph, a->id[g], t, name);
        doc *d = doc_object();
        doc_append(trains, d);
        doc_put(d, "type", doc_text(type->name));
        doc_put(d, "file", doc_text(name));
        doc_put(d, "count", doc_integer((int64_t)count));
        PASS(id_file_save(s->o, name, s->room, count, s->files, err));
    }
    return ST_OK;
}

enum st plan_tables_save_gpu(const struct plan *p, const struct graph *graph, int g, const struct output *o, doc *gpus,
                             doc *files, struct err *err)
{
    const struct placement *placement = &p->placement;
    doc *d = doc_object(), *trains = doc_array(), *lists = doc_array();
    uint64_t bytes[GRAPH_TABLES_MAX], count[GRAPH_TABLES_MAX], held, largest = p->assignment.train_count[g];
    struct saving s = {p, graph, o, NULL, files};
    enum st st = ST_OK;
    held = placement_held(placement, g, graph, bytes, count);
    doc_append(gpus, d);
    doc_put(d, "id", doc_integer(p->assignment.id[g]));
    doc_put(d, "clique", doc_integer(p->assignment.clique_of[g]));
    doc_put(d, "budget_bytes", doc_integer((int64_t)p->budget[g]));
    doc_put(d, "held_bytes", doc_integer((int64_t)held));
    plan_put_reach(p, g, d);
    doc_put(d, "train", trains);
    doc_put(d, "lists", lists);
    for (int t = 0; t < graph->tables; t++) largest = count[t] > largest ? count[t] : largest;
    NEW(s.room, largest, "a list of rows");
    TRY(save_train(&s, g, trains, err));
    TRY(plan_save_circle(p, g, o, d, files, err));
    for (int t = 0; t < graph->tables; t++)
        if (count[t]) TRY(save_table(&s, g, t, lists, err));
done:
    mem_free(s.room);
    return st;
}
