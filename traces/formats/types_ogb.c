/* types_ogb.c - OGB's heterogeneous raw csv, the layout of ogbn-mag. Files may be compressed. */
#include <string.h>

#include "base/mem.h"
#include "base/packed.h"
#include "base/text.h"
#include "traces/builder/graph_text.h"
#include "traces/formats/ogb_folder.h"
#include "traces/formats/types_source.h"

enum { COLUMNS = GRAPH_TYPES_MAX };

/* "folder/name", or a compressed one. False: neither is there. */
static bool find(const char *folder, const char *name, char out[PATH_BYTES])
{
    struct err ignored = {0};
    return (path_join(out, folder, name, &ignored) == ST_OK && file_exists(out)) || packing_find(folder, name, out);
}

/* The folder itself, or its subfolder `raw`. */
static bool root_of(const char *path, char out[PATH_BYTES])
{
    char file[PATH_BYTES];
    struct err ignored = {0};
    if (find(path, "triplet-type-list.csv", file)) return snprintf(out, PATH_BYTES, "%s", path) < PATH_BYTES;
    return path_join(out, path, "raw", &ignored) == ST_OK && find(out, "triplet-type-list.csv", file);
}

static bool types_ogb_probe(const char *path)
{
    char root[PATH_BYTES], file[PATH_BYTES];
    return root_of(path, root) && find(root, "num-node-dict.csv", file);
}

struct reading {
    struct types_source *out;
    char root[PATH_BYTES], file[PATH_BYTES]; /* file: the one that is read */
    int line;
};

static void trim(char *line)
{
    size_t n = strlen(line);
    while (n && strchr("\r\n ", line[n - 1])) line[--n] = '\0';
}

/* Line 1: names of the types; line 2: their counts. */
static enum st take_counts(void *self, const char *where, uint64_t number, char *line, struct err *err)
{
    struct reading *r = self;
    char *part[COLUMNS];
    trim(line);
    if (!*line) return ST_OK;
    int n = text_split(line, ',', part, COLUMNS);
    if (n < 1 || r->line > 1 || (r->line == 1 && n != r->out->types))
        return err_set(err, ST_INPUT, "%s: line %llu: expected the names of the types, then their counts", where,
                       (unsigned long long)number);
    for (int i = 0; i < n; i++) {
        struct types_source_type *t;
        const char *p = part[i];
        if (r->line == 0) PASS(types_source_type(r->out, part[i], &t, err));
        else if (text_take(&p, &r->out->type[i].count) != TEXT_NUMBER)
            return text_error(TEXT_OTHER, where, number, part[i], "a number of vertices", err);
    }
    r->line++;
    return ST_OK;
}

static enum st take_triple(void *self, const char *where, uint64_t number, char *line, struct err *err)
{
    struct reading *r = self;
    struct types_source_relation *relation;
    char *part[4], name[3 * GRAPH_NAME_BYTES], relations[PATH_BYTES], folder[PATH_BYTES];
    trim(line);
    if (!*line) return ST_OK;
    if (text_split(line, ',', part, 4) != 3)
        return err_set(err, ST_INPUT, "%s: line %llu: expected source,relation,target", where,
                       (unsigned long long)number);
    PASS(types_source_relation(r->out, part[0], part[1], part[2], &relation, err));
    snprintf(name, sizeof name, "%s___%s___%s", part[0], part[1], part[2]);
    PASS(path_join(relations, r->root, "relations", err));
    PASS(path_below(folder, relations, name, where, err));
    if (!find(folder, "edge.csv", relation->path))
        return err_set(err, ST_INPUT, "%s: has no edge.csv or edge.csv.gz", folder);
    relation->csv = true;
    return ST_OK;
}

/* Elements of the rows: columns of the first line. */
static enum st read_features(const char *root, struct types_source_type *t, struct err *err)
{
    char all[PATH_BYTES], folder[PATH_BYTES], file[PATH_BYTES];
    PASS(path_join(all, root, "node-feat", err));
    PASS(path_below(folder, all, t->name, "num-node-dict.csv", err));
    if (!find(folder, "node-feat.csv", file)) return ST_OK;
    PASS(ogb_row_elements(file, &t->dim, err));
    snprintf(t->element, sizeof t->element, "f32");
    return ST_OK;
}

/* split/<any>/<type>/train.csv, beside or above raw. */
static void find_train(const char *root, struct types_source_type *t)
{
    static const char *const places[] = {"../split/time", "../split/random", "split/time", "split/random"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char split[PATH_BYTES], folder[PATH_BYTES];
        struct err ignored = {0};
        if (path_join(split, root, places[i], &ignored) == ST_OK &&
            path_join(folder, split, t->name, &ignored) == ST_OK && find(folder, "train.csv", t->train))
            return;
        *t->train = '\0';
    }
}

static enum st read_folder(const char *path, struct types_source *out, struct err *err)
{
    ON_HEAP(struct reading, r);
    r->out = out;
    if (!root_of(path, r->root) || !find(r->root, "num-node-dict.csv", r->file))
        return err_set(err, ST_INPUT, "%s: has no num-node-dict.csv", path);
    PASS(text_each_line(r->file, take_counts, r, err));
    if (!find(r->root, "triplet-type-list.csv", r->file))
        return err_set(err, ST_INPUT, "%s: has no triplet-type-list.csv", path);
    PASS(text_each_line(r->file, take_triple, r, err));
    for (int t = 0; t < out->types; t++) {
        PASS(read_features(r->root, &out->type[t], err));
        find_train(r->root, &out->type[t]);
    }
    return ST_OK;
}

const struct types_format types_format_ogb = {"ogb", "OGB's raw csv of a heterogeneous data set (ogbn-mag)",
                                              types_ogb_probe, read_folder};
