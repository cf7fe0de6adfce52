#include "planner/hotness/estimates.h"

#include <math.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "planner/hotness/calibrated.h"
#include "traces/recording/trace_rows.h"
#include "traces/sampling/seeds.h"

/* ---- the transaction model ---- */

/* Chance that k of `pool` entries, drawn without replacement, include one of c given entries. */
static double touched(uint64_t pool, uint64_t k, uint64_t c)
{
    double miss = 1;
    if (!c) return 0;
    if (pool - k < c) return 1;
    for (uint64_t i = 0; i < c; i++) miss *= (double)(pool - k - i) / (double)(pool - i);
    return 1 - miss;
}

double estimates_lines_of(uint64_t pool, uint64_t degree, uint64_t k, uint64_t start, uint64_t line_bytes)
{
    uint64_t per = line_bytes / 4, first = per - start % line_bytes / 4;
    if (k >= pool) return (double)cachelines_touched(start, 4 * degree, line_bytes);
    if (first > degree) first = degree;
    uint64_t middle = (degree - first) / per, last = (degree - first) % per;
    return touched(pool, k, first) + (middle ? (double)middle * touched(pool, k, per) : 0) + touched(pool, k, last);
}

void visit_costs_release(struct visit_costs *c)
{
    for (int h = 0; h < HOPS_MAX; h++) {
        for (int i = h + 1; i < HOPS_MAX; i++)
            if (c->cost[i] == c->cost[h]) c->cost[i] = NULL; /* shared */
        mem_free(c->cost[h]);
    }
    memset(c, 0, sizeof *c);
}

/* Lines expected of a row when each of its entries is drawn with chance `share`, independently: sum over its lines of
 * 1 - (1 - share)^c, c = entries in the line. */
static double lines_of_share(uint64_t degree, double share, uint64_t start, uint64_t line_bytes)
{
    uint64_t per = line_bytes / 4, first = per - start % line_bytes / 4;
    if (share >= 1) return (double)cachelines_touched(start, 4 * degree, line_bytes);
    if (first > degree) first = degree;
    uint64_t middle = (degree - first) / per, last = (degree - first) % per;
    return 1 - pow(1 - share, (double)first) + (double)middle * (1 - pow(1 - share, (double)per)) + 1 -
           pow(1 - share, (double)last);
}

/* What share of the frontier's entries a hop draws: its draws over the degrees that were visited, all mini-batches
 * together. */
static double drawn_share(const struct graph *g, const struct estimates_whole *whole, const struct trace *t, int hop)
{
    const struct assignment *a = &t->assignment;
    const double each = whole ? (double)whole->graph->n / (double)g->n : 1;
    double entries = 0, batches = 0;
    for (int i = 0; i < a->gpus; i++) {
        uint64_t sum = 0;
        for (uint64_t v = 0; v < g->n; v++) sum += (uint64_t)count_at(t->visits[hop][i], v) * graph_degree(g, v);
        entries += (double)sum;
        batches += (double)(seeds_batches(&t->workload, g, a->train[i], a->train_count[i]) * t->epochs);
    }
    return entries > 0 ? batches * t->workload.fanout[hop] / (entries * each) : 0;
}

/* What a visit finds: a row of `degree` entries, the first at byte `start`; draws are made from `pool` entries. */
struct visited {
    uint64_t row, degree, start, pool;
    bool by_weight;
};
static struct visited visited(const struct graph *g, const struct workload *w, int relation, uint64_t v)
{
    const struct graph_csr csr = graph_csr(g, relation);
    uint64_t degree = csr_degree(&csr, v);
    return (struct visited){v, degree, 4 * (uint64_t)csr.indptr[v],
                            w->together ? workload_pool(g, w, relation, v) : degree,
                            workload_by_weight(w, csr.weights)};
}

/* share: of a layer-wise hop. */
static double visit_cost(const struct workload *w, struct visited visited, uint32_t fanout, double share,
                         uint64_t line_bytes)
{
    double offsets = (double)cachelines_of_offsets(visited.row, line_bytes);
    if (visited.by_weight)
        return offsets + (double)(cachelines_touched(visited.start, 4 * visited.degree, line_bytes) *
                                  (visited.degree > fanout ? 2 : 1));
    if (w->sampler == SAMPLER_LABOR)
        return offsets + (double)cachelines_touched(visited.start, 4 * visited.degree, line_bytes);
    if (workload_temporal(w))
        return offsets + (double)(cachelines_touched(visited.start, 4 * visited.degree, line_bytes) +
                                  cachelines_touched(2 * visited.start, 8 * visited.degree, line_bytes));
    if (workload_layer_wise(w)) return offsets + lines_of_share(visited.degree, share, visited.start, line_bytes);
    return offsets + estimates_lines_of(visited.pool, visited.degree, fanout, visited.start, line_bytes);
}

/* Whether all relations have the same fan-out in both hops. */
static bool same_fanouts(const struct graph *g, const struct workload *w, int a, int b)
{
    bool same = w->fanout[a] == w->fanout[b];
    for (int r = 0; r < g->relations; r++) same &= workload_fanout(w, r, a) == workload_fanout(w, r, b);
    return same;
}

/* Those of the hop, [topology rows]. */
static void hop_costs(const struct graph *g, const struct estimates_whole *whole, const struct workload *w, int hop,
                      double share, uint64_t line_bytes, int threads, float *cost)
{
    for (int k = 0; k < graph_tables(g) && graph_table(g, k).kind == ROWS_TOPOLOGY; k++) {
        const struct row_table table = graph_table(g, k);
        const struct graph *of = whole ? whole->graph : g;
        uint32_t fanout = workload_fanout(w, k, hop);
#pragma omp parallel for num_threads(threads)
        for (uint64_t v = 0; v < table.count; v++) {
            const struct visited one = visited(of, w, k, whole ? whole->id[v] : v);
            cost[table.first + v] = (float)visit_cost(w, one, fanout, share, line_bytes);
        }
    }
}

enum st visit_costs_make(const struct graph *g, const struct estimates_whole *whole, const struct trace *t,
                         uint64_t line_bytes, int threads, struct visit_costs *out, struct err *err)
{
    enum st st = ST_OK;
    const struct workload *w = &t->workload;
    struct visit_costs c = {{NULL}};
    for (int h = 0; h < w->hops; h++) {
        double share = workload_layer_wise(w) ? drawn_share(g, whole, t, h) : 0;
        for (int i = 0; i < h && !c.cost[h] && !workload_layer_wise(w); i++)
            if (same_fanouts(g, w, i, h)) c.cost[h] = c.cost[i];
        if (c.cost[h]) continue;
        NEW(c.cost[h], graph_topology_rows(g), "expected transactions of visits");
        hop_costs(g, whole, w, h, share, line_bytes, threads, c.cost[h]);
    }
    *out = c;
    return ST_OK;
done:
    visit_costs_release(&c);
    return st;
}

/* ---- rates ---- */

void estimates_release(struct estimates *e)
{
    mem_free(e->readers);
    if (!e->kept.data) {
        mem_free(e->topology);
        mem_free(e->feature);
        mem_free(e->visits);
        mem_free(e->rows);
    }
    checkpoint_unmap(&e->kept);
    memset(e, 0, sizeof *e);
}

static const struct graph *whole_of(const struct estimates_input *in)
{
    return in->whole.graph ? in->whole.graph : in->graph;
}

/* Vertices that are calibrated among themselves: those of one type. */
struct range {
    uint64_t first, count;
};

/* Plain means over the epochs, for traces without folds. quantity 0: feature; 1 + h: visits of hop h. */
static void plain_rates(const struct estimates_input *in, struct range r, int quantity, float *rate)
{
    const struct trace *t = in->trace;
    memset(rate, 0, r.count * sizeof *rate);
    for (int g = 0; g < t->assignment.gpus; g++) {
        if (t->assignment.clique_of[g] != in->clique) continue;
        struct count_row row = count_row_from(quantity ? t->visits[quantity - 1][g] : t->feature[g], r.first);
        for (uint64_t v = 0; v < r.count; v++) rate[v] += (float)count_at(row, v) / (float)t->epochs;
    }
}

enum rate_source rate_source_of(const char *hotness)
{
    static const char *const names[RATE_SOURCES] = {"calibrated", "presample", "vip"};
    int i = 0;
    while (i < RATE_SOURCES && strcmp(names[i], hotness)) i++;
    return (enum rate_source)i;
}

/* Rates of the range's vertices: rate[count]. */
static enum st rates(const struct estimates_input *in, const struct vip *vip, const uint8_t *train, struct range r,
                     int quantity, float *rate, struct err *err)
{
    const struct trace *t = in->trace;
    const float *prior = quantity ? vip->visits[quantity - 1] : vip->feature,
                *noise = quantity ? vip->visits_noise[quantity - 1] : vip->feature_noise; /* NULL: several epochs */
    struct calibrated_input c = {.n = r.count,
                                 .folds = t->folds,
                                 .prior = prior ? prior + r.first : NULL,
                                 .train = train + r.first,
                                 .noise = noise ? noise + r.first : NULL,
                                 .folds_per_epoch = t->folds_per_epoch,
                                 .extend = t->workload.order != ORDER_SHUFFLE && t->epochs > 1,
                                 .threads = in->threads};
    if (in->source == RATE_VIP) {
        memcpy(rate, c.prior, r.count * sizeof *rate);
        return ST_OK;
    }
    if (in->source == RATE_PRESAMPLE || t->folds < 2) {
        plain_rates(in, r, quantity, rate);
        return ST_OK;
    }
    for (int f = 0; f < t->folds; f++) c.fold[f] = count_row_from(trace_fold(t, in->clique, f, quantity), r.first);
    return calibrated_rates(&c, rate, err);
}

/* The same of all vertices, [n], type by type. */
static enum st all_rates(const struct estimates_input *in, const struct vip *vip, const uint8_t *train, int quantity,
                         float *rate, struct err *err)
{
    const struct graph *g = in->graph;
    for (int i = 0; i < graph_type_count(g); i++) {
        const struct graph_vertices type = graph_vertices(g, i);
        if (type.count)
            PASS(rates(in, vip, train, (struct range){type.first, type.count}, quantity, rate + type.first, err));
    }
    return ST_OK;
}

static enum st mark_train(const struct estimates_input *in, uint8_t **out, struct err *err)
{
    const struct assignment *a = &in->trace->assignment;
    const struct graph *whole = whole_of(in);
    OWNED uint8_t *train = NULL;
    MAKE(train, whole->n, "marks of the training vertices");
    for (int g = 0; g < a->gpus; g++)
        for (uint64_t i = 0; a->clique_of[g] == in->clique && i < a->train_count[g]; i++) train[a->train[g][i]] = 1;
    for (uint64_t i = 0; in->whole.id && i < in->graph->n; i++) train[i] = train[in->whole.id[i]]; /* ids ascend */
    *out = TAKE(train);
    return ST_OK;
}

/* Adds one hop's visits to the estimates of the rows of all relations with a fan-out. */
static void add_visits(const struct estimates_input *in, int hop, const float *rate, struct estimates *e)
{
    for (int i = 0; i < graph_relation_count(in->graph); i++) {
        const struct graph_csr r = graph_csr(in->graph, i);
        const float *here = rate + r.first_target, *cost = in->costs->cost[hop] + r.first_row;
        float *visits = e->visits + r.first_row, *topology = e->topology + r.first_row;
        if (!workload_fanout(&in->trace->workload, i, hop)) continue;
#pragma omp parallel for num_threads(in->threads) if (r.rows >= ROWS_PARALLEL)
        for (uint64_t v = 0; v < r.rows; v++) {
            if (!(here[v] > 0)) continue;
            visits[v] += here[v];
            topology[v] += here[v] * cost[v];
        }
    }
}

void estimates_spread(const struct graph *g, const struct workload *w, int hop, const float *rate, int threads,
                      float *edges)
{
    for (int i = 0; i < g->relations; i++) {
        const struct graph_relation *r = &g->relation[i];
        const float *here = rate + g->type[r->target].first;
        uint32_t fanout = workload_fanout(w, i, hop);
        float *to = edges + r->first_edge;
        if (!fanout || !r->features.row_bytes) continue;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096) if (r->rows >= ROWS_PARALLEL)
        for (uint64_t v = 0; v < r->rows; v++) {
            uint64_t degree = relation_degree(r, v), at = (uint64_t)r->indptr[v];
            if (!(here[v] > 0) || !degree) continue;
            uint64_t pool = workload_pool(g, w, i, v);
            float each = pool > fanout ? here[v] * (float)fanout / (float)pool : here[v];
            for (uint64_t e = at; e < at + degree; e++) to[e] += each;
        }
    }
}

/* feature from rows: what a read of each row saves. */
static void set_features(const struct estimates_input *in, struct estimates *e)
{
    const struct graph *g = in->graph;
    for (int k = 0; k < graph_tables(g); k++) {
        const struct row_table table = graph_table(g, k);
        if (table.kind == ROWS_TOPOLOGY || !table.row_bytes) continue;
        const float *rows = e->rows + (table.first - graph_topology_rows(g));
        float *feature = e->feature + (table.first - graph_topology_rows(g));
#pragma omp parallel for num_threads(in->threads)
        for (uint64_t v = 0; v < table.count; v++)
            feature[v] = rows[v] * (float)cachelines_of_feature(v, table.row_bytes, in->line_bytes);
    }
}

void estimates_drop_pages(const struct estimates *e) { checkpoint_drop_pages(e->kept.data, e->kept.bytes); }

static uint64_t kept_bytes(const struct graph *g) { return 2 * graph_items(g) * sizeof(float); }

static void point_into(struct estimates *e, const struct graph *g)
{
    e->topology = e->kept.data;
    e->feature = e->topology + graph_topology_rows(g);
    e->visits = e->feature + graph_feature_rows(g);
    e->rows = e->visits + graph_topology_rows(g);
}

static enum st take_room(const struct estimates_input *in, struct estimates *e, struct err *err)
{
    const struct graph *g = in->graph;
    if (in->checkpoint) {
        PASS(checkpoint_make(in->checkpoint, in->name, kept_bytes(g), &e->kept, err));
        point_into(e, g);
        return ST_OK;
    }
    MAKE(e->topology, graph_topology_rows(g), "estimates");
    MAKE(e->feature, graph_feature_rows(g), "estimates");
    MAKE(e->visits, graph_topology_rows(g), "estimates");
    MAKE(e->rows, graph_feature_rows(g), "estimates");
    return ST_OK;
}

/* Maps what an earlier run made; *there: it was finished. */
static enum st take_up(const struct estimates_input *in, struct estimates *e, bool *there, struct err *err)
{
    OWNED_DOC doc *note = in->checkpoint ? checkpoint_finished(in->checkpoint, in->name) : NULL;
    *there = note != NULL;
    if (*there) PASS(checkpoint_map(in->checkpoint, in->name, kept_bytes(in->graph), &e->kept, err));
    if (*there) point_into(e, in->graph);
    return ST_OK;
}

/* *values: of the vertices that are left. */
static enum st keep_some(const struct estimates_input *in, float **values, struct err *err)
{
    float *some = NULL;
    if (!*values) return ST_OK;
    MAKE(some, in->graph->n, "estimates");
#pragma omp parallel for num_threads(in->threads)
    for (uint64_t i = 0; i < in->graph->n; i++) some[i] = (*values)[in->whole.id[i]];
    mem_free(*values);
    *values = some;
    return ST_OK;
}

static enum st keep_sample(const struct estimates_input *in, struct vip *vip, struct err *err)
{
    PASS(keep_some(in, &vip->feature, err));
    PASS(keep_some(in, &vip->feature_noise, err));
    for (int h = 0; h < in->trace->workload.hops; h++) {
        PASS(keep_some(in, &vip->visits[h], err));
        PASS(keep_some(in, &vip->visits_noise[h], err));
    }
    return ST_OK;
}

/* The analytic prior, where the rates take one. Made before there is anything else, because its own work space is the
 * largest of all. */
static enum st make_prior(const struct estimates_input *in, struct vip *vip, struct err *err)
{
    const struct assignment *a = &in->trace->assignment;
    const struct workload *w = &in->trace->workload;
    bool calibrate = in->source == RATE_CALIBRATED && in->trace->folds >= 2;
    if (in->source == RATE_VIP && !vip_knows(w))
        return err_set(err, ST_USAGE, "hotness vip: has no formula for sampler %s; take calibrated or presample",
                       sampler_name(w->sampler));
    trace_drop_pages(in->trace);
    if (calibrate || in->source == RATE_VIP)
        PASS(vip_compute(whole_of(in), a, in->clique, w, in->kernels, in->threads, vip, err));
    if (calibrate && in->trace->epochs == 1)
        PASS(vip_noise(whole_of(in), a, in->clique, w, in->kernels, in->threads, vip, err));
    return in->whole.id ? keep_sample(in, vip, err) : ST_OK;
}

static enum st take_readers(const struct estimates_input *in, struct estimates *e, struct err *err)
{
    OWNED struct reader_rates *all = NULL;
    MAKE(e->readers, 1, "rates of readers");
    if (!in->readers) {
        MAKE(all, in->trace->assignment.cliques, "rates of readers");
        PASS(reader_rates_counted(in->trace, in->threads, all, err));
    }
    *e->readers = in->readers ? *in->readers : all[in->clique];
    return ST_OK;
}

/* Rates of all quantities, and what they save. */
static enum st estimates_fill(const struct estimates_input *in, const struct vip *vip, struct estimates *e,
                              struct err *err)
{
    const struct graph *g = in->graph;
    OWNED uint8_t *train = NULL;
    OWNED_NEW(float, rate, g->n, "estimates");
    PASS(mark_train(in, &train, err));
    PASS(all_rates(in, vip, train, 0, e->rows, err));
    for (int h = 0; h < in->trace->workload.hops; h++) {
        PASS(all_rates(in, vip, train, 1 + h, rate, err));
        add_visits(in, h, rate, e);
        estimates_spread(g, &in->trace->workload, h, rate, in->threads, e->rows + g->n);
    }
    set_features(in, e); /* edges are known now */
    return ST_OK;
}

enum st estimates_make(const struct estimates_input *in, struct estimates *out, struct err *err)
{
    OWNED_BY(estimates_release) struct estimates e = {0};
    OWNED_BY(vip_release) struct vip vip = {0};
    bool there;
    PASS(take_up(in, &e, &there, err));
    if (!there) {
        PASS(make_prior(in, &vip, err));
        graph_drop_pages(whole_of(in)); /* what follows reads counts, not rows */
        PASS(take_room(in, &e, err));
        PASS(estimates_fill(in, &vip, &e, err));
        if (in->checkpoint) PASS(checkpoint_finish_array(in->checkpoint, in->name, doc_object(), err));
    }
    if (in->by_reader || in->readers || !assignment_even(&in->trace->assignment)) PASS(take_readers(in, &e, err));
    trace_drop_pages(in->trace);
    estimates_drop_pages(&e);
    *out = e;
    memset(&e, 0, sizeof e);
    return ST_OK;
}
