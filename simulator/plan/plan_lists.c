/* plan_lists.c - the lists of the GPUs of a plan: training vertices and rows (declared in plan_lists.h). */
#include "simulator/plan/plan_lists.h"

#include <stdio.h>
#include <string.h>

#include "base/id_file.h"
#include "base/mem.h"

/* ---- writing ---- */

/* What the lists of one GPU are written with. */
struct saving {
    const struct plan *p;
    const struct graph *graph;
    bool plain; /* lists are written as they are, so that their reader finds what is wrong */
    int g;
    const struct output *o;
    uint32_t *room; /* for the longest list */
    doc *files;
};

/* Writes the rows of one table. bytes: of them. */
static enum st save_table(const struct saving *s, int table, uint64_t bytes, doc *lists, struct err *err)
{
    const struct row_table t = graph_table(s->graph, table);
    const struct placement *p = &s->p->placement;
    const struct row_list *l = t.kind == ROWS_TOPOLOGY ? &p->topology[s->g] : &p->feature[s->g];
    uint64_t count = 0, first = row_table_begin(s->graph, &t);
    char name[PLAN_FILE_NAME];
    for (uint64_t i = 0; i < l->count; i++)
        if (s->plain || l->id[i] - first < t.count) s->room[count++] = l->id[i] - (uint32_t)first;
    plan_list_file(s->graph, s->p->assignment.id[s->g], table, name);
    doc *d = plan_lists_add(s->graph, lists, table, name, count, bytes);
    if (!s->plain && t.cached != PRECISION_HOST) doc_put(d, "element", doc_text(precision_name(t.cached)));
    return id_file_save(s->o, name, s->room, count, s->files, err);
}

/* {file, count} of ids. */
static enum st save_ids(const struct saving *s, const char *name, const uint32_t *ids, uint64_t count, doc *d,
                        struct err *err)
{
    DOC_PUT(d, IS("file", name), IS("count", count));
    return id_file_save(s->o, name, ids, count, s->files, err);
}

/* Of several types an array, without the types that the GPU trains nothing of. */
static enum st save_train(const struct saving *s, doc *gpu, struct err *err)
{
    const struct assignment *a = &s->p->assignment;
    doc *trains = s->plain ? doc_object() : doc_array();
    doc_put(gpu, "train", trains);
    for (int t = 0; t < graph_type_count(s->graph); t++) {
        const struct graph_vertices type = graph_vertices(s->graph, t);
        uint64_t count = 0;
        char name[PLAN_FILE_NAME];
        for (uint64_t i = 0; i < a->train_count[s->g]; i++)
            if (s->plain || a->train[s->g][i] - type.first < type.count)
                s->room[count++] = a->train[s->g][i] - (uint32_t)type.first;
        if (!count && !s->plain) continue;
        doc *d = s->plain ? trains : doc_object();
        if (!s->plain) doc_append(trains, d);
        if (!s->plain) doc_put(d, "type", doc_text(s->graph->type[t].name));
        plan_train_file(s->graph, a->id[s->g], t, name);
        PASS(save_ids(s, name, s->room, count, d, err));
    }
    return ST_OK;
}

static enum st save_circle(const struct saving *s, doc *gpu, struct err *err)
{
    const struct assignment *a = &s->p->assignment;
    char name[PLAN_FILE_NAME];
    if (!a->circle[s->g]) return ST_OK;
    doc *d = doc_object();
    doc_put(gpu, "order", d);
    plan_order_file(a->id[s->g], name);
    return save_ids(s, name, a->circle[s->g], a->train_count[s->g], d, err);
}

enum st plan_lists_save(const struct plan *p, const struct graph *graph, int g, const struct output *o, doc *gpu,
                        doc *files, struct err *err)
{
    uint64_t bytes[GRAPH_TABLES_MAX], count[GRAPH_TABLES_MAX], largest = p->assignment.train_count[g];
    struct saving s = {p, graph, graph_plain(graph), g, o, NULL, files};
    (void)placement_held(&p->placement, g, graph, bytes, count);
    largest = p->placement.topology[g].count > largest ? p->placement.topology[g].count : largest;
    largest = p->placement.feature[g].count > largest ? p->placement.feature[g].count : largest;
    OWNED_NEW(uint32_t, room, largest, "a list of rows");
    s.room = room;
    PASS(save_train(&s, gpu, err));
    doc *lists = plan_lists_new(graph, gpu);
    PASS(save_circle(&s, gpu, err));
    for (int t = 0; t < graph_tables(graph); t++)
        if (count[t] || s.plain) PASS(save_table(&s, t, bytes[t], lists, err));
    return ST_OK;
}

/* ---- reading ---- */

/* What the lists of one GPU are read with. */
struct loading {
    const char *folder, *where;
    const doc *d;
    const struct graph *graph;
    bool plain;
    struct plan *p;
    int g, id;
};

static const doc *gpu_of(const doc *d, int g) { return doc_at(doc_get(d, "gpus"), (uint64_t)g); }

/* Of several types plan_check_placement finds what is listed twice. seen: [n], work space. */
static enum st load_table(const struct loading *l, int table, const doc *about, uint8_t *seen, struct err *err)
{
    const struct row_table t = graph_table(l->graph, table);
    struct placement *p = &l->p->placement;
    struct row_list *rows = t.kind == ROWS_TOPOLOGY ? &p->topology[l->g] : &p->feature[l->g];
    const uint64_t from = rows->count;
    const uint32_t first = (uint32_t)row_table_begin(l->graph, &t);
    char name[PLAN_FILE_NAME];
    plan_list_file(l->graph, l->id, table, name);
    PASS(plan_ids_append(l->folder, l->d, name, about, first, rows, err));
    if (l->plain) memset(seen, 0, t.count);
    for (uint64_t i = from; i < rows->count; i++) {
        uint32_t row = rows->id[i] - first;
        if (row >= t.count && l->plain)
            return err_set(err, ST_INPUT, "%s/%s: id %u at place %llu, but the graph has %llu vertices", l->folder,
                           name, row, (unsigned long long)i, (unsigned long long)t.count);
        if (row >= t.count)
            return err_set(err, ST_INPUT, "%s/%s: entry %llu is %u, but there are %llu rows", l->folder, name,
                           (unsigned long long)(i - from), row, (unsigned long long)t.count);
        if (l->plain && seen[row]++)
            return err_set(err, ST_INPUT, "%s/%s: id %u is listed twice", l->folder, name, row);
    }
    return ST_OK;
}

/* The training vertices of all types. */
static enum st load_train(const struct loading *l, const doc *trains, struct err *err)
{
    const struct graph *of = l->graph;
    struct row_list ids = {0};
    char name[PLAN_FILE_NAME];
    enum st st = ST_OK;
    for (uint64_t k = 0; k < (l->plain ? 1 : doc_size(trains)); k++) {
        const doc *about = l->plain ? trains : doc_at(trains, k);
        int t = l->plain ? 0 : graph_type_named(of, doc_text_value(doc_get(about, "type"), ""));
        if (t < 0) FAIL(ST_INPUT, "%s: GPU %d trains a type that the graph does not have", l->where, l->id);
        const struct graph_vertices type = graph_vertices(of, t);
        const uint64_t from = ids.count;
        plan_train_file(of, l->id, t, name);
        TRY(plan_ids_append(l->folder, l->d, name, about, (uint32_t)type.first, &ids, err));
        for (uint64_t i = from; i < ids.count && !l->plain; i++) { /* those of one type: assignment_set_train */
            uint32_t v = ids.id[i] - (uint32_t)type.first;
            if (v >= type.count)
                FAIL(ST_INPUT, "%s/%s: entry %llu is %u, but type %s has %llu vertices", l->folder, name,
                     (unsigned long long)(i - from), v, of->type[t].name, (unsigned long long)type.count);
        }
    }
    TRY(assignment_set_train(&l->p->assignment, l->g, ids.id, ids.count, of->n, l->where, err));
done:
    mem_free(ids.id);
    return st;
}

enum st plan_lists_load(const char *folder, const char *where, const doc *d, int g, const struct graph *graph,
                        uint8_t *seen, struct plan *p, struct err *err)
{
    const struct loading l = {folder, where, d, graph, graph_plain(graph), p, g, p->assignment.id[g]};
    const doc *list[GRAPH_TABLES_MAX];
    char whose[32];
    snprintf(whose, sizeof whose, "GPU %d", l.id);
    PASS(load_train(&l, doc_get(gpu_of(d, g), "train"), err));
    PASS(plan_lists_find(graph, gpu_of(d, g), whose, where, list, err));
    for (int t = 0; t < graph_tables(graph); t++)
        if (list[t]) PASS(load_table(&l, t, list[t], seen, err));
    return ST_OK;
}

enum st plan_lists_check_bytes(const doc *d, const char *where, const struct graph *graph, const struct plan *p,
                               struct err *err)
{
    for (int g = 0; g < p->assignment.gpus; g++) {
        uint64_t bytes[GRAPH_TABLES_MAX], count[GRAPH_TABLES_MAX];
        const doc *list[GRAPH_TABLES_MAX];
        (void)placement_held(&p->placement, g, graph, bytes, count);
        PASS(plan_lists_find(graph, gpu_of(d, g), "a GPU", where, list, err));
        for (int t = 0; t < graph_tables(graph); t++)
            PASS(plan_ids_bytes(doc_integer_value(doc_get(list[t], "bytes"), -1), p->assignment.id[g],
                                row_kind_name(graph_table(graph, t).kind), bytes[t], where, err));
    }
    return ST_OK;
}
