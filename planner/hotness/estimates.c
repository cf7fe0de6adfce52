#include "planner/hotness/estimates.h"

#include <math.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "planner/hotness/calibrated.h"
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

double estimates_lines(uint64_t degree, uint64_t k, uint64_t start, uint64_t line_bytes)
{
    return estimates_lines_of(degree, degree, k, start, line_bytes);
}

/* Transactions expected of one visit of v that draws uniformly (or walks, fan-out 1): offset pair and row. */
static double uniform_visit(const struct graph *g, uint64_t v, uint32_t fanout, uint64_t line_bytes)
{
    return (double)cachelines_of_offsets(v, line_bytes) +
           estimates_lines(graph_degree(g, v), fanout, 4 * (uint64_t)g->indptr[v], line_bytes);
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
static double drawn_share(const struct graph *g, const struct trace *t, int hop)
{
    const struct assignment *a = &t->assignment;
    double entries = 0, batches = 0;
    for (int i = 0; i < a->gpus; i++) {
        uint64_t sum = 0;
        for (uint64_t v = 0; v < g->n; v++) sum += (uint64_t)count_at(t->visits[hop][i], v) * graph_degree(g, v);
        entries += (double)sum;
        batches += (double)(seeds_batches(&t->workload, g, a->train[i], a->train_count[i]) * t->epochs);
    }
    return entries > 0 ? batches * t->workload.fanout[hop] / entries : 0;
}

/* share: of a layer-wise hop. */
static double visit_cost(const struct graph *g, const struct workload *w, uint64_t v, int hop, double share,
                         uint64_t line_bytes)
{
    uint64_t degree = graph_degree(g, v), start = 4 * (uint64_t)g->indptr[v];
    if (w->sampler == SAMPLER_BIASED)
        return (double)(cachelines_of_offsets(v, line_bytes) +
                        cachelines_touched(start, 4 * degree, line_bytes) * (degree > w->fanout[hop] ? 2 : 1));
    if (w->sampler == SAMPLER_LABOR)
        return (double)(cachelines_of_offsets(v, line_bytes) + cachelines_touched(start, 4 * degree, line_bytes));
    if (workload_layer_wise(w))
        return (double)cachelines_of_offsets(v, line_bytes) + lines_of_share(degree, share, start, line_bytes);
    return uniform_visit(g, v, w->fanout[hop], line_bytes);
}

enum st visit_costs_make(const struct graph *g, const struct trace *t, uint64_t line_bytes, int threads,
                         struct visit_costs *out, struct err *err)
{
    enum st st = ST_OK;
    const struct workload *w = &t->workload;
    struct visit_costs c = {{NULL}};
    for (int h = 0; h < w->hops; h++) {
        double share = workload_layer_wise(w) ? drawn_share(g, t, h) : 0;
        for (int i = 0; i < h && !c.cost[h] && !workload_layer_wise(w); i++)
            if (w->fanout[i] == w->fanout[h]) c.cost[h] = c.cost[i];
        if (c.cost[h]) continue;
        NEW(c.cost[h], g->n, "expected transactions of visits");
#pragma omp parallel for num_threads(threads)
        for (uint64_t v = 0; v < g->n; v++) c.cost[h][v] = (float)visit_cost(g, w, v, h, share, line_bytes);
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

/* Plain means over the epochs, for traces without folds. quantity 0: feature; 1 + h: visits of hop h. */
static void plain_rates(const struct estimates_input *in, int quantity, float *rate)
{
    const struct trace *t = in->trace;
    memset(rate, 0, t->n * sizeof *rate);
    for (int g = 0; g < t->assignment.gpus; g++) {
        if (t->assignment.clique_of[g] != in->clique) continue;
        struct count_row row = quantity ? t->visits[quantity - 1][g] : t->feature[g];
        for (uint64_t v = 0; v < t->n; v++) rate[v] += (float)count_at(row, v) / (float)t->epochs;
    }
}

enum rate_source rate_source_of(const char *hotness)
{
    static const char *const names[RATE_SOURCES] = {"calibrated", "presample", "vip"};
    int i = 0;
    while (i < RATE_SOURCES && strcmp(names[i], hotness)) i++;
    return (enum rate_source)i;
}

static enum st rates(const struct estimates_input *in, const struct vip *vip, const uint8_t *train, int quantity,
                     float *rate, struct err *err)
{
    const struct trace *t = in->trace;
    struct calibrated_input c = {.n = t->n,
                                 .folds = t->folds,
                                 .prior = quantity ? vip->visits[quantity - 1] : vip->feature,
                                 .train = train,
                                 .noise = t->epochs == 1
                                              ? quantity ? vip->visits_noise[quantity - 1] : vip->feature_noise
                                              : NULL,
                                 .folds_per_epoch = t->folds_per_epoch,
                                 .extend = t->workload.order != ORDER_SHUFFLE && t->epochs > 1,
                                 .threads = in->threads};
    if (in->source == RATE_VIP) {
        memcpy(rate, c.prior, t->n * sizeof *rate);
        return ST_OK;
    }
    if (in->source == RATE_PRESAMPLE || t->folds < 2) {
        plain_rates(in, quantity, rate);
        return ST_OK;
    }
    for (int f = 0; f < t->folds; f++) c.fold[f] = trace_fold(t, in->clique, f, quantity);
    return calibrated_rates(&c, rate, err);
}

static enum st mark_train(const struct estimates_input *in, uint8_t **out, struct err *err)
{
    enum st st = ST_OK;
    const struct assignment *a = &in->trace->assignment;
    uint8_t *train = NULL;
    NEW(train, in->graph->n, "marks of the training vertices");
    for (int g = 0; g < a->gpus; g++)
        for (uint64_t i = 0; a->clique_of[g] == in->clique && i < a->train_count[g]; i++) train[a->train[g][i]] = 1;
    *out = train;
done:
    return st;
}

/* Adds one hop's visits to the estimates. */
static void add_visits(const struct estimates_input *in, const float *cost, const float *rate, struct estimates *e)
{
#pragma omp parallel for num_threads(in->threads)
    for (uint64_t v = 0; v < in->graph->n; v++) {
        if (!(rate[v] > 0)) continue;
        e->visits[v] += rate[v];
        e->topology[v] += rate[v] * cost[v];
    }
}

void estimates_drop_pages(const struct estimates *e) { checkpoint_drop_pages(e->kept.data, e->kept.bytes); }

static void point_into(struct estimates *e, uint64_t n)
{
    e->topology = e->kept.data;
    e->feature = e->topology + n;
    e->visits = e->feature + n;
    e->rows = e->visits + n;
}

static enum st take_room(const struct estimates_input *in, struct estimates *e, struct err *err)
{
    enum st st = ST_OK;
    uint64_t n = in->graph->n;
    if (in->checkpoint) {
        TRY(checkpoint_make(in->checkpoint, in->name, 4 * n * sizeof(float), &e->kept, err));
        point_into(e, n);
        return ST_OK;
    }
    NEW(e->topology, n, "estimates");
    NEW(e->feature, n, "estimates");
    NEW(e->visits, n, "estimates");
    NEW(e->rows, n, "estimates");
done:
    return st;
}

/* Maps what an earlier run made; *there: it was finished. */
static enum st take_up(const struct estimates_input *in, struct estimates *e, bool *there, struct err *err)
{
    enum st st = ST_OK;
    doc *note = in->checkpoint ? checkpoint_finished(in->checkpoint, in->name) : NULL;
    *there = note != NULL;
    if (*there) TRY(checkpoint_map(in->checkpoint, in->name, 4 * in->graph->n * sizeof(float), &e->kept, err));
    if (*there) point_into(e, in->graph->n);
done:
    doc_free(note);
    return st;
}

/* The analytic prior, where the rates take one. Made before there is anything else, because its own work space is the
 * largest of all. */
static enum st make_prior(const struct estimates_input *in, struct vip *vip, struct err *err)
{
    enum st st = ST_OK;
    const struct assignment *a = &in->trace->assignment;
    const struct workload *w = &in->trace->workload;
    bool calibrate = in->source == RATE_CALIBRATED && in->trace->folds >= 2;
    if (in->source == RATE_VIP && !vip_knows(w))
        FAIL(ST_USAGE, "hotness vip: has no formula for sampler %s; take calibrated or presample",
             sampler_name(w->sampler));
    trace_drop_pages(in->trace);
    if (calibrate || in->source == RATE_VIP)
        TRY(vip_compute(in->graph, a, in->clique, w, in->kernels, in->threads, vip, err));
    if (calibrate && in->trace->epochs == 1)
        TRY(vip_noise(in->graph, a, in->clique, w, in->kernels, in->threads, vip, err));
done:
    return st;
}

static enum st take_readers(const struct estimates_input *in, struct estimates *e, struct err *err)
{
    enum st st = ST_OK;
    struct reader_rates *all = NULL;
    NEW(e->readers, 1, "rates of readers");
    if (!in->readers) {
        NEW(all, in->trace->assignment.cliques, "rates of readers");
        TRY(reader_rates_counted(in->trace, in->threads, all, err));
    }
    *e->readers = in->readers ? *in->readers : all[in->clique];
done:
    mem_free(all);
    return st;
}

enum st estimates_make(const struct estimates_input *in, struct estimates *out, struct err *err)
{
    enum st st;
    const struct graph *g = in->graph;
    const struct workload *w = &in->trace->workload;
    struct estimates e = {0};
    struct vip vip = {0};
    uint8_t *train = NULL;
    float *rate = NULL;
    bool there;
    TRY(take_up(in, &e, &there, err));
    if (!there) {
        TRY(make_prior(in, &vip, err));
        graph_drop_pages(g); /* what follows reads counts, not rows */
        TRY(take_room(in, &e, err));
        NEW(rate, g->n, "estimates");
        TRY(mark_train(in, &train, err));
        TRY(rates(in, &vip, train, 0, e.rows, err));
#pragma omp parallel for num_threads(in->threads)
        for (uint64_t v = 0; v < g->n; v++)
            e.feature[v] = e.rows[v] * (float)cachelines_of_feature(v, g->row_bytes, in->line_bytes);
        for (int h = 0; h < w->hops; h++) {
            TRY(rates(in, &vip, train, 1 + h, rate, err));
            add_visits(in, in->costs->cost[h], rate, &e);
        }
        if (in->checkpoint) TRY(checkpoint_finish(in->checkpoint, in->name, doc_object(), err));
    }
    if (!assignment_even(&in->trace->assignment)) TRY(take_readers(in, &e, err));
    trace_drop_pages(in->trace);
    estimates_drop_pages(&e);
    *out = e;
    memset(&e, 0, sizeof e);
done:
    mem_free(rate);
    mem_free(train);
    vip_release(&vip);
    estimates_release(&e);
    return st;
}
