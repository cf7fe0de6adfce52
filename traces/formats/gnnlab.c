/* gnnlab.c - data sets of GNNLab and UGache: a folder with meta.txt (KEY<TAB>VALUE), indptr.bin (u32, n + 1),
 * indices.bin (u32, m) and usually train_set.bin, valid_set.bin, test_set.bin (u32) and label.bin (i64). Rows are
 * targets, entries their in-neighbours, which sampling follows. */
#include <inttypes.h>
#include <string.h>

#include "traces/builder/builder.h"
#include "base/units.h"
#include "traces/formats/graph_format.h"
#include "traces/builder/graph_text.h"

struct meta {
    uint64_t n, m, set[VERTEX_SETS], classes;
};

static int gnnlab_probe(const struct format_probe *p)
{
    static const char *const names[] = {"meta.txt", "indptr.bin", "indices.bin"};
    char path[PATH_BYTES];
    struct err ignored;
    if (!p->directory) return 0;
    for (int i = 0; i < 3; i++)
        if (path_join(path, p->path, names[i], &ignored) != ST_OK || !file_exists(path)) return 0;
    return 95;
}

/* One line of meta.txt: KEY and number; other keys are passed over. */
static enum st take_key(void *self, const char *path, uint64_t number, char *line, struct err *err)
{
    struct meta *m = self;
    const struct {
        const char *key;
        uint64_t *value;
    } keys[] = {{"NUM_NODE", &m->n},
                {"NUM_EDGE", &m->m},
                {"NUM_TRAIN_SET", &m->set[SET_TRAIN]},
                {"NUM_VALID_SET", &m->set[SET_VALID]},
                {"NUM_TEST_SET", &m->set[SET_TEST]},
                {"NUM_CLASS", &m->classes}};
    size_t word = strcspn(line, " \t");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *p = line + word;
        if (strlen(keys[i].key) != word || strncmp(line, keys[i].key, word)) continue;
        enum text_kind kind = text_take(&p, keys[i].value);
        if (kind != TEXT_NUMBER) return text_error(kind, path, number, line, "an integer after the key", err);
    }
    return ST_OK;
}

static enum st read_meta(const char *path, struct meta *out, struct err *err)
{
    static const char *const keys[VERTEX_SETS] = {"NUM_TRAIN_SET", "NUM_VALID_SET", "NUM_TEST_SET"};
    struct meta m = {.n = UINT64_MAX, .m = UINT64_MAX};
    PASS(text_each_line(path, take_key, &m, err));
    if (m.n >= UINT32_MAX || m.m > UINT32_MAX)
        return err_set(err, ST_INPUT, "%s: NUM_NODE or NUM_EDGE is missing or exceeds 32 bits", path);
    for (int i = 0; i < VERTEX_SETS; i++)
        if (m.set[i] > m.n)
            return err_set(err, ST_INPUT, "%s: %s is %" PRIu64 ", but there are %" PRIu64 " vertices", path, keys[i],
                           m.set[i], m.n);
    *out = m;
    return ST_OK;
}

/* Maps a raw array of `count` numbers of 4 bytes; the file must have exactly that size. */
static enum st map_raw(const char *folder, const char *name, uint64_t count, struct npy *out, struct err *err)
{
    char path[PATH_BYTES], text[BYTES_TEXT];
    PASS(path_join(path, folder, name, err));
    PASS(builder_map_raw(path, "u4", out, err));
    if (out->count != count)
        return err_set(err, ST_INPUT, "%s: has %s; expected %" PRIu64 " numbers of 4 bytes, as meta.txt states", path,
                       units_bytes_exact(text, out->map.bytes), count);
    return ST_OK;
}

/* Sets and labels. A set of one vertex stands for none, because GNNLab cannot map an empty file; without a file there
 * is none, either, but a training set that meta.txt counts must be there. */
static enum st read_sets(const char *folder, const struct meta *m, struct builder *to, struct err *err)
{
    static const char *const names[VERTEX_SETS] = {"train_set.bin", "valid_set.bin", "test_set.bin"};
    char path[PATH_BYTES];
    OWNED_BY(npy_release) struct npy ids = {0};
    for (int i = 0; i < VERTEX_SETS; i++) {
        PASS(path_join(path, folder, names[i], err));
        if (i == SET_TRAIN ? !m->set[i] : m->set[i] < 2 || !file_exists(path)) continue;
        PASS(map_raw(folder, names[i], m->set[i], &ids, err));
        PASS(builder_set_array(to, (enum vertex_set)i, &ids, names[i], err));
        npy_release(&ids);
    }
    return ST_OK;
}

static enum st read_labels(const char *folder, const struct meta *m, struct builder *to, struct err *err)
{
    char path[PATH_BYTES];
    OWNED_BY(npy_release) struct npy labels = {0};
    PASS(path_join(path, folder, "label.bin", err));
    if (!file_exists(path)) return ST_OK;
    PASS(builder_map_raw(path, "i8", &labels, err));
    PASS(builder_labels(to, NULL, &labels, "label.bin", err));
    if (m->classes <= CLASSES_MOST) builder_classes(to, m->classes);
    return ST_OK;
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
    TRY(builder_name_error(builder_rows(to, &indptr, &indices, NULL, m.n, true, err), path, "", err));
    TRY(read_sets(path, &m, to, err));
    TRY(read_labels(path, &m, to, err));
done:
    npy_release(&indptr);
    npy_release(&indices);
    return st;
}

const struct graph_format graph_format_gnnlab = {
    .name = "gnnlab",
    .summary = "GNNLab or UGache folder: meta.txt, indptr.bin, indices.bin",
    .probe = gnnlab_probe,
    .read = read_folder,
};
