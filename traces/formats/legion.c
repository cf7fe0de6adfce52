/* legion.c - data sets of Legion: a folder with edge_src (int64 row offsets, n + 1, in spite of its name), edge_dst
 * (int32, m) and, mostly, trainingset (int32). No headers: the sizes of the files say n and m. Rows are sources.
 * Legion samples along these rows: --sample out keeps them. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "traces/builder/builder.h"
#include "traces/formats/graph_format.h"

static int probe(const struct format_probe *p)
{
    char path[PATH_BYTES];
    struct err ignored;
    if (!p->directory || path_join(path, p->path, "edge_src", &ignored) != ST_OK || !file_exists(path)) return 0;
    return path_join(path, p->path, "edge_dst", &ignored) == ST_OK && file_exists(path) ? 95 : 0;
}

static enum st map_raw(const char *folder, const char *name, const char *type, uint32_t item, struct npy *out,
                       struct err *err)
{
    char path[PATH_BYTES];
    enum st st;
    TRY(path_join(path, folder, name, err));
    TRY(file_map(path, &out->map, err));
    if (out->map.bytes % item)
        FAIL(ST_INPUT, "%s: has %" PRIu64 " bytes, which is no multiple of %" PRIu32 "; the file is cut off", path,
             out->map.bytes, item);
    snprintf(out->type, sizeof out->type, "%s", type);
    out->dims = 1;
    out->shape[0] = out->count = out->map.bytes / item;
    out->item = item;
    out->data = out->map.base;
done:
    return st;
}

static enum st read_train(const char *folder, struct builder *to, struct err *err)
{
    char path[PATH_BYTES];
    struct npy raw = {0};
    uint64_t *ids = NULL;
    bool ok;
    enum st st;
    TRY(path_join(path, folder, "trainingset", err));
    if (!file_exists(path)) goto done;
    TRY(map_raw(folder, "trainingset", "i4", 4, &raw, err));
    NEW(ids, raw.count, "training vertices");
    for (uint64_t i = 0; i < raw.count; i++) ids[i] = (uint64_t)npy_integer(&raw, i, &ok);
    if (raw.count) TRY(builder_train(to, ids, raw.count, "trainingset", err));
done:
    npy_release(&raw);
    mem_free(ids);
    return st;
}

static enum st read_folder(const char *path, struct builder *to, struct err *err)
{
    struct npy indptr = {0}, indices = {0};
    enum st st;
    TRY(map_raw(path, "edge_src", "i8", 8, &indptr, err));
    TRY(map_raw(path, "edge_dst", "i4", 4, &indices, err));
    builder_source(to, path, "entry");
    st = builder_rows(to, &indptr, &indices, NULL, indptr.count ? indptr.count - 1 : 0, false, err);
    if (st != ST_OK && strncmp(err->text, path, strlen(path))) err_prefix(err, "%s: edge_src, edge_dst: ", path);
    if (st == ST_OK) st = read_train(path, to, err);
done:
    npy_release(&indptr);
    npy_release(&indices);
    return st;
}

const struct graph_format graph_format_legion = {
    .name = "legion",
    .summary = "Legion folder: edge_src (offsets), edge_dst, trainingset",
    .probe = probe,
    .read = read_folder,
};
