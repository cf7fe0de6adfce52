/* gnnlab.c - data sets of GNNLab and UGache: a folder with meta.txt (KEY<TAB>VALUE), indptr.bin (u32, n + 1),
 * indices.bin (u32, m) and, mostly, train_set.bin (u32). Rows are targets, entries their in-neighbours: what sampling
 * walks. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "traces/builder/builder.h"
#include "traces/formats/graph_format.h"
#include "traces/builder/graph_text.h"

struct meta {
    uint64_t n, m, train;
};

static int probe(const struct format_probe *p)
{
    static const char *const names[] = {"meta.txt", "indptr.bin", "indices.bin"};
    char path[PATH_BYTES];
    struct err ignored;
    if (!p->directory) return 0;
    for (int i = 0; i < 3; i++)
        if (path_join(path, p->path, names[i], &ignored) != ST_OK || !file_exists(path)) return 0;
    return 95;
}

static enum st read_meta(const char *path, struct meta *out, struct err *err)
{
    struct meta m = {UINT64_MAX, UINT64_MAX, 0};
    const struct {
        const char *key;
        uint64_t *value;
    } keys[] = {{"NUM_NODE", &m.n}, {"NUM_EDGE", &m.m}, {"NUM_TRAIN_SET", &m.train}};
    struct text_lines l = {0};
    char *line;
    enum st st;
    TRY(text_lines_open(path, &l, err));
    for (;;) {
        TRY(text_lines_next(&l, &line, NULL, err));
        if (!line) break;
        size_t word = strcspn(line, " \t");
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            const char *p = line + word;
            if (strlen(keys[i].key) != word || strncmp(line, keys[i].key, word)) continue;
            enum text_kind kind = text_take(&p, keys[i].value);
            if (kind != TEXT_NUMBER) TRY(text_error(kind, path, l.number, line, "an integer behind the key", err));
        }
    }
    if (m.n >= UINT32_MAX || m.m > UINT32_MAX)
        FAIL(ST_INPUT, "%s: lacks NUM_NODE or NUM_EDGE, or they are beyond 32 bits", path);
    if (m.train > m.n)
        FAIL(ST_INPUT, "%s: NUM_TRAIN_SET is %" PRIu64 ", but there are %" PRIu64 " vertices", path, m.train, m.n);
    *out = m;
done:
    text_lines_close(&l);
    return st;
}

/* Maps a raw array of `count` numbers of 4 bytes; the file must have just that size. */
static enum st map_raw(const char *folder, const char *name, uint64_t count, struct npy *out, struct err *err)
{
    char path[PATH_BYTES];
    enum st st;
    TRY(path_join(path, folder, name, err));
    TRY(file_map(path, &out->map, err));
    if (out->map.bytes != 4 * count)
        FAIL(ST_INPUT, "%s: has %" PRIu64 " bytes; meta.txt asks for %" PRIu64 " numbers of 4 bytes", path,
             out->map.bytes, count);
    snprintf(out->type, sizeof out->type, "u4");
    out->dims = 1;
    out->shape[0] = out->count = count;
    out->item = 4;
    out->data = out->map.base;
done:
    return st;
}

static enum st read_train(const char *folder, uint64_t count, struct builder *to, struct err *err)
{
    struct npy raw = {0};
    uint64_t *ids = NULL;
    bool ok;
    enum st st;
    TRY(map_raw(folder, "train_set.bin", count, &raw, err));
    NEW(ids, count, "training vertices");
    for (uint64_t i = 0; i < count; i++) ids[i] = (uint64_t)npy_integer(&raw, i, &ok);
    TRY(builder_train(to, ids, count, "train_set.bin", err));
done:
    npy_release(&raw);
    mem_free(ids);
    return st;
}

static enum st read_folder(const char *path, struct builder *to, struct err *err)
{
    char file[PATH_BYTES];
    struct npy indptr = {0}, indices = {0};
    struct meta m = {0};
    enum st st;
    TRY(path_join(file, path, "meta.txt", err));
    TRY(read_meta(file, &m, err));
    TRY(map_raw(path, "indptr.bin", m.n + 1, &indptr, err));
    TRY(map_raw(path, "indices.bin", m.m, &indices, err));
    builder_source(to, path, "entry");
    st = builder_rows(to, &indptr, &indices, NULL, m.n, true, err);
    if (st != ST_OK && strncmp(err->text, path, strlen(path))) err_prefix(err, "%s: ", path);
    if (st == ST_OK && m.train) st = read_train(path, m.train, to, err);
done:
    npy_release(&indptr);
    npy_release(&indices);
    return st;
}

const struct graph_format graph_format_gnnlab = {
    .name = "gnnlab",
    .summary = "GNNLab or UGache folder: meta.txt, indptr.bin, indices.bin",
    .probe = probe,
    .read = read_folder,
};
