/* trace_file.c - trace directories: save, load, check (declared in trace.h).
 *
 * trace/2, of graphs with several types, has no hotness_topology.npy, and in folds.npy the visits before the
 * mini-batches.
 */
#include <string.h>

#include "base/folder.h"
#include "base/mem.h"
#include "traces/sampling/seeds.h"
#include "traces/recording/trace.h"

/* ---- saving ---- */

static doc *trace_document(const struct trace *t, const struct graph *g)
{
    const struct assignment *a = &t->assignment;
    doc *batches = doc_array();
    for (int i = 0; i < a->gpus; i++)
        doc_append(batches, doc_integer((int64_t)seeds_batches(&t->workload, g, a->train[i], a->train_count[i])));
    doc *d = trace_begin_document(trace_schema(g), a, t->epochs, batches);
    workload_put(g, &t->workload, d);
    trace_put_sums(d, a->cliques, t->line_bytes, t->n_tsum, t->n_tsum_source, t->folds);
    if (t->epochs_for_error) {
        doc *enough = doc_object();
        doc_put(enough, "error", doc_real(t->error));
        doc_put(enough, "epochs", doc_integer((int64_t)t->epochs_for_error));
        doc_put(d, "epochs_for_error", enough);
    }
    trace_put_origin(d, graph_document(g), t->server_name, t->server_fingerprint);
    return d;
}

/* folds.npy: [cliques, folds, 1 + hops, n]. */
static enum st save_folds(const struct output *o, const struct trace *t, const struct graph *g, struct err *err)
{
    int cliques = t->assignment.cliques, hops = t->workload.hops, count = 0;
    uint64_t shape[4] = {(uint64_t)cliques, (uint64_t)t->folds, (uint64_t)(1 + hops), t->n};
    OWNED_NEW(struct count_row, rows, shape[0] * shape[1] * shape[2], "the folds of a trace");
    for (int c = 0; c < cliques; c++)
        for (int f = 0; f < t->folds; f++)
            for (int q = 0; q <= hops; q++)
                rows[count++] = trace_fold(t, c, f, graph_plain(g) ? q : q < hops ? q + 1 : 0);
    return trace_save_counts(o, "folds.npy", "u2", 4, shape, rows, count, err);
}

static enum st save_counts(const struct output *o, const struct trace *t, const struct graph *g, struct err *err)
{
    int gpus = t->assignment.gpus, hops = t->workload.hops;
    uint64_t shape[3] = {(uint64_t)hops, (uint64_t)gpus, t->n};
    OWNED_NEW(struct count_row, visits, hops * gpus + 1, "counts by hop");
    for (int i = 0; i < gpus; i++)
        for (int h = 0; h < hops; h++) visits[h * gpus + i] = t->visits[h][i];
    if (graph_plain(g)) PASS(trace_save_counts(o, "hotness_topology.npy", "u4", 2, shape + 1, t->topology, gpus, err));
    PASS(trace_save_counts(o, "hotness_feature.npy", "u4", 2, shape + 1, t->feature, gpus, err));
    PASS(trace_save_counts(o, "visits.npy", "u4", 3, shape, visits, hops * gpus, err));
    if (t->folds) PASS(save_folds(o, t, g, err));
    return ST_OK;
}

enum st trace_save(const struct trace *t, const struct graph *g, const char *path, struct err *err)
{
    ON_HEAP(struct output, o);
    char file[PATH_BYTES];
    doc *d = NULL;
    enum st st;
    TRY(output_directory(o, path, err));
    TRY(save_counts(o, t, g, err));
    TRY(trace_save_train(o, &t->assignment, err));
    TRY(output_path(o, "trace.json", file, err));
    d = trace_document(t, g);
    TRY(doc_save(d, file, err));
    TRY(output_commit(o, err));
done:
    doc_free(d);
    output_abort(o);
    return st;
}

/* ---- loading ---- */

/* The circle of a GPU. A trace in BFS order may lack it: the sampler finds it again. */
static enum st load_circle(const char *folder, struct trace *t, int g, struct err *err)
{
    enum st st;
    char name[TRACE_NAME_BYTES], path[PATH_BYTES];
    uint64_t any = UINT64_MAX;
    struct npy a = {0};
    snprintf(name, sizeof name, "order_gpu%d.npy", t->assignment.id[g]);
    TRY(path_join(path, folder, name, err));
    if (t->workload.order == ORDER_SHUFFLE || (t->workload.order == ORDER_BFS && !file_exists(path))) return ST_OK;
    TRY(trace_load_array(folder, name, "u4", 1, &any, &a, err));
    st = assignment_set_circle(&t->assignment, g, a.data, a.count, path, err);
done:
    npy_release(&a);
    return st;
}

static enum st load_document(const doc *d, const char *where, const struct graph *g, struct trace *t, struct err *err)
{
    const char *source = NULL;
    PASS(trace_check_graph(d, where, g->fingerprint, g->path, err));
    PASS(trace_read_assignment(d, where, &t->assignment, err));
    PASS(workload_read(g, d, where, &t->workload, err));
    PASS(trace_read_size(d, where, &t->epochs, &t->line_bytes, err));
    PASS(trace_read_sums(d, where, t->assignment.cliques, t->n_tsum, err));
    PASS(doc_need_text(d, "n_tsum_source", where, &source, err));
    if (strcmp(source, "model") && strcmp(source, "pcm"))
        return err_set(err, ST_INPUT, "%s: \"n_tsum_source\" is \"%.20s\", expected \"model\" or \"pcm\"", where,
                       source);
    snprintf(t->n_tsum_source, sizeof t->n_tsum_source, "%.15s", source);
    trace_read_server(d, t->server_name, t->server_fingerprint);
    return ST_OK;
}

static enum st load_counts(const char *path, const struct graph *g, struct trace *t, struct err *err)
{
    uint64_t gpus = (uint64_t)t->assignment.gpus, shape[3] = {(uint64_t)t->workload.hops, gpus, t->n};
    if (graph_plain(g)) PASS(trace_load_array(path, "hotness_topology.npy", "u4", 2, shape + 1, &t->mapped[0], err));
    PASS(trace_load_array(path, "hotness_feature.npy", "u4", 2, shape + 1, &t->mapped[1], err));
    PASS(trace_load_array(path, "visits.npy", "u4", 3, shape, &t->mapped[2], err));
    if (graph_plain(g) || t->epochs > 1)
        PASS(trace_load_folds(path, t->assignment.cliques, t->epochs, 1 + t->workload.hops, t->n, &t->mapped[3],
                              &t->folds, t->fold, err));
    if (t->folds) t->folds_per_epoch = trace_folds_per_epoch(t->epochs);
    t->visits_first = !graph_plain(g);
    const uint32_t *cells[3];
    for (int i = 0; i < 3; i++) cells[i] = t->mapped[i].data;
    for (uint64_t i = 0; i < gpus; i++) {
        if (cells[0]) t->topology[i] = count_row_wide(cells[0] + i * t->n);
        t->feature[i] = count_row_wide(cells[1] + i * t->n);
        for (int h = 0; h < t->workload.hops; h++)
            t->visits[h][i] = count_row_wide(cells[2] + ((uint64_t)h * gpus + i) * t->n);
    }
    return ST_OK;
}

enum st trace_load(const char *path, const struct graph *g, struct trace *out, struct err *err)
{
    ON_HEAP(struct trace, t);
    *t = (struct trace){.n = g->n};
    char where[PATH_BYTES];
    doc *d = NULL;
    enum st st;
    TRY(folder_document(where, path, "trace.json", err));
    TRY(doc_load(where, trace_schema(g), &d, err));
    TRY(load_document(d, where, g, t, err));
    TRY(load_counts(path, g, t, err));
    TRY(trace_load_train(path, t->n, &t->assignment, err));
    for (int i = 0; i < t->assignment.gpus; i++) TRY(load_circle(path, t, i, err));
    *out = *t;
    memset(t, 0, sizeof *t);
done:
    doc_free(d);
    trace_release(t);
    return st;
}
