#include "planner/study/explain.h"

#include <string.h>

#include "base/mem.h"
#include "planner/policies/density.h"
#include "planner/hotness/hotness.h"

enum { TOPOLOGY, FEATURE, KINDS };

/* The order of one pool: keys of both kinds, [n] each. */
struct order {
    const struct graph *graph;
    const struct estimates *estimates;
    uint64_t *key[KINDS];
    bool one, ranked;
};

static uint64_t bytes_of(const struct graph *g, int kind, uint64_t v)
{
    return kind == TOPOLOGY ? graph_topology_bytes(g, v) : graph_cached_bytes(g);
}

static double saved_by(const struct order *o, int kind, uint64_t v)
{
    return (double)(kind == TOPOLOGY ? o->estimates->topology : o->estimates->feature)[v];
}

static const struct row_list *lists_of(const struct plan *p, int kind)
{
    return kind == TOPOLOGY ? p->placement.topology : p->placement.feature;
}

/* ---- how a policy ranks ---- */

/* How the plan's policy ranks; what is unknown here (a foreign plan, an oracle's look ahead) is ranked by estimates. */
struct ranking {
    const char *hotness;
    bool density, one, none, substitute;
    bool one_clique; /* ranks within a clique, not over all GPUs */
    enum rate_source source;
};

static struct ranking ranking_of(const struct plan *p)
{
    struct ranking r = {.hotness = p->hotness, .none = !strcmp(p->hotness, "none")};
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

static enum st set_keys(const struct explain_input *in, const struct ranking *r, int clique, struct order *o,
                        struct err *err)
{
    uint64_t n = in->graph->n;
    o->ranked = !r->none;
    o->one = r->one;
    for (int kind = 0; kind < KINDS && !r->none; kind++) {
        struct hotness_input h = {.graph = in->graph,
                                  .trace = in->trace,
                                  .kernels = in->kernels,
                                  .threads = in->threads,
                                  .seed = in->plan->workload.seed,
                                  .one_clique = r->one_clique,
                                  .clique = clique,
                                  .topology = kind == TOPOLOGY};
        if (!r->density) {
            enum st st = hotness_keys(r->hotness, &h, o->key[kind], err);
            if (st != ST_OK) return st;
            continue;
        }
        for (uint64_t v = 0; v < n; v++)
            o->key[kind][v] = density_key(saved_by(o, kind, v), bytes_of(in->graph, kind, v));
    }
    return ST_OK;
}

/* Whether row (kind, v) comes before or is row (of, at): larger keys first, topology before features, then lower
 * ids. */
static bool not_after(const struct order *o, int kind, uint64_t v, int of, uint64_t at)
{
    uint64_t a = o->key[kind][v], b = o->key[of][at];
    return a != b ? a > b : kind != of ? kind < of : v <= at;
}

/* ---- one row in one pool ---- */

static void find_copies(const struct plan *p, const struct explained_pool *pool, int kind, uint64_t v,
                        struct explained_row *row)
{
    for (int i = 0; i < pool->gpus; i++) {
        const struct row_list *l = &lists_of(p, kind)[pool->gpu[i]];
        for (uint64_t at = 0; at < l->count; at++) {
            if (l->id[at] != v) continue;
            row->copy[row->copies].gpu = pool->gpu[i];
            row->copy[row->copies++].slot = at;
        }
    }
}

/* The last row in the order that the pool holds. */
static void find_last(const struct plan *p, const struct explained_pool *pool, const struct order *o, int kind,
                      struct explained_row *row)
{
    int last = -1;
    for (int k = 0; k < KINDS; k++) {
        if (k != kind && !o->one) continue;
        for (int i = 0; i < pool->gpus; i++) {
            const struct row_list *l = &lists_of(p, k)[pool->gpu[i]];
            for (uint64_t at = 0; at < l->count; at++) {
                if (last >= 0 && not_after(o, k, l->id[at], last, row->last_vertex)) continue;
                last = k;
                row->last_vertex = l->id[at];
            }
        }
    }
    row->lost = last >= 0;
    if (last < 0) return;
    row->last_topology = last == TOPOLOGY;
    row->last_bytes = bytes_of(o->graph, last, row->last_vertex);
    row->last_saved = saved_by(o, last, row->last_vertex);
}

/* Bytes of the pool that rows of this order may take: its budget where both kinds compete, else what the plan gave
 * the kind. Sets the most free. */
static uint64_t capacity(const struct plan *p, const struct explained_pool *pool, const struct order *o, int kind,
                         uint64_t *free_most)
{
    uint64_t sum = 0;
    *free_most = 0;
    for (int i = 0; i < pool->gpus; i++) {
        int g = pool->gpu[i];
        uint64_t held[KINDS] = {plan_topology_bytes(p, g, o->graph), plan_feature_bytes(p, g, o->graph)},
                 all = held[0] + held[1];
        uint64_t room = p->budget[g] > all ? p->budget[g] - all : 0;
        sum += o->one ? p->budget[g] : held[kind];
        *free_most = room > *free_most ? room : *free_most;
    }
    return sum;
}

/* Rank, and the bytes of everything that comes first. */
static uint64_t rank_row(const struct order *o, int kind, uint64_t v, int threads, struct explained_row *row)
{
    uint64_t rank = 0, bytes = 0, n = o->graph->n;
    for (int k = 0; k < KINDS; k++) {
        if (k != kind && !o->one) continue;
        row->of += n;
#pragma omp parallel for num_threads(threads) reduction(+ : rank, bytes)
        for (uint64_t u = 0; u < n; u++) {
            if (!not_after(o, k, u, kind, v)) continue;
            rank++;
            bytes += bytes_of(o->graph, k, u);
        }
    }
    row->rank = rank;
    return bytes;
}

static void explain_row(const struct explain_input *in, const struct explained_pool *pool, const struct order *o,
                        int kind, uint64_t v, double share, struct explained_row *row)
{
    row->topology = kind == TOPOLOGY;
    row->bytes = bytes_of(in->graph, kind, v);
    row->reads = (double)(kind == TOPOLOGY ? o->estimates->visits : o->estimates->rows)[v] * share;
    row->saved = saved_by(o, kind, v) * share;
    row->ranked = o->ranked;
    find_copies(in->plan, pool, kind, v, row);
    if (!o->ranked) return;
    uint64_t free_most, ahead = rank_row(o, kind, v, in->threads, row),
                        has = capacity(in->plan, pool, o, kind, &free_most);
    row->useful = o->key[kind][v] > 0;
    find_last(in->plan, pool, o, kind, row);
    row->last_saved *= share;
    if (row->copies) return;
    uint64_t more = ahead > has ? ahead - has : 0, fits = row->bytes > free_most ? row->bytes - free_most : 0;
    row->more_bytes = more > fits ? more : fits;
}

/* ---- pools ---- */

bool explain_beyond(const struct plan *p)
{
    bool beyond = false;
    for (int g = 0; g < p->assignment.gpus; g++)
        for (int i = 0; i < p->placement.peers[g]; i++)
            beyond |= p->assignment.clique_of[p->placement.peer[g][i]] != p->assignment.clique_of[g];
    return beyond;
}

/* Cliques, or single GPUs when none reads from another. */
static void make_pools(const struct plan *p, struct explanation *e)
{
    const struct assignment *a = &p->assignment;
    int links = 0;
    for (int g = 0; g < a->gpus; g++) links += p->placement.peers[g];
    e->beyond = explain_beyond(p);
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

static enum st find_sources(const struct explain_input *in, struct explanation *e, struct err *err)
{
    enum st st = ST_OK;
    uint8_t *where = NULL;
    NEW(where, in->graph->n, "the look-up of an explanation");
    for (int g = 0; g < in->plan->assignment.gpus; g++)
        for (int kind = 0; kind < KINDS; kind++) {
            placement_locate(&in->plan->placement, g, lists_of(in->plan, kind), in->graph->n, where);
            e->source[kind][g] = (int)where[e->vertex] - 1;
        }
done:
    mem_free(where);
    return st;
}

static void find_trainer(const struct assignment *a, struct explanation *e)
{
    e->trained_by = -1;
    for (int g = 0; g < a->gpus; g++)
        for (uint64_t i = 0; i < a->train_count[g]; i++)
            if (a->train[g][i] == e->vertex) e->trained_by = g;
}

static enum st explain_clique(const struct explain_input *in, const struct ranking *r, int clique,
                              struct explanation *e, struct err *err)
{
    enum st st = ST_OK;
    struct estimates estimates = {0};
    struct visit_costs costs = {{NULL}};
    struct order o = {.graph = in->graph, .estimates = &estimates};
    struct estimates_input i = {.graph = in->graph,
                                .trace = in->trace,
                                .kernels = in->kernels,
                                .costs = &costs,
                                .clique = clique,
                                .threads = in->threads,
                                .line_bytes = in->plan->line_bytes,
                                .source = r->source};
    for (int kind = 0; kind < KINDS; kind++) NEW(o.key[kind], in->graph->n, "keys of rows");
    TRY(visit_costs_make(in->graph, in->trace, in->plan->line_bytes, in->threads, &costs, err));
    TRY(estimates_make(&i, &estimates, err));
    TRY(set_keys(in, r, clique, &o, err));
    for (int p = 0; p < e->pools; p++)
        for (int kind = 0; kind < KINDS && e->pool[p].clique == clique; kind++)
            explain_row(in, &e->pool[p], &o, kind, e->vertex, share_of(in->plan, &e->pool[p]), &e->pool[p].row[kind]);
done:
    for (int kind = 0; kind < KINDS; kind++) mem_free(o.key[kind]);
    visit_costs_release(&costs);
    estimates_release(&estimates);
    return st;
}

enum st explain_check_vertex(const struct graph *g, int64_t vertex, struct err *err)
{
    if (vertex >= 0 && (uint64_t)vertex < g->n) return ST_OK;
    return err_set(err, ST_INPUT, "--vertex %lld: is not in the graph, whose vertices are 0 to %lld", (long long)vertex,
                   (long long)g->n - 1);
}

enum st explain_make(const struct explain_input *in, int64_t vertex, struct explanation *out, struct err *err)
{
    enum st st = ST_OK;
    struct explanation *e = NULL;
    struct ranking r = ranking_of(in->plan);
    TRY(explain_check_vertex(in->graph, vertex, err));
    NEW(e, 1, "an explanation");
    e->vertex = (uint32_t)vertex;
    e->degree = graph_degree(in->graph, e->vertex);
    e->one_order = r.one;
    e->substitute = r.substitute;
    find_trainer(&in->plan->assignment, e);
    make_pools(in->plan, e);
    TRY(find_sources(in, e, err));
    for (int c = 0; c < in->plan->assignment.cliques; c++) TRY(explain_clique(in, &r, c, e, err));
    *out = *e;
done:
    mem_free(e);
    return st;
}
