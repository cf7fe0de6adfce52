#include "traces/recording/trace_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/doc_kinds.h"
#include "base/mem.h"

/* ---- saving ---- */

doc *trace_begin_document(const char *schema, const struct assignment *a, uint64_t epochs, doc *batches)
{
    doc *d = doc_object(), *gpus = doc_array();
    for (int i = 0; i < a->gpus; i++) doc_append(gpus, doc_integer(a->id[i]));
    doc_put(d, "schema", doc_text(schema));
    doc_put(d, "gpus", gpus);
    doc_put(d, "cliques", assignment_cliques_document(a));
    doc_put(d, "assignment", doc_text(assignment_name(a->kind)));
    if (a->uneven) doc_put(d, "uneven", doc_bool(true));
    doc_put(d, "partition", doc_text(*a->partition ? a->partition : NULL));
    doc_put(d, "epochs", doc_integer((int64_t)epochs));
    doc_put(d, "batches", batches);
    return d;
}

void trace_put_sums(doc *d, int cliques, uint64_t line_bytes, const uint64_t *n_tsum, const char *source, int folds)
{
    doc *sums = doc_array();
    for (int c = 0; c < cliques; c++) doc_append(sums, doc_integer((int64_t)n_tsum[c]));
    doc_put(d, "cls", doc_integer((int64_t)line_bytes));
    doc_put(d, "n_tsum", sums);
    doc_put(d, "n_tsum_source", doc_text(source));
    doc_put(d, "folds", doc_integer(folds));
}

void trace_put_origin(doc *d, doc *graph, const char *server_name, const char *server_fingerprint)
{
    doc *server = doc_object();
    doc_put(server, "name", doc_text(server_name));
    doc_put(server, "fingerprint", doc_text(server_fingerprint));
    doc_put(d, "graph", graph);
    doc_put(d, "server", server);
}

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

/* Kinds of the optional keys of trace.json. */
static const char trace_kinds[] = "assignment:text uneven:bool partition:text batches:array folds:integer cls:integer "
                                  "epochs_for_error:object graph{name:text vertices:integer edges:integer "
                                  "fingerprint:text} server{name:text fingerprint:text}";

enum st trace_check_graph(const doc *d, const char *where, const char *print, const char *graph, struct err *err)
{
    const char *stated = doc_text_value(doc_get(doc_get(d, "graph"), "fingerprint"), "");
    PASS(doc_kinds(d, trace_kinds, where, err));
    if (!*stated && *print && !strcmp(doc_text_value(doc_get(d, "schema"), ""), "trace/2")) /* hotset alone writes it */
        return err_set(err, ST_INPUT,
                       "%s: \"graph\" states no \"fingerprint\", so it may be of another graph; record it again with "
                       "'hotset trace record'",
                       where);
    if (*stated && *print && strcmp(stated, print))
        return err_set(err, ST_INPUT,
                       "%s: was recorded on another graph (fingerprint %.24s.., %s has %.24s..); name that one with "
                       "--graph, or record it again with 'hotset trace record'",
                       where, stated, graph, print);
    return ST_OK;
}

enum st trace_read_assignment(const doc *d, const char *where, struct assignment *out, struct err *err)
{
    PASS(assignment_read_groups(doc_get(d, "gpus"), doc_get(d, "cliques"), where, out, err));
    out->kind = assignment_kind_of(doc_text_value(doc_get(d, "assignment"), ""));
    out->uneven = doc_bool_value(doc_get(d, "uneven"), false);
    snprintf(out->partition, sizeof out->partition, "%.15s", doc_text_value(doc_get(d, "partition"), ""));
    return ST_OK;
}

enum st trace_read_size(const doc *d, const char *where, uint64_t *epochs, uint64_t *line_bytes, struct err *err)
{
    int64_t number = 0, line = 0;
    PASS(doc_need_integer(d, "epochs", 1, 1 << 23, where, &number, err));
    PASS(doc_need_integer(d, "cls", 4, 1 << 20, where, &line, err)); /* n_tsum counts such lines */
    if (line % 4) return err_set(err, ST_INPUT, "%s: \"cls\" must be a multiple of 4 bytes below 1 MiB", where);
    *epochs = (uint64_t)number;
    *line_bytes = (uint64_t)line;
    return ST_OK;
}

enum st trace_read_sums(const doc *d, const char *where, int cliques, uint64_t *out, struct err *err)
{
    doc *sums = NULL;
    PASS(doc_need_array(d, "n_tsum", where, &sums, err));
    if (doc_size(sums) != (uint64_t)cliques)
        return err_set(err, ST_INPUT, "%s: \"n_tsum\" has %llu numbers for %d cliques", where,
                       (unsigned long long)doc_size(sums), cliques);
    for (int c = 0; c < cliques; c++) {
        int64_t v = doc_integer_value(doc_at(sums, (uint64_t)c), -1);
        if (v < 0 || v >> 52) return err_set(err, ST_INPUT, "%s: \"n_tsum\" number %d is not in 0..2^52", where, c);
        out[c] = (uint64_t)v;
    }
    return ST_OK;
}

void trace_read_server(const doc *d, char name[TRACE_NAME_BYTES], char print[TRACE_PRINT_BYTES])
{
    const doc *server = doc_get(d, "server");
    snprintf(name, TRACE_NAME_BYTES, "%.63s", doc_text_value(doc_get(server, "name"), ""));
    snprintf(print, TRACE_PRINT_BYTES, "%.79s", doc_text_value(doc_get(server, "fingerprint"), ""));
}

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
