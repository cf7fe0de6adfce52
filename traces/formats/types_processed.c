/* types_processed.c - the `processed` layout of MAG240M and IGBH: a folder per relation, named by its triple. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "traces/formats/types_source.h"

static bool triple_of(const char *name, char out[3][GRAPH_NAME_BYTES])
{
    return types_source_triple(name, strstr(name, "___") ? "___" : "__", out);
}

/* The folder itself, or its subfolder `processed`. */
static bool root_of(const char *path, char out[PATH_BYTES])
{
    struct err ignored = {0};
    return path_join(out, path, "processed", &ignored) == ST_OK && file_is_directory(out)
               ? true
               : snprintf(out, PATH_BYTES, "%s", path) < PATH_BYTES;
}

static bool has_edges(const char *root, const char *name)
{
    char folder[PATH_BYTES], file[PATH_BYTES], triple[3][GRAPH_NAME_BYTES];
    struct err ignored = {0};
    return triple_of(name, triple) && path_join(folder, root, name, &ignored) == ST_OK &&
           path_join(file, folder, "edge_index.npy", &ignored) == ST_OK && file_exists(file);
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

/* Names of the relations' folders, sorted. *out: owned by the caller. */
static enum st list_relations(const char *root, char (**out)[256], int *count, struct err *err)
{
    DIR *d = opendir(root);
    char(*names)[256] = NULL;
    enum st st = ST_OK;
    *count = 0;
    if (!d) FAIL(ST_INPUT, "%s: cannot be listed", root);
    NEW(names, GRAPH_RELATIONS_MAX, "names of relations");
    for (struct dirent *e = readdir(d); e && *count < GRAPH_RELATIONS_MAX; e = readdir(d))
        if (strlen(e->d_name) < 256 && has_edges(root, e->d_name)) strcpy(names[(*count)++], e->d_name);
    qsort(names, (size_t)*count, sizeof *names, by_name);
    *out = TAKE(names);
done:
    if (d) closedir(d);
    mem_free(names);
    return st;
}

static bool types_processed_probe(const char *path)
{
    char root[PATH_BYTES], (*names)[256] = NULL;
    struct err ignored = {0};
    int count = 0;
    if (!root_of(path, root) || list_relations(root, &names, &count, &ignored) != ST_OK) return false;
    mem_free(names);
    return count > 0;
}

/* Types in the order in which relations name them; features where there are some. */
static enum st add_type(const char *root, const char *name, struct types_source *out, struct err *err)
{
    char folder[PATH_BYTES], file[PATH_BYTES];
    struct types_source_type *t;
    int before = out->types;
    PASS(types_source_type(out, name, &t, err));
    if (out->types == before) return ST_OK;
    PASS(path_join(folder, root, name, err));
    PASS(path_join(file, folder, "node_feat.npy", err));
    if (file_exists(file)) PASS(types_source_features(t, file, err));
    return ST_OK;
}

static enum st read_folder(const char *path, struct types_source *out, struct err *err)
{
    char root[PATH_BYTES], folder[PATH_BYTES], triple[3][GRAPH_NAME_BYTES], (*names)[256] = NULL;
    int count = 0;
    enum st st = ST_OK;
    if (!root_of(path, root)) FAIL(ST_INPUT, "%.60s..: the path is too long", path);
    TRY(list_relations(root, &names, &count, err));
    for (int i = 0; i < count; i++) {
        struct types_source_relation *r;
        BUG_IF(!triple_of(names[i], triple));
        TRY(add_type(root, triple[0], out, err));
        TRY(add_type(root, triple[2], out, err));
        TRY(types_source_relation(out, triple[0], triple[1], triple[2], &r, err));
        TRY(path_join(folder, root, names[i], err));
        TRY(path_join(r->path, folder, "edge_index.npy", err));
    }
done:
    mem_free(names);
    return st;
}

const struct types_format types_format_processed = {"processed",
                                                    "folders SOURCE___NAME___TARGET with edge_index.npy (MAG240M, "
                                                    "IGBH)",
                                                    types_processed_probe, read_folder};
