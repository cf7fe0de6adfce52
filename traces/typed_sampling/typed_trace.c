/* typed_trace.c - trace directories of typed graphs: save, load, check (declared in typed_trace.h). */
#include "traces/typed_sampling/typed_trace.h"

#include <string.h>

#include "base/folder.h"
#include "base/mem.h"

/* ---- saving ---- */

static doc *trace_document(const struct typed_trace *t, const struct typed_graph *g)
{
    const struct assignment *a = &t->assignment;
    doc *d = doc_object(), *gpus = doc_array(), *batches = doc_array(), *sums = doc_array(), *server = doc_object();
    for (int i = 0; i < a->gpus; i++) {
        doc_append(gpus, doc_integer(a->id[i]));
        doc_append(batches, doc_integer((int64_t)typed_batches(&t->workload, a->train_count[i])));
    }
    for (int c = 0; c < a->cliques; c++) doc_append(sums, doc_integer((int64_t)t->n_tsum[c]));
    doc_put(server, "name", doc_text(t->server_name));
    doc_put(server, "fingerprint", doc_text(t->server_fingerprint));
    doc_put(d, "schema", doc_text("trace/2"));
    doc_put(d, "gpus", gpus);
    doc_put(d, "cliques", assignment_cliques_document(a));
    doc_put(d, "assignment", doc_text(assignment_name(a->kind)));
    doc_put(d, "partition", doc_text(*a->partition ? a->partition : NULL));
    doc_put(d, "epochs", doc_integer((int64_t)t->epochs));
    doc_put(d, "batches", batches);
    typed_workload_put(g, &t->workload, d);
    doc_put(d, "cls", doc_integer((int64_t)t->line_bytes));
    doc_put(d, "n_tsum", sums);
    doc_put(d, "n_tsum_source", doc_text("model"));
    doc_put(d, "folds", doc_integer(t->folds));
    doc_put(d, "graph", typed_graph_document(g));
    doc_put(d, "server", server);
    return d;
}

static enum st save_counts(const struct output *o, const struct typed_trace *t, struct err *err)
{
    char path[PATH_BYTES];
    struct npy_writer w = {0};
    uint64_t shape[3] = {(uint64_t)t->workload.hops, (uint64_t)t->assignment.gpus, t->n},
             features[2] = {shape[1], t->n},
             folds[4] = {(uint64_t)t->assignment.cliques, (uint64_t)t->folds, shape[0] + 1, t->n};
    enum st st;
    TRY(output_path(o, "visits.npy", path, err));
    TRY(npy_begin(&w, path, "u4", 3, shape, err));
    for (uint64_t h = 0; h < shape[0]; h++)
        for (uint64_t g = 0; g < shape[1]; g++) TRY(npy_add(&w, t->visits[h][g], 4 * t->n, err));
    TRY(npy_end(&w, err));
    TRY(output_path(o, "hotness_feature.npy", path, err));
    TRY(npy_begin(&w, path, "u4", 2, features, err));
    for (uint64_t g = 0; g < shape[1]; g++) TRY(npy_add(&w, t->feature[g], 4 * t->n, err));
    TRY(npy_end(&w, err));
    if (!t->folds) goto done;
    TRY(output_path(o, "folds.npy", path, err));
    TRY(npy_begin(&w, path, "u2", 4, folds, err));
    for (int c = 0; c < t->assignment.cliques; c++)
        TRY(npy_add(&w, t->fold[c], 2 * folds[1] * folds[2] * folds[3], err));
    TRY(npy_end(&w, err));
done:
    npy_cancel(&w);
    return st;
}

enum st typed_trace_save(const struct typed_trace *t, const struct typed_graph *g, const char *path, struct err *err)
{
    struct output o = {0};
    char file[PATH_BYTES], name[64];
    doc *d = NULL;
    const struct assignment *a = &t->assignment;
    enum st st;
    TRY(output_directory(&o, path, "trace.json", err));
    TRY(save_counts(&o, t, err));
    for (int i = 0; i < a->gpus; i++) {
        snprintf(name, sizeof name, "train_gpu%d.npy", a->id[i]);
        TRY(output_path(&o, name, file, err));
        TRY(npy_save(file, "u4", 1, &a->train_count[i], a->train[i], err));
    }
    TRY(output_path(&o, "trace.json", file, err));
    d = trace_document(t, g);
    TRY(doc_save(d, file, err));
    TRY(output_commit(&o, err));
done:
    doc_free(d);
    output_abort(&o);
    return st;
}

/* ---- loading ---- */

static enum st load_array(const char *folder, const char *name, const char *type, int dims, const uint64_t *shape,
                          struct npy *out, struct err *err)
{
    char path[PATH_BYTES];
    enum st st;
    TRY(path_join(path, folder, name, err));
    TRY(npy_map(path, out, err));
    TRY(npy_expect(out, path, type, dims, shape, err));
done:
    return st;
}

static enum st load_train(const char *folder, struct typed_trace *t, struct err *err)
{
    enum st st = ST_OK;
    uint64_t *seen = NULL, any = UINT64_MAX;
    NEW(seen, t->n / 64 + 1, "a check of the training vertices");
    for (int g = 0; g < t->assignment.gpus; g++) {
        char name[64], path[PATH_BYTES];
        struct npy a = {0};
        snprintf(name, sizeof name, "train_gpu%d.npy", t->assignment.id[g]);
        TRY(path_join(path, folder, name, err));
        st = load_array(folder, name, "u4", 1, &any, &a, err);
        if (st == ST_OK) st = assignment_set_train(&t->assignment, g, a.data, a.count, t->n, path, err);
        npy_release(&a);
        if (st != ST_OK) goto done;
        for (uint64_t i = 0; i < t->assignment.train_count[g]; i++) {
            uint32_t v = t->assignment.train[g][i];
            if (seen[v / 64] >> (v % 64) & 1)
                FAIL(ST_INPUT, "%s: training vertex %u also belongs to another GPU", path, v);
            seen[v / 64] |= (uint64_t)1 << (v % 64);
        }
    }
done:
    mem_free(seen);
    return st;
}

static enum st read_sums(const doc *d, const char *where, struct typed_trace *t, struct err *err)
{
    doc *sums;
    enum st st;
    TRY(doc_need_array(d, "n_tsum", where, &sums, err));
    if (doc_size(sums) != (uint64_t)t->assignment.cliques)
        FAIL(ST_INPUT, "%s: \"n_tsum\" has %llu numbers for %d cliques", where, (unsigned long long)doc_size(sums),
             t->assignment.cliques);
    for (int c = 0; c < t->assignment.cliques; c++) {
        int64_t v = doc_integer_value(doc_at(sums, (uint64_t)c), -1);
        if (v < 0 || v >> 52) FAIL(ST_INPUT, "%s: \"n_tsum\" number %d is not in 0..2^52", where, c);
        t->n_tsum[c] = (uint64_t)v;
    }
done:
    return st;
}

static enum st read_document(const doc *d, const char *where, const struct typed_graph *g, struct typed_trace *t,
                             struct err *err)
{
    const char *print = doc_text_value(doc_get(doc_get(d, "graph"), "fingerprint"), "");
    int64_t epochs;
    enum st st;
    if (*print && *g->fingerprint && strcmp(print, g->fingerprint))
        FAIL(ST_INPUT,
             "%s: was recorded on another graph (fingerprint %.24s.., %s has %.24s..); record it again with 'hotset "
             "trace record'",
             where, print, g->path, g->fingerprint);
    TRY(assignment_read_groups(doc_get(d, "gpus"), doc_get(d, "cliques"), where, &t->assignment, err));
    t->assignment.kind = assignment_kind_of(doc_text_value(doc_get(d, "assignment"), ""));
    snprintf(t->assignment.partition, sizeof t->assignment.partition, "%.15s",
             doc_text_value(doc_get(d, "partition"), ""));
    TRY(typed_workload_read(g, d, where, &t->workload, err));
    TRY(doc_need_integer(d, "epochs", 1, 1 << 23, where, &epochs, err));
    t->epochs = (uint64_t)epochs;
    t->line_bytes = (uint64_t)doc_integer_value(doc_get(d, "cls"), 64);
    if (t->line_bytes < 4 || t->line_bytes > 1 << 20 || t->line_bytes % 4)
        FAIL(ST_INPUT, "%s: \"cls\" must be a multiple of 4 bytes below 1 MiB", where);
    TRY(read_sums(d, where, t, err));
    snprintf(t->server_name, sizeof t->server_name, "%.63s", doc_text_value(doc_get(doc_get(d, "server"), "name"), ""));
    snprintf(t->server_fingerprint, sizeof t->server_fingerprint, "%.79s",
             doc_text_value(doc_get(doc_get(d, "server"), "fingerprint"), ""));
done:
    return st;
}

/* folds.npy is optional: other programs record traces, too. */
static enum st load_folds(const char *path, struct typed_trace *t, struct err *err)
{
    char file[PATH_BYTES];
    enum st st;
    TRY(path_join(file, path, "folds.npy", err));
    if (t->epochs < 2 || !file_exists(file)) return ST_OK;
    t->folds = trace_folds(t->epochs);
    t->folds_per_epoch = 1.0 / (double)(t->epochs / (uint64_t)t->folds);
    uint64_t shape[4] = {(uint64_t)t->assignment.cliques, (uint64_t)t->folds, (uint64_t)t->workload.hops + 1, t->n};
    TRY(load_array(path, "folds.npy", "u2", 4, shape, &t->mapped[2], err));
    for (int c = 0; c < t->assignment.cliques; c++)
        t->fold[c] = (const uint16_t *)t->mapped[2].data + (uint64_t)c * shape[1] * shape[2] * shape[3];
done:
    return st;
}

enum st typed_trace_load(const char *path, const struct typed_graph *g, struct typed_trace *out, struct err *err)
{
    struct typed_trace *t = NULL;
    char where[PATH_BYTES];
    doc *d = NULL;
    enum st st = ST_OK;
    NEW(t, 1, "a trace");
    t->n = g->n;
    TRY(folder_document(where, path, "trace.json", err));
    TRY(doc_load(where, "trace/2", &d, err));
    TRY(read_document(d, where, g, t, err));
    uint64_t gpus = (uint64_t)t->assignment.gpus, shape[3] = {(uint64_t)t->workload.hops, gpus, g->n},
             features[2] = {gpus, g->n};
    TRY(load_array(path, "visits.npy", "u4", 3, shape, &t->mapped[0], err));
    TRY(load_array(path, "hotness_feature.npy", "u4", 2, features, &t->mapped[1], err));
    TRY(load_folds(path, t, err));
    TRY(load_train(path, t, err));
    for (uint64_t i = 0; i < gpus; i++) {
        t->feature[i] = (const uint32_t *)t->mapped[1].data + i * g->n;
        for (uint64_t h = 0; h < shape[0]; h++)
            t->visits[h][i] = (const uint32_t *)t->mapped[0].data + (h * gpus + i) * g->n;
    }
    *out = *t;
    memset(t, 0, sizeof *t);
done:
    doc_free(d);
    if (t) typed_trace_release(t);
    mem_free(t);
    return st;
}
