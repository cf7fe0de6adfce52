#include "simulator/replay/batch_files.h"

#include <stdio.h>

static enum st begin_file(const struct output *o, int id, const char *name, const char *end, const char *type,
                          struct npy_writer *w, struct err *err)
{
    char file[64], path[PATH_BYTES];
    snprintf(file, sizeof file, "gpu%d_%s%s.npy", id, name, end);
    PASS(output_path(o, file, path, err));
    return npy_begin_growing(w, path, type, err);
}

enum st batch_files_begin(const struct output *o, int id, const struct batch_array *of, int count,
                          struct batch_files *f, struct err *err)
{
    int64_t zero = 0;
    enum st st = ST_OK;
    BUG_IF(count > BATCH_ARRAYS_MAX);
    f->of = of;
    f->count = count;
    for (int k = 0; k < count; k++) TRY(begin_file(o, id, of[k].name, "", of[k].type, &f->array[k], err));
    for (int k = 0; k < count; k++) {
        if (!of[k].parted) continue;
        TRY(begin_file(o, id, of[k].name, "_at", "i8", &f->at[k], err));
        TRY(npy_add(&f->at[k], &zero, sizeof zero, err));
    }
done:
    return st;
}

enum st batch_files_add(struct batch_files *f, int k, const void *data, uint64_t elements, const uint64_t *end,
                        int parts, struct err *err)
{
    uint64_t each = f->of[k].type[1] == '8' ? sizeof(uint64_t) : sizeof(uint32_t);
    PASS(npy_add(&f->array[k], data, elements * each, err));
    for (int i = 0; i < parts; i++) {
        int64_t at = f->length[k] + (int64_t)end[i];
        PASS(npy_add(&f->at[k], &at, sizeof at, err));
    }
    f->length[k] += (int64_t)elements;
    return ST_OK;
}

enum st batch_files_end(struct batch_files *f, struct err *err)
{
    for (int k = 0; k < f->count; k++) {
        PASS(npy_end(&f->array[k], err));
        if (f->of[k].parted) PASS(npy_end(&f->at[k], err));
    }
    return ST_OK;
}

void batch_files_cancel(struct batch_files *f)
{
    for (int k = 0; k < f->count; k++) {
        npy_cancel(&f->array[k]);
        if (f->of[k].parted) npy_cancel(&f->at[k]);
    }
}

doc *batch_files_document(int id, uint64_t batches, const struct batch_files *f)
{
    doc *d = DOC(IS("id", id), IS("batches", batches));
    for (int k = 0; k < f->count; k++)
        if (f->of[k].parted) doc_put(d, f->of[k].name, doc_integer(f->length[k]));
    return d;
}
