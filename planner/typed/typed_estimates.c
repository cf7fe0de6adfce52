#include "planner/typed/typed_estimates.h"

#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "planner/hotness/calibrated.h"

void typed_estimates_release(struct typed_estimates *e)
{
    mem_free(e->saved);
    mem_free(e->reads);
    memset(e, 0, sizeof *e);
}

struct work {
    const struct graph *rows;
    const struct trace *t;
    struct typed_vip vip;
    uint8_t *train; /* [n] 1 for training vertices of the clique */
    float *rate;    /* [largest type] */
    int clique, threads;
    enum rate_source source;
};

/* Rates of the vertices of one type: of features (hop -1), or of visits in a hop. Sets w->rate. */
static enum st rates_of(struct work *w, int type, int hop, struct err *err)
{
    const struct trace *t = w->t;
    const struct graph_type *x = &w->rows->type[type];
    struct calibrated_input c = {.n = x->count,
                                 .folds = t->folds,
                                 .prior = (hop < 0 ? w->vip.feature : w->vip.visits[hop]) + x->first,
                                 .train = w->train + x->first,
                                 .folds_per_epoch = t->folds_per_epoch,
                                 .threads = w->threads};
    if (w->source == RATE_VIP) {
        memcpy(w->rate, c.prior, x->count * sizeof *w->rate);
        return ST_OK;
    }
    if (w->source == RATE_CALIBRATED && t->folds >= 2) {
        for (int f = 0; f < t->folds; f++) c.fold[f] = count_row_from(trace_fold(t, w->clique, f, hop + 1), x->first);
        return calibrated_rates(&c, w->rate, err);
    }
    memset(w->rate, 0, x->count * sizeof *w->rate);
    for (int g = 0; g < t->assignment.gpus; g++) {
        if (t->assignment.clique_of[g] != w->clique) continue;
        const struct count_row row = count_row_from(hop < 0 ? t->feature[g] : t->visits[hop][g], x->first);
        for (uint64_t v = 0; v < x->count; v++) w->rate[v] += (float)count_at(row, v) / (float)t->epochs;
    }
    return ST_OK;
}

/* Adds the visits of one hop, whose rates are in w->rate, to the rows and edges of a relation. */
static void add_visits(const struct work *w, int relation, int hop, struct typed_estimates *e)
{
    const struct graph *g = w->rows;
    const struct graph_relation *r = &g->relation[relation];
    const struct row_table *edges = &w->rows->table[g->relations + g->types + relation];
    float *saved = e->saved + r->first_row, *reads = e->reads + r->first_row, *edge = e->reads + edges->first;
    uint32_t fanout = workload_fanout(&w->t->workload, relation, hop);
    uint64_t line = w->t->line_bytes;
#pragma omp parallel for num_threads(w->threads) schedule(dynamic, 4096) if (r->rows >= ROWS_PARALLEL)
    for (uint64_t v = 0; v < r->rows; v++) {
        uint64_t degree = relation_degree(r, v), at = (uint64_t)r->indptr[v],
                 pool = workload_pool(g, &w->t->workload, relation, v);
        if (!(w->rate[v] > 0)) continue;
        reads[v] += w->rate[v];
        saved[v] += w->rate[v] * (float)((double)cachelines_of_offsets(v, line) +
                                         estimates_lines_of(pool, degree, fanout, 4 * at, line));
        float each = pool > fanout ? w->rate[v] * (float)fanout / (float)pool : w->rate[v];
        for (uint64_t i = at; edges->row_bytes && i < at + degree; i++) edge[i] += each;
    }
}

static enum st add_hop(struct work *w, int type, int hop, struct typed_estimates *e, struct err *err)
{
    const struct graph_type *x = &w->rows->type[type];
    bool known = false;
    enum st st = ST_OK;
    for (int i = 0; i < x->into_count; i++) {
        if (!workload_fanout(&w->t->workload, x->into[i], hop)) continue;
        if (!known) TRY(rates_of(w, type, hop, err)); /* of all relations: they are visited together */
        known = true;
        add_visits(w, x->into[i], hop, e);
    }
done:
    return st;
}

static enum st add_features(struct work *w, int type, struct typed_estimates *e, struct err *err)
{
    const struct row_table *table = &w->rows->table[w->rows->relations + type];
    enum st st;
    TRY(rates_of(w, type, -1, err));
    memcpy(e->reads + table->first, w->rate, table->count * sizeof *w->rate);
done:
    return st;
}

/* What a read of each feature row saves. */
static void set_saved(const struct work *w, struct typed_estimates *e)
{
    for (int k = w->rows->relations; k < w->rows->tables; k++) {
        const struct row_table *table = &w->rows->table[k];
        if (!table->row_bytes) continue;
#pragma omp parallel for num_threads(w->threads) if (table->count >= ROWS_PARALLEL)
        for (uint64_t i = 0; i < table->count; i++)
            e->saved[table->first + i] = e->reads[table->first + i] *
                                         (float)graph_row_lines(w->rows, k, i, w->t->line_bytes);
    }
}

enum st typed_estimates_make(const struct graph *rows, const struct trace *t, int clique, enum rate_source source,
                             int threads, struct typed_estimates *out, struct err *err)
{
    struct work w = {.rows = rows, .t = t, .clique = clique, .threads = threads, .source = source};
    struct typed_estimates e = {0};
    const struct graph *g = rows;
    uint64_t largest = 0;
    enum st st = ST_OK;
    for (int i = 0; i < g->types; i++) largest = g->type[i].count > largest ? g->type[i].count : largest;
    NEW(e.saved, graph_items(rows), "estimates");
    NEW(e.reads, graph_items(rows), "estimates");
    NEW(w.train, g->n, "marks of training vertices");
    NEW(w.rate, largest, "rates");
    for (int i = 0; i < t->assignment.gpus; i++)
        for (uint64_t j = 0; t->assignment.clique_of[i] == clique && j < t->assignment.train_count[i]; j++)
            w.train[t->assignment.train[i][j]] = 1;
    TRY(typed_vip_make(g, &t->assignment, clique, &t->workload, threads, &w.vip, err));
    for (int i = 0; i < g->types; i++) {
        TRY(add_features(&w, i, &e, err));
        for (int h = 0; h < t->workload.hops; h++) TRY(add_hop(&w, i, h, &e, err));
    }
    set_saved(&w, &e);
    *out = e;
    memset(&e, 0, sizeof e);
done:
    typed_estimates_release(&e);
    typed_vip_release(&w.vip);
    mem_free(w.train);
    mem_free(w.rate);
    return st;
}
