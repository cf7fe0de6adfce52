/* typed_trace.c - trace directories of typed graphs: save, load, check (declared in typed_trace.h). */
#include "traces/typed_sampling/typed_trace.h"

#include <string.h>

#include "base/folder.h"
#include "base/mem.h"

/* ---- saving ---- */

static doc *trace_document(const struct typed_trace *t, const struct graph *g)
{
    const struct assignment *a = &t->assignment;
    doc *batches = doc_array();
    for (int i = 0; i < a->gpus; i++)
        doc_append(batches, doc_integer((int64_t)typed_batches(&t->workload, a->train_count[i])));
    doc *d = trace_begin_document("trace/2", a, t->epochs, batches);
    typed_workload_put(g, &t->workload, d);
    trace_put_sums(d, a->cliques, t->line_bytes, t->n_tsum, "model", t->folds);
    trace_put_origin(d, graph_document(g), t->server_name, t->server_fingerprint);
    return d;
}

static enum st save_counts(const struct output *o, const struct typed_trace *t, struct err *err)
{
    struct count_row visits[HOPS_MAX * GPUS_MAX], feature[GPUS_MAX], fold[GPUS_MAX];
    int gpus = t->assignment.gpus, hops = t->workload.hops, cliques = t->assignment.cliques;
    uint64_t shape[3] = {(uint64_t)hops, (uint64_t)gpus, t->n},
             folds[4] = {(uint64_t)cliques, (uint64_t)t->folds, (uint64_t)(hops + 1), t->n};
    enum st st;
    for (int g = 0; g < gpus; g++) {
        feature[g] = count_row_wide(t->feature[g]);
        for (int h = 0; h < hops; h++) visits[h * gpus + g] = count_row_wide(t->visits[h][g]);
    }
    for (int c = 0; c < cliques; c++) fold[c] = (struct count_row){t->fold[c], sizeof *t->fold[c]};
    TRY(trace_save_counts(o, "visits.npy", "u4", 3, shape, visits, hops * gpus, err));
    TRY(trace_save_counts(o, "hotness_feature.npy", "u4", 2, shape + 1, feature, gpus, err));
    if (t->folds) TRY(trace_save_counts(o, "folds.npy", "u2", 4, folds, fold, cliques, err));
done:
    return st;
}

enum st typed_trace_save(const struct typed_trace *t, const struct graph *g, const char *path, struct err *err)
{
    struct output o = {0};
    char file[PATH_BYTES];
    doc *d = NULL;
    enum st st;
    TRY(output_directory(&o, path, "trace.json", err));
    TRY(save_counts(&o, t, err));
    TRY(trace_save_train(&o, &t->assignment, err));
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

static enum st read_document(const doc *d, const char *where, const struct graph *g, struct typed_trace *t,
                             struct err *err)
{
    enum st st;
    TRY(trace_check_graph(d, where, g->fingerprint, g->path, err));
    TRY(trace_read_assignment(d, where, &t->assignment, err));
    TRY(typed_workload_read(g, d, where, &t->workload, err));
    TRY(trace_read_size(d, where, &t->epochs, &t->line_bytes, err));
    TRY(trace_read_sums(d, where, t->assignment.cliques, t->n_tsum, err));
    trace_read_server(d, t->server_name, t->server_fingerprint);
done:
    return st;
}

static enum st load_counts(const char *path, struct typed_trace *t, struct err *err)
{
    enum st st;
    struct count_row fold[GPUS_MAX] = {{0}};
    uint64_t gpus = (uint64_t)t->assignment.gpus, hops = (uint64_t)t->workload.hops, shape[3] = {hops, gpus, t->n};
    TRY(trace_load_array(path, "visits.npy", "u4", 3, shape, &t->mapped[0], err));
    TRY(trace_load_array(path, "hotness_feature.npy", "u4", 2, shape + 1, &t->mapped[1], err));
    for (uint64_t i = 0; i < gpus; i++) {
        t->feature[i] = (const uint32_t *)t->mapped[1].data + i * t->n;
        for (uint64_t h = 0; h < hops; h++)
            t->visits[h][i] = (const uint32_t *)t->mapped[0].data + (h * gpus + i) * t->n;
    }
    if (t->epochs < 2) return ST_OK;
    TRY(trace_load_folds(path, t->assignment.cliques, t->epochs, (int)hops + 1, t->n, &t->mapped[2], &t->folds, fold,
                         err));
    if (t->folds) t->folds_per_epoch = trace_folds_per_epoch(t->epochs);
    for (int c = 0; c < t->assignment.cliques; c++) t->fold[c] = fold[c].data;
done:
    return st;
}

enum st typed_trace_load(const char *path, const struct graph *g, struct typed_trace *out, struct err *err)
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
    TRY(load_counts(path, t, err));
    TRY(trace_load_train(path, t->n, &t->assignment, err));
    *out = *t;
    memset(t, 0, sizeof *t);
done:
    doc_free(d);
    if (t) typed_trace_release(t);
    mem_free(t);
    return st;
}
