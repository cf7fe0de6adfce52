/* npy_tables.c - the plan of a graph of several types as look-up tables (declared in export.h): for each GPU and table
 * of rows the list that it holds, who serves row v, and in which slot. */
#include <string.h>

#include "base/mem.h"
#include "planner/exports/export.h"

struct exporting {
    const struct plan *plan;
    const struct graph *rows;
    struct export_folder *folder;
    uint32_t *slot; /* [items] place of the row in the list of the GPU that serves it */
    uint32_t *room; /* [items] */
    uint8_t *where; /* [items] 0: the host, else 1 + position of the GPU */
    doc *gpus;      /* of the document */
};

/* Slots of the rows that reader g finds on GPUs. A slot counts the rows of one table on one GPU, in fill order. */
static void find_slots(struct exporting *exporting, int g)
{
    const struct placement *p = &exporting->plan->placement;
    uint32_t next[GRAPH_TABLES_MAX];
    memset(exporting->slot, 0, graph_items(exporting->rows) * sizeof *exporting->slot);
    placement_locate_items(&exporting->plan->placement, g, exporting->rows, exporting->where);
    for (int s = 0; s < exporting->plan->placement.gpus; s++) {
        memset(next, 0, sizeof next);
        for (uint64_t i = 0; i < placement_count(p, s); i++) {
            uint64_t item = placement_item(p, exporting->rows, s, i);
            uint32_t slot = next[graph_table_of(exporting->rows, item)]++;
            if (exporting->where[item] == 1 + s) exporting->slot[item] = slot;
        }
    }
}

static enum st write_from(struct exporting *exporting, const char *name, const struct row_table *t, struct err *err)
{
    enum { BLOCK = 4096 };
    OWNED_BY(export_file_cancel) struct export_file f = {0};
    PASS(export_file_npy(exporting->folder, name, "id of the GPU that serves row v, -1: host", "i2", 1, &t->count, &f,
                         err));
    for (uint64_t v = 0; v < t->count;) {
        int16_t block[BLOCK];
        uint64_t k = 0;
        for (; k < BLOCK && v < t->count; v++) {
            int from = exporting->where[t->first + v];
            block[k++] = (int16_t)(from ? exporting->plan->assignment.id[from - 1] : -1);
        }
        PASS(export_file_put(&f, block, 2 * k, err));
    }
    return export_file_end(&f, err);
}

/* The rows of a table that GPU g holds, in fill order. *count: how many. */
static enum st write_list(struct exporting *exporting, int g, const struct row_table *t, const char *name,
                          uint64_t *count, struct err *err)
{
    const struct placement *p = &exporting->plan->placement;
    uint64_t n = 0;
    for (uint64_t i = 0; i < placement_count(p, g); i++) {
        uint64_t item = placement_item(p, exporting->rows, g, i);
        if (item >= t->first && item - t->first < t->count) exporting->room[n++] = (uint32_t)(item - t->first);
    }
    PASS(export_ids_npy(exporting->folder, name, "rows held, in fill order", exporting->room, n, 4, err));
    *count = n;
    return ST_OK;
}

/* The files of one table for reader g; adds their entry to tables. */
static enum st write_table(struct exporting *exporting, int g, int table, doc *tables, struct err *err)
{
    const struct row_table *t = &exporting->rows->table[table];
    char list_name[PLAN_FILE_NAME], from[64], slot[64];
    uint64_t count = 0;
    bool any = false;
    for (uint64_t i = t->first; i < t->first + t->count && !any; i++) any = exporting->where[i] > 0;
    if (!any) return ST_OK; /* the host serves the whole table */
    int id = exporting->plan->assignment.id[g];
    const char *kind = row_kind_name(t->kind);
    plan_list_file(exporting->rows, id, table, list_name);
    snprintf(from, sizeof from, "gpu%d_%s_%d_from.npy", id, kind, t->of);
    snprintf(slot, sizeof slot, "gpu%d_%s_%d_slot.npy", id, kind, t->of);
    PASS(write_list(exporting, g, t, list_name, &count, err));
    PASS(write_from(exporting, from, t, err));
    PASS(export_ids_npy(exporting->folder, slot, "place in that GPU's list (0 where it is the host)",
                        exporting->slot + t->first, t->count, 4, err));
    doc *d = plan_table_document(exporting->rows, table);
    doc_append(tables, d);
    doc_put(d, "rows", doc_integer((int64_t)t->count));
    doc_put(d, "held", doc_integer((int64_t)count));
    doc_put(d, "list", doc_text(list_name));
    doc_put(d, "from", doc_text(from));
    doc_put(d, "slot", doc_text(slot));
    if (t->kind == ROWS_TOPOLOGY) return ST_OK;
    doc_put(d, "element",
            doc_text(t->cached ? precision_name(t->cached) : graph_table_element(exporting->rows, table)));
    doc_put(d, "row_bytes", doc_integer((int64_t)t->cached_bytes));
    return ST_OK;
}

static enum st write_train(struct exporting *exporting, int g, doc *trains, struct err *err)
{
    const struct assignment *a = &exporting->plan->assignment;
    for (int t = 0; t < exporting->rows->types; t++) {
        const struct graph_type *type = &exporting->rows->type[t];
        uint64_t count = 0;
        char name[PLAN_FILE_NAME];
        for (uint64_t i = 0; i < a->train_count[g]; i++)
            if (a->train[g][i] >= type->first && a->train[g][i] - type->first < type->count)
                exporting->room[count++] = a->train[g][i] - (uint32_t)type->first;
        if (!count) continue;
        plan_train_file(exporting->rows, a->id[g], t, name);
        PASS(export_ids_npy(exporting->folder, name, "training vertices", exporting->room, count, 4, err));
        doc *d = doc_object();
        doc_append(trains, d);
        doc_put(d, "type", doc_text(type->name));
        doc_put(d, "list", doc_text(name));
        doc_put(d, "count", doc_integer((int64_t)count));
    }
    return ST_OK;
}

static enum st write_gpu(struct exporting *exporting, int g, struct err *err)
{
    const struct plan *p = exporting->plan;
    doc *d = doc_object(), *peers = doc_array(), *trains = doc_array(), *tables = doc_array();
    doc_append(exporting->gpus, d);
    doc_put(d, "id", doc_integer(p->assignment.id[g]));
    doc_put(d, "clique", doc_integer(p->assignment.clique_of[g]));
    for (int i = 0; i < p->placement.peers[g]; i++)
        doc_append(peers, doc_integer(p->assignment.id[p->placement.peer[g][i]]));
    doc_put(d, "peers", peers);
    doc_put(d, "train", trains);
    doc_put(d, "tables", tables);
    PASS(write_train(exporting, g, trains, err));
    if (p->assignment.circle[g]) {
        char name[PLAN_FILE_NAME];
        snprintf(name, sizeof name, "gpu%d_order.npy", p->assignment.id[g]);
        PASS(export_ids_npy(exporting->folder, name, "training vertices in the plan's order, ids among all types",
                            p->assignment.circle[g], p->assignment.train_count[g], 4, err));
        doc_put(d, "order", doc_text(name));
    }
    find_slots(exporting, g);
    for (int t = 0; t < exporting->rows->tables; t++)
        if (graph_table_there(exporting->rows, t)) PASS(write_table(exporting, g, t, tables, err));
    return ST_OK;
}

enum st export_npy_tables(const struct export_input *in, struct export_folder *to, struct err *err)
{
    struct exporting exporting = {.plan = in->plan, .rows = in->graph, .folder = to, .gpus = doc_array()};
    enum st st = ST_OK;
    NEW(exporting.slot, graph_items(exporting.rows), "slots of rows");
    NEW(exporting.room, graph_items(exporting.rows), "a list of rows");
    NEW(exporting.where, graph_items(exporting.rows), "a look-up of rows");
    for (int g = 0; g < exporting.plan->assignment.gpus; g++) TRY(write_gpu(&exporting, g, err));
    export_use(to, "gpus[].tables[] names the files of each type and relation; GPU i reads row v from GPU from[v] at "
                   "slot[v], or from the host where from[v] is -1 or a table has no files");
    to->gpus = TAKE(exporting.gpus);
done:
    doc_free(exporting.gpus);
    mem_free(exporting.slot);
    mem_free(exporting.room);
    mem_free(exporting.where);
    return st;
}
