/* graph_types_open.c - reads and checks the directory of a graph of several types (declared in graph.h). */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/folder.h"
#include "base/mem.h"
#include "base/precision.h"
#include "traces/graph/graph_fields.h"
#include "traces/graph/graph_sets.h"
#include "traces/graph/graph_types.h"

enum { BYTES_BITS = 55 }; /* rows of all kinds together take fewer bytes than 2^55, so that sums of them fit 64 bits */

/* Names stand in tables, options and messages: letters, digits and a few signs, so that none needs quotes. */
static enum st check_name(const char *name, const char *where, struct err *err)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_.+/-", *c))
            return err_set(err, ST_INPUT, "%s: \"name\" is '%.60s'; names have letters, digits and _ . + / - only",
                           where, name);
    return *name ? ST_OK : err_set(err, ST_INPUT, "%s: \"name\" is empty; give it one", where);
}

static enum st check_features(struct graph_features *f, const char *where, struct err *err)
{
    if (!f->dim != !*f->element)
        return err_set(err, ST_INPUT, "%s: feature_dim and feature_type must both be there, or both be null", where);
    if (f->dim && !precision_element_bytes(f->element))
        return err_set(err, ST_INPUT, "%s: feature_type is '%s', expected one of " GRAPH_ELEMENT_WORDS, where,
                       f->element);
    f->row_bytes = f->dim * precision_element_bytes(f->element);
    return ST_OK;
}

static enum st read_type(struct graph *g, const doc *d, const char *file, struct err *err)
{
    struct graph_type *t = &g->type[g->types];
    char where[PATH_BYTES + 40];
    snprintf(where, sizeof where, "%s: types[%d]", file, g->types);
    PASS(fields_read(graph_type_fields, d, where, t, err));
    PASS(check_name(t->name, where, err));
    PASS(check_features(&t->features, where, err));
    if (graph_type_named(g, t->name) >= 0)
        return err_set(err, ST_INPUT, "%s: the name '%s' is there twice", where, t->name);
    if (t->train_count == UINT64_MAX) t->train_count = 0;
    t->first = g->n;
    g->n += t->count;
    g->train_count += t->train_count;
    g->types++;
    if (g->n >= UINT32_MAX)
        return err_set(err, ST_INPUT, "%s: the types have more than 4294967294 vertices together, which is the limit",
                       where);
    return ST_OK;
}

static enum st find_end(const struct graph *g, const doc *d, const char *key, const char *where, int *out,
                        struct err *err)
{
    const char *text = doc_text_value(doc_get(d, key), "");
    *out = graph_type_named(g, text);
    if (*out < 0) return err_set(err, ST_INPUT, "%s: %s is '%.60s', which is none of the types", where, key, text);
    return ST_OK;
}

static enum st read_relation(struct graph *g, const doc *d, const char *file, struct err *err)
{
    struct graph_relation *r = &g->relation[g->relations];
    struct graph_type *target;
    char where[PATH_BYTES + 40];
    snprintf(where, sizeof where, "%s: relations[%d]", file, g->relations);
    PASS(fields_read(graph_relation_fields, d, where, r, err));
    PASS(check_name(r->name, where, err));
    PASS(check_features(&r->features, where, err));
    PASS(find_end(g, d, "source", where, &r->source, err));
    PASS(find_end(g, d, "target", where, &r->target, err));
    for (int i = 0; i < g->relations; i++)
        if (!strcmp(g->relation[i].name, r->name) && g->relation[i].source == r->source &&
            g->relation[i].target == r->target)
            return err_set(err, ST_INPUT, "%s: the same source, name and target are in relations[%d]", where, i);
    target = &g->type[r->target];
    r->rows = target->count;
    r->first_row = g->topology_rows;
    r->first_edge = g->edge_rows;
    g->m += r->m;
    g->topology_rows += r->rows;
    if (r->features.row_bytes) g->edge_rows += r->m;
    target->into[target->into_count++] = g->relations++;
    if (g->topology_rows >= UINT32_MAX || g->edge_rows >= UINT32_MAX || g->m > INT64_MAX / 16)
        return err_set(err, ST_INPUT,
                       "%s: the relations have %" PRIu64 " topology rows and %" PRIu64 " edge feature rows together; "
                       "the limit is 4294967294 of "
                       "each",
                       where, g->topology_rows, g->edge_rows);
    return ST_OK;
}

/* Bytes of all rows, with the check that sums of them cannot overflow. */
static enum st check_bytes(const struct graph *g, const char *where, struct err *err)
{
    unsigned __int128 sum = 0;
    for (int t = 0; t < g->types; t++) sum += (unsigned __int128)g->type[t].count * g->type[t].features.row_bytes;
    for (int r = 0; r < g->relations; r++)
        sum += (unsigned __int128)g->relation[r].m * (g->relation[r].features.row_bytes + 8) + 8 * g->relation[r].rows;
    if (sum >> BYTES_BITS)
        return err_set(err, ST_INPUT,
                       "%s: all rows together take more than the 32 PiB that are possible; correct the counts, "
                       "feature_dim or feature_type",
                       where);
    return ST_OK;
}

/* A total that the document states must be the sum that its parts give. */
static enum st check_total(const doc *d, const char *key, uint64_t sum, const char *where, struct err *err)
{
    const doc *stated = doc_get(d, key);
    if (doc_is_null(stated) || doc_integer_value(stated, -1) == (int64_t)sum) return ST_OK;
    return err_set(err, ST_INPUT,
                   "%s: \"%s\" is %lld, but types and relations sum up to %llu; correct one of them, or import the "
                   "graph again",
                   where, key, (long long)doc_integer_value(stated, -1), (unsigned long long)sum);
}

static enum st check_totals(const struct graph *g, const doc *d, const char *where, struct err *err)
{
    uint64_t edges = 0, trains = 0;
    for (int r = 0; r < g->relations; r++) edges += g->relation[r].m;
    for (int t = 0; t < g->types; t++) trains += g->type[t].train_count;
    PASS(check_total(d, "vertices", g->n, where, err));
    PASS(check_total(d, "edges", edges, where, err));
    return check_total(d, "train_vertices", trains, where, err);
}

static enum st read_document(struct graph *g, const doc *d, const char *where, struct err *err)
{
    const doc *types = doc_get(d, "types"), *relations = doc_get(d, "relations");
    PASS(graph_read_keys(g, graph_fields_2, d, where, err));
    MAKE(g->type, doc_size(types), "node types");
    MAKE(g->relation, doc_size(relations), "relations");
    for (uint64_t i = 0; i < doc_size(types); i++) PASS(read_type(g, doc_at(types, i), where, err));
    for (uint64_t i = 0; i < doc_size(relations); i++) PASS(read_relation(g, doc_at(relations, i), where, err));
    PASS(check_totals(g, d, where, err));
    return check_bytes(g, where, err);
}

enum st graph_map_array(const struct graph *g, const char *file, const char *type, uint64_t count, struct npy *out,
                        struct err *err)
{
    char path[PATH_BYTES];
    PASS(path_join(path, g->path, file, err));
    PASS(npy_map(path, out, err));
    return npy_expect(out, path, type, 1, &count, err);
}

/* Which edge of the source each entry was: there where edges have features, and the runtime's to read, not ours. */
static enum st check_edge_ids(const struct graph *g, int number, int threads, struct err *err)
{
    const struct graph_relation *r = &g->relation[number];
    OWNED_BY(npy_release) struct npy ids = {0};
    char file[48];
    uint64_t bad = UINT64_MAX;
    if (!r->features.dim) return ST_OK;
    snprintf(file, sizeof file, "relation%d_edge_ids.npy", number);
    PASS(graph_map_array(g, file, "u4", r->m, &ids, err));
    const uint32_t *id = ids.data;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : bad)
    for (uint64_t i = 0; i < r->m; i++)
        if (id[i] >= r->m && i < bad) bad = i;
    if (bad != UINT64_MAX)
        return err_set(err, ST_INPUT, "%s/%s: entry %" PRIu64 " is %" PRIu32 ", but the relation has %" PRIu64 " edges",
                       g->path, file, bad, id[bad], r->m);
    return ST_OK;
}

static enum st map_relation(struct graph *g, int number, int threads, struct err *err)
{
    struct graph_relation *r = &g->relation[number];
    char stem[32], file[48], of[GRAPH_OF_TYPE], path[PATH_BYTES];
    snprintf(stem, sizeof stem, "relation%d_", number);
    snprintf(of, sizeof of, "type %s", g->type[r->source].name);
    snprintf(file, sizeof file, "%sindptr.npy", stem);
    PASS(graph_map_array(g, file, "i8", r->rows + 1, &r->files[0], err));
    snprintf(file, sizeof file, "%sindices.npy", stem);
    PASS(graph_map_array(g, file, "u4", r->m, &r->files[1], err));
    snprintf(file, sizeof file, "%sweights.npy", stem);
    PASS(path_join(path, g->path, file, err));
    if (file_exists(path)) PASS(graph_map_array(g, file, "f4", r->m, &r->files[2], err));
    r->indptr = r->files[0].data;
    r->indices = r->files[1].data;
    r->weights = r->files[2].data;
    const struct graph_csr rows = graph_csr(g, number);
    const struct graph_check check = {g->path, stem, of, g->type[r->source].count, 0, r->rows};
    PASS(graph_check_csr(&rows, &check, threads, err));
    return check_edge_ids(g, number, threads, err);
}

static enum st map_train(struct graph *g, int number, struct err *err)
{
    struct graph_type *t = &g->type[number];
    char file[48], of[GRAPH_OF_TYPE];
    snprintf(file, sizeof file, "type%d_train.npy", number);
    snprintf(of, sizeof of, "type %s", t->name);
    if (!t->train_count) return ST_OK;
    PASS(graph_map_array(g, file, "u4", t->train_count, &t->file, err));
    t->train = t->file.data;
    return graph_set_check(t->train, t->train_count, t->count, of, g->path, file, err);
}

/* Whether a graph of these types and relations is a plain one. */
static bool plain(int types, int relations, const struct graph_type *t, const struct graph_relation *r)
{
    return types == 1 && relations == 1 && t->features.dim && !r->features.dim;
}

/* Turns one type and one relation into the arrays of a plain graph. */
static void make_plain(struct graph *g)
{
    struct graph_type *t = g->type;
    struct graph_relation *r = g->relation;
    if (!plain(g->types, g->relations, t, r)) return;
    memcpy(g->type_name, t->name, sizeof t->name);
    g->name_bytes = t->name_bytes;
    memcpy(g->relation_name, r->name, sizeof r->name);
    g->indptr = r->indptr;
    g->indices = r->indices;
    g->weights = r->weights;
    g->train = t->train;
    g->feature_dim = t->features.dim;
    g->feature_bytes = precision_element_bytes(t->features.element);
    g->row_bytes = t->features.row_bytes;
    g->arrays[GRAPH_INDPTR] = r->files[0];
    g->arrays[GRAPH_INDICES] = r->files[1];
    g->arrays[GRAPH_TRAIN] = t->file;
    g->arrays[GRAPH_WEIGHTS] = r->files[2];
    mem_free(g->type);
    mem_free(g->relation);
    g->type = NULL;
    g->relation = NULL;
    g->types = g->relations = 0;
    g->topology_rows = 0;
}

enum st graph_open_types(const char *path, int threads, struct graph *out, struct err *err)
{
    ON_HEAP(struct graph, g);
    char where[PATH_BYTES];
    doc *d = NULL;
    enum st st = ST_OK;
    snprintf(g->path, sizeof g->path, "%s", path);
    TRY(folder_document(where, g->path, "graph.json", err));
    TRY(doc_load(where, "graph/2", &d, err));
    TRY(read_document(g, d, where, err));
    for (int r = 0; r < g->relations; r++) TRY(map_relation(g, r, threads, err));
    for (int t = 0; t < g->types; t++) TRY(map_train(g, t, err));
    make_plain(g);
    if (!graph_plain(g)) TRY(graph_list_tables(g, err));
    *out = *g;
    memset(g, 0, sizeof *g);
done:
    graph_close(g);
    doc_free(d);
    return st;
}
