#include "planner/engine/misses.h"

#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "planner/hotness/reader_shares.h"
#include "traces/recording/trace_rows.h"

enum st misses_new(const struct graph *g, struct misses *m, struct err *err)
{
    MAKE(m->topology, graph_topology_rows(g), "the look-up of a prediction");
    MAKE(m->feature, graph_feature_rows(g), "the look-up of a prediction");
    return ST_OK;
}

void misses_release(struct misses *m)
{
    mem_free(m->topology);
    mem_free(m->feature);
    memset(m, 0, sizeof *m);
}

/* True when all GPUs of the clique read from the clique and from nobody else. *readers: its GPUs. */
static bool misses_shared(const struct plan *plan, int clique, uint64_t *readers)
{
    const struct assignment *a = &plan->assignment;
    bool alike = true;
    *readers = 0;
    for (int g = 0; g < a->gpus; g++) *readers += a->clique_of[g] == clique;
    for (int g = 0; g < a->gpus; g++) {
        if (a->clique_of[g] != clique) continue;
        alike &= (uint64_t)plan->placement.peers[g] == *readers - 1;
        for (int i = 0; i < plan->placement.peers[g]; i++) alike &= a->clique_of[plan->placement.peer[g][i]] == clique;
    }
    return alike;
}

/* Which rows of one kind the readers of a clique miss. */
struct marks {
    uint64_t *bits[GPUS_MAX]; /* of reader i, a bit per row of a kind; owned */
    int reader[GPUS_MAX], readers;
};

static void marks_release(struct marks *k)
{
    for (int i = 0; i < k->readers; i++) mem_free(k->bits[i]);
}

static enum st marks_make(const struct plan *plan, int clique, bool trainers, bool alike, uint64_t n, struct marks *k,
                          struct err *err)
{
    const struct assignment *a = &plan->assignment;
    for (int g = 0; g < a->gpus; g++) {
        if (a->clique_of[g] != clique || (trainers && !a->train_count[g]) || (alike && k->readers)) continue;
        k->reader[k->readers] = g;
        MAKE(k->bits[k->readers], n / 64 + 1, "marks of rows that are missed");
        k->readers++;
    }
    return ST_OK;
}

static void mark(const uint8_t *at, uint64_t n, int threads, uint64_t *bits)
{
#pragma omp parallel for num_threads(threads)
    for (uint64_t word = 0; word <= n / 64; word++) {
        uint64_t end = n - 64 * word < 64 ? n - 64 * word : 64, set = 0;
        for (uint64_t i = 0; i < end; i++) set |= (uint64_t)!at[64 * word + i] << i;
        bits[word] = set;
    }
}

/* The shares of those that miss row v, added up. */
static uint32_t missed_by(const struct marks *k, uint64_t v, const struct graph *g, const struct trace *t,
                          const struct reader_rates *rates, int clique, bool topology)
{
    uint64_t count[GPUS_MAX], any = 0;
    uint32_t share[GPUS_MAX], sum = 0;
    for (int i = 0; i < k->readers; i++) any |= k->bits[i][v / 64] >> v % 64 & 1;
    if (!any) return 0;
    if (t) reader_shares_counted(t, rates, clique, topology, count, reader_counts(g, t, topology, v, count), share);
    for (int i = 0; i < k->readers; i++)
        if (k->bits[i][v / 64] >> v % 64 & 1) sum += t ? share[k->reader[i]] : 1;
    return sum;
}

/* t: NULL: a share of 1 each. One pass for all readers: their shares follow from the same counts, which may have to
 * come from a disk; in stretches, so that not all of them lie in memory. */
static void add_up(const struct marks *k, uint64_t n, const struct graph *g, const struct trace *t,
                   const struct reader_rates *rates, int clique, bool topology, int threads, uint16_t *missed)
{
    for (uint64_t from = 0; from < n; from += TRACE_STRETCH) {
        uint64_t to = n - from < TRACE_STRETCH ? n : from + TRACE_STRETCH;
#pragma omp parallel for num_threads(threads)
        for (uint64_t v = from; v < to; v++) missed[v] = (uint16_t)missed_by(k, v, g, t, rates, clique, topology);
        if (t) trace_drop_pages(t);
    }
}

enum st misses_find(const struct graph *g, const struct plan *plan, const struct trace *t, int clique,
                    const struct reader_rates *rates, bool trainers, int threads, uint8_t *at, struct misses *m,
                    struct err *err)
{
    const struct placement *p = &plan->placement;
    OWNED_BY(marks_release) struct marks k = {0};
    uint64_t all;
    bool alike = misses_shared(plan, clique, &all), even = alike || !rates;
    PASS(marks_make(plan, clique, trainers, alike, graph_most_rows(g), &k, err));
    for (int topology = 0; topology < 2; topology++) {
        uint64_t rows = graph_kind_rows(g, topology);
        for (int i = 0; i < k.readers; i++) {
            placement_locate(p, k.reader[i], topology ? p->topology : p->feature, rows, at);
            mark(at, rows, threads, k.bits[i]);
        }
        add_up(&k, rows, g, even ? NULL : t, rates, clique, topology, threads, topology ? m->topology : m->feature);
    }
    m->all = !k.readers ? 0 : even ? (uint64_t)k.readers : READER_UNITS;
    return ST_OK;
}

/* What a fold of a clique leaves of one table, in units of 2^-10 transactions and 1 / m->all. */
struct fold {
    const struct graph *g;
    const struct trace *t;
    const struct visit_costs *costs;
    const struct misses *m;
    int clique, fold, threads;
};

/* Counts of a quantity of the table's vertices; none where a relation is not drawn from. */
static struct count_row counts_of(const struct fold *f, const struct row_table *table, int quantity)
{
    const struct count_row none = {NULL, 0};
    if (quantity && !workload_fanout(&f->t->workload, table->of, quantity - 1)) return none;
    return count_row_from(trace_fold(f->t, f->clique, f->fold, quantity), trace_first_vertex(f->g, *table));
}

static uint64_t left_of_features(const struct fold *f, const struct row_table *table)
{
    const struct count_row rows = counts_of(f, table, 0);
    const uint16_t *missed = f->m->feature + (table->first - graph_topology_rows(f->g));
    uint64_t sum = 0;
#pragma omp parallel for num_threads(f->threads) reduction(+ : sum)
    for (uint64_t v = 0; v < table->count; v++)
        if (missed[v] && count_at(rows, v))
            sum += (uint64_t)missed[v] *
                       ((uint64_t)count_at(rows, v) * cachelines_of_feature(v, table->row_bytes, f->t->line_bytes))
                   << 10;
    return sum;
}

static uint64_t left_of_topology(const struct fold *f, const struct row_table *table)
{
    const struct count_row rows = counts_of(f, table, 0); /* a vertex that is visited is read */
    struct count_row seen[HOPS_MAX];
    int hops = f->t->workload.hops;
    uint64_t sum = 0;
    for (int h = 0; h < hops; h++) seen[h] = counts_of(f, table, 1 + h);
#pragma omp parallel for num_threads(f->threads) reduction(+ : sum)
    for (uint64_t v = 0; v < table->count; v++)
        for (int h = 0; h < hops && f->m->topology[table->first + v] && count_at(rows, v); h++)
            sum += f->m->topology[table->first + v] *
                   (uint64_t)((float)count_at(seen[h], v) * f->costs->cost[h][table->first + v] * 1024);
    return sum;
}

/* Edges are gathered as often as visits of their row are expected to draw them. */
static uint64_t left_of_edges(const struct fold *f, const struct row_table *table)
{
    const struct row_table rows = graph_table(f->g, table->of);
    const struct graph_relation *r = &f->g->relation[table->of];
    const uint16_t *missed = f->m->feature + (table->first - graph_topology_rows(f->g));
    struct count_row seen[HOPS_MAX];
    int hops = f->t->workload.hops;
    uint64_t sum = 0;
    for (int h = 0; h < hops; h++) seen[h] = counts_of(f, &rows, 1 + h);
#pragma omp parallel for num_threads(f->threads) reduction(+ : sum)
    for (uint64_t v = 0; v < r->rows; v++) {
        double each = 0;
        for (int h = 0; h < hops && relation_degree(r, v); h++)
            each += count_at(seen[h], v) * workload_mean_draws(f->g, &f->t->workload, table->of, h, v) /
                    (double)relation_degree(r, v);
        for (uint64_t e = (uint64_t)r->indptr[v]; each > 0 && e < (uint64_t)r->indptr[v + 1]; e++)
            sum += missed[e] *
                   (uint64_t)(each * (double)cachelines_of_feature(e, table->row_bytes, f->t->line_bytes) * 1024);
    }
    return sum;
}

static uint64_t (*const left_of[ROWS_KINDS])(const struct fold *f, const struct row_table *x) = {left_of_topology,
                                                                                                 left_of_features,
                                                                                                 left_of_edges};

void misses_by_fold(const struct graph *g, const struct trace *t, const struct visit_costs *costs, int clique,
                    const struct misses *m, int threads, uint64_t *left)
{
    for (int f = 0; f < t->folds; f++) {
        const struct fold one = {g, t, costs, m, clique, f, threads};
        uint64_t sum = 0;
        for (int k = 0; k < graph_tables(g); k++) {
            const struct row_table table = graph_table(g, k);
            if (graph_table_there(g, k)) sum += left_of[table.kind](&one, &table);
        }
        left[f] += sum / m->all;
        trace_drop_pages(t);
    }
}
