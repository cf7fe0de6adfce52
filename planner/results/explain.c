#include "planner/results/explain.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/policies/density.h"
#include "planner/hotness/hotness.h"

/* The order of one clique's rows, and what one of its pools holds. */
struct order {
    const struct explain_input *in;
    const struct explained_pool *pool;
    double share;  /* of its clique's reads that the pool makes */
    bool one;      /* all rows in one order */
    uint64_t *key; /* [items] a larger one comes first, ties to the lower number; NULL: nothing is ranked */
    uint8_t *held; /* [items] 1: a GPU of the pool holds it */
    struct estimates estimates;
};

/* What is expected of an item: of two arrays, one by topology row and one by feature row. */
static double of_item(const struct order *o, const float *topology, const float *feature, uint64_t item)
{
    uint64_t rows = graph_topology_rows(o->in->graph);
    return (double)(item < rows ? topology[item] : feature[item - rows]) * o->share;
}

static double saved_by(const struct order *o, uint64_t item)
{
    return of_item(o, o->estimates.topology, o->estimates.feature, item);
}

static double reads_of(const struct order *o, uint64_t item)
{
    return of_item(o, o->estimates.visits, o->estimates.rows, item);
}

/* ---- how a policy ranks ---- */

/* How the plan's policy ranks; what is unknown here (a foreign plan, an oracle's look ahead) is ranked by estimates. */
struct ranking {
    bool density, one, none, substitute;
    bool one_clique; /* ranks within a clique, not over all GPUs */
    enum rate_source source;
};

static struct ranking ranking_of(const struct plan *p)
{
    struct ranking r = {.none = !strcmp(p->hotness, "none")};
    const struct policy *policy = NULL;
    for (const struct policy *const *at = policies_registered; *at; at++)
        if (!strcmp((*at)->name, p->policy)) policy = *at;
    r.one = policy && policy->one_order;
    r.one_clique = policy && policy->assignment == ASSIGNMENT_HIERARCHICAL;
    r.density = r.one || (policy && policy->needs_estimates);
    r.source = r.density ? rate_source_of(p->hotness) : RATE_CALIBRATED;
    if (r.density ? r.source == RATE_SOURCES : !r.none && !hotness_find(p->hotness)) {
        r.substitute = r.density = true;
        r.source = RATE_CALIBRATED;
    }
    return r;
}

/* Whether GPUs read the table's rows; where others sample they read no topology. */
static bool reads_lists(const struct order *o, const struct row_table *t)
{
    return t->kind != ROWS_TOPOLOGY || o->in->plan->placement.access == ACCESS_GPU;
}

/* Rows of a plan that was priced by seconds are in the order of these (engine/study_best.h). */
static void set_densities(struct order *o)
{
    const struct graph *g = o->in->graph;
    const double list_price = doc_number(doc_get(o->in->plan->notes, "objective"), "list_price");
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table t = graph_table(g, k);
        double price = t.kind == ROWS_TOPOLOGY && list_price > 0 ? list_price : 1;
        if (!reads_lists(o, &t)) price = 0; /* they are not worth a byte of a GPU */
        for (uint64_t i = 0; i < t.count; i++)
            o->key[t.first + i] = density_key(saved_by(o, t.first + i) * price, row_table_bytes(g, &t, i));
    }
}

static enum st set_keys(struct order *o, const struct ranking *r, int clique, struct err *err)
{
    if (r->none) return ST_OK;
    MAKE(o->key, graph_items(o->in->graph), "keys of rows");
    o->share = 1;
    if (r->density) set_densities(o);
    for (int topology = 0; topology < 2 && !r->density; topology++) {
        struct hotness_input h = {.graph = o->in->graph,
                                  .trace = o->in->trace,
                                  .kernels = o->in->kernels,
                                  .threads = o->in->threads,
                                  .seed = o->in->plan->workload.seed,
                                  .one_clique = r->one_clique,
                                  .clique = clique,
                                  .topology = topology};
        PASS(hotness_keys(o->in->plan->hotness, &h, o->key + (topology ? 0 : graph_topology_rows(h.graph)), err));
    }
    return ST_OK;
}

static bool before(const struct order *o, uint64_t item, uint64_t other)
{
    return o->key[item] != o->key[other] ? o->key[item] > o->key[other] : item < other;
}

/* Whether two rows compete for the same bytes. */
static bool compete(const struct order *o, bool topology, bool other) { return o->one || topology == other; }

/* ---- one row in one pool ---- */

/* The pool's copies of an item; slots count the rows of its table. */
static void find_copies(const struct order *o, const struct row_table *t, uint64_t item, struct explained_row *row)
{
    const struct placement *p = &o->in->plan->placement;
    for (int i = 0; i < o->pool->gpus; i++) {
        int g = o->pool->gpu[i];
        uint64_t slot = 0;
        for (uint64_t k = 0; k < placement_count(p, g); k++) {
            uint64_t other = placement_item(p, o->in->graph, g, k);
            if (other < t->first || other - t->first >= t->count) continue;
            if (other == item) {
                row->copy[row->copies].gpu = g;
                row->copy[row->copies++].slot = slot;
            }
            slot++;
        }
    }
}

/* The last row in the order that the pool holds. */
static void find_last(const struct order *o, bool topology, struct explained_row *row)
{
    const struct graph *graph = o->in->graph;
    const struct placement *p = &o->in->plan->placement;
    uint64_t last = 0;
    for (int i = 0; i < o->pool->gpus; i++)
        for (uint64_t k = 0; k < placement_count(p, o->pool->gpu[i]); k++) {
            uint64_t item = placement_item(p, graph, o->pool->gpu[i], k);
            if (!compete(o, topology, item < graph_topology_rows(graph)) || (row->lost && !before(o, last, item)))
                continue;
            row->lost = true;
            last = item;
        }
    if (!row->lost) return;
    row->last_table = graph_table_of(graph, last);
    const struct row_table t = graph_table(graph, row->last_table);
    row->last_row = last - t.first;
    row->last_bytes = row_table_bytes(o->in->graph, &t, row->last_row);
    row->last_saved = saved_by(o, last);
}

/* Bytes of the pool that rows of this order may take: its budget where all compete, else what the plan gave the kind.
 * Sets the most free. */
static uint64_t capacity(const struct order *o, bool topology, uint64_t *free_most)
{
    const struct plan *p = o->in->plan;
    uint64_t sum = 0;
    *free_most = 0;
    for (int i = 0; i < o->pool->gpus; i++) {
        int g = o->pool->gpu[i];
        uint64_t rows = placement_topology_bytes(&p->placement, g, o->in->graph),
                 features = placement_feature_bytes(&p->placement, g, o->in->graph);
        uint64_t room = p->budget[g] > rows + features ? p->budget[g] - rows - features : 0;
        sum += o->one ? p->budget[g] : topology ? rows : features;
        *free_most = room > *free_most ? room : *free_most;
    }
    return sum;
}

/* Rank, and the bytes of everything down to the item. */
static uint64_t rank_row(const struct order *o, bool topology, uint64_t item, struct explained_row *row)
{
    const struct graph *graph = o->in->graph;
    uint64_t rank = 0, bytes = 0;
    for (int k = 0; k < graph_tables(graph); k++) {
        const struct row_table t = graph_table(graph, k);
        if (!graph_table_there(graph, k) || !compete(o, topology, t.kind == ROWS_TOPOLOGY)) continue;
        row->of += t.count;
#pragma omp parallel for num_threads(o->in->threads) reduction(+ : rank, bytes)
        for (uint64_t i = 0; i < t.count; i++) {
            if (before(o, item, t.first + i)) continue;
            rank++;
            bytes += row_table_bytes(o->in->graph, &t, i);
        }
    }
    row->rank = rank;
    return bytes;
}

static void explain_row(const struct order *o, int table, uint64_t at, struct explained_row *row)
{
    const struct row_table t = graph_table(o->in->graph, table);
    bool topology = t.kind == ROWS_TOPOLOGY;
    uint64_t item = t.first + at, free_most;
    row->bytes = row_table_bytes(o->in->graph, &t, at);
    row->reads = reads_of(o, item);
    row->saved = saved_by(o, item);
    find_copies(o, &t, item, row);
    if (!o->key) return;
    uint64_t ahead = rank_row(o, topology, item, row), has = capacity(o, topology, &free_most);
    row->useful = o->key[item] > 0;
    find_last(o, topology, row);
    if (row->copies) return;
    uint64_t more = ahead > has ? ahead - has : 0, fits = row->bytes > free_most ? row->bytes - free_most : 0;
    row->more_bytes = more > fits ? more : fits;
}

/* ---- one table in one pool ---- */

static void explain_table(const struct order *o, int table, struct explained_table *out)
{
    const struct row_table t = graph_table(o->in->graph, table);
    *out = (struct explained_table){.least_held = NAN, .best_left = NAN};
    for (uint64_t i = 0; i < t.count; i++) {
        uint64_t bytes = row_table_bytes(o->in->graph, &t, i);
        double saved = saved_by(o, t.first + i), density = bytes ? saved / (double)bytes : 0;
        out->bytes += bytes;
        out->reads += reads_of(o, t.first + i);
        out->saved += saved;
        out->densest = fmax(out->densest, density);
        if (!o->held[t.first + i]) {
            out->best_left = fmax(out->best_left, density);
            continue;
        }
        out->held++;
        out->held_bytes += bytes;
        out->saved_held += saved;
        out->least_held = fmin(out->least_held, density);
    }
    if (reads_lists(o, &t)) return;
    const struct plan *p = o->in->plan;
    const double blocks = p->expected ? p->expected[o->pool->clique * p->tables + table].transactions
                                      : (double)p->clique[o->pool->clique].topology;
    out->saved = blocks * o->share; /* which nothing that a GPU holds saves */
    out->saved_held = out->densest = 0;
    out->least_held = out->best_left = NAN;
}

/* ---- pools ---- */

/* Cliques, or single GPUs when none reads from another. */
static void make_pools(const struct plan *p, struct explanation *e)
{
    const struct assignment *a = &p->assignment;
    int links = 0;
    for (int g = 0; g < a->gpus; g++) {
        links += p->placement.peers[g];
        for (int i = 0; i < p->placement.peers[g]; i++)
            e->beyond |= a->clique_of[p->placement.peer[g][i]] != a->clique_of[g];
    }
    for (int c = 0; c < a->cliques; c++)
        for (int g = 0; g < a->gpus; g++) {
            if (a->clique_of[g] != c) continue;
            bool first = !links || !e->pools || e->pool[e->pools - 1].clique != c;
            struct explained_pool *pool = &e->pool[first ? e->pools++ : e->pools - 1];
            pool->clique = c;
            pool->gpu[pool->gpus++] = g;
        }
}

/* The share of its clique's reads that a pool makes. */
static double share_of(const struct plan *p, const struct explained_pool *pool)
{
    uint64_t all = 0, here = 0;
    for (int g = 0; g < p->assignment.gpus; g++)
        all += p->assignment.clique_of[g] == pool->clique ? p->assignment.train_count[g] : 0;
    for (int i = 0; i < pool->gpus; i++) here += p->assignment.train_count[pool->gpu[i]];
    return all ? (double)here / (double)all : 1;
}

static void use_pool(struct order *o, const struct explained_pool *pool)
{
    const struct placement *p = &o->in->plan->placement;
    o->pool = pool;
    o->share = share_of(o->in->plan, pool);
    memset(o->held, 0, graph_items(o->in->graph));
    for (int i = 0; i < pool->gpus; i++)
        for (uint64_t k = 0; k < placement_count(p, pool->gpu[i]); k++)
            o->held[placement_item(p, o->in->graph, pool->gpu[i], k)] = 1;
}

static enum st explain_clique(const struct explain_input *in, const struct ranking *r, int clique,
                              struct explanation *e, struct err *err)
{
    enum st st = ST_OK;
    struct visit_costs costs = {{NULL}};
    struct order o = {.in = in, .one = r->one};
    struct estimates_input i = {.graph = in->graph,
                                .trace = in->trace,
                                .kernels = in->kernels,
                                .costs = &costs,
                                .clique = clique,
                                .threads = in->threads,
                                .line_bytes = in->plan->line_bytes,
                                .source = r->source};
    NEW(o.held, graph_items(in->graph), "rows that GPUs hold");
    TRY(visit_costs_make(in->graph, NULL, in->trace, in->plan->line_bytes, in->threads, &costs, err));
    TRY(estimates_make(&i, &o.estimates, err));
    TRY(set_keys(&o, r, clique, err));
    for (int p = 0; p < e->pools; p++) {
        if (e->pool[p].clique != clique) continue;
        use_pool(&o, &e->pool[p]);
        for (int k = 0, at = p * e->of.tables; k < e->of.tables; k++, at++)
            if (e->of.whole) explain_table(&o, e->of.table[k], &e->table[at]);
            else explain_row(&o, e->of.table[k], e->of.vertex, &e->row[at]);
    }
done:
    mem_free(o.key);
    mem_free(o.held);
    visit_costs_release(&costs);
    estimates_release(&o.estimates);
    return st;
}

/* ---- a vertex ---- */

static enum st find_sources(const struct explain_input *in, struct explanation *e, struct err *err)
{
    OWNED_NEW(uint8_t, where, graph_items(in->graph), "the look-up of an explanation");
    MAKE(e->source, e->of.tables, "the sources of rows");
    for (int g = 0; g < in->plan->assignment.gpus; g++) {
        placement_locate_items(&in->plan->placement, g, in->graph, where);
        for (int k = 0; k < e->of.tables; k++)
            e->source[k][g] = (int)where[graph_table(in->graph, e->of.table[k]).first + e->of.vertex] - 1;
    }
    return ST_OK;
}

static void find_vertex(const struct explain_input *in, struct explanation *e)
{
    const struct graph *g = in->graph;
    const struct assignment *a = &in->plan->assignment;
    const uint64_t v = graph_vertices(g, e->of.type).first + e->of.vertex;
    for (int k = 0; k < e->of.tables; k++) {
        const struct row_table t = graph_table(g, e->of.table[k]);
        if (t.kind != ROWS_TOPOLOGY) continue;
        const struct graph_csr csr = graph_csr(g, t.of);
        e->degree += csr_degree(&csr, e->of.vertex);
    }
    e->trained_by = -1;
    for (int i = 0; i < a->gpus; i++)
        for (uint64_t k = 0; k < a->train_count[i]; k++)
            if (a->train[i][k] == v) e->trained_by = i;
}

enum st explain_make(const struct explain_input *in, const struct explain_subject *of, struct explanation *out,
                     struct err *err)
{
    enum st st = ST_OK;
    struct ranking r = ranking_of(in->plan);
    memset(out, 0, sizeof *out);
    out->of = *of;
    out->ranked = !r.none;
    out->one_order = r.one;
    out->substitute = r.substitute;
    make_pools(in->plan, out);
    uint64_t count = (uint64_t)out->pools * (uint64_t)of->tables;
    if (of->whole) {
        NEW(out->table, count, "an explanation");
    } else {
        NEW(out->row, count, "an explanation");
        find_vertex(in, out);
        TRY(find_sources(in, out, err));
    }
    for (int c = 0; c < in->plan->assignment.cliques; c++) TRY(explain_clique(in, &r, c, out, err));
done:
    if (st != ST_OK) explanation_release(out);
    return st;
}

void explanation_release(struct explanation *e)
{
    mem_free(e->row);
    mem_free(e->table);
    mem_free(e->source);
    memset(e, 0, sizeof *e);
}
