/* npy.c - NumPy arrays: indptr.npy with indices.npy (rows are sources; two sources, or a folder that holds both, with
 * data.npy or weights.npy if weights are kept), or one array of pairs, (m, 2) or (2, m). */
#include <string.h>

#include "traces/builder/builder.h"
#include "traces/formats/graph_format.h"

static int npy_probe(const struct format_probe *p)
{
    char path[PATH_BYTES];
    struct err ignored;
    if (!p->directory) return p->head_bytes >= 6 && !memcmp(p->head, "\x93NUMPY", 6) ? 95 : 0;
    if (path_join(path, p->path, "indptr.npy", &ignored) != ST_OK || !file_exists(path)) return 0;
    return path_join(path, p->path, "indices.npy", &ignored) == ST_OK && file_exists(path) ? 90 : 0;
}

/* Tells which of two arrays is indptr: by name, or else the first. */
static enum st read_two(const char *a, const char *b, const char *weights, struct builder *to, struct err *err)
{
    struct npy indptr = {0}, indices = {0}, data = {0};
    enum st st;
    bool turned = strstr(path_base(b), "indptr") && !strstr(path_base(a), "indptr");
    TRY(npy_map(turned ? b : a, &indptr, err));
    TRY(npy_map(turned ? a : b, &indices, err));
    TRY(builder_no_features(&indptr, turned ? b : a, err));
    TRY(builder_no_features(&indices, turned ? a : b, err));
    if (weights) TRY(npy_map(weights, &data, err));
    builder_source(to, turned ? a : b, "entry");
    st = builder_rows(to, &indptr, &indices, weights ? &data : NULL, indptr.count ? indptr.count - 1 : 0, false, err);
    if (st != ST_OK && strncmp(err->text, turned ? a : b, strlen(turned ? a : b)))
        err_prefix(err, "%s: ", turned ? b : a);
done:
    npy_release(&indptr);
    npy_release(&indices);
    npy_release(&data);
    return st;
}

static enum st read_folder(const char *path, struct builder *to, struct err *err)
{
    char indptr[PATH_BYTES], indices[PATH_BYTES], weights[PATH_BYTES];
    PASS(path_join(weights, path, "graph.json", err));
    if (file_exists(weights))
        return err_set(err, ST_INPUT,
                       "%s: is already a graph directory; use it as it is, or name its indptr.npy and indices.npy",
                       path);
    PASS(path_join(indptr, path, "indptr.npy", err));
    PASS(path_join(indices, path, "indices.npy", err));
    PASS(path_join(weights, path, "weights.npy", err));
    if (!file_exists(weights)) PASS(path_join(weights, path, "data.npy", err));
    return read_two(indptr, indices, builder_keeps_weights(to) && file_exists(weights) ? weights : NULL, to, err);
}

static enum st read_arrays(const char *path, struct builder *to, struct err *err)
{
    OWNED_BY(npy_release) struct npy pairs = {0};
    if (file_is_directory(path)) return read_folder(path, to, err);
    if (builder_second(to)) return read_two(path, builder_second(to), NULL, to, err);
    PASS(npy_map(path, &pairs, err));
    builder_source(to, path, "entry");
    if (pairs.dims == 1)
        return err_set(err, ST_INPUT,
                       "%s: is one list of numbers; give indptr.npy and indices.npy together, or an array of pairs (m, "
                       "2) or (2, m)",
                       path);
    return builder_name_error(builder_pairs(to, &pairs, false, err), path, "", err);
}

const struct graph_format graph_format_npy = {
    .name = "npy",
    .summary = "NumPy arrays: indptr.npy with indices.npy, or pairs (m, 2), (2, m)",
    .probe = npy_probe,
    .read = read_arrays,
};
