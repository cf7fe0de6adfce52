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
#include "traces/recording/trace_fields.h"

/* ---- saving ---- */

static const struct field *fields_of(const struct graph *g) { return graph_plain(g) ? trace_fields_1 : trace_fields_2; }

/* What the table of keys does not hold, in no order. */
static doc *rest_of(const struct trace *t, const struct graph *g)
{
    const struct assignment *a = &t->assignment;
    doc *rest = doc_object(), *gpus = doc_array(), *batches = doc_array();
    for (int i = 0; i < a->gpus; i++) {
        doc_append(gpus, doc_integer(a->id[i]));
        doc_append(batches, doc_integer((int64_t)seeds_batches(&t->workload, g, a->train[i], a->train_count[i])));
    }
    doc_put(rest, "schema", doc_text(trace_schema(g)));
    doc_put(rest, "gpus", gpus);
    doc_put(rest, "cliques", assignment_cliques_document(a));
    doc_put(rest, "assignment", doc_text(assignment_name(a->kind)));
    if (a->uneven) doc_put(rest, "uneven", doc_bool(true));
    doc_put(rest, "partition", doc_text(*a->partition ? a->partition : NULL));
    doc_put(rest, "batches", batches);
    workload_put(g, &t->workload, rest);
    doc_put(rest, "n_tsum_source", doc_text(t->n_tsum_source));
    doc_put(rest, "folds", doc_integer(t->folds));
    if (t->epochs_for_error) {
        doc *enough = doc_object();
        doc_put(enough, "error", doc_real(t->error));
        doc_put(enough, "epochs", doc_integer((int64_t)t->epochs_for_error));
        doc_put(rest, "epochs_for_error", enough);
    }
    doc_put(rest, "graph", graph_document(g));
    return rest;
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
    OWNED_DOC doc *d = doc_object(), *rest = NULL;
    enum st st;
    TRY(output_directory(o, path, err));
    TRY(save_counts(o, t, g, err));
    TRY(trace_save_train(o, &t->assignment, err));
    TRY(output_path(o, "trace.json", file, err));
    rest = rest_of(t, g);
    fields_put(fields_of(g), t, rest, d);
    if (!doc_whole(rest)) doc_put(d, "schema", NULL); /* the loss is that of the document */
    TRY(doc_save(d, file, err));
    TRY(output_commit(o, err));
done:
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

/* The graph must be the one that was recorded, where both fingerprints are known. */
static enum st check_graph(const doc *d, const char *where, const struct graph *g, struct err *err)
{
    const char *stated = doc_text_value(doc_get(doc_get(d, "graph"), "fingerprint"), "");
    if (!*g->fingerprint || !strcmp(stated, g->fingerprint)) return ST_OK;
    if (*stated)
        return err_set(err, ST_INPUT,
                       "%s: was recorded on another graph (fingerprint %.24s.., %s has %.24s..); name that one with "
                       "--graph, or record it again with 'hotset trace record'",
                       where, stated, g->path, g->fingerprint);
    if (graph_plain(g)) return ST_OK; /* hotset alone writes trace/2 */
    return err_set(err, ST_INPUT,
                   "%s: \"graph\" states no \"fingerprint\", so it may be of another graph; record it again with "
                   "'hotset trace record'",
                   where);
}

static enum st load_document(const doc *d, const char *where, const struct graph *g, struct trace *t, struct err *err)
{
    struct assignment *a = &t->assignment;
    uint64_t sums = doc_size(doc_get(d, "n_tsum"));
    PASS(fields_read(fields_of(g), d, where, t, err));
    PASS(check_graph(d, where, g, err));
    PASS(assignment_read_groups(doc_get(d, "gpus"), doc_get(d, "cliques"), where, a, err));
    a->kind = assignment_kind_of(doc_text_value(doc_get(d, "assignment"), ""));
    a->uneven = doc_bool_value(doc_get(d, "uneven"), false);
    snprintf(a->partition, sizeof a->partition, "%.15s", doc_text_value(doc_get(d, "partition"), ""));
    snprintf(t->n_tsum_source, sizeof t->n_tsum_source, "%s", doc_text_value(doc_get(d, "n_tsum_source"), ""));
    if (t->line_bytes % 4) /* n_tsum counts such lines */
        return err_set(err, ST_INPUT, "%s: \"cls\" must be a multiple of 4 bytes below 1 MiB", where);
    if (sums != (uint64_t)a->cliques)
        return err_set(err, ST_INPUT, "%s: \"n_tsum\" has %llu numbers for %d cliques", where, (unsigned long long)sums,
                       a->cliques);
    return workload_read(g, d, where, &t->workload, err);
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
