#include "planner/estimates.h"

#include <string.h>

#include "base/lines.h"
#include "base/mem.h"
#include "planner/calibrated.h"

/* ---- the transaction model -------------------------------------------------------------------------------------------------- */

/* Chance that k of `degree` entries, drawn without replacement, include one of c given entries. */
static double touched(uint64_t degree, uint64_t k, uint64_t c)
{
    double miss = 1;
    if (!c) return 0;
    if (degree - k < c) return 1;
    for (uint64_t i = 0; i < c; i++) miss *= (double)(degree - k - i) / (double)(degree - i);
    return 1 - miss;
}

double estimates_lines(uint64_t degree, uint64_t k, uint64_t start, uint64_t cls)
{
    uint64_t per = cls / 4, first = per - start % cls / 4;
    if (k >= degree) return (double)lines_touched(start, 4 * degree, cls);
    if (first > degree) first = degree;
    uint64_t middle = (degree - first) / per, last = (degree - first) % per;
    return touched(degree, k, first) + (middle ? (double)middle * touched(degree, k, per) : 0) + touched(degree, k, last);
}

double estimates_visit(const struct graph *g, uint64_t v, uint32_t fanout, uint64_t cls)
{
    return (double)lines_of_offsets(v, cls) + estimates_lines(graph_degree(g, v), fanout, 4 * (uint64_t)g->indptr[v], cls);
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

enum st visit_costs_make(const struct graph *g, const struct workload *w, uint64_t cls, int threads, struct visit_costs *out, struct err *err)
{
    enum st st = ST_OK;
    struct visit_costs c = {{NULL}};
    for (int h = 0; h < w->hops; h++) {
        for (int i = 0; i < h && !c.cost[h]; i++)
            if (w->fanout[i] == w->fanout[h]) c.cost[h] = c.cost[i];
        if (c.cost[h]) continue;
        NEW(c.cost[h], g->n, "expected transactions of visits");
#pragma omp parallel for num_threads(threads)
        for (uint64_t v = 0; v < g->n; v++) c.cost[h][v] = (float)estimates_visit(g, v, w->fanout[h], cls);
    }
    *out = c;
    return ST_OK;
done:
    visit_costs_release(&c);
    return st;
}

/* ---- rates ------------------------------------------------------------------------------------------------------------------ */

void estimates_release(struct estimates *e)
{
    mem_free(e->topology);
    mem_free(e->feature);
    mem_free(e->visits);
    mem_free(e->rows);
    memset(e, 0, sizeof *e);
}

/* Plain means over the epochs, for traces without folds. quantity 0: feature; 1 + h: visits of hop h. */
static void plain_rates(const struct estimates_input *in, int quantity, float *rate)
{
    const struct trace *t = in->trace;
    memset(rate, 0, t->n * sizeof *rate);
    for (int g = 0; g < t->assignment.gpus; g++) {
        if (t->assignment.clique_of[g] != in->clique) continue;
        const uint32_t *row = quantity ? t->visits[quantity - 1][g] : t->feature[g];
        for (uint64_t v = 0; v < t->n; v++) rate[v] += (float)row[v] / (float)t->epochs;
    }
}

enum rates rates_of(const char *hotness)
{
    static const char *const names[RATES_KINDS] = {"calibrated", "presample", "vip"};
    int i = 0;
    while (i < RATES_KINDS && strcmp(names[i], hotness)) i++;
    return (enum rates)i;
}

static enum st rates(const struct estimates_input *in, const struct vip *vip, const uint8_t *train, int quantity, float *rate, struct err *err)
{
    const struct trace *t = in->trace;
    struct calibrated_input c = {.n = t->n, .folds = t->folds, .prior = quantity ? vip->visits[quantity - 1] : vip->feature, .train = train,
                                 .noise = t->epochs == 1 ? quantity ? vip->visits_noise[quantity - 1] : vip->feature_noise : NULL, .folds_per_epoch = t->folds_per_epoch, .threads = in->threads};
    if (in->rates == RATES_VIP) {
        memcpy(rate, c.prior, t->n * sizeof *rate);
        return ST_OK;
    }
    if (in->rates == RATES_PRESAMPLE || t->folds < 2) {
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

enum st estimates_make(const struct estimates_input *in, struct estimates *out, struct err *err)
{
    enum st st = ST_OK;
    const struct graph *g = in->graph;
    const struct workload *w = &in->trace->workload;
    struct estimates e = {0};
    struct vip vip = {0};
    uint8_t *train = NULL;
    float *rate = NULL;
    NEW(e.topology, g->n, "estimates");
    NEW(e.feature, g->n, "estimates");
    NEW(e.visits, g->n, "estimates");
    NEW(e.rows, g->n, "estimates");
    NEW(rate, g->n, "estimates");
    TRY(mark_train(in, &train, err));
    bool calibrate = in->rates == RATES_CALIBRATED && in->trace->folds >= 2;
    if (calibrate || in->rates == RATES_VIP) TRY(vip_compute(g, &in->trace->assignment, in->clique, w, in->kernels, in->threads, &vip, err));
    if (calibrate && in->trace->epochs == 1) TRY(vip_noise(g, &in->trace->assignment, in->clique, w, in->kernels, in->threads, &vip, err));
    TRY(rates(in, &vip, train, 0, e.rows, err));
#pragma omp parallel for num_threads(in->threads)
    for (uint64_t v = 0; v < g->n; v++) e.feature[v] = e.rows[v] * (float)lines_of_feature(v, g->row_bytes, in->cls);
    for (int h = 0; h < w->hops; h++) {
        TRY(rates(in, &vip, train, 1 + h, rate, err));
        add_visits(in, in->costs->cost[h], rate, &e);
    }
    *out = e;
    memset(&e, 0, sizeof e);
done:
    mem_free(rate);
    mem_free(train);
    vip_release(&vip);
    estimates_release(&e);
    return st;
}
