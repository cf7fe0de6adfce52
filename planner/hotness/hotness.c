#include "planner/hotness/hotness.h"

#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "kernels/push.h"
#include "planner/hotness/estimates.h"
#include "traces/graph/graph_union.h"
#include "traces/recording/trace_rows.h"
#include "traces/recording/wide_counts.h"

/* ---- metrics ---- */

/* Rows of the kind that keys are wanted of. */
static uint64_t rows_of(const struct hotness_input *in) { return graph_kind_rows(in->graph, in->topology); }

static enum st degree_in(const struct hotness_input *in, uint64_t *key, struct err *err)
{
    (void)err;
    for (uint64_t v = 0; v < in->graph->n; v++) key[v] = graph_degree(in->graph, v);
    return ST_OK;
}

static enum st degree_out(const struct hotness_input *in, uint64_t *key, struct err *err)
{
    const struct graph *g = in->graph;
    OWNED_NEW(uint32_t, count, g->n, "degrees");
    PASS(in->kernels->count(in->threads, g->indices, g->m, g->n, count, err));
    for (uint64_t v = 0; v < g->n; v++) key[v] = count[v];
    return ST_OK;
}

/* Rows that list v over length of v's row, in steps of 2^-31; vertices with empty rows come first, by the number of
 * rows that list them. */
static enum st ratio(const struct hotness_input *in, uint64_t *key, struct err *err)
{
    enum st st = degree_out(in, key, err);
    for (uint64_t v = 0; v < in->graph->n && st == ST_OK; v++) {
        uint64_t length = graph_degree(in->graph, v);
        key[v] = length ? (key[v] << HOTNESS_RATIO_BITS) / length : key[v] ? key[v] | (uint64_t)1 << 63 : 0;
    }
    return st;
}

enum { FIXED_POINT_BITS = 62, DAMPING_PERMILLE = 850 };

static void start_rank(const struct graph *g, bool weighted, uint64_t *rank)
{
    uint64_t one = (uint64_t)1 << FIXED_POINT_BITS;
    for (uint64_t v = 0; v < g->n; v++) rank[v] = one / g->n;
    for (uint64_t i = 0; weighted && i < g->train_count; i++)
        rank[g->train[i]] = one / g->train_count; /* 1/N * N/|train| */
}

static void drop_indices(const void *of, uint64_t from, uint64_t to) { graph_drop_indices(of, from, to); }

enum st hotness_pagerank(const struct hotness_input *in, bool weighted, int rounds, uint64_t limit, uint64_t *rank,
                         int *taken, struct err *err)
{
    const struct graph *g = in->graph;
    enum st st = ST_OK;
    uint64_t one = (uint64_t)1 << FIXED_POINT_BITS;
    struct push *steps = NULL;
    *taken = 0;
    if (!g->n) return ST_OK;
    start_rank(g, weighted, rank);
    const struct pagerank_problem p = {.n = g->n,
                                       .indptr = g->indptr,
                                       .indices = g->indices,
                                       .base = one / 1000 * (1000 - DAMPING_PERMILLE) / g->n,
                                       .damping_permille = DAMPING_PERMILLE,
                                       .was_read = drop_indices,
                                       .of = g};
    TRY(push_open(in->kernels, in->threads, &p, &steps, err));
    TRY(push_iterate(steps, rounds, limit, rank, taken, err));
done:
    push_close(steps);
    return st;
}

static enum st rpagerank(const struct hotness_input *in, uint64_t *key, struct err *err)
{
    int taken;
    return hotness_pagerank(in, false, 100, ((uint64_t)1 << FIXED_POINT_BITS) / 10000000, key, &taken, err);
}

static enum st wrpagerank(const struct hotness_input *in, uint64_t *key, struct err *err)
{
    int taken;
    return hotness_pagerank(in, true, 5, 0, key, &taken, err);
}

static void presample_types(const struct hotness_input *in, uint64_t *key)
{
    const struct graph *g = in->graph;
    const struct trace *t = in->trace;
    memset(key, 0, rows_of(in) * sizeof *key);
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table table = graph_table(g, k);
        uint64_t *to = key + (in->topology ? table.first : table.first - g->topology_rows);
        if ((table.kind == ROWS_TOPOLOGY) != in->topology) continue;
        for (int i = 0; i < t->assignment.gpus; i++) {
            if (in->one_clique && t->assignment.clique_of[i] != in->clique) continue;
#pragma omp parallel for num_threads(in->threads) if (table.count >= ROWS_PARALLEL)
            for (uint64_t v = 0; v < table.count; v++)
                to[v] += in->topology ? trace_row_draws(t, g, table, v, i) : trace_row_reads(t, g, table, v, i);
        }
    }
}

static enum st presample(const struct hotness_input *in, uint64_t *key, struct err *err)
{
    enum st st = ST_OK;
    const struct trace *t = in->trace;
    struct count_row rows[GPUS_MAX];
    struct wide_counts wide = {{NULL}, NULL};
    int count = 0;
    if (!graph_plain(in->graph)) {
        presample_types(in, key);
        return ST_OK;
    }
    for (int g = 0; g < t->assignment.gpus; g++)
        if (!in->one_clique || t->assignment.clique_of[g] == in->clique)
            rows[count++] = in->topology ? t->topology[g] : t->feature[g];
    uint64_t n = in->graph->n, stretch = wide_counts_are(rows, count) ? n : TRACE_STRETCH;
    for (uint64_t from = 0, to; from < n; from = to) { /* copies of a stretch, not of all rows */
        to = n - from < stretch ? n : from + stretch;
        TRY(wide_counts_make(rows, count, from, to, in->threads, &wide, err));
        TRY(in->kernels->column_sum(in->threads, wide.row, count, to - from, key + from, err));
        wide_counts_release(&wide);
    }
done:
    wide_counts_release(&wide);
    return st;
}

/* Rates per epoch to integers: sums of cliques stay exact, and the order is that of the floats down to 2^-24. */
static void add_rates(const float *rate, uint64_t n, uint64_t *key)
{
    for (uint64_t v = 0; v < n; v++) key[v] += rate[v] > 0 ? (uint64_t)((double)rate[v] * 0x1p24) : 0;
}

/* Keys of vertices' rates: of feature rows, or (visits) of the topology rows in one hop. edges: visits again, of the
 * edges that are drawn. */
static enum st add_vertex_rates(const struct hotness_input *in, int hop, const float *rate, uint64_t *key,
                                struct err *err)
{
    const struct graph *g = in->graph;
    const struct workload *w = &in->trace->workload;
    if (hop < 0) add_rates(rate, g->n, key);
    for (int r = 0; hop >= 0 && in->topology && r < graph_relation_count(g); r++) {
        const struct graph_csr csr = graph_csr(g, r);
        if (workload_fanout(w, r, hop)) add_rates(rate + csr.first_target, csr.rows, key + csr.first_row);
    }
    if (hop < 0 || in->topology || !g->edge_rows) return ST_OK;
    OWNED_NEW(float, edges, g->edge_rows, "rates of rows");
    estimates_spread(g, w, hop, rate, in->threads, edges);
    add_rates(edges, g->edge_rows, key + g->n);
    return ST_OK;
}

static enum st vip(const struct hotness_input *in, uint64_t *key, struct err *err)
{
    OWNED_BY(vip_release) struct vip p = {0};
    const struct workload *w = &in->trace->workload;
    if (!vip_knows(w))
        return err_set(err, ST_USAGE, "hotness vip: has no formula for sampler %s; take calibrated or presample",
                       sampler_name(w->sampler));
    enum st st = vip_compute(in->graph, &in->trace->assignment, in->one_clique ? in->clique : -1, w, in->kernels,
                             in->threads, &p, err);
    if (st != ST_OK) return st;
    memset(key, 0, rows_of(in) * sizeof *key);
    if (!in->topology) TRY(add_vertex_rates(in, -1, p.feature, key, err));
    for (int h = 0; h < w->hops; h++) TRY(add_vertex_rates(in, h, p.visits[h], key, err));
done:
    return st;
}

static enum st calibrated(const struct hotness_input *in, uint64_t *key, struct err *err)
{
    OWNED_BY(visit_costs_release) struct visit_costs costs = {{NULL}};
    memset(key, 0, rows_of(in) * sizeof *key);
    if (in->trace->folds < 2)
        return err_set(err, ST_INPUT,
                       "hotness calibrated: the trace has no folds to calibrate with; record one with 'hotset trace "
                       "record'");
    PASS(visit_costs_make(in->graph, NULL, in->trace, in->trace->line_bytes, in->threads, &costs, err));
    for (int c = 0; c < in->trace->assignment.cliques; c++) {
        struct estimates e = {0};
        struct estimates_input i = {.graph = in->graph,
                                    .trace = in->trace,
                                    .kernels = in->kernels,
                                    .costs = &costs,
                                    .clique = c,
                                    .threads = in->threads,
                                    .line_bytes = in->trace->line_bytes};
        if (in->one_clique && c != in->clique) continue;
        PASS(estimates_make(&i, &e, err));
        add_rates(in->topology ? e.visits : e.rows, rows_of(in), key);
        estimates_release(&e);
    }
    return ST_OK;
}

static enum st random_order(const struct hotness_input *in, uint64_t *key, struct err *err)
{
    enum { STREAM_RANDOM = 0x72616e64 };
    (void)err;
    for (uint64_t v = 0; v < rows_of(in); v++) key[v] = rng_hash(in->seed, STREAM_RANDOM, v);
    return ST_OK;
}

const struct hotness hotness_all[] =
    {{"degree-in", "length of v's row (Quiver, DSP)", false, degree_in},
     {"degree-out", "number of rows that list v (PaGraph, Data Tiering)", false, degree_out},
     {"ratio", "rows that list v over length of v's row (AliGraph's importance)", false, ratio},
     {"rpagerank", "reverse PageRank, d = 0.85, until the L1 change is below 1e-7, at most 100 steps", false,
      rpagerank},
     {"wrpagerank", "weighted reverse PageRank, 5 steps from training vertices (Data Tiering)", false, wrpagerank},
     {"presample", "mini-batches of pre-sampling that read v (GNNLab, Legion)", true, presample},
     {"vip", "analytic inclusion probability, from training vertices, fan-outs and degrees (SALIENT++)", true, vip},
     {"calibrated", "expected mini-batches per epoch that read v, estimated leave-one-out from the trace's folds", true,
      calibrated},
     {"random", "a pseudo-random order, as a baseline", false, random_order},
     {0}};

const struct hotness *hotness_find(const char *name)
{
    for (const struct hotness *h = hotness_all; h->name; h++)
        if (!strcmp(h->name, name)) return h;
    return NULL;
}

enum st hotness_check(const char *name, struct err *err)
{
    const char *names[33] = {0};
    if (hotness_find(name)) return ST_OK;
    for (int i = 0; i < 32 && hotness_all[i].name; i++) names[i] = hotness_all[i].name;
    const char *near = text_nearest(name, names);
    return err_set(err, ST_USAGE, "--hotness: '%.60s' is not known%s%s%s; 'hotset list hotness' shows them", name,
                   near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* A metric that needs no trace: keys of the vertices of all types as one graph. A topology row has that of its vertex.
 */
static enum st union_keys(const struct hotness *h, const struct hotness_input *in, uint64_t *key, struct err *err)
{
    OWNED_BY(graph_union_release) struct graph_union u = {.indptr = NULL};
    const struct graph *g = in->graph;
    struct hotness_input joined = *in;
    PASS(graph_connections_of(g, &u, &joined.graph, err));
    OWNED_NEW(uint64_t, vertex, g->n, "hotness");
    PASS(h->compute(&joined, vertex, err));
    memset(key, 0, rows_of(in) * sizeof *key);
    for (int k = 0; k < g->relations && in->topology; k++)
        memcpy(key + g->table[k].first, vertex + trace_first_vertex(g, g->table[k]), g->table[k].count * sizeof *key);
    if (!in->topology) memcpy(key, vertex, g->n * sizeof *key);
    return ST_OK;
}

enum st hotness_keys(const char *name, const struct hotness_input *in, uint64_t *key, struct err *err)
{
    enum st st = ST_OK;
    const struct hotness *h = hotness_find(name);
    TRY(hotness_check(name, err)); /* a policy may name one that is not there */
    BUG_IF(h->needs_trace && !in->trace);
    bool connections = !h->needs_trace && h->compute != random_order;
    st = connections && !graph_plain(in->graph) ? union_keys(h, in, key, err) : h->compute(in, key, err);
done:
    return st;
}

enum st hotness_order(const char *name, const struct hotness_input *in, uint32_t *order, struct err *err)
{
    OWNED_NEW(uint64_t, key, rows_of(in), "hotness");
    PASS(hotness_keys(name, in, key, err));
    return in->kernels->sort_hottest(in->threads, key, in->graph->n, order, err);
}
