/* plan_tables_load.c - reads plans of graphs that are not plain (declared in plan_tables.h). */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "simulator/plan/plan_tables.h"

/* The table that an entry of lists[] or tables[] names, or -1. */
static int table_named(const struct graph *graph, const doc *entry)
{
    for (int t = 0; t < graph->tables; t++)
        if (plan_table_is(graph, t, entry)) return t;
    return -1;
}

/* What the lists of one GPU are read with. */
struct loading {
    const char *folder;
    const doc *d;
    const struct graph *graph;
    struct plan *p;
    int g;
};

/* seen: [GRAPH_TABLES_MAX] tables that were listed. */
static enum st load_list(const struct loading *l, const doc *entry, bool *seen, struct err *err)
{
    int t = table_named(l->graph, entry), id = l->p->assignment.id[l->g];
    OWNED_BY(npy_release) struct npy a = {0};
    char name[PLAN_FILE_NAME];
    if (t < 0)
        return err_set(err, ST_INPUT, "%s/plan.json: a list of GPU %d names rows that the graph does not have",
                       l->folder, id);
    const struct row_table *table = &l->graph->table[t];
    if (seen[t]) return err_set(err, ST_INPUT, "%s/plan.json: GPU %d has two lists of the same rows", l->folder, id);
    seen[t] = true;
    plan_list_file(l->graph, id, t, name);
    PASS(plan_ids_map(l->folder, l->d, name, entry, &a, err));
    for (uint64_t i = 0; i < a.count; i++) {
        uint32_t row = ((const uint32_t *)a.data)[i];
        if (row >= table->count)
            return err_set(err, ST_INPUT, "%s/%s: entry %llu is %u, but there are %llu rows", l->folder, name,
                           (unsigned long long)i, row, (unsigned long long)table->count);
        PASS(placement_add(&l->p->placement, l->graph, l->g, table->first + row, err));
    }
    return ST_OK;
}

/* The training vertices of all types. */
static enum st load_train(const struct loading *l, const char *where, const doc *trains, struct err *err)
{
    const struct graph *of = l->graph;
    OWNED_BY(npy_release) struct npy a = {0};
    OWNED uint32_t *ids = NULL;
    uint64_t count = 0;
    char name[PLAN_FILE_NAME];
    enum st st = ST_OK;
    for (uint64_t k = 0; k < doc_size(trains); k++) {
        int t = graph_type_named(of, doc_text_value(doc_get(doc_at(trains, k), "type"), ""));
        if (t < 0)
            FAIL(ST_INPUT, "%s: GPU %d trains a type that the graph does not have", where, l->p->assignment.id[l->g]);
        plan_train_file(of, l->p->assignment.id[l->g], t, name);
        npy_release(&a);
        memset(&a, 0, sizeof a);
        TRY(plan_ids_map(l->folder, l->d, name, doc_at(trains, k), &a, err));
        GROW(ids, count + a.count + 1, "training vertices");
        for (uint64_t i = 0; i < a.count; i++) {
            uint32_t v = ((const uint32_t *)a.data)[i];
            if (v >= of->type[t].count)
                FAIL(ST_INPUT, "%s/%s: entry %llu is %u, but type %s has %llu vertices", l->folder, name,
                     (unsigned long long)i, v, of->type[t].name, (unsigned long long)of->type[t].count);
            ids[count++] = (uint32_t)of->type[t].first + v;
        }
    }
    TRY(assignment_set_train(&l->p->assignment, l->g, ids, count, of->n, where, err));
done:
    return st;
}

enum st plan_tables_load_gpu(const char *folder, const char *where, const doc *d, int g, const struct graph *graph,
                             struct plan *p, struct err *err)
{
    const struct loading l = {folder, d, graph, p, g};
    const doc *gpu = doc_at(doc_get(d, "gpus"), (uint64_t)g);
    bool seen[GRAPH_TABLES_MAX] = {false};
    const doc *lists = doc_get(gpu, "lists"), *trains = doc_get(gpu, "train");
    PASS(load_train(&l, where, trains, err));
    for (uint64_t i = 0; i < doc_size(lists); i++) PASS(load_list(&l, doc_at(lists, i), seen, err));
    return ST_OK;
}

enum st plan_tables_check_bytes(const doc *d, const char *where, const struct graph *graph, const struct plan *p,
                                struct err *err)
{
    for (int g = 0; g < p->assignment.gpus; g++) {
        const doc *lists = doc_get(doc_at(doc_get(d, "gpus"), (uint64_t)g), "lists");
        uint64_t bytes[GRAPH_TABLES_MAX] = {0};
        for (uint64_t i = 0; i < placement_count(&p->placement, g); i++) {
            uint64_t item = placement_item(&p->placement, graph, g, i);
            int t = graph_table_of(graph, item);
            bytes[t] += graph_row_bytes(graph, t, item - graph->table[t].first);
        }
        for (uint64_t i = 0; i < doc_size(lists); i++) {
            int t = table_named(graph, doc_at(lists, i));
            PASS(plan_ids_bytes(doc_integer_value(doc_get(doc_at(lists, i), "bytes"), -1), p->assignment.id[g],
                                row_kind_name(graph->table[t].kind), bytes[t], where, err));
        }
    }
    return ST_OK;
}

enum st plan_tables_cached(const doc *d, const char *where, struct graph *graph, struct err *err)
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

enum st plan_tables_load_predicted(const doc *d, const struct graph *graph, struct plan *p, struct err *err)
{
    const doc *tables = doc_get(doc_get(d, "predicted"), "tables");
    p->tables = graph->tables;
    MAKE(p->expected, p->assignment.cliques * graph->tables, "predictions");
    for (uint64_t i = 0; i < doc_size(tables); i++) {
        int t = table_named(graph, doc_at(tables, i));
        if (t >= 0) p->expected[t].transactions = (double)doc_count(doc_at(tables, i), "transactions");
    }
    p->predicted_held_out = doc_bool_value(doc_get(doc_get(d, "predicted"), "held_out"), true);
    plan_sum_expected(p, graph);
    return ST_OK;
}
