/* legion.c - data sets of Legion: a folder with edge_src (int64 row offsets, n + 1, in spite of its name), edge_dst
 * (int32, m) and usually trainingset, validationset, testingset
 * and labels (int32). No headers: n and m follow from the sizes of the files. Rows are sources.
 * Legion samples along these rows: --sample out keeps them. */
#include "traces/builder/builder.h"
#include "traces/formats/graph_format.h"

static int legion_probe(const struct format_probe *p)
{
    char path[PATH_BYTES];
    struct err ignored;
    if (!p->directory || path_join(path, p->path, "edge_src", &ignored) != ST_OK || !file_exists(path)) return 0;
    return path_join(path, p->path, "edge_dst", &ignored) == ST_OK && file_exists(path) ? 95 : 0;
}

static enum st map_raw(const char *folder, const char *name, const char *type, struct npy *out, struct err *err)
{
    char path[PATH_BYTES];
    enum st st = path_join(path, folder, name, err);
    return st == ST_OK ? builder_map_raw(path, type, out, err) : st;
}

/* A set; one of a single vertex stands for none, because Legion cannot map an empty file. */
static enum st read_set(const char *folder, const char *name, enum vertex_set set, struct builder *to, struct err *err)
{
    char path[PATH_BYTES];
    OWNED_BY(npy_release) struct npy ids = {0};
    PASS(path_join(path, folder, name, err));
    if (!file_exists(path)) return ST_OK;
    PASS(builder_map_raw(path, "i4", &ids, err));
    if (set == SET_TRAIN || ids.count > 1) PASS(builder_set_array(to, set, &ids, name, err));
    return ST_OK;
}

static enum st read_labels(const char *folder, struct builder *to, struct err *err)
{
    char path[PATH_BYTES];
    OWNED_BY(npy_release) struct npy labels = {0};
    PASS(path_join(path, folder, "labels", err));
    if (!file_exists(path)) return ST_OK;
    PASS(builder_map_raw(path, "i4", &labels, err));
    return builder_labels(to, NULL, &labels, "labels", err);
}

static enum st read_folder(const char *path, struct builder *to, struct err *err)
{
    struct npy indptr = {0}, indices = {0};
    enum st st;
    TRY(map_raw(path, "edge_src", "i8", &indptr, err));
    TRY(map_raw(path, "edge_dst", "i4", &indices, err));
    builder_source(to, path, "entry");
    st = builder_rows(to, &indptr, &indices, NULL, indptr.count ? indptr.count - 1 : 0, false, err);
    TRY(builder_name_error(st, path, ": edge_src, edge_dst", err));
    TRY(read_set(path, "trainingset", SET_TRAIN, to, err));
    TRY(read_set(path, "validationset", SET_VALID, to, err));
    TRY(read_set(path, "testingset", SET_TEST, to, err));
    TRY(read_labels(path, to, err));
done:
    npy_release(&indptr);
    npy_release(&indices);
    return st;
}

const struct graph_format graph_format_legion = {
    .name = "legion",
    .summary = "Legion folder: edge_src (offsets), edge_dst, trainingset",
    .probe = legion_probe,
    .read = read_folder,
};
