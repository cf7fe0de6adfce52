/* tables.c - plans of graphs with several types (plan/2): a plan of rows per table; and the calls that name the tables
 * of any plan (declared in hotset.h). */
#include <stdlib.h>
#include <string.h>

#include "base/precision.h"
#include "base/units.h"
#include "simulator/lib/idset.h"
#include "simulator/lib/internal.h"

enum { TYPES_MOST = 64, RELATIONS_MOST = 256 };

static const char *const kinds[] = {"feature", "topology", "edge_feature"};

/* ---- the tables that the graph has ---- */

static enum st read_name(const doc *of, const char *key, const char *where, char out[LIB_NAME_BYTES], struct err *err)
{
    const char *text = NULL;
    PASS(doc_need_text(of, key, where, &text, err));
    if (!*text || strlen(text) >= LIB_NAME_BYTES)
        return err_set(err, ST_INPUT, "%s: \"%s\" must have 1 to %d bytes", where, key, LIB_NAME_BYTES - 1);
    strcpy(out, text);
    return ST_OK;
}

/* Shape of the rows that `of` states; without a feature_dim there are none. */
static enum st read_shape(const struct hotset_plan *p, const doc *of, struct lib_table *t, struct err *err)
{
    const char *element = NULL;
    int64_t dim;
    if (doc_is_null(doc_get(of, "feature_dim"))) return ST_OK;
    PASS(doc_need_integer(of, "feature_dim", 1, 1 << 24, p->where, &dim, err));
    PASS(doc_need_text(of, "feature_type", p->where, &element, err));
    if (!precision_element_bytes(element))
        return err_set(err, ST_INPUT, "%s: \"feature_type\" '%.20s' is no element type", p->where, element);
    snprintf(t->host_element, sizeof t->host_element, "%s", element);
    t->rows.dim = (uint64_t)dim;
    t->rows.row_bytes = t->rows.cached_bytes = (uint64_t)dim * precision_element_bytes(element);
    return ST_OK;
}

static enum st read_types(struct hotset_plan *p, const doc *types, struct err *err)
{
    for (; p->types < (int)doc_size(types); p->types++) {
        const doc *of = doc_at(types, (uint64_t)p->types);
        struct lib_table *t = &p->table[p->tables++];
        int64_t count;
        t->kind = HOTSET_KIND_FEATURE;
        t->of = p->types;
        PASS(read_name(of, "name", p->where, t->name[0], err));
        PASS(doc_need_integer(of, "count", 0, UINT32_MAX, p->where, &count, err));
        t->rows.n = (uint64_t)count;
        PASS(read_shape(p, of, t, err));
    }
    return ST_OK;
}

/* The table of a type's features; NULL: there is no such type. */
static struct lib_table *type_named(const struct hotset_plan *p, const char *name)
{
    for (int i = 0; i < p->types; i++)
        if (!strcmp(p->table[i].name[0], name)) return &p->table[i];
    return NULL;
}

static enum st read_relations(struct hotset_plan *p, const doc *relations, struct err *err)
{
    static const char *const keys[] = {"source", "name", "target"};
    for (int i = 0; i < (int)doc_size(relations); i++) {
        const doc *of = doc_at(relations, (uint64_t)i);
        struct lib_table *t = &p->table[p->tables++], *edges;
        int64_t m;
        t->kind = HOTSET_KIND_TOPOLOGY;
        t->of = i;
        for (int k = 0; k < 3; k++) PASS(read_name(of, keys[k], p->where, t->name[k], err));
        const struct lib_table *target = type_named(p, t->name[2]);
        if (!target || !type_named(p, t->name[0]))
            return err_set(err, ST_INPUT, "%s: relation %s joins types that the graph does not have", p->where,
                           t->name[1]);
        PASS(doc_need_integer(of, "edges", 0, INT64_MAX / 16, p->where, &m, err));
        t->rows.n = target->rows.n;
        t->rows.m = (uint64_t)m;
        t->rows.arc_bytes = 4;
        if (doc_is_null(doc_get(of, "feature_dim"))) continue;
        if (m > UINT32_MAX)
            return err_set(err, ST_INPUT, "%s: relation %s has too many edges with features", p->where, t->name[1]);
        edges = &p->table[p->tables++];
        edges->kind = HOTSET_KIND_EDGE_FEATURE;
        edges->of = i;
        memcpy(edges->name, t->name, sizeof t->name);
        edges->rows.n = (uint64_t)m;
        PASS(read_shape(p, of, edges, err));
    }
    return ST_OK;
}

/* The table that an entry of lists[] or cache_types[] names; NULL: there is none. */
static struct lib_table *table_named(const struct hotset_plan *p, const doc *entry)
{
    static const char *const keys[2][3] = {{"type", NULL, NULL}, {"source", "relation", "target"}};
    const char *kind = doc_text_value(doc_get(entry, "kind"), "");
    for (int i = 0; i < p->tables; i++) {
        const struct lib_table *t = &p->table[i];
        bool same = !strcmp(kinds[t->kind], kind);
        for (int k = 0; same && k < 3; k++) {
            const char *key = keys[t->kind != HOTSET_KIND_FEATURE][k];
            same = !key || !strcmp(doc_text_value(doc_get(entry, key), ""), t->name[k]);
        }
        if (same) return &p->table[i];
    }
    return NULL;
}

/* The element types that GPUs hold rows in. */
static enum st read_forms(struct hotset_plan *p, const doc *d, struct err *err)
{
    const doc *all = doc_get(d, "cache_types");
    for (uint64_t i = 0; i < doc_size(all); i++) {
        struct lib_table *t = table_named(p, doc_at(all, i));
        const char *word = doc_text_value(doc_get(doc_at(all, i), "element"), "");
        enum precision to = precision_named(word);
        if (!t || to == PRECISIONS || precision_row_bytes(to, t->rows.dim) >= t->rows.row_bytes)
            return err_set(err, ST_INPUT,
                           "%s: \"cache_types\" entry %llu is not one of " PRECISION_WORDS " that makes rows of this "
                           "graph smaller; the plan is "
                           "damaged, make it again",
                           p->where, (unsigned long long)i);
        t->rows.cached_bytes = precision_row_bytes(to, t->rows.dim);
        snprintf(t->rows.text[HOTSET_TEXT_CACHE_TYPE], sizeof t->rows.text[0], "%s", word);
    }
    return ST_OK;
}

/* ---- GPUs ---- */

static enum st map_list(const struct hotset_plan *rows, const doc *d, const doc *entry, struct lib_array *list,
                        struct err *err)
{
    return lib_map_list(rows, d, doc_text_value(doc_get(entry, "file"), ""), doc_count(entry, "count"), list, err);
}

static enum st read_list(struct hotset_plan *p, const doc *d, const doc *entry, int g, uint64_t *held, struct err *err)
{
    struct lib_table *t = table_named(p, entry);
    char one[BYTES_TEXT], other[BYTES_TEXT], third[BYTES_TEXT];
    if (!t)
        return err_set(err, ST_INPUT, "%s: a list of GPU %d names rows that the graph does not have", p->where,
                       p->gpu[g].id);
    struct lib_gpu *gpu = &t->rows.gpu[g];
    struct lib_array *list = &gpu->list[t->kind == HOTSET_KIND_TOPOLOGY ? HOTSET_TOPOLOGY : HOTSET_FEATURE];
    if (*list->name) return err_set(err, ST_INPUT, "%s: GPU %d has two lists of the same rows", p->where, gpu->id);
    snprintf(list->name, sizeof list->name, "gpu%d_%s_%d.npy", gpu->id, kinds[t->kind], t->of);
    PASS(map_list(&t->rows, d, entry, list, err));
    uint64_t bytes = doc_count(entry, "bytes"), each = t->kind == HOTSET_KIND_TOPOLOGY ? 8 : t->rows.cached_bytes,
             least = list->count * each,
             most = least + (list->count && t->kind == HOTSET_KIND_TOPOLOGY ? 4 * t->rows.m : 0);
    if (list->count > t->rows.n || !each)
        return err_set(err, ST_INPUT, "%s/%s: lists %llu rows, but there are %llu", p->folder, list->name,
                       (unsigned long long)list->count, (unsigned long long)(each ? t->rows.n : 0));
    if (bytes < least || bytes > most)
        return err_set(err, ST_INPUT,
                       "%s/%s: plan.json states %s, but its %llu rows take %s to %s; the plan is damaged, make it "
                       "again",
                       p->folder, list->name, units_bytes_exact(one, bytes), (unsigned long long)list->count,
                       units_bytes_exact(other, least), units_bytes_exact(third, most));
    if (t->kind == HOTSET_KIND_TOPOLOGY) gpu->topology_bytes = bytes;
    if (__builtin_add_overflow(*held, bytes, held)) *held = UINT64_MAX; /* beyond every budget */
    return ST_OK;
}

static enum st read_train(struct hotset_plan *p, const doc *d, const doc *entry, int g, struct err *err)
{
    struct lib_table *t = type_named(p, doc_text_value(doc_get(entry, "type"), ""));
    if (!t)
        return err_set(err, ST_INPUT, "%s: GPU %d trains a type that the graph does not have", p->where, p->gpu[g].id);
    struct lib_array *list = &t->rows.gpu[g].list[HOTSET_TRAIN];
    if (*list->name)
        return err_set(err, ST_INPUT, "%s: GPU %d has two lists of the same training vertices", p->where,
                       t->rows.gpu[g].id);
    snprintf(list->name, sizeof list->name, "gpu%d_train_%d.npy", t->rows.gpu[g].id, t->of);
    return map_list(&t->rows, d, entry, list, err);
}

static enum st read_gpu(struct hotset_plan *p, const doc *d, int g, struct err *err)
{
    const doc *gpu = doc_at(doc_get(d, "gpus"), (uint64_t)g), *lists = doc_get(gpu, "lists"),
              *trains = doc_get(gpu, "train");
    uint64_t held = 0;
    char one[BYTES_TEXT], other[BYTES_TEXT];
    for (uint64_t i = 0; i < doc_size(lists); i++) PASS(read_list(p, d, doc_at(lists, i), g, &held, err));
    for (uint64_t i = 0; i < doc_size(trains); i++) PASS(read_train(p, d, doc_at(trains, i), g, err));
    if (held > p->gpu[g].budget)
        return err_set(err, ST_INPUT, "%s: GPU %d holds %s, its budget is %s", p->where, p->gpu[g].id,
                       units_bytes_exact(one, held), units_bytes_exact(other, p->gpu[g].budget));
    return ST_OK;
}

enum st lib_read_tables(struct hotset_plan *p, const doc *d, struct plan_stated *s, struct err *err)
{
    const doc *graph = doc_get(d, "graph"), *types = doc_get(graph, "types"), *relations = doc_get(graph, "relations");
    if (!doc_size(types) || doc_size(types) > TYPES_MOST || doc_size(relations) > RELATIONS_MOST)
        return err_set(err, ST_INPUT, "%s: the graph has %llu types and %llu relations, expected 1 to %d and 0 to %d",
                       p->where, (unsigned long long)doc_size(types), (unsigned long long)doc_size(relations),
                       TYPES_MOST, RELATIONS_MOST);
    p->n = s->vertices;
    p->m = s->edges;
    p->table = lib_cleared(doc_size(types) + 2 * doc_size(relations), sizeof *p->table);
    if (!p->table) return err_set(err, ST_LIMIT, "%s: no memory for the tables of rows", p->where);
    PASS(read_types(p, types, err));
    PASS(read_relations(p, relations, err));
    PASS(read_forms(p, d, err));
    PASS(workload_read_head(doc_get(d, "workload"), p->where, &s->workload, err));
    for (int t = -1; t < p->tables; t++) {
        struct hotset_plan *rows = t < 0 ? p : &p->table[t].rows;
        rows->typed = true;
        memcpy(rows->folder, p->folder, sizeof rows->folder);
        memcpy(rows->where, p->where, sizeof rows->where);
        rows->sealed = p->sealed;
        PASS(lib_read_head(rows, s, err));
    }
    for (int g = 0; g < p->gpus; g++) PASS(read_gpu(p, d, g, err));
    return ST_OK;
}

/* ---- the interface ---- */

int hotset_tables(const hotset_plan *p) { return !p ? 0 : p->tables ? p->tables : 2; }

const hotset_plan *hotset_table_rows(const hotset_plan *p, int table)
{
    if (!p || table < 0 || table >= hotset_tables(p)) return NULL;
    return p->tables ? &p->table[table].rows : p;
}

int hotset_find_table(const hotset_plan *p, enum hotset_kind kind, const char *name, int exact)
{
    if (p && !p->tables && !exact && (!name || !*name) && (unsigned)kind <= HOTSET_KIND_TOPOLOGY) return (int)kind;
    for (int t = 0; p && name && t < p->tables; t++) {
        const struct lib_table *table = &p->table[t];
        char label[3 * LIB_NAME_BYTES + 4];
        if (table->kind != kind || exact) continue;
        if (kind == HOTSET_KIND_FEATURE) snprintf(label, sizeof label, "%s", table->name[0]);
        else snprintf(label, sizeof label, "%s-%s->%s", table->name[0], table->name[1], table->name[2]);
        if (!strcmp(label, name)) return t;
    }
    return -1;
}

int hotset_table_about(const hotset_plan *p, int table, struct hotset_table *out, struct hotset_error *error)
{
    struct err one = {0}, *err = &one;
    const hotset_plan *rows = hotset_table_rows(p, table);
    enum st st = ST_OK;
    if (!rows || !out) FAIL(ST_USAGE, "hotset_table_about: there is no table %d, or no place for the answer", table);
    TRY(lib_check_struct(out->struct_bytes, sizeof *out, "hotset_table", err));
    const struct lib_table *t = p->tables ? &p->table[table] : NULL;
    bool relation = (t ? (int)t->kind : table) != HOTSET_KIND_FEATURE;
    *out = (struct hotset_table){.struct_bytes = sizeof *out,
                                 .kind = t ? (int)t->kind : table,
                                 .train = !relation,
                                 .type = t ? t->name[relation ? 2 : 0] : "",
                                 .source = !relation ? NULL
                                           : t       ? t->name[0]
                                                     : "",
                                 .relation = !relation ? NULL
                                             : t       ? t->name[1]
                                                       : "",
                                 .element = t ? t->host_element : "",
                                 .rows = rows->n};
done:
    return lib_finish(st, err, error);
}
