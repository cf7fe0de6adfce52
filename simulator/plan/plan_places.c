#include "simulator/plan/plan_places.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/id_file.h"
#include "base/mem.h"
#include "base/units.h"
#include "simulator/plan/plan_ids.h"

static const char *const kind_names[] = {"gpus", "dram", "node", "ssd"}, *const row_names[] = {"topology", "feature"},
                         *const cost_names[] = {"topology_line_seconds", "feature_row_seconds"};
const char *place_kind_name(enum place_kind k) { return kind_names[k]; }

void plan_places_release(struct plan_places *x)
{
    for (int kind = 0; kind < LIST_KINDS; kind++)
        for (int k = 0; k < PLAN_PLACES_MAX; k++) mem_free(x->list[kind][k].id);
    doc_free(x->stated);
    memset(x, 0, sizeof *x);
}

void plan_places_locate(const struct plan_places *x, int reader, enum list_kind kind, uint64_t rows, uint8_t *from)
{
    int order[PLAN_PLACES_MAX];
    const double *cost = x->cost[kind][reader];
    for (int k = 0; k < x->places; k++) { /* the dearest first; of equal ones the higher place: the last one writes */
        int at = k;
        for (; at > 0 && cost[order[at - 1]] <= cost[k]; at--) order[at] = order[at - 1];
        order[at] = k;
    }
    for (int i = 0; i < x->places; i++) {
        const struct row_list *l = &x->list[kind][order[i]];
        if (x->place[order[i]].kind == PLACE_KIND_SSD) memset(from, order[i], rows);
        for (uint64_t k = 0; k < l->count; k++) from[l->id[k]] = (uint8_t)order[i];
    }
}

/* Bytes of a place's rows of one kind. */
static uint64_t rows_bytes(const struct plan_places *x, int place, enum list_kind kind, const struct graph *g)
{
    const struct row_list *l = &x->list[kind][place];
    uint64_t sum = 0;
    if (kind == LIST_FEATURE) return l->count * g->row_bytes;
    for (uint64_t i = 0; i < l->count; i++) sum += graph_topology_bytes(g, l->id[i]);
    return sum;
}

/* ---- checks ---- */

static enum st check_homes(const struct plan_places *x, enum list_kind kind, uint64_t rows, const char *where,
                           struct err *err)
{
    enum st st = ST_OK;
    uint8_t *seen = NULL;
    NEW(seen, rows, "a check of places");
    for (int k = 0; k < x->places; k++)
        for (uint64_t i = 0; i < x->list[kind][k].count; i++) seen[x->list[kind][k].id[i]] = 1;
    for (uint64_t v = 0; v < rows; v++)
        if (!seen[v])
            FAIL(ST_INPUT, "%s: the %s row of vertex %llu is in no memory of \"memories\"", where, row_names[kind],
                 (unsigned long long)v);
done:
    mem_free(seen);
    return st;
}

/* Every row is in some place, and no DRAM holds more than its capacity; that is not checked of a graph without indptr.
 */
static enum st check_places(const struct plan_places *x, const struct graph *g, const char *where, struct err *err)
{
    enum st st = ST_OK;
    bool all = false, topology = g->indptr != NULL; /* else bytes are not known */
    for (int k = 0; k < x->places; k++) {
        uint64_t bytes = topology ? rows_bytes(x, k, LIST_TOPOLOGY, g) + rows_bytes(x, k, LIST_FEATURE, g) : 0;
        char held[BYTES_TEXT], room[BYTES_TEXT];
        all |= x->place[k].kind == PLACE_KIND_SSD;
        if (topology && x->place[k].kind == PLACE_KIND_DRAM && bytes > x->place[k].capacity)
            FAIL(ST_INPUT, "%s: %s holds %s of rows, but has room for %s", where, x->place[k].name,
                 units_bytes_exact(held, bytes), units_bytes_exact(room, x->place[k].capacity));
    }
    if (!all) TRY(check_homes(x, LIST_TOPOLOGY, graph_topology_rows(g), where, err));
    if (!all) TRY(check_homes(x, LIST_FEATURE, graph_feature_rows(g), where, err));
done:
    return st;
}

/* ---- writing ---- */

static doc *number(int v) { return v < 0 ? doc_null() : doc_integer(v); }

void plan_places_file(const struct place *p, enum list_kind kind, char out[64])
{
    int number = p->kind == PLACE_KIND_NODE ? p->node : p->socket;
    if (number < 0) snprintf(out, 64, "%s_%s.npy", kind_names[p->kind], row_names[kind]);
    else snprintf(out, 64, "%s%d_%s.npy", kind_names[p->kind], number, row_names[kind]);
}

static doc *place_document(const struct plan_places *x, int k, const struct graph *g)
{
    const struct place *p = &x->place[k];
    doc *d = doc_object();
    doc_put(d, "name", doc_text(p->name));
    doc_put(d, "kind", doc_text(kind_names[p->kind]));
    if (p->kind == PLACE_KIND_NODE) doc_put(d, "node", doc_integer(p->node));
    if (p->kind == PLACE_KIND_DRAM) doc_put(d, "socket", number(p->socket));
    if (p->kind == PLACE_KIND_DRAM) doc_put(d, "capacity_bytes", doc_integer((int64_t)p->capacity));
    for (int kind = 0; kind < LIST_KINDS && p->kind != PLACE_KIND_SSD; kind++) {
        char name[64];
        doc *list = doc_object();
        plan_places_file(p, (enum list_kind)kind, name);
        doc_put(list, "file", doc_text(name));
        doc_put(list, "count", doc_integer((int64_t)x->list[kind][k].count));
        doc_put(list, "bytes", doc_integer((int64_t)rows_bytes(x, k, (enum list_kind)kind, g)));
        doc_put(d, row_names[kind], list);
    }
    return d;
}

static doc *reader_document(const struct plan_places *x, int reader, int gpus, const int *ids)
{
    doc *d = doc_object(), *list = doc_array();
    for (int g = 0; g < gpus; g++)
        if (x->reader_of[g] == reader) doc_append(list, doc_integer(ids[g]));
    doc_put(d, "gpus", list);
    doc_put(d, "socket", number(x->socket[reader]));
    for (int kind = 0; kind < LIST_KINDS; kind++) {
        doc *cost = doc_array();
        for (int k = 0; k < x->places; k++) doc_append(cost, doc_real(x->cost[kind][reader][k]));
        doc_put(d, cost_names[kind], cost);
    }
    return d;
}

doc *plan_places_document(const struct plan_places *x, int gpus, const int *ids, const struct graph *g)
{
    doc *d = doc_object(), *places = doc_array(), *readers = doc_array();
    doc_put(d, "node", doc_integer(x->node));
    doc_put(d, "nodes", doc_integer(x->nodes));
    doc_put(d, "host_memory_bytes", doc_integer((int64_t)x->host_bytes));
    doc_put(d, "nic_gbps", x->nic_gbps > 0 ? doc_real(x->nic_gbps) : doc_null());
    doc_put(d, "ssd", x->drives.count ? drives_document(&x->drives) : doc_null());
    doc_put(d, "line_blocks", doc_real(x->line_blocks));
    for (int k = 0; k < x->places; k++) doc_append(places, place_document(x, k, g));
    for (int r = 0; r < x->readers; r++) doc_append(readers, reader_document(x, r, gpus, ids));
    doc_put(d, "places", places);
    doc_put(d, "readers", readers);
    for (const char *key = doc_next_key(x->stated, NULL); key; key = doc_next_key(x->stated, key))
        doc_put(d, key, doc_copy(doc_get(x->stated, key)));
    return d;
}

enum st plan_places_save(const struct plan_places *x, const struct output *o, doc *files, struct err *err)
{
    enum st st = ST_OK;
    char name[64];
    for (int k = 0; k < x->places; k++)
        for (int kind = 0; kind < LIST_KINDS && x->place[k].kind != PLACE_KIND_SSD; kind++) {
            plan_places_file(&x->place[k], (enum list_kind)kind, name);
            TRY(id_file_save(o, name, x->list[kind][k].id, x->list[kind][k].count, files, err));
        }
done:
    return st;
}

/* ---- reading ---- */

static enum st load_list(const char *folder, const doc *d, const struct place *p, const doc *about, enum list_kind kind,
                         uint64_t rows, struct row_list *out, struct err *err)
{
    enum st st;
    char name[64];
    struct npy a = {0};
    const doc *list = doc_get(about, row_names[kind]);
    plan_places_file(p, kind, name);
    if (strcmp(doc_text_value(doc_get(list, "file"), name), name))
        FAIL(ST_INPUT, "%s/plan.json: a list of \"memories\" is in \"%.60s\", but its file is called %s", folder,
             doc_text_value(doc_get(list, "file"), ""), name);
    TRY(plan_ids_map(folder, d, name, list, &a, err));
    const uint32_t *ids = a.data;
    NEW(out->id, a.count + 1, "the rows of a plan");
    for (uint64_t i = 0; i < a.count; i++) {
        if (ids[i] >= rows || (i && ids[i] <= ids[i - 1]))
            FAIL(ST_INPUT, "%s/%s: id %u at place %llu, but ascending ids below %llu are expected", folder, name,
                 ids[i], (unsigned long long)i, (unsigned long long)rows);
        out->id[i] = ids[i];
    }
    out->count = out->capacity = a.count;
done:
    npy_release(&a);
    return st;
}

static enum st load_place(const char *folder, const char *where, const doc *d, const doc *of, const struct graph *g,
                          struct plan_places *x, struct err *err)
{
    enum st st;
    const int k = x->places;
    struct place *p = &x->place[k];
    const char *kind = NULL;
    int64_t capacity = 0, number = -1;
    TRY(doc_need_text(of, "kind", where, &kind, err));
    *p = (struct place){.node = x->node, .clique = -1, .socket = -1, .capacity = UINT64_MAX};
    while (p->kind < PLACE_KINDS && strcmp(kind, kind_names[p->kind])) p->kind++;
    if (p->kind == PLACE_KINDS || p->kind == PLACE_KIND_GPUS)
        FAIL(ST_INPUT, "%s: a memory of kind \"%.20s\", expected dram, node or ssd", where, kind);
    snprintf(p->name, sizeof p->name, "%.63s", doc_text_value(doc_get(of, "name"), kind));
    if (p->kind == PLACE_KIND_NODE) TRY(doc_need_integer(of, "node", 0, x->nodes - 1, where, &number, err));
    if (p->kind == PLACE_KIND_NODE) p->node = (int)number;
    if (p->kind == PLACE_KIND_DRAM) {
        p->socket = (int)doc_integer_value(doc_get(of, "socket"), -1);
        TRY(doc_need_integer(of, "capacity_bytes", 0, INT64_MAX, where, &capacity, err));
        p->capacity = (uint64_t)capacity;
    }
    x->places++;
    if (p->kind == PLACE_KIND_SSD) return ST_OK;
    TRY(load_list(folder, d, p, of, LIST_TOPOLOGY, graph_topology_rows(g), &x->list[LIST_TOPOLOGY][k], err));
    TRY(load_list(folder, d, p, of, LIST_FEATURE, graph_feature_rows(g), &x->list[LIST_FEATURE][k], err));
done:
    return st;
}

static const double SECONDS_MOST = 1e9; /* of one read: no sum of them overflows */

static enum st load_reader(const char *where, const doc *of, int gpus, const int *ids, struct plan_places *x,
                           struct err *err)
{
    enum st st = ST_OK;
    const doc *list = doc_get(of, "gpus");
    for (uint64_t i = 0; i < doc_size(list); i++)
        for (int g = 0; g < gpus; g++) {
            if (ids[g] != doc_integer_value(doc_at(list, i), -1)) continue;
            if (x->reader_of[g] >= 0)
                FAIL(ST_INPUT, "%s: two readers of \"memories\" have GPU %d; one is expected", where, ids[g]);
            x->reader_of[g] = x->readers;
        }
    x->socket[x->readers] = (int)doc_integer_value(doc_get(of, "socket"), -1);
    for (int kind = 0; kind < LIST_KINDS; kind++) {
        const doc *cost = doc_get(of, cost_names[kind]);
        for (int k = 0; k < x->places; k++) {
            double v = doc_real_value(doc_at(cost, (uint64_t)k), NAN);
            if (!(v >= 0 && v <= SECONDS_MOST))
                FAIL(ST_INPUT, "%s: \"%s\" has no number from 0 to %.0g for memory %d", where, cost_names[kind],
                     SECONDS_MOST, k);
            x->cost[kind][x->readers][k] = v;
        }
    }
    x->readers++;
done:
    return st;
}

/* A number of 0 or more; 0 when it is null or missing. */
static enum st load_number(const doc *of, const char *key, const char *where, double *out, struct err *err)
{
    *out = 0;
    return doc_is_null(doc_get(of, key)) ? ST_OK : doc_need_real(of, key, 0, 1e12, where, out, err);
}

enum st plan_places_load(const char *folder, const char *where, const doc *d, const struct graph *g, int gpus,
                         const int *ids, struct plan_places *out, struct err *err)
{
    static const char *const known[] = {"node",        "nodes",  "host_memory_bytes", "nic_gbps", "ssd",
                                        "line_blocks", "places", "readers",           NULL};
    enum st st;
    doc *of = NULL, *places = NULL, *readers = NULL;
    int64_t node = 0, nodes = 1, host = 0;
    char ssd[PATH_BYTES + 32];
    if (!graph_plain(g)) /* feature rows have no one size, and replays of places count rows by vertex */
        FAIL(ST_INPUT,
             "%s: \"memories\" are planned for one type of vertices, but the graph has several types; remove the "
             "member, or make the plan again",
             where);
    TRY(doc_need_object(d, "memories", where, &of, err));
    TRY(doc_need_integer(of, "nodes", 1, 1024, where, &nodes, err));
    TRY(doc_need_integer(of, "node", 0, nodes - 1, where, &node, err));
    TRY(doc_need_integer(of, "host_memory_bytes", 0, INT64_MAX, where, &host, err));
    out->node = (int)node;
    out->nodes = (int)nodes;
    out->host_bytes = (uint64_t)host;
    TRY(load_number(of, "nic_gbps", where, &out->nic_gbps, err));
    TRY(load_number(of, "line_blocks", where, &out->line_blocks, err));
    if (!doc_is_null(doc_get(of, "ssd"))) {
        snprintf(ssd, sizeof ssd, "%s: \"ssd\" of \"memories\"", where);
        TRY(drives_read(doc_get(of, "ssd"), ssd, &out->drives, err));
    }
    TRY(doc_need_array(of, "places", where, &places, err));
    TRY(doc_need_array(of, "readers", where, &readers, err));
    if (!doc_size(places) || doc_size(places) > PLAN_PLACES_MAX || !doc_size(readers) || doc_size(readers) > GPUS_MAX)
        FAIL(ST_INPUT, "%s: \"memories\" has %llu places and %llu readers; 1 to %d and 1 to %d are possible", where,
             (unsigned long long)doc_size(places), (unsigned long long)doc_size(readers), PLAN_PLACES_MAX, GPUS_MAX);
    for (uint64_t i = 0; i < doc_size(places); i++) TRY(load_place(folder, where, d, doc_at(places, i), g, out, err));
    for (int i = 0; i < gpus; i++) out->reader_of[i] = -1;
    for (uint64_t i = 0; i < doc_size(readers); i++) TRY(load_reader(where, doc_at(readers, i), gpus, ids, out, err));
    for (int i = 0; i < gpus; i++)
        if (out->reader_of[i] < 0) FAIL(ST_INPUT, "%s: GPU %d is no reader of \"memories\"", where, ids[i]);
    out->stated = doc_object();
    for (const char *key = doc_next_key(of, NULL); key; key = doc_next_key(of, key)) {
        int i = 0;
        while (known[i] && strcmp(known[i], key)) i++;
        if (!known[i]) doc_put(out->stated, key, doc_copy(doc_get(of, key)));
    }
    TRY(check_places(out, g, where, err));
done:
    return st;
}
