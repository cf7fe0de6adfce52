/* types_hetero.c - a folder with hetero.json (types_source.h says what it holds). */
#include <string.h>

#include "base/doc_kinds.h"
#include "base/packed.h"
#include "base/precision.h"
#include "traces/formats/types_source.h"

static bool types_hetero_probe(const char *path)
{
    char file[PATH_BYTES];
    struct err ignored = {0};
    return path_join(file, path, "hetero.json", &ignored) == ST_OK && file_exists(file);
}

static enum st read_features(const doc *d, const char *where, uint64_t *dim, char element[8], struct err *err)
{
    const char *word;
    int64_t v;
    PASS(doc_kinds(d, "feature_dim:integer feature_type:text", where, err));
    if (doc_is_null(doc_get(d, "feature_dim"))) {
        if (!doc_is_null(doc_get(d, "feature_type")))
            return err_set(err, ST_INPUT, "%s: there is a feature_type and no feature_dim; state both, or neither",
                           where);
        return ST_OK;
    }
    PASS(doc_need_integer(d, "feature_dim", 1, 1 << 24, where, &v, err));
    word = doc_text_value(doc_get(d, "feature_type"), "f32");
    if (!precision_element_bytes(word))
        return err_set(err, ST_INPUT, "%s: feature_type is '%.20s', expected one of " GRAPH_ELEMENT_WORDS, where, word);
    *dim = (uint64_t)v;
    snprintf(element, 8, "%s", word);
    return ST_OK;
}

static enum st read_type(const char *folder, const doc *d, const char *where, struct types_source *out, struct err *err)
{
    static const char *const keys[] = {"name", "count", "feature_dim", "feature_type", "train", NULL};
    struct types_source_type *t;
    const char *name;
    int64_t count;
    int before = out->types;
    PASS(doc_only_keys(d, keys, where, err));
    PASS(doc_kinds(d, "train:text", where, err));
    PASS(doc_need_text(d, "name", where, &name, err));
    PASS(types_source_type(out, name, &t, err));
    if (out->types == before) return err_set(err, ST_INPUT, "%s: the type '%s' is there twice", where, name);
    if (!doc_is_null(doc_get(d, "count"))) {
        PASS(doc_need_integer(d, "count", 1, (int64_t)UINT32_MAX - 1, where, &count, err));
        t->count = (uint64_t)count;
    }
    PASS(read_features(d, where, &t->dim, t->element, err));
    if (doc_is_text(doc_get(d, "train")))
        PASS(path_below(t->train, folder, doc_text_value(doc_get(d, "train"), ""), where, err));
    return ST_OK;
}

static bool is_text(const char *path)
{
    static const char *const ends[] = {".csv", ".tsv", ".txt"};
    const size_t length = packing_stem(path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (length > strlen(ends[i]) && !strncmp(path + length - strlen(ends[i]), ends[i], strlen(ends[i])))
            return true;
    return false;
}

/* "columns": ["user_id", "item_id"], of text. */
static enum st read_columns(const doc *list, const char *where, struct types_source_relation *r, struct err *err)
{
    if (doc_is_null(list)) return ST_OK;
    for (int i = 0; i < 2; i++) {
        const char *name = doc_text_value(doc_at(list, (uint64_t)i), "");
        if (!r->csv || doc_size(list) != 2 || !*name || strlen(name) >= sizeof r->column[0])
            return err_set(err, ST_INPUT,
                           "%s: columns is not a list of two names or numbers (as texts) of columns of a text", where);
        snprintf(r->column[i], sizeof r->column[i], "%s", name);
    }
    return ST_OK;
}

static enum st read_relation(const char *folder, const doc *d, const char *where, struct types_source *out,
                             struct err *err)
{
    static const char *const keys[] = {"source",      "name",         "target",  "edge_index", "columns",
                                       "feature_dim", "feature_type", "weights", NULL};
    const char *text[4];
    struct types_source_relation *r;
    PASS(doc_only_keys(d, keys, where, err));
    PASS(doc_kinds(d, "weights:text columns:array", where, err));
    for (int i = 0; i < 4; i++) PASS(doc_need_text(d, keys[i], where, &text[i], err));
    PASS(types_source_relation(out, text[0], text[1], text[2], &r, err));
    PASS(path_below(r->path, folder, text[3], where, err));
    r->csv = is_text(text[3]);
    PASS(read_columns(doc_get(d, "columns"), where, r, err));
    if (doc_is_text(doc_get(d, "weights")))
        PASS(path_below(r->weights, folder, doc_text_value(doc_get(d, "weights"), ""), where, err));
    return read_features(d, where, &r->dim, r->element, err);
}

static enum st read_folder(const char *path, struct types_source *out, struct err *err)
{
    static const char *const keys[] = {"name", "types", "relations", NULL};
    char file[PATH_BYTES], where[PATH_BYTES + 40];
    doc *types, *relations;
    OWNED_DOC doc *d = NULL;
    PASS(path_join(file, path, "hetero.json", err));
    PASS(doc_load(file, NULL, &d, err));
    PASS(doc_only_keys(d, keys, file, err));
    PASS(doc_kinds(d, "name:text", file, err));
    PASS(doc_need_array(d, "types", file, &types, err));
    PASS(doc_need_array(d, "relations", file, &relations, err));
    for (uint64_t i = 0; i < doc_size(types); i++) {
        snprintf(where, sizeof where, "%s: types[%llu]", file, (unsigned long long)i);
        PASS(read_type(path, doc_at(types, i), where, out, err));
    }
    for (uint64_t i = 0; i < doc_size(relations); i++) {
        snprintf(where, sizeof where, "%s: relations[%llu]", file, (unsigned long long)i);
        PASS(read_relation(path, doc_at(relations, i), where, out, err));
    }
    return ST_OK;
}

const struct types_format types_format_hetero = {"hetero",
                                                 "a folder with hetero.json and an edge_index (.npy, .csv) per "
                                                 "relation",
                                                 types_hetero_probe, read_folder};
