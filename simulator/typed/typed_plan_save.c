/* typed_plan_save.c - writes plan directories of typed graphs (declared in typed_plan.h). */
#include <string.h>

#include "base/doc_seal.h"
#include "base/id_file.h"
#include "base/mem.h"
#include "simulator/typed/typed_plan.h"

extern const char hotset_version[];

/* Writes the rows of one table that GPU g holds exactly, or the others. room: [list count]. */
static enum st save_table(const struct typed_plan *p, const struct graph *rows, int g, int table, bool exact,
                          const struct output *o, uint32_t *room, doc *lists, doc *files, struct err *err)
{
    const struct row_table *t = &rows->table[table];
    uint64_t count = 0, bytes = 0;
    char name[64];
    enum st st = ST_OK;
    for (uint64_t i = 0; i < placement_count(&p->placement, g); i++) {
        uint64_t item = placement_item(&p->placement, rows, g, i);
        if (item < t->first || item - t->first >= t->count || placement_exact(&p->placement, rows, g, item) != exact)
            continue;
        room[count++] = (uint32_t)(item - t->first);
        bytes += placement_row_bytes(&p->placement, g, rows, table, item - t->first);
    }
    if (!count) return ST_OK;
    snprintf(name, sizeof name, "gpu%d_%s_%d%s.npy", p->assignment.id[g], row_kind_name(t->kind), t->of,
             exact ? "_exact" : "");
    doc *d = typed_table_document(rows, table);
    doc_append(lists, d);
    doc_put(d, "file", doc_text(name));
    doc_put(d, "count", doc_integer((int64_t)count));
    doc_put(d, "bytes", doc_integer((int64_t)bytes));
    if (exact) doc_put(d, "exact", doc_bool(true));
    else if (t->cached != PRECISION_HOST) doc_put(d, "element", doc_text(precision_name(t->cached)));
    TRY(id_file_save(o, name, room, count, files, err));
done:
    return st;
}

static enum st save_train(const struct typed_plan *p, const struct graph *rows, int g, const struct output *o,
                          uint32_t *room, doc *trains, doc *files, struct err *err)
{
    const struct assignment *a = &p->assignment;
    enum st st = ST_OK;
    for (int t = 0; t < rows->types; t++) {
        const struct graph_type *x = &rows->type[t];
        uint64_t count = 0;
        char name[64];
        for (uint64_t i = 0; i < a->train_count[g]; i++)
            if (a->train[g][i] >= x->first && a->train[g][i] - x->first < x->count)
                room[count++] = a->train[g][i] - (uint32_t)x->first;
        if (!count) continue;
        snprintf(name, sizeof name, "gpu%d_train_%d.npy", a->id[g], t);
        doc *d = doc_object();
        doc_append(trains, d);
        doc_put(d, "type", doc_text(x->name));
        doc_put(d, "file", doc_text(name));
        doc_put(d, "count", doc_integer((int64_t)count));
        TRY(id_file_save(o, name, room, count, files, err));
    }
done:
    return st;
}

static enum st save_gpu(const struct typed_plan *p, const struct graph *rows, int g, const struct output *o, doc *gpus,
                        doc *files, struct err *err)
{
    doc *d = doc_object(), *peers = doc_array(), *trains = doc_array(), *lists = doc_array();
    uint64_t bytes[GRAPH_TABLES_MAX], count[GRAPH_TABLES_MAX], held, largest = placement_count(&p->placement, g);
    uint32_t *room = NULL;
    enum st st = ST_OK;
    held = placement_held(&p->placement, g, rows, bytes, count);
    doc_append(gpus, d);
    doc_put(d, "id", doc_integer(p->assignment.id[g]));
    doc_put(d, "clique", doc_integer(p->assignment.clique_of[g]));
    doc_put(d, "budget_bytes", doc_integer((int64_t)p->budget[g]));
    doc_put(d, "held_bytes", doc_integer((int64_t)held));
    for (int i = 0; i < p->placement.peers[g]; i++)
        doc_append(peers, doc_integer(p->assignment.id[p->placement.peer[g][i]]));
    doc_put(d, "peers", peers);
    doc_put(d, "train", trains);
    doc_put(d, "lists", lists);
    if (p->assignment.train_count[g] > largest) largest = p->assignment.train_count[g];
    NEW(room, largest, "a list of rows");
    TRY(save_train(p, rows, g, o, room, trains, files, err));
    for (int t = 0; t < rows->tables; t++)
        for (int exact = 0; count[t] && exact <= (p->placement.exact[g] != NULL); exact++)
            TRY(save_table(p, rows, g, t, exact, o, room, lists, files, err));
done:
    mem_free(room);
    return st;
}

doc *typed_predicted_document(const struct typed_plan *p, const struct graph *rows)
{
    doc *d = doc_object(), *tables = doc_array();
    doc_put(d, "total_transactions", doc_integer((int64_t)typed_plan_predicted(p, rows->tables, -1)));
    doc_put(d, "held_out", doc_bool(p->predicted_held_out));
    for (int t = 0; t < rows->tables; t++) {
        double reads = 0, missed = 0;
        for (int c = 0; c < p->assignment.cliques; c++) {
            reads += p->expected[c * rows->tables + t].reads;
            missed += p->expected[c * rows->tables + t].missed;
        }
        if (!(reads > 0)) continue;
        doc *one = typed_table_document(rows, t);
        doc_put(one, "hit_rate", doc_real(1 - missed / reads));
        doc_put(one, "transactions", doc_integer((int64_t)typed_plan_predicted(p, rows->tables, t)));
        doc_append(tables, one);
    }
    doc_put(d, "tables", tables);
    return d;
}

doc *typed_cliques_document(const struct typed_plan *p, const struct graph *rows)
{
    doc *all = doc_array();
    for (int c = 0; c < p->assignment.cliques; c++) {
        doc *d = doc_object(), *gpus = doc_array();
        uint64_t budget = 0, bytes[GRAPH_TABLES_MAX], count[GRAPH_TABLES_MAX], of[ROWS_KINDS] = {0}, left = 0;
        for (int g = 0; g < p->assignment.gpus; g++) {
            if (p->assignment.clique_of[g] != c) continue;
            doc_append(gpus, doc_integer(p->assignment.id[g]));
            budget += p->budget[g];
            (void)placement_held(&p->placement, g, rows, bytes, count);
            for (int t = 0; t < rows->tables; t++) of[rows->table[t].kind] += bytes[t];
        }
        for (int t = 0; t < rows->tables; t++) left += (uint64_t)(p->expected[c * rows->tables + t].transactions + 0.5);
        doc_append(all, d);
        doc_put(d, "gpus", gpus);
        doc_put(d, "budget_bytes", doc_integer((int64_t)budget));
        doc_put(d, "topology_bytes", doc_integer((int64_t)of[ROWS_TOPOLOGY]));
        doc_put(d, "feature_bytes", doc_integer((int64_t)of[ROWS_FEATURE]));
        doc_put(d, "edge_feature_bytes", doc_integer((int64_t)of[ROWS_EDGE]));
        doc_put(d, "predicted_transactions", doc_integer((int64_t)left));
    }
    return all;
}

doc *typed_cached_document(const struct graph *rows)
{
    doc *all = NULL;
    for (int t = 0; t < rows->tables; t++) {
        const struct row_table *x = &rows->table[t];
        if (x->cached == PRECISION_HOST) continue;
        if (!all) all = doc_array();
        doc *d = typed_table_document(rows, t);
        doc_append(all, d);
        doc_put(d, "element", doc_text(precision_name(x->cached)));
        doc_put(d, "row_bytes", doc_integer((int64_t)x->cached_bytes));
        doc_put(d, "host_element", doc_text(graph_table_element(rows, t)));
        doc_put(d, "host_row_bytes", doc_integer((int64_t)x->row_bytes));
    }
    return all;
}

static doc *head_document(const struct typed_plan *p, const struct graph *rows)
{
    doc *d = doc_object(), *server = doc_object(), *of = graph_document(rows), *workload = doc_object();
    doc_put(server, "name", doc_text(p->server_name));
    doc_put(server, "fingerprint", doc_text(p->server_fingerprint));
    doc_put(server, "cls", doc_integer((int64_t)p->line_bytes));
    doc_put(of, "path", doc_text(rows->path));
    typed_workload_put(rows, &p->workload, workload);
    doc_put(d, "schema", doc_text("plan/2"));
    doc_put(d, "policy", doc_text(p->policy));
    doc_put(d, "hotness", doc_text(p->hotness));
    doc_put(d, "hotset_version", doc_text(hotset_version));
    doc_put(d, "server", server);
    doc_put(d, "graph", of);
    doc_put(d, "workload", workload);
    if (p->placement.access != ACCESS_GPU)
        doc_put(d, "topology_access", doc_text(topology_access_name(p->placement.access)));
    doc_put(d, "assignment", doc_text(assignment_name(p->assignment.kind)));
    doc_put(d, "partition", doc_text(*p->assignment.partition ? p->assignment.partition : NULL));
    if (p->presample_epochs) doc_put(d, "presample_epochs", doc_integer((int64_t)p->presample_epochs));
    if (p->alpha) doc_put(d, "alpha", doc_copy(p->alpha));
    doc *cached = typed_cached_document(rows);
    if (cached) doc_put(d, "cache_types", cached);
    if (p->price) doc_put(d, "error_price", doc_copy(p->price));
    if (p->rounding) doc_put(d, "rounding", doc_copy(p->rounding));
    return d;
}

enum st typed_plan_save(const struct typed_plan *p, const struct graph *rows, const char *path, doc *stamp,
                        struct err *err)
{
    struct output o = {0};
    char file[PATH_BYTES];
    doc *d = head_document(p, rows), *gpus = doc_array(), *files = doc_array();
    enum st st;
    doc_put(d, "cliques", typed_cliques_document(p, rows));
    doc_put(d, "gpus", gpus);
    doc_put(d, "predicted", typed_predicted_document(p, rows));
    doc_put(d, "simulated", p->simulated ? doc_copy(p->simulated) : doc_null());
    doc_put(d, "baselines", p->baselines ? doc_copy(p->baselines) : doc_null());
    doc_put(d, "bound", p->bound ? doc_copy(p->bound) : doc_null());
    doc_put(d, "files", files);
    if (stamp) doc_put(d, "stamp", doc_copy(stamp));
    TRY(output_directory(&o, path, "plan.json", err));
    for (int g = 0; g < p->assignment.gpus; g++) TRY(save_gpu(p, rows, g, &o, gpus, files, err));
    TRY(output_path(&o, "plan.json", file, err));
    TRY(doc_save_sealed(d, file, err));
    TRY(output_commit(&o, err));
done:
    doc_free(d);
    output_abort(&o);
    return st;
}
