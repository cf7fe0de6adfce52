/* graphbolt.c - data sets of DGL GraphBolt: a folder with metadata.yaml that names one list of edges (numpy (2, m), or
 * csv), the rows of features, and usually the ids and labels of training, validation and test sets (numpy). Only
 * homogeneous graphs; types_graphbolt.c reads the others. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/yaml.h"
#include "traces/builder/builder.h"
#include "traces/formats/graph_format.h"

extern const struct graph_format graph_format_edge_list;

static const char *text_at(const doc *d, const char *key) { return doc_text_value(doc_get(d, key), ""); }

static enum st read_edges(const char *folder, const doc *edges, struct builder *to, struct err *err)
{
    char path[PATH_BYTES];
    struct npy pairs = {0};
    enum st st;
    TRY(path_below(path, folder, text_at(edges, "path"), folder, err));
    if (!strcmp(text_at(edges, "format"), "csv")) return graph_format_edge_list.read(path, to, err);
    if (strcmp(text_at(edges, "format"), "numpy"))
        FAIL(ST_INPUT, "%s/metadata.yaml: edges of format '%.40s' are not read; expected numpy or csv", folder,
             text_at(edges, "format"));
    TRY(npy_map(path, &pairs, err));
    builder_source(to, folder, "entry");
    st = builder_pairs(to, &pairs, false, err);
    if (st != ST_OK && strncmp(err->text, folder, strlen(folder))) err_prefix(err, "%s: ", path);
done:
    npy_release(&pairs);
    return st;
}

/* Rows of vertices named feat, or the first ones. */
static enum st read_features(const char *folder, const doc *list, struct builder *to, struct err *err)
{
    char path[PATH_BYTES];
    OWNED_BY(npy_release) struct npy rows = {0};
    const doc *found = NULL;
    for (uint64_t i = doc_size(list); i-- > 0;) {
        const doc *one = doc_at(list, i);
        if (strcmp(text_at(one, "domain"), "node")) continue;
        if (!found || strcmp(text_at(found, "name"), "feat")) found = one;
    }
    if (!found) return ST_OK;
    PASS(path_below(path, folder, text_at(found, "path"), folder, err));
    if (strcmp(text_at(found, "format"), "numpy")) {
        builder_doubt(to,
                      "the feature rows of metadata.yaml are of format %.20s, whose shape is not read; give "
                      "--feature-dim and --feature-type",
                      text_at(found, "format"));
        return ST_OK;
    }
    PASS(npy_map(path, &rows, err));
    return builder_features_array(to, &rows, path, "metadata.yaml", err);
}

/* Of a set's first two columns the one with this name, else number `usual` if it has no name; NULL: none. */
static const doc *column_of(const doc *columns, const char *name, uint64_t usual)
{
    const doc *other = doc_at(columns, usual);
    for (uint64_t i = 0; i < 2; i++)
        if (*text_at(doc_at(columns, i), "path") && !strcmp(text_at(doc_at(columns, i), "name"), name))
            return doc_at(columns, i);
    return *text_at(other, "path") && (!usual || !*text_at(other, "name")) ? other : NULL;
}

/* *there: the column is numpy, and its file exists; a file of seeds must. */
static enum st map_column(const char *folder, const doc *column, bool seeds, struct npy *out, bool *there,
                          struct err *err)
{
    char path[PATH_BYTES];
    *there = false;
    if (strcmp(text_at(column, "format"), "numpy")) return ST_OK;
    PASS(path_below(path, folder, text_at(column, "path"), folder, err));
    if (!seeds && !file_exists(path)) return ST_OK;
    PASS(npy_map(path, out, err));
    *there = true;
    if (seeds && (out->dims != 1 || out->type[0] == 'f'))
        return err_set(err, ST_INPUT, "%s: has %d dimensions and type %s; expected one list of integer ids", path,
                       out->dims, out->type);
    return ST_OK;
}

/* The first columns that a task states of the set. */
static const doc *columns_of(const doc *tasks, const char *set)
{
    for (uint64_t t = 0; t < doc_size(tasks); t++) {
        const doc *data = doc_get(doc_at(doc_get(doc_at(tasks, t), set), 0), "data");
        if (data) return data;
    }
    return NULL;
}

static enum st read_set(const char *folder, const doc *tasks, enum vertex_set set, struct builder *to, struct err *err)
{
    static const char *const names[VERTEX_SETS] = {"train_set", "validation_set", "test_set"};
    const doc *columns = columns_of(tasks, names[set]);
    struct npy ids = {0}, labels = {0};
    bool seeds, labelled;
    char what[64];
    enum st st;
    snprintf(what, sizeof what, "%s of metadata.yaml", names[set]);
    TRY(map_column(folder, column_of(columns, "seeds", 0), true, &ids, &seeds, err));
    if (!seeds) goto done;
    TRY(builder_set_array(to, set, &ids, what, err));
    TRY(map_column(folder, column_of(columns, "labels", 1), false, &labels, &labelled, err));
    if (labelled) TRY(builder_labels(to, &ids, &labels, "labels of metadata.yaml", err));
done:
    npy_release(&ids);
    npy_release(&labels);
    return st;
}

static int graphbolt_probe(const struct format_probe *p)
{
    char path[PATH_BYTES];
    struct err ignored;
    return p->directory && path_join(path, p->path, "metadata.yaml", &ignored) == ST_OK && file_exists(path) ? 95 : 0;
}

static enum st read_folder(const char *path, struct builder *to, struct err *err)
{
    char file[PATH_BYTES];
    OWNED_DOC doc *d = NULL;
    PASS(path_join(file, path, "metadata.yaml", err));
    PASS(yaml_load(file, &d, err));
    const doc *nodes = doc_get(doc_get(d, "graph"), "nodes"), *edges = doc_get(doc_get(d, "graph"), "edges"),
              *tasks = doc_get(d, "tasks");
    if (doc_size(edges) != 1 || doc_size(nodes) > 1)
        return err_set(err, ST_INPUT,
                       "%s: names %d lists of edges and %d types of nodes; only graphs with one of each are read", file,
                       (int)doc_size(edges), (int)doc_size(nodes));
    builder_source(to, path, "entry");
    if (doc_size(nodes)) {
        int64_t count;
        PASS(doc_need_integer(doc_at(nodes, 0), "num", 1, UINT32_MAX, file, &count, err));
        PASS(builder_vertices(to, (uint64_t)count, false, err));
    }
    PASS(read_features(path, doc_get(d, "feature_data"), to, err));
    PASS(read_edges(path, doc_at(edges, 0), to, err));
    for (int i = 0; i < VERTEX_SETS; i++) PASS(read_set(path, tasks, (enum vertex_set)i, to, err));
    for (uint64_t t = doc_size(tasks); t-- > 0;) {
        const int64_t classes = doc_integer_value(doc_get(doc_at(tasks, t), "num_classes"), 0);
        if (classes > 0 && classes <= CLASSES_MOST) builder_classes(to, (uint64_t)classes);
    }
    return ST_OK;
}

const struct graph_format graph_format_graphbolt = {
    .name = "graphbolt",
    .summary = "DGL GraphBolt folder: metadata.yaml with numpy or csv edges",
    .probe = graphbolt_probe,
    .read = read_folder,
};
