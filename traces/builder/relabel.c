#include "traces/builder/relabel.h"

#include <omp.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "traces/builder/name_table.h"

/* The new graph while it is made. */
struct relabel {
    const struct graph *g;
    const uint32_t *old_of;
    const struct graph_names *names;
    uint32_t *new_of, *indices;
    int64_t *indptr;
    float *weights;
    int64_t *edge_times, *vertex_times;
    uint64_t *pairs; /* [threads][longest row] only with weights or times of edges */
    uint64_t longest;
    int threads;
    struct csr_result csr;
};

static enum st number(struct relabel *r, struct err *err)
{
    uint64_t n = r->g->n;
    MAKE(r->new_of, n, "new ids");
    MAKE(r->indptr, n + 1, "row offsets");
    for (uint64_t i = 0; i < n; i++) {
        uint64_t length = graph_degree(r->g, r->old_of[i]);
        r->new_of[r->old_of[i]] = (uint32_t)i;
        r->indptr[i + 1] = r->indptr[i] + (int64_t)length;
        if (length > r->longest) r->longest = length;
    }
    return ST_OK;
}

/* Row i with its weights and times: sorted as pairs of new id and place. */
static void weighted_row(struct relabel *r, uint64_t i, const int64_t *from, uint64_t *pairs)
{
    uint64_t length = (uint64_t)(r->indptr[i + 1] - r->indptr[i]);
    for (uint64_t k = 0; k < length; k++) pairs[k] = (uint64_t)r->new_of[r->g->indices[*from + (int64_t)k]] << 32 | k;
    qsort(pairs, length, sizeof *pairs, order_u64);
    for (uint64_t k = 0; k < length; k++) {
        r->indices[r->indptr[i] + (int64_t)k] = (uint32_t)(pairs[k] >> 32);
        const int64_t old = *from + (int64_t)(pairs[k] & UINT32_MAX);
        if (r->weights) r->weights[r->indptr[i] + (int64_t)k] = r->g->weights[old];
        if (r->edge_times) r->edge_times[r->indptr[i] + (int64_t)k] = r->g->edge_times[old];
    }
}

/* Returns whether the row lists its own vertex. */
static bool plain_row(struct relabel *r, uint64_t i, const int64_t *from)
{
    uint64_t length = (uint64_t)(r->indptr[i + 1] - r->indptr[i]);
    uint32_t *row = &r->indices[r->indptr[i]], self = (uint32_t)i;
    for (uint64_t k = 0; k < length; k++) row[k] = r->new_of[r->g->indices[*from + (int64_t)k]];
    qsort(row, length, sizeof *row, order_u32);
    return bsearch(&self, row, length, sizeof *row, order_u32) != NULL;
}

static enum st fill_rows(struct relabel *r, struct err *err)
{
    uint64_t n = r->g->n, loops = 0;
    MAKE(r->indices, r->g->m, "neighbours");
    if (r->g->weights) MAKE(r->weights, r->g->m, "weights");
    if (r->g->edge_times) MAKE(r->edge_times, r->g->m, "times of arcs");
    if (r->weights || r->edge_times) MAKE(r->pairs, r->longest * (uint64_t)r->threads, "rows with weights or times");
#pragma omp parallel num_threads(r->threads) reduction(+ : loops)
    {
        uint64_t *pairs = r->pairs ? r->pairs + r->longest * (uint64_t)omp_get_thread_num() : NULL;
#pragma omp for schedule(dynamic, 512)
        for (uint64_t i = 0; i < n; i++) {
            const int64_t *from = &r->g->indptr[r->old_of[i]];
            loops += plain_row(r, i, from);
            if (pairs) weighted_row(r, i, from, pairs);
        }
    }
    r->csr = (struct csr_result){.m = r->g->m, .self_loops = loops};
    return ST_OK;
}

static enum st write_arrays(const struct relabel *r, const struct output *to, struct err *err)
{
    char path[PATH_BYTES];
    uint64_t n = r->g->n, rows = n + 1, m = r->g->m;
    PASS(output_path(to, "indptr.npy", path, err));
    PASS(npy_save(path, "i8", 1, &rows, r->indptr, err));
    PASS(output_path(to, "indices.npy", path, err));
    PASS(npy_save(path, "u4", 1, &m, r->indices, err));
    PASS(output_path(to, "relabel.npy", path, err));
    PASS(npy_save(path, "u4", 1, &n, r->old_of, err));
    PASS(name_table_permuted(r->names, r->old_of, n, -1, to, err));
    if (r->weights) {
        PASS(output_path(to, "weights.npy", path, err));
        PASS(npy_save(path, "f4", 1, &m, r->weights, err));
    }
    if (!r->edge_times) return ST_OK;
    PASS(output_path(to, "edge_times.npy", path, err));
    return npy_save(path, "i8", 1, &m, r->edge_times, err);
}

/* Training, validation or test vertices under their new ids. */
static enum st map_set(const struct relabel *r, const uint32_t *ids, uint64_t count, struct train_set *out,
                       struct err *err)
{
    MAKE(out->ids, count, "vertices of a set");
    out->count = count;
    for (uint64_t i = 0; i < count; i++) out->ids[i] = r->new_of[ids[i]];
    if (count) qsort(out->ids, count, sizeof *out->ids, order_u32);
    return ST_OK;
}

static enum st map_times(struct relabel *r, struct graph_facts *facts, struct err *err)
{
    facts->edge_times = r->edge_times != NULL;
    facts->times_fine = r->g->time_unit > 0 && r->g->time_unit < 1;
    if (!r->g->vertex_times) return ST_OK;
    MAKE(r->vertex_times, r->g->n, "times of vertices");
    for (uint64_t i = 0; i < r->g->n; i++) r->vertex_times[i] = r->g->vertex_times[r->old_of[i]];
    facts->vertex_times = r->vertex_times;
    return ST_OK;
}

static enum st map_labels(const struct relabel *r, const struct graph_sets *sets, struct label_list *out,
                          struct err *err)
{
    if (!sets->labels) return ST_OK;
    MAKE(out->label, r->g->n, "labels");
    for (uint64_t i = 0; i < r->g->n; i++) out->label[i] = sets->labels[r->old_of[i]];
    out->classes = sets->classes;
    out->labelled = sets->labelled;
    return ST_OK;
}

enum st relabel_graph(const struct graph *g, const struct graph_sets *sets, const uint32_t *old_of,
                      const struct graph_facts *facts, const char *path, int threads, struct graph_summary *summary,
                      struct err *err)
{
    enum st st;
    struct relabel r = {.g = g, .old_of = old_of, .threads = threads};
    struct graph_facts all = *facts;
    struct train_set set[VERTEX_SETS] = {{0}};
    struct label_list labels = {0};
    struct output to = {0};
    OWNED_BY(graph_names_close) struct graph_names names = {0};
    r.names = &names;
    TRY(graph_names_open(g, 0, threads, &names, err));
    all.name_bytes = names.total;
    TRY(output_directory(&to, path, err));
    TRY(number(&r, err));
    TRY(fill_rows(&r, err));
    TRY(map_set(&r, g->train, g->train_count, &set[SET_TRAIN], err));
    TRY(map_set(&r, sets->valid, sets->valid_count, &set[SET_VALID], err));
    TRY(map_set(&r, sets->test, sets->test_count, &set[SET_TEST], err));
    TRY(map_labels(&r, sets, &labels, err));
    TRY(map_times(&r, &all, err));
    all.valid = &set[SET_VALID];
    all.test = &set[SET_TEST];
    all.labels = &labels;
    TRY(write_arrays(&r, &to, err));
    TRY(graph_save(&to, g->n, &r.csr, &set[SET_TRAIN], &all, threads, summary, err));
    TRY(output_commit(&to, err));
done:
    output_abort(&to);
    for (int i = 0; i < VERTEX_SETS; i++) mem_free(set[i].ids);
    mem_free(labels.label);
    mem_free(r.new_of);
    mem_free(r.indptr);
    mem_free(r.indices);
    mem_free(r.weights);
    mem_free(r.edge_times);
    mem_free(r.vertex_times);
    mem_free(r.pairs);
    return st;
}
