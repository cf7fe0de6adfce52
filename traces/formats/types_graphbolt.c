/* types_graphbolt.c - data sets of DGL GraphBolt with several types: metadata.yaml with a type per list of nodes and
 * edges. */
#include <string.h>

#include "base/text.h"
#include "base/yaml.h"
#include "traces/formats/types_source.h"

static const char *text_at(const doc *d, const char *key) { return doc_text_value(doc_get(d, key), ""); }

static enum st take_node(const doc *node, const char *file, struct types_source *out, struct err *err)
{
    struct types_source_type *t;
    char where[PATH_BYTES + 80];
    int64_t count;
    snprintf(where, sizeof where, "%s: node type '%.60s'", file, text_at(node, "type"));
    PASS(types_source_type(out, text_at(node, "type"), &t, err));
    PASS(doc_need_integer(node, "num", 1, UINT32_MAX, where, &count, err));
    t->count = (uint64_t)count;
    return ST_OK;
}

static enum st take_edges(const doc *edges, const char *folder, const char *where, struct types_source *out,
                          struct err *err)
{
    char triple[3][GRAPH_NAME_BYTES];
    struct types_source_relation *r;
    const char *format = text_at(edges, "format");
    if (!types_source_triple(text_at(edges, "type"), ":", triple))
        return err_set(err, ST_INPUT, "%s: the edge type '%.80s' is not source:name:target", where,
                       text_at(edges, "type"));
    if (strcmp(format, "csv") && strcmp(format, "numpy"))
        return err_set(err, ST_INPUT, "%s: edges of format '%.40s' are not read; expected numpy or csv", where, format);
    PASS(types_source_relation(out, triple[0], triple[1], triple[2], &r, err));
    r->csv = !strcmp(format, "csv");
    return path_below(r->path, folder, text_at(edges, "path"), where, err);
}

/* Rows of a node type named feat, or the only ones: their shape. */
static enum st take_feature(const doc *rows, const char *folder, const char *where, struct types_source *out,
                            struct err *err)
{
    struct types_source_type *t;
    char path[PATH_BYTES];
    if (strcmp(text_at(rows, "domain"), "node") || strcmp(text_at(rows, "format"), "numpy") || !*text_at(rows, "type"))
        return ST_OK;
    PASS(types_source_type(out, text_at(rows, "type"), &t, err));
    if (t->dim && strcmp(text_at(rows, "name"), "feat")) return ST_OK;
    PASS(path_below(path, folder, text_at(rows, "path"), where, err));
    return types_source_features(t, path, err);
}

/* Of several columns the first holds the seeds. */
static enum st take_train(const doc *set, const char *folder, const char *where, struct types_source *out,
                          struct err *err)
{
    struct types_source_type *t;
    const doc *seeds = doc_at(doc_get(set, "data"), 0);
    if (!seeds) seeds = set;
    if (strcmp(text_at(seeds, "format"), "numpy") || !*text_at(seeds, "path") || !*text_at(set, "type")) return ST_OK;
    PASS(types_source_type(out, text_at(set, "type"), &t, err));
    return path_below(t->train, folder, text_at(seeds, "path"), where, err);
}

static bool types_graphbolt_probe(const char *path)
{
    char file[PATH_BYTES];
    OWNED_DOC doc *d = NULL;
    struct err ignored = {0};
    int named[2] = {0};
    if (path_join(file, path, "metadata.yaml", &ignored) != ST_OK || !file_exists(file) ||
        yaml_load(file, &d, &ignored) != ST_OK)
        return false;
    for (int k = 0; k < 2; k++) {
        const doc *list = doc_get(doc_get(d, "graph"), k ? "edges" : "nodes");
        for (uint64_t i = 0; i < doc_size(list); i++) named[k] += *text_at(doc_at(list, i), "type") != '\0';
    }
    return named[0] > 1 || named[1] > 1;
}

static enum st read_folder(const char *path, struct types_source *out, struct err *err)
{
    char file[PATH_BYTES];
    OWNED_DOC doc *d = NULL;
    PASS(path_join(file, path, "metadata.yaml", err));
    PASS(yaml_load(file, &d, err));
    const doc *graph = doc_get(d, "graph"), *nodes = doc_get(graph, "nodes"), *edges = doc_get(graph, "edges"),
              *rows = doc_get(d, "feature_data"), *tasks = doc_get(d, "tasks");
    for (uint64_t i = 0; i < doc_size(nodes); i++) PASS(take_node(doc_at(nodes, i), file, out, err));
    for (uint64_t i = 0; i < doc_size(edges); i++) PASS(take_edges(doc_at(edges, i), path, file, out, err));
    for (uint64_t i = 0; i < doc_size(rows); i++) PASS(take_feature(doc_at(rows, i), path, file, out, err));
    for (uint64_t t = 0; t < doc_size(tasks); t++) {
        const doc *sets = doc_get(doc_at(tasks, t), "train_set");
        for (uint64_t i = 0; i < doc_size(sets); i++) PASS(take_train(doc_at(sets, i), path, file, out, err));
    }
    return ST_OK;
}

const struct types_format types_format_graphbolt = {"graphbolt",
                                                    "DGL GraphBolt folder: metadata.yaml with a type per list of nodes "
                                                    "and edges",
                                                    types_graphbolt_probe, read_folder};
