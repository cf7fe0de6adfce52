#include "simulator/plan/plan_places.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/id_file.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "simulator/plan/plan.h"
#include "simulator/plan/plan_lists.h"

#define SECONDS(k, m, say)                                                                                             \
    {                                                                                                                  \
        .key = k, .kind = FIELD_REAL, .flags = FIELD_NULL, FIELD_TO(struct places_expected, m), .most = 1e15,          \
        .absent = NAN, .unit = "s", .help = say                                                                        \
    }
const struct field places_expected_fields[] = {{.key = "planned",
                                                .kind = FIELD_TEXT,
                                                FIELD_TO(struct places_expected, planned),
                                                .help = "By which way: a memory after the other, or all at once."},
                                               SECONDS("predicted_seconds", seconds,
                                                       "Of all reads, mean of GPUs, as if none overlapped."),
                                               SECONDS("tier_by_tier_seconds", tier_by_tier,
                                                       "The same, planned a memory after the other."),
                                               SECONDS("bound_seconds", bound, "Below which no plan goes."),
                                               {.key = "above_bound",
                                                .kind = FIELD_REAL,
                                                .flags = FIELD_NULL,
                                                FIELD_TO(struct places_expected, above_bound),
                                                .least = -1,
                                                .most = 1e15,
                                                .absent = NAN,
                                                .help = "predicted_seconds / bound_seconds - 1."},
                                               FIELDS_OPEN};

void plan_places_release(struct plan_places *places)
{
    for (int kind = 0; kind < LIST_KINDS; kind++)
        for (int k = 0; k < PLAN_PLACES_MAX; k++) mem_free(places->list[kind][k].id);
    memset(places, 0, sizeof *places);
}

enum st plan_places_reads(const struct graph *g, uint64_t line_bytes, int *reads, uint64_t read_bytes[PLAN_READS_MAX],
                          struct err *err)
{
    int sizes = graph_feature_sizes(g, PLAN_READS_MAX - 1, read_bytes + 1);
    if (sizes >= PLAN_READS_MAX)
        return err_set(err, ST_NO,
                       "%s: has feature rows of %d sizes, but memories below GPUs are planned for at most %d; pad some "
                       "of them",
                       g->path, sizes, PLAN_READS_MAX - 1);
    read_bytes[0] = line_bytes;
    *reads = sizes + 1;
    return ST_OK;
}

int plan_places_read(const struct plan_places *places, const struct row_table *t)
{
    if (t->kind == ROWS_TOPOLOGY) return 0;
    for (int k = 2; k < places->reads; k++)
        if (places->read_bytes[k] == t->row_bytes) return k;
    return 1;
}

static enum list_kind kind_of(const struct row_table *t)
{
    return t->kind == ROWS_TOPOLOGY ? LIST_TOPOLOGY : LIST_FEATURE;
}

/* How many rows of a list are below `end`. */
static uint64_t rows_below(const struct row_list *l, uint64_t end)
{
    uint64_t low = 0, high = l->count;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (l->id[middle] < end) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* A place's rows of a table; borrowed. */
static struct row_list list_of(const struct plan_places *places, int place, const struct graph *g,
                               const struct row_table *t)
{
    const struct row_list *l = &places->list[kind_of(t)][place];
    if (!l->count) return *l;
    uint64_t from = rows_below(l, row_table_begin(g, t)), to = rows_below(l, row_table_begin(g, t) + t->count);
    return (struct row_list){.id = l->id + from, .count = to - from};
}

static void locate_table(const struct plan_places *places, const struct graph *g, int reader, const struct row_table *t,
                         uint8_t *from)
{
    int order[PLAN_PLACES_MAX];
    const double *cost = places->cost[plan_places_read(places, t)][reader];
    for (int k = 0; k < places->places;
         k++) { /* the dearest first; of equal ones the higher place: the last one writes */
        int at = k;
        for (; at > 0 && cost[order[at - 1]] <= cost[k]; at--) order[at] = order[at - 1];
        order[at] = k;
    }
    for (int i = 0; i < places->places; i++) {
        const struct row_list l = list_of(places, order[i], g, t);
        if (place_role(&places->place[order[i]]) == ROLE_LAST) memset(from + row_table_begin(g, t), order[i], t->count);
        for (uint64_t k = 0; k < l.count; k++) from[l.id[k]] = (uint8_t)order[i];
    }
}

void plan_places_locate(const struct plan_places *places, const struct graph *g, int reader, enum list_kind kind,
                        uint8_t *from)
{
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        if (kind_of(&t) == kind) locate_table(places, g, reader, &t, from);
    }
}

/* Bytes of a place's rows of a table. */
static uint64_t rows_bytes(const struct plan_places *places, int place, const struct graph *g,
                           const struct row_table *t)
{
    const struct row_list l = list_of(places, place, g, t);
    uint64_t sum = 0;
    if (t->kind != ROWS_TOPOLOGY) return l.count * t->row_bytes;
    for (uint64_t i = 0; i < l.count; i++) sum += row_table_bytes(g, t, l.id[i] - row_table_begin(g, t));
    return sum;
}

/* ---- checks ---- */

static enum st check_homes(const struct plan_places *places, const struct graph *g, int table, uint8_t *seen,
                           const char *where, struct err *err)
{
    const struct row_table t = graph_table(g, table);
    char label[GRAPH_LABEL_BYTES];
    if (!graph_table_there(g, table) && !graph_plain(g)) return ST_OK;
    memset(seen, 0, t.count);
    for (int k = 0; k < places->places; k++) {
        const struct row_list l = list_of(places, k, g, &t);
        for (uint64_t i = 0; i < l.count; i++) seen[l.id[i] - row_table_begin(g, &t)] = 1;
    }
    for (uint64_t v = 0; v < t.count; v++) {
        if (seen[v]) continue;
        if (graph_plain(g))
            return err_set(err, ST_INPUT, "%s: the %s row of vertex %llu is in no memory of \"memories\"", where,
                           row_kind_name(t.kind), (unsigned long long)v);
        return err_set(err, ST_INPUT, "%s: %s row %llu of %s is in no memory of \"memories\"", where,
                       row_kind_name(t.kind), (unsigned long long)v, graph_table_label(g, table, label));
    }
    return ST_OK;
}

/* Every row is in some place, and no DRAM holds more than its capacity; that is not checked of a graph without indptr.
 */
static enum st check_places(const struct plan_places *places, const struct graph *g, const char *where, struct err *err)
{
    bool all = false, topology = g->indptr || !graph_plain(g); /* else bytes are not known */
    for (int k = 0; k < places->places; k++) {
        uint64_t bytes = 0;
        char held[BYTES_TEXT], room[BYTES_TEXT];
        all |= place_role(&places->place[k]) == ROLE_LAST;
        for (int i = 0; topology && place_role(&places->place[k]) == ROLE_HOME && i < graph_tables(g); i++) {
            const struct row_table t = graph_table(g, i);
            bytes += rows_bytes(places, k, g, &t);
        }
        if (bytes > places->place[k].capacity)
            return err_set(err, ST_INPUT, "%s: %s holds %s of rows, but has room for %s", where, places->place[k].name,
                           units_bytes_exact(held, bytes), units_bytes_exact(room, places->place[k].capacity));
    }
    OWNED_NEW(uint8_t, seen, graph_most_rows(g), "a check of places");
    for (int i = 0; !all && i < graph_tables(g); i++) PASS(check_homes(places, g, i, seen, where, err));
    return ST_OK;
}

/* ---- writing ---- */

void plan_places_file(const struct place *p, const struct graph *g, int table, char out[64])
{
    const struct row_table t = graph_table(g, table);
    int number = place_role(p) == ROLE_REMOTE ? p->node : p->socket;
    char whose[16] = "", suffix[GRAPH_SUFFIX];
    if (number >= 0) snprintf(whose, sizeof whose, "%d", number);
    snprintf(out, 64, "%s%s_%s%s.npy", place_kind_table[p->kind].name, whose, row_kind_name(t.kind),
             graph_suffix(g, t.of, suffix));
}

/* Whether a place has a file for a table: SSDs have none; of several types neither have those that hold no row of it.
 */
static bool is_listed(const struct plan_places *places, int place, const struct graph *g, int table)
{
    const struct row_table t = graph_table(g, table);
    return place_role(&places->place[place]) != ROLE_LAST && (graph_plain(g) || list_of(places, place, g, &t).count);
}

static void put_lists(const struct plan_places *places, int k, const struct graph *g, doc *d)
{
    char name[64];
    doc *lists = plan_lists_new(g, d);
    for (int i = 0; i < graph_tables(g); i++) {
        const struct row_table t = graph_table(g, i);
        if (!is_listed(places, k, g, i)) continue;
        plan_places_file(&places->place[k], g, i, name);
        plan_lists_add(g, lists, i, name, list_of(places, k, g, &t).count, rows_bytes(places, k, g, &t));
    }
}

static doc *place_document(const struct plan_places *places, int k, const struct graph *g)
{
    const struct place *p = &places->place[k];
    doc *d = DOC(IS("name", p->name), IS("kind", place_kind_table[p->kind].name));
    if (place_role(p) == ROLE_REMOTE) doc_put(d, "node", doc_integer(p->node));
    if (place_role(p) == ROLE_HOME) doc_put(d, "socket", doc_index(p->socket));
    if (place_role(p) == ROLE_HOME) doc_put(d, "capacity_bytes", doc_integer((int64_t)p->capacity));
    if (place_role(p) != ROLE_LAST) put_lists(places, k, g, d);
    return d;
}

static doc *costs_document(const struct plan_places *places, int read, int reader)
{
    doc *cost = doc_array();
    for (int k = 0; k < places->places; k++) doc_append(cost, doc_real(places->cost[read][reader][k]));
    return cost;
}

static doc *reader_document(const struct plan_places *places, int reader, int gpus, const int *ids, bool plain)
{
    doc *d = doc_object(), *list = doc_array(), *sizes = plain ? costs_document(places, 1, reader) : doc_array();
    for (int g = 0; g < gpus; g++)
        if (places->reader_of[g] == reader) doc_append(list, doc_integer(ids[g]));
    for (int k = 1; !plain && k < places->reads; k++) doc_append(sizes, costs_document(places, k, reader));
    DOC_PUT(d, IS("gpus", list), IS("socket", doc_index(places->socket[reader])),
            IS("topology_line_seconds", costs_document(places, 0, reader)), IS("feature_row_seconds", sizes));
    return d;
}

doc *plan_places_document(const struct plan_places *below, int gpus, const int *ids, const struct graph *g)
{
    doc *d = doc_object(), *places = doc_array(), *readers = doc_array(), *sizes = doc_array();
    DOC_PUT(d, IS("node", below->node), IS("nodes", below->nodes), IS("host_memory_bytes", below->host_bytes),
            IS("nic_gbps", below->nic_gbps > 0 ? doc_real(below->nic_gbps) : doc_null()));
    doc_put(d, "ssd", below->drives.count ? drives_document(&below->drives) : doc_null());
    doc_put(d, "line_blocks", doc_real(below->line_blocks));
    for (int k = 1; k < below->reads; k++) doc_append(sizes, doc_integer((int64_t)below->read_bytes[k]));
    if (graph_plain(g)) doc_free(sizes);
    else doc_put(d, "feature_row_bytes", sizes);
    for (int k = 0; k < below->places; k++) doc_append(places, place_document(below, k, g));
    for (int r = 0; r < below->readers; r++) doc_append(readers, reader_document(below, r, gpus, ids, graph_plain(g)));
    DOC_PUT(d, IS("places", places), IS("readers", readers));
    fields_put(places_expected_fields, &below->expected, NULL, d);
    return d;
}

bool plan_places_list(const struct plan_places *places, int place, const struct graph *g, int table, uint32_t *ids,
                      uint64_t *count)
{
    const struct row_table t = graph_table(g, table);
    const struct row_list l = list_of(places, place, g, &t);
    *count = l.count;
    for (uint64_t i = 0; i < l.count; i++) ids[i] = l.id[i] - (uint32_t)row_table_begin(g, &t);
    return is_listed(places, place, g, table);
}

enum st plan_places_save(const struct plan_places *places, const struct graph *g, const struct output *o, doc *files,
                         struct err *err)
{
    char name[64];
    uint64_t count;
    OWNED_NEW(uint32_t, ids, graph_most_rows(g) + 1, "a list of rows");
    for (int k = 0; k < places->places; k++)
        for (int i = 0; i < graph_tables(g); i++) {
            if (!plan_places_list(places, k, g, i, ids, &count)) continue;
            plan_places_file(&places->place[k], g, i, name);
            PASS(id_file_save(o, name, ids, count, files, err));
        }
    return ST_OK;
}

/* ---- reading ---- */

/* What lists are read with. */
struct loading {
    const char *folder, *where;
    const doc *d;
    const struct graph *g;
};

/* Appends the rows of a table that `about` tells of. */
static enum st load_list(const struct loading *l, const struct place *p, const doc *about, int table,
                         struct row_list *out, struct err *err)
{
    char name[64];
    const struct row_table t = graph_table(l->g, table);
    const uint32_t first = (uint32_t)row_table_begin(l->g, &t);
    const uint64_t from = out->count;
    plan_places_file(p, l->g, table, name);
    PASS(plan_ids_append(l->folder, l->d, name, about, first, out, err));
    for (uint64_t i = from; i < out->count; i++)
        if (out->id[i] - first >= t.count || (i > from && out->id[i] <= out->id[i - 1]))
            return err_set(err, ST_INPUT, "%s/%s: id %u at place %llu, but ascending ids below %llu are expected",
                           l->folder, name, out->id[i] - first, (unsigned long long)(i - from),
                           (unsigned long long)t.count);
    return ST_OK;
}

static enum st load_lists(const struct loading *l, const struct place *p, const doc *of, struct plan_places *places,
                          struct err *err)
{
    const doc *list[GRAPH_TABLES_MAX];
    const int k = (int)(p - places->place);
    char whose[sizeof p->name + 2];
    snprintf(whose, sizeof whose, "\"%s\"", p->name);
    PASS(plan_lists_find(l->g, of, whose, l->where, list, err));
    for (int i = 0; i < graph_tables(l->g); i++) {
        const struct row_table t = graph_table(l->g, i);
        if (list[i] && !graph_plain(l->g) && !graph_table_there(l->g, i))
            return err_set(err, ST_INPUT, "%s: a list of %s names rows that the graph does not have", l->where, whose);
        if (list[i] || graph_plain(l->g)) PASS(load_list(l, p, list[i], i, &places->list[kind_of(&t)][k], err));
    }
    return ST_OK;
}

static enum st refuse_kind(const char *where, const char *kind, struct err *err)
{
    char known[256] = "";
    for (int k = 0; k < PLACE_KINDS; k++) {
        const char *between = k + 1 < PLACE_KINDS ? ", " : " or ";
        text_append(known, sizeof known, "%s%s", k ? between : "", place_kind_table[k].name);
    }
    return err_set(err, ST_INPUT, "%s: a memory of kind \"%.20s\", expected %s", where, kind, known);
}

static enum st load_place(const struct loading *l, const doc *of, struct plan_places *places, struct err *err)
{
    const int k = places->places;
    const char *where = l->where;
    struct place *p = &places->place[k];
    const char *kind = NULL;
    int64_t capacity = 0, number = places->node;
    PASS(doc_need_text(of, "kind", where, &kind, err));
    *p = (struct place){.socket = -1, .capacity = UINT64_MAX};
    while (p->kind < PLACE_KINDS && strcmp(kind, place_kind_table[p->kind].name)) p->kind++;
    if (p->kind == PLACE_KINDS) return refuse_kind(where, kind, err);
    snprintf(p->name, sizeof p->name, "%.63s", doc_text_value(doc_get(of, "name"), kind));
    if (place_role(p) == ROLE_REMOTE) PASS(doc_need_integer(of, "node", 0, places->nodes - 1, where, &number, err));
    p->node = (int)number;
    if (place_role(p) == ROLE_HOME) {
        p->socket = (int)doc_integer_value(doc_get(of, "socket"), -1);
        PASS(doc_need_integer(of, "capacity_bytes", 0, INT64_MAX, where, &capacity, err));
        p->capacity = (uint64_t)capacity;
    }
    places->places++;
    return place_role(p) == ROLE_LAST ? ST_OK : load_lists(l, p, of, places, err);
}

static const double SECONDS_MOST = 1e9; /* of one read: no sum of them overflows */

/* Of reader places->readers, for one kind of reads. */
static enum st load_costs(const char *where, const doc *cost, const char *name, int read, struct plan_places *places,
                          struct err *err)
{
    for (int k = 0; k < places->places; k++) {
        double v = doc_real_value(doc_at(cost, (uint64_t)k), NAN);
        if (!(v >= 0 && v <= SECONDS_MOST))
            return err_set(err, ST_INPUT, "%s: \"%s\" has no number from 0 to %.0g for memory %d", where, name,
                           SECONDS_MOST, k);
        places->cost[read][places->readers][k] = v;
    }
    return ST_OK;
}

static enum st load_reader(const char *where, const doc *of, int gpus, const int *ids, bool plain,
                           struct plan_places *places, struct err *err)
{
    const doc *list = doc_get(of, "gpus");
    for (uint64_t i = 0; i < doc_size(list); i++)
        for (int g = 0; g < gpus; g++) {
            if (ids[g] != doc_integer_value(doc_at(list, i), -1)) continue;
            if (places->reader_of[g] >= 0)
                return err_set(err, ST_INPUT, "%s: two readers of \"memories\" have GPU %d; one is expected", where,
                               ids[g]);
            places->reader_of[g] = places->readers;
        }
    places->socket[places->readers] = (int)doc_integer_value(doc_get(of, "socket"), -1);
    const doc *features = doc_get(of, "feature_row_seconds");
    PASS(load_costs(where, doc_get(of, "topology_line_seconds"), "topology_line_seconds", 0, places, err));
    for (int k = 1; k < places->reads; k++)
        PASS(load_costs(where, plain ? features : doc_at(features, (uint64_t)k - 1), "feature_row_seconds", k, places,
                        err));
    places->readers++;
    return ST_OK;
}

/* A number of 0 or more; 0 when it is null or missing. */
static enum st load_number(const doc *of, const char *key, const char *where, double *out, struct err *err)
{
    *out = 0;
    return doc_is_null(doc_get(of, key)) ? ST_OK : doc_need_real(of, key, 0, 1e12, where, out, err);
}

/* The sizes of feature rows are the graph's. */
static enum st load_sizes(const doc *of, const char *where, const struct graph *g, struct plan_places *out,
                          struct err *err)
{
    const doc *sizes = doc_get(of, "feature_row_bytes");
    PASS(plan_places_reads(g, 0, &out->reads, out->read_bytes, err));
    bool same = doc_size(sizes) == (uint64_t)out->reads - 1;
    for (int k = 1; k < out->reads; k++)
        same &= doc_integer_value(doc_at(sizes, (uint64_t)k - 1), -1) == (int64_t)out->read_bytes[k];
    if (graph_plain(g)) out->reads = LIST_KINDS; /* their size may not be known */
    else if (!same)
        return err_set(err, ST_INPUT, "%s: \"feature_row_bytes\" are not the sizes of the graph's feature rows", where);
    return ST_OK;
}

enum st plan_places_load(const char *folder, const char *where, const doc *d, const struct graph *g, int gpus,
                         const int *ids, struct plan_places *out, struct err *err)
{
    const struct loading l = {folder, where, d, g};
    doc *of = NULL, *places = NULL, *readers = NULL;
    int64_t node = 0, nodes = 1, host = 0;
    char ssd[PATH_BYTES + 32];
    PASS(doc_need_object(d, "memories", where, &of, err));
    PASS(doc_need_integer(of, "nodes", 1, 1024, where, &nodes, err));
    PASS(doc_need_integer(of, "node", 0, nodes - 1, where, &node, err));
    PASS(doc_need_integer(of, "host_memory_bytes", 0, INT64_MAX, where, &host, err));
    out->node = (int)node;
    out->nodes = (int)nodes;
    out->host_bytes = (uint64_t)host;
    PASS(load_sizes(of, where, g, out, err));
    PASS(doc_may_rate(of, "nic_gbps", 1e12, where, &out->nic_gbps, err));
    PASS(load_number(of, "line_blocks", where, &out->line_blocks, err));
    if (!doc_is_null(doc_get(of, "ssd"))) {
        snprintf(ssd, sizeof ssd, "%s: \"ssd\" of \"memories\"", where);
        PASS(drives_read(doc_get(of, "ssd"), ssd, &out->drives, err));
    }
    PASS(doc_need_array(of, "places", where, &places, err));
    PASS(doc_need_array(of, "readers", where, &readers, err));
    if (!doc_size(places) || doc_size(places) > PLAN_PLACES_MAX || !doc_size(readers) || doc_size(readers) > GPUS_MAX)
        return err_set(err, ST_INPUT,
                       "%s: \"memories\" has %llu places and %llu readers; 1 to %d and 1 to %d are possible", where,
                       (unsigned long long)doc_size(places), (unsigned long long)doc_size(readers), PLAN_PLACES_MAX,
                       GPUS_MAX);
    for (uint64_t i = 0; i < doc_size(places); i++) PASS(load_place(&l, doc_at(places, i), out, err));
    for (int i = 0; i < gpus; i++) out->reader_of[i] = -1;
    for (uint64_t i = 0; i < doc_size(readers); i++)
        PASS(load_reader(where, doc_at(readers, i), gpus, ids, graph_plain(g), out, err));
    for (int i = 0; i < gpus; i++)
        if (out->reader_of[i] < 0)
            return err_set(err, ST_INPUT, "%s: GPU %d is no reader of \"memories\"", where, ids[i]);
    PASS(fields_read(places_expected_fields, of, where, &out->expected, err));
    return check_places(out, g, where, err);
}
