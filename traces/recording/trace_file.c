/* trace_file.c - trace directories: save, load, check (declared in trace.h). */
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/mem.h"
#include "traces/sampling/seeds.h"
#include "traces/recording/trace.h"

/* ---- saving ---- */

static doc *trace_document(const struct trace *t, const struct graph *g)
{
    const struct assignment *a = &t->assignment;
    doc *d = doc_object(), *gpus = doc_array(), *batches = doc_array(), *sums = doc_array(), *server = doc_object();
    for (int i = 0; i < a->gpus; i++) {
        doc_append(gpus, doc_integer(a->id[i]));
        doc_append(batches, doc_integer((int64_t)seeds_batches(&t->workload, g, a->train[i], a->train_count[i])));
    }
    for (int c = 0; c < a->cliques; c++) doc_append(sums, doc_integer((int64_t)t->n_tsum[c]));
    doc_put(server, "name", doc_text(t->server_name));
    doc_put(server, "fingerprint", doc_text(t->server_fingerprint));
    doc_put(d, "schema", doc_text("trace/1"));
    doc_put(d, "gpus", gpus);
    doc_put(d, "cliques", assignment_cliques_document(a));
    doc_put(d, "assignment", doc_text(assignment_name(a->kind)));
    if (a->uneven) doc_put(d, "uneven", doc_bool(true));
    doc_put(d, "partition", doc_text(*a->partition ? a->partition : NULL));
    doc_put(d, "epochs", doc_integer((int64_t)t->epochs));
    doc_put(d, "batches", batches);
    workload_put(&t->workload, d);
    doc_put(d, "cls", doc_integer((int64_t)t->line_bytes));
    doc_put(d, "n_tsum", sums);
    doc_put(d, "n_tsum_source", doc_text(t->n_tsum_source));
    doc_put(d, "folds", doc_integer(t->folds));
    if (t->epochs_for_error) {
        doc *enough = doc_object();
        doc_put(enough, "error", doc_real(t->error));
        doc_put(enough, "epochs", doc_integer((int64_t)t->epochs_for_error));
        doc_put(d, "epochs_for_error", enough);
    }
    doc_put(d, "graph", graph_document(g));
    doc_put(d, "server", server);
    return d;
}

/* Adds n counts as elements of `bytes` bytes. */
static enum st add_counts(struct npy_writer *w, struct count_row row, uint64_t n, int bytes, struct err *err)
{
    enum { STRETCH = 1 << 14 };
    uint32_t wide[STRETCH];
    enum st st = ST_OK;
    if (row.bytes == bytes) return npy_add(w, row.data, (uint64_t)bytes * n, err);
    for (uint64_t from = 0; from < n; from += STRETCH) {
        uint64_t count = n - from < STRETCH ? n - from : STRETCH;
        for (uint64_t i = 0; i < count; i++) count_put(wide, bytes, i, count_at(row, from + i));
        TRY(npy_add(w, wide, (uint64_t)bytes * count, err));
    }
done:
    return st;
}

static enum st save_rows(const struct output *o, const char *name, const uint64_t *shape, const uint32_t *const *rows,
                         int gpus, struct err *err)
{
    char path[PATH_BYTES];
    struct npy_writer w = {0};
    enum st st;
    TRY(output_path(o, name, path, err));
    TRY(npy_begin(&w, path, "u4", 2, shape, err));
    for (int i = 0; i < gpus; i++) TRY(npy_add(&w, rows[i], 4 * shape[1], err));
    TRY(npy_end(&w, err));
done:
    npy_cancel(&w);
    return st;
}

/* visits.npy: uint32 [hops, gpus, n]. */
static enum st save_visits(const struct output *o, const struct trace *t, const uint64_t *shape, struct err *err)
{
    char path[PATH_BYTES];
    struct npy_writer w = {0};
    enum st st;
    TRY(output_path(o, "visits.npy", path, err));
    TRY(npy_begin(&w, path, "u4", 3, shape, err));
    for (int h = 0; h < t->workload.hops; h++)
        for (int i = 0; i < t->assignment.gpus; i++) TRY(add_counts(&w, t->visits[h][i], t->n, 4, err));
    TRY(npy_end(&w, err));
done:
    npy_cancel(&w);
    return st;
}

/* folds.npy: uint16 [cliques, folds, 1 + hops, n]; see struct trace. */
static enum st save_folds(const struct output *o, const struct trace *t, struct err *err)
{
    char path[PATH_BYTES];
    uint64_t shape[4] = {(uint64_t)t->assignment.cliques, (uint64_t)t->folds, (uint64_t)(1 + t->workload.hops), t->n};
    struct npy_writer w = {0};
    enum st st;
    TRY(output_path(o, "folds.npy", path, err));
    TRY(npy_begin(&w, path, "u2", 4, shape, err));
    for (int c = 0; c < t->assignment.cliques; c++)
        TRY(add_counts(&w, t->fold[c], shape[1] * shape[2] * shape[3], 2, err));
    TRY(npy_end(&w, err));
done:
    npy_cancel(&w);
    return st;
}

enum st trace_save(const struct trace *t, const struct graph *g, const char *path, struct err *err)
{
    struct output o = {0};
    char file[PATH_BYTES], name[64];
    doc *d = NULL;
    const struct assignment *a = &t->assignment;
    uint64_t shape[3] = {(uint64_t)t->workload.hops, (uint64_t)a->gpus, t->n};
    enum st st;
    TRY(output_directory(&o, path, "trace.json", err));
    TRY(save_rows(&o, "hotness_topology.npy", shape + 1, t->topology, a->gpus, err));
    TRY(save_rows(&o, "hotness_feature.npy", shape + 1, t->feature, a->gpus, err));
    TRY(save_visits(&o, t, shape, err));
    if (t->folds) TRY(save_folds(&o, t, err));
    for (int i = 0; i < a->gpus; i++) {
        snprintf(name, sizeof name, "train_gpu%d.npy", a->id[i]);
        TRY(output_path(&o, name, file, err));
        TRY(npy_save(file, "u4", 1, &a->train_count[i], a->train[i], err));
        if (!a->circle[i]) continue;
        snprintf(name, sizeof name, "order_gpu%d.npy", a->id[i]);
        TRY(output_path(&o, name, file, err));
        TRY(npy_save(file, "u4", 1, &a->train_count[i], a->circle[i], err));
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

/* The circle of a GPU. A trace in BFS order may lack it: the sampler finds it again. */
static enum st load_circle(const char *folder, struct trace *t, int g, struct err *err)
{
    enum st st;
    char name[64], path[PATH_BYTES];
    uint64_t any = UINT64_MAX;
    struct npy a = {0};
    snprintf(name, sizeof name, "order_gpu%d.npy", t->assignment.id[g]);
    TRY(path_join(path, folder, name, err));
    if (t->workload.order == ORDER_SHUFFLE || (t->workload.order == ORDER_BFS && !file_exists(path))) return ST_OK;
    TRY(load_array(folder, name, "u4", 1, &any, &a, err));
    st = assignment_set_circle(&t->assignment, g, a.data, a.count, path, err);
done:
    npy_release(&a);
    return st;
}

static enum st load_train(const char *folder, struct trace *t, struct err *err)
{
    enum st st = ST_OK;
    uint8_t *seen = NULL;
    NEW(seen, t->n, "a check of the training vertices");
    for (int g = 0; g < t->assignment.gpus; g++) {
        char name[64], path[PATH_BYTES];
        uint64_t any = UINT64_MAX;
        struct npy a = {0};
        snprintf(name, sizeof name, "train_gpu%d.npy", t->assignment.id[g]);
        TRY(path_join(path, folder, name, err));
        TRY(load_array(folder, name, "u4", 1, &any, &a, err));
        st = assignment_set_train(&t->assignment, g, a.data, a.count, t->n, path, err);
        npy_release(&a);
        if (st != ST_OK) goto done;
        for (uint64_t i = 0; i < t->assignment.train_count[g]; i++) {
            if (seen[t->assignment.train[g][i]])
                FAIL(ST_INPUT, "%s: training vertex %u also belongs to another GPU", path, t->assignment.train[g][i]);
            seen[t->assignment.train[g][i]] = 1;
        }
        TRY(load_circle(folder, t, g, err));
    }
done:
    mem_free(seen);
    return st;
}

static enum st load_sums(const doc *d, const char *where, struct trace *t, struct err *err)
{
    enum st st;
    doc *sums = NULL;
    const char *source = NULL;
    TRY(doc_need_array(d, "n_tsum", where, &sums, err));
    TRY(doc_need_text(d, "n_tsum_source", where, &source, err));
    if (doc_size(sums) != (uint64_t)t->assignment.cliques)
        FAIL(ST_INPUT, "%s: \"n_tsum\" has %llu numbers for %d cliques", where, (unsigned long long)doc_size(sums),
             t->assignment.cliques);
    for (int c = 0; c < t->assignment.cliques; c++) {
        int64_t v = doc_integer_value(doc_at(sums, (uint64_t)c), -1);
        if (v < 0 || v >> 52) FAIL(ST_INPUT, "%s: \"n_tsum\" number %d is not in 0..2^52", where, c);
        t->n_tsum[c] = (uint64_t)v;
    }
    if (strcmp(source, "model") && strcmp(source, "pcm"))
        FAIL(ST_INPUT, "%s: \"n_tsum_source\" is \"%.20s\", expected \"model\" or \"pcm\"", where, source);
    snprintf(t->n_tsum_source, sizeof t->n_tsum_source, "%.15s", source);
done:
    return st;
}

static enum st check_graph(const doc *d, const char *where, const struct graph *g, struct err *err)
{
    const doc *of = doc_get(d, "graph");
    const char *print = doc_text_value(doc_get(of, "fingerprint"), "");
    if (*print && *g->fingerprint && strcmp(print, g->fingerprint))
        return err_set(err, ST_INPUT,
                       "%s: was recorded on another graph (fingerprint %.24s.., %s has %.24s..); record it again with "
                       "'hotset trace record'",
                       where, print, g->path, g->fingerprint);
    return ST_OK;
}

static enum st load_document(const doc *d, const char *where, const struct graph *g, struct trace *t, struct err *err)
{
    enum st st;
    int64_t epochs = 0;
    TRY(check_graph(d, where, g, err));
    TRY(assignment_read_groups(doc_get(d, "gpus"), doc_get(d, "cliques"), where, &t->assignment, err));
    t->assignment.kind = assignment_kind_of(doc_text_value(doc_get(d, "assignment"), ""));
    t->assignment.uneven = doc_bool_value(doc_get(d, "uneven"), false);
    snprintf(t->assignment.partition, sizeof t->assignment.partition, "%.15s",
             doc_text_value(doc_get(d, "partition"), ""));
    TRY(workload_read(d, where, &t->workload, err));
    TRY(doc_need_integer(d, "epochs", 1, 1 << 23, where, &epochs, err));
    t->epochs = (uint64_t)epochs;
    t->line_bytes = (uint64_t)doc_integer_value(doc_get(d, "cls"), 64);
    if (t->line_bytes < 4 || t->line_bytes > 1 << 20 || t->line_bytes % 4)
        FAIL(ST_INPUT, "%s: \"cls\" must be a multiple of 4 bytes below 1 MiB", where);
    TRY(load_sums(d, where, t, err));
    snprintf(t->server_name, sizeof t->server_name, "%.63s", doc_text_value(doc_get(doc_get(d, "server"), "name"), ""));
    snprintf(t->server_fingerprint, sizeof t->server_fingerprint, "%.79s",
             doc_text_value(doc_get(doc_get(d, "server"), "fingerprint"), ""));
done:
    return st;
}

/* folds.npy is optional: other programs record traces, too. */
static enum st load_folds(const char *path, struct trace *t, struct err *err)
{
    char file[PATH_BYTES];
    enum st st = path_join(file, path, "folds.npy", err);
    if (st != ST_OK || !file_exists(file)) return st;
    int folds = trace_folds(t->epochs);
    uint64_t shape[4] = {(uint64_t)t->assignment.cliques, (uint64_t)folds, (uint64_t)(1 + t->workload.hops), t->n};
    st = load_array(path, "folds.npy", "u2", 4, shape, &t->mapped[3], err);
    if (st != ST_OK) return st;
    t->folds = folds;
    t->folds_per_epoch = t->epochs == 1 ? folds : 1.0 / (double)(t->epochs / (uint64_t)folds);
    for (int c = 0; c < t->assignment.cliques; c++)
        t->fold[c] = (struct count_row){(const uint16_t *)t->mapped[3].data +
                                            (uint64_t)c * shape[1] * shape[2] * shape[3],
                                        sizeof(uint16_t)};
    return ST_OK;
}

enum st trace_load(const char *path, const struct graph *g, struct trace *out, struct err *err)
{
    struct trace t = {.n = g->n};
    char where[PATH_BYTES];
    doc *d = NULL;
    enum st st;
    TRY(folder_document(where, path, "trace.json", err));
    TRY(doc_load(where, "trace/1", &d, err));
    TRY(load_document(d, where, g, &t, err));
    uint64_t gpus = (uint64_t)t.assignment.gpus, shape[3] = {(uint64_t)t.workload.hops, gpus, g->n};
    TRY(load_array(path, "hotness_topology.npy", "u4", 2, shape + 1, &t.mapped[0], err));
    TRY(load_array(path, "hotness_feature.npy", "u4", 2, shape + 1, &t.mapped[1], err));
    TRY(load_array(path, "visits.npy", "u4", 3, shape, &t.mapped[2], err));
    TRY(load_folds(path, &t, err));
    TRY(load_train(path, &t, err));
    const uint32_t *cells[3];
    for (int i = 0; i < 3; i++) cells[i] = t.mapped[i].data;
    for (uint64_t i = 0; i < gpus; i++) {
        t.topology[i] = cells[0] + i * g->n;
        t.feature[i] = cells[1] + i * g->n;
        for (int h = 0; h < t.workload.hops; h++)
            t.visits[h][i] = count_row_wide(cells[2] + ((uint64_t)h * gpus + i) * g->n);
    }
    *out = t;
    memset(&t, 0, sizeof t);
done:
    doc_free(d);
    trace_release(&t);
    return st;
}
