/* ogb_binary.c - a node data set of the Open Graph Benchmark as arrays (ogbn-papers100M): folder with raw/data.npz
 * (edge_index, num_nodes_list), raw/node-label.npz (node_label) and split/<name>/{train,valid,test}.csv
 * (.gz). Like its text form it does not state whether the reverse arcs belong to the graph; --undirected adds them. */
#include <stdio.h>

#include "base/mem.h"
#include "traces/builder/builder.h"
#include "traces/formats/graph_format.h"
#include "traces/formats/graph_zip.h"
#include "traces/formats/ogb_folder.h"

extern const struct graph_format graph_format_npz;

static bool file_of(const char *folder, const char *name, char out[PATH_BYTES])
{
    return snprintf(out, PATH_BYTES, "%s/%s", folder, name) < PATH_BYTES && file_exists(out);
}

static int ogb_binary_probe(const struct format_probe *p)
{
    char path[PATH_BYTES];
    return p->directory && file_of(p->path, "raw/data.npz", path) ? 95 : 0;
}

/* Vertices as data.npz states them, which ids of the split are checked against. */
static enum st read_vertices(const char *data, const char *near, uint64_t *n, struct err *err)
{
    OWNED_BY(zip_close) struct zip z = {0};
    OWNED_BY(zip_array_release) struct zip_array a = {0};
    bool ok = false;
    int64_t count = 0;
    PASS(zip_open(data, &z, err));
    PASS(zip_array_read(&z, "num_nodes_list", near, &a, err));
    if (!a.there)
        return err_set(err, ST_INPUT, "%s: lacks num_nodes_list; expected the raw/data.npz of an OGB node data set",
                       data);
    if (a.array.count == 1 && a.array.type[0] != 'f') count = npy_integer(&a.array, 0, &ok);
    if (!ok || count < 1)
        return err_set(err, ST_INPUT, "%s: num_nodes_list is not one positive number; expected one graph", data);
    *n = (uint64_t)count;
    return ST_OK;
}

/* raw/node-label.npz: a class per vertex, nan for none. */
static enum st read_labels(const char *folder, struct builder *to, struct err *err)
{
    char path[PATH_BYTES];
    OWNED_BY(zip_close) struct zip z = {0};
    OWNED_BY(zip_array_release) struct zip_array labels = {0};
    if (!file_of(folder, "raw/node-label.npz", path)) return ST_OK;
    PASS(zip_open(path, &z, err));
    PASS(zip_array_read(&z, "node_label", builder_near(to), &labels, err));
    if (!labels.there)
        return err_set(err, ST_INPUT, "%s: lacks node_label; expected the labels of an OGB node data set", path);
    return builder_labels(to, NULL, &labels.array, "node-label.npz", err);
}

static enum st read_ogb(const char *path, struct builder *to, struct err *err)
{
    char data[PATH_BYTES];
    uint64_t n = 0;
    if (!file_of(path, "raw/data.npz", data)) return err_set(err, ST_INPUT, "%s: lacks raw/data.npz", path);
    PASS(read_vertices(data, builder_near(to), &n, err));
    PASS(graph_format_npz.read(data, to, err));
    builder_source(to, path, "entry");
    PASS(ogb_read_split(path, n, to, err));
    return read_labels(path, to, err);
}

const struct graph_format graph_format_ogb_binary = {
    .name = "ogb-binary",
    .summary = "OGB node data set as arrays: folder with raw/data.npz",
    .probe = ogb_binary_probe,
    .read = read_ogb,
};
