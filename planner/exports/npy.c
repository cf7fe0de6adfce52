/* npy - the plan as look-up tables that any runtime can read: for each GPU and table of rows the list that it holds,
 * who serves row v, and in which slot of that GPU's cache. Nothing is lost. Of several types a member gpus[] of
 * export.json names the files. */
#include <string.h>

#include "base/mem.h"
#include "planner/exports/export.h"

static enum st npy_check(const struct export_input *in, struct err *err)
{
    return export_limits("npy", in->graph->n, in->graph->m, UINT32_MAX, INT64_MAX, err);
}

struct exporting {
    const struct plan *plan;
    const struct graph *rows;
    bool plain;
    struct export_folder *folder;
    uint32_t *slot; /* [rows of a kind] place of the row in the list of the GPU that serves it */
    uint8_t *where; /* [rows of a kind] 0: the host, else 1 + position of the GPU */
    uint32_t *room; /* for the longest list */
    doc *gpus;      /* of the document */
};

/* Finds what reader g reads of topology, or of features, and where. A slot counts the rows of one table on one GPU, in
 * fill order. */
static void find_slots(struct exporting *exporting, int g, bool topology)
{
    const struct graph *rows = exporting->rows;
    const struct placement *p = &exporting->plan->placement;
    const struct row_list *lists = topology ? p->topology : p->feature;
    const uint64_t first = topology ? 0 : graph_topology_rows(rows), count = graph_kind_rows(rows, topology);
    memset(exporting->slot, 0, count * sizeof *exporting->slot);
    placement_locate(p, g, lists, count, exporting->where);
    for (int s = 0; s < p->gpus; s++) {
        uint32_t next[GRAPH_TABLES_MAX] = {0};
        for (uint64_t i = 0; i < lists[s].count; i++) {
            const uint32_t row = lists[s].id[i], slot = next[graph_table_of(rows, first + row)]++;
            if (exporting->where[row] == 1 + s) exporting->slot[row] = slot;
        }
    }
}

/* The rows of a table that GPU g holds, in fill order. *count: how many. */
static enum st write_list(struct exporting *exporting, int g, int table, uint64_t *count, struct err *err)
{
    const struct graph *rows = exporting->rows;
    const struct placement *p = &exporting->plan->placement;
    const struct row_table t = graph_table(rows, table);
    const struct row_list *l = t.kind == ROWS_TOPOLOGY ? &p->topology[g] : &p->feature[g];
    const uint64_t first = row_table_begin(rows, &t);
    char name[PLAN_FILE_NAME], what[64] = "rows held, in fill order";
    *count = 0;
    for (uint64_t i = 0; i < l->count; i++)
        if (l->id[i] - first < t.count) exporting->room[(*count)++] = l->id[i] - (uint32_t)first;
    plan_list_file(rows, exporting->plan->assignment.id[g], table, name);
    if (exporting->plain) snprintf(what, sizeof what, "%s rows held, in fill order", row_kind_name(t.kind));
    return export_ids_npy(exporting->folder, name, what, exporting->room, *count, 4, err);
}

static enum st write_from(struct exporting *exporting, const char *name, const struct row_table *t, struct err *err)
{
    enum { BLOCK = 4096 };
    OWNED_BY(export_file_cancel) struct export_file f = {0};
    const uint8_t *where = exporting->where + row_table_begin(exporting->rows, t);
    char what[64] = "id of the GPU that serves row v, -1: host";
    if (exporting->plain)
        snprintf(what, sizeof what, "id of the GPU that serves row v's %s, -1: host", row_kind_name(t->kind));
    PASS(export_file_npy(exporting->folder, name, what, "i2", 1, &t->count, &f, err));
    for (uint64_t v = 0; v < t->count;) {
        int16_t block[BLOCK];
        uint64_t k = 0;
        for (; k < BLOCK && v < t->count; v++)
            block[k++] = (int16_t)(where[v] ? exporting->plan->assignment.id[where[v] - 1] : -1);
        PASS(export_file_put(&f, block, 2 * k, err));
    }
    return export_file_end(&f, err);
}

/* Who serves the rows of a table for reader g, and where. lookup: the document that names both files. */
static enum st write_lookup(struct exporting *exporting, int g, const struct row_table *t, doc *lookup, struct err *err)
{
    char name[64], suffix[GRAPH_SUFFIX];
    const int id = exporting->plan->assignment.id[g];
    graph_suffix(exporting->rows, t->of, suffix);
    snprintf(name, sizeof name, "gpu%d_%s%s_from.npy", id, row_kind_name(t->kind), suffix);
    doc_put(lookup, "from", doc_text(name));
    PASS(write_from(exporting, name, t, err));
    snprintf(name, sizeof name, "gpu%d_%s%s_slot.npy", id, row_kind_name(t->kind), suffix);
    doc_put(lookup, "slot", doc_text(name));
    return export_ids_npy(exporting->folder, name, "place in that GPU's list (0 where it is the host)",
                          exporting->slot + row_table_begin(exporting->rows, t), t->count, 4, err);
}

/* Whether a GPU serves a row of the table. */
static bool is_served(const struct exporting *exporting, const struct row_table *t)
{
    const uint8_t *where = exporting->where + row_table_begin(exporting->rows, t);
    for (uint64_t v = 0; v < t->count; v++)
        if (where[v]) return true;
    return false;
}

/* The files of one table for reader g, of several types; adds their entry to tables. */
static enum st write_table(struct exporting *exporting, int g, int table, doc *tables, struct err *err)
{
    const struct row_table t = graph_table(exporting->rows, table);
    char list[PLAN_FILE_NAME];
    uint64_t count = 0;
    if (!is_served(exporting, &t)) return ST_OK; /* the host serves the whole table */
    PASS(write_list(exporting, g, table, &count, err));
    plan_list_file(exporting->rows, exporting->plan->assignment.id[g], table, list);
    doc *d = plan_table_document(exporting->rows, table);
    doc_append(tables, d);
    DOC_PUT(d, IS("rows", t.count), IS("held", count), IS("list", list));
    PASS(write_lookup(exporting, g, &t, d, err));
    if (t.kind == ROWS_TOPOLOGY) return ST_OK;
    DOC_PUT(d, IS("element", t.cached ? precision_name(t.cached) : graph_table_element(exporting->rows, table)),
            IS("row_bytes", t.cached_bytes));
    return ST_OK;
}

static enum st write_train(struct exporting *exporting, int g, doc *trains, struct err *err)
{
    const struct graph *rows = exporting->rows;
    const struct assignment *a = &exporting->plan->assignment;
    for (int t = 0; t < graph_type_count(rows); t++) {
        const struct graph_vertices type = graph_vertices(rows, t);
        uint64_t count = 0;
        char name[PLAN_FILE_NAME];
        for (uint64_t i = 0; i < a->train_count[g]; i++)
            if (a->train[g][i] - type.first < type.count)
                exporting->room[count++] = a->train[g][i] - (uint32_t)type.first;
        if (!count && !exporting->plain) continue;
        plan_train_file(rows, a->id[g], t, name);
        PASS(export_ids_npy(exporting->folder, name, "training vertices", exporting->room, count, 4, err));
        doc *d = doc_object();
        doc_append(trains, d);
        DOC_PUT(d, IS("type", exporting->plain ? NULL : rows->type[t].name), IS("list", name), IS("count", count));
    }
    return ST_OK;
}

static enum st write_order(struct exporting *exporting, int g, doc *gpu, struct err *err)
{
    const struct assignment *a = &exporting->plan->assignment;
    char name[PLAN_FILE_NAME];
    if (!a->circle[g]) return ST_OK;
    plan_order_file(a->id[g], name);
    doc_put(gpu, "order", doc_text(name));
    return export_ids_npy(exporting->folder, name,
                          exporting->plain ? "training vertices in the plan's order"
                                           : "training vertices in the plan's order, ids among all types",
                          a->circle[g], a->train_count[g], 4, err);
}

/* Of a plain graph both lists are told before what is looked up in them. */
static enum st write_gpu(struct exporting *exporting, int g, struct err *err)
{
    const struct plan *p = exporting->plan;
    const struct graph *rows = exporting->rows;
    doc *d = doc_object(), *peers = doc_array(), *trains = doc_array(), *tables = doc_array();
    uint64_t count;
    doc_append(exporting->gpus, d);
    DOC_PUT(d, IS("id", p->assignment.id[g]), IS("clique", p->assignment.clique_of[g]));
    for (int i = 0; i < p->placement.peers[g]; i++)
        doc_append(peers, doc_integer(p->assignment.id[p->placement.peer[g][i]]));
    DOC_PUT(d, IS("peers", peers), IS("train", trains), IS("tables", tables));
    PASS(write_train(exporting, g, trains, err));
    for (int t = 0; exporting->plain && t < graph_tables(rows); t++) PASS(write_list(exporting, g, t, &count, err));
    PASS(write_order(exporting, g, d, err));
    for (int k = 0; k < graph_tables(rows); k++) {
        const struct row_table t = graph_table(rows, k);
        if (!k || k == graph_relation_count(rows)) find_slots(exporting, g, t.kind == ROWS_TOPOLOGY);
        if (exporting->plain) PASS(write_lookup(exporting, g, &t, d, err));
        else if (graph_table_there(rows, k)) PASS(write_table(exporting, g, k, tables, err));
    }
    return ST_OK;
}

static enum st write_gpus(const struct export_input *in, struct export_folder *to, struct err *err)
{
    const struct plan *p = in->plan;
    uint64_t longest = 0;
    for (int g = 0; g < p->assignment.gpus; g++) {
        const uint64_t each[] = {p->placement.topology[g].count, p->placement.feature[g].count,
                                 p->assignment.train_count[g]};
        for (int i = 0; i < 3; i++) longest = each[i] > longest ? each[i] : longest;
    }
    OWNED_NEW(uint32_t, slot, graph_most_rows(in->graph), "slots of rows");
    OWNED_NEW(uint8_t, where, graph_most_rows(in->graph), "a look-up of rows");
    OWNED_NEW(uint32_t, room, longest, "a list of rows");
    OWNED_DOC doc *gpus = doc_array();
    struct exporting exporting = {p, in->graph, graph_plain(in->graph), to, slot, where, room, gpus};
    for (int g = 0; g < p->assignment.gpus; g++) PASS(write_gpu(&exporting, g, err));
    if (!exporting.plain) to->gpus = TAKE(gpus);
    return ST_OK;
}

/* The memories below the GPUs: lists of rows, as the plan has them. */
static enum st write_places(const struct plan_places *places, const struct graph *g, struct export_folder *to,
                            struct err *err)
{
    char name[64], what[128];
    uint64_t count;
    OWNED_NEW(uint32_t, ids, graph_most_rows(g) + 1, "a list of rows");
    for (int k = 0; k < places->places; k++)
        for (int i = 0; i < graph_tables(g); i++) {
            if (!plan_places_list(places, k, g, i, ids, &count)) continue;
            plan_places_file(&places->place[k], g, i, name);
            snprintf(what, sizeof what, "%s rows that %s, ascending", row_kind_name(graph_table(g, i).kind),
                     place_kind_table[places->place[k].kind].list);
            PASS(export_ids_npy(to, name, what, ids, count, 4, err));
        }
    return ST_OK;
}

static enum st npy_write(const struct export_input *in, struct export_folder *to, struct err *err)
{
    const bool plain = graph_plain(in->graph);
    if (plain) PASS(write_gpus(in, to, err));
    if (in->plan->places) PASS(write_places(in->plan->places, in->graph, to, err));
    if (!plain) PASS(write_gpus(in, to, err));
    if (plain) PASS(export_sets_npy(in, to, err));
    export_use(to, EXPORT_CALL, "%s",
               plain ? "GPU i reads row v from GPU gpu<i>_feature_from.npy[v] at slot gpu<i>_feature_slot.npy[v], or "
                       "from the host where it says -1; topology likewise"
                     : "gpus[].tables[] names the files of each type and relation; GPU i reads row v from GPU from[v] "
                       "at slot[v], or from the host where from[v] is -1 or a table has no files");
    return ST_OK;
}

static enum st runs(const struct export_input *in, struct export_runs *to, struct err *err)
{
    struct export_run *run = NULL;
    (void)in;
    enum st st = export_as_run(to, &run, err, "a runtime that follows the tables executes the plan exactly.");
    return st;
}

extern const struct export_target export_target_npy;
const struct export_target export_target_npy = {.name = "npy",
                                                .summary = "lookup tables as NumPy arrays: the GPU that serves each "
                                                           "row, and its slot there",
                                                .features_from = "its look-up tables say where rows lie, and hold "
                                                                 "none; your program has the features",
                                                .source = "NumPy format 1.0",
                                                .labor = true,
                                                .order = true,
                                                .whole_rows = true,
                                                .together = true,
                                                .holds = EXPORT_HOLDS_ALL,
                                                .places = true,
                                                .edges = true,
                                                .made.why = "it loses nothing of a plan",
                                                .check = npy_check,
                                                .write = npy_write,
                                                .runs = runs};
