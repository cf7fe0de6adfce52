#include "traces/recording/trace_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ---- saving ---- */

/* Adds n counts as elements of `bytes` bytes. */
static enum st add_counts(struct npy_writer *w, struct count_row row, uint64_t n, int bytes, struct err *err)
{
    enum { STRETCH = 1 << 10 };
    uint32_t wide[STRETCH];
    if (row.bytes == bytes) return npy_add(w, row.data, (uint64_t)bytes * n, err);
    for (uint64_t from = 0; from < n; from += STRETCH) {
        uint64_t count = n - from < STRETCH ? n - from : STRETCH;
        for (uint64_t i = 0; i < count; i++) count_put(wide, bytes, i, count_at(row, from + i));
        PASS(npy_add(w, wide, (uint64_t)bytes * count, err));
    }
    return ST_OK;
}

enum st trace_save_counts(const struct output *o, const char *name, const char *element, int dims,
                          const uint64_t *shape, const struct count_row *rows, int count, struct err *err)
{
    char path[PATH_BYTES];
    OWNED_BY(npy_cancel) struct npy_writer w = {0};
    uint64_t cells = 1;
    for (int i = 0; i < dims; i++) cells *= shape[i];
    PASS(output_path(o, name, path, err));
    PASS(npy_begin(&w, path, element, dims, shape, err));
    for (int i = 0; i < count; i++) PASS(add_counts(&w, rows[i], cells / (uint64_t)count, element[1] - '0', err));
    return npy_end(&w, err);
}

static enum st save_list(const struct output *o, const char *prefix, int id, const uint32_t *list, uint64_t count,
                         struct err *err)
{
    char path[PATH_BYTES], name[TRACE_NAME_BYTES];
    snprintf(name, sizeof name, "%s_gpu%d.npy", prefix, id);
    PASS(output_path(o, name, path, err));
    return npy_save(path, "u4", 1, &count, list, err);
}

enum st trace_save_train(const struct output *o, const struct assignment *a, struct err *err)
{
    for (int i = 0; i < a->gpus; i++) {
        PASS(save_list(o, "train", a->id[i], a->train[i], a->train_count[i], err));
        if (a->circle[i]) PASS(save_list(o, "order", a->id[i], a->circle[i], a->train_count[i], err));
    }
    return ST_OK;
}

/* ---- loading ---- */

enum st trace_load_array(const char *folder, const char *name, const char *type, int dims, const uint64_t *shape,
                         struct npy *out, struct err *err)
{
    char path[PATH_BYTES];
    struct npy a = {0};
    enum st st;
    TRY(path_join(path, folder, name, err));
    TRY(npy_map(path, &a, err));
    TRY(npy_expect(&a, path, type, dims, shape, err));
    *out = a;
    return ST_OK;
done:
    npy_release(&a);
    return st;
}

/* Marks the ids of a list in `seen`, a bit per vertex. where: the list's file. */
static enum st mark(uint64_t *seen, const uint32_t *ids, uint64_t count, const char *where, struct err *err)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bit = (uint64_t)1 << (ids[i] % 64);
        if (seen[ids[i] / 64] & bit)
            return err_set(err, ST_INPUT, "%s: training vertex %u also belongs to another GPU", where, ids[i]);
        seen[ids[i] / 64] |= bit;
    }
    return ST_OK;
}

enum st trace_load_train(const char *folder, uint64_t n, struct assignment *a, struct err *err)
{
    enum st st = ST_OK;
    uint64_t any = UINT64_MAX;
    OWNED uint64_t *seen = NULL;
    NEW(seen, n / 64 + 1, "a check of the training vertices");
    for (int g = 0; g < a->gpus; g++) {
        char name[TRACE_NAME_BYTES], path[PATH_BYTES];
        struct npy ids = {0};
        snprintf(name, sizeof name, "train_gpu%d.npy", a->id[g]);
        TRY(path_join(path, folder, name, err));
        TRY(trace_load_array(folder, name, "u4", 1, &any, &ids, err));
        st = assignment_set_train(a, g, ids.data, ids.count, n, path, err);
        npy_release(&ids);
        if (st == ST_OK) st = mark(seen, a->train[g], a->train_count[g], path, err);
        if (st != ST_OK) goto done;
    }
done:
    return st;
}

enum st trace_load_folds(const char *folder, int cliques, uint64_t epochs, int quantities, uint64_t n, struct npy *out,
                         int *folds, struct count_row *rows, struct err *err)
{
    char file[PATH_BYTES];
    uint64_t shape[4] = {(uint64_t)cliques, (uint64_t)trace_folds(epochs), (uint64_t)quantities, n};
    PASS(path_join(file, folder, "folds.npy", err));
    if (!file_exists(file)) return ST_OK;
    PASS(trace_load_array(folder, "folds.npy", "u2", 4, shape, out, err));
    *folds = (int)shape[1];
    for (uint64_t c = 0; c < shape[0]; c++)
        rows[c] = (struct count_row){(const uint16_t *)out->data + c * shape[1] * shape[2] * n, sizeof(uint16_t)};
    return ST_OK;
}

int trace_folds(uint64_t epochs)
{
    if (epochs == 1) return 4; /* parts of the mini-batches */
    for (int f = FOLDS_MAX; f > 1; f--)
        if (epochs % (uint64_t)f == 0) return f;
    return FOLDS_MAX; /* a larger prime: the last epochs belong to no fold */
}

double trace_folds_per_epoch(uint64_t epochs)
{
    int folds = trace_folds(epochs);
    return epochs == 1 ? folds : 1.0 / (double)(epochs / (uint64_t)folds);
}
