#include "planner/study/epochs_needed.h"

#include <math.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "planner/policies/density.h"
#include "planner/study/predict.h"

/* ---- the maths ---- */

double epochs_needed_student(int freedom)
{
    static const double table[] = {0, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36};
    return freedom < 8 ? table[freedom] : 1.96 + 2.4 / freedom;
}

struct epochs_needed epochs_needed_spread(const double *left, const double *epochs, int folds)
{
    struct epochs_needed e = {0};
    double all = 0, covered = 0, squares = 0;
    for (int f = 0; f < folds; f++) {
        if (!(epochs[f] > 0)) continue;
        all += left[f];
        covered += epochs[f];
        e.folds++;
    }
    if (e.folds < 2) return e;
    e.known = true;
    e.mean = all / covered;
    for (int f = 0; f < folds; f++) {
        if (!(epochs[f] > 0)) continue;
        double off = left[f] / epochs[f] - e.mean;
        squares += epochs[f] * off * off;
    }
    e.deviation = sqrt(squares / (e.folds - 1));
    return e;
}

double epochs_needed_half_width(const struct epochs_needed *e, uint64_t epochs)
{
    if (!e->known || !(e->mean > 0)) return 0;
    return epochs_needed_student(e->folds - 1) * e->deviation / sqrt((double)epochs) / e->mean;
}

uint64_t epochs_needed_count(const struct epochs_needed *e, double error)
{
    double one = epochs_needed_half_width(e, 1) / error,
           k = ceil(one * one * (1 - 1e-12)); /* a whole number is not to be missed by a rounding */
    return k < 1 ? 1 : k > EPOCHS_NEEDED_MOST ? EPOCHS_NEEDED_MOST : (uint64_t)k;
}

/* ---- folds of a trace ---- */

void epochs_needed_count_missing(const uint8_t *at, uint64_t n, uint8_t *missing)
{
    for (uint64_t v = 0; v < n; v++) missing[v] = (uint8_t)(missing[v] + (at[v] == 0));
}

void epochs_needed_read_folds(const struct graph *g, const struct trace *t, const struct visit_costs *costs, int clique,
                              const struct missing *m, int threads, uint64_t *left)
{
    for (int f = 0; f < t->folds; f++) {
        const uint16_t *rows = trace_fold(t, clique, f, 0);
        uint64_t sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
        for (uint64_t v = 0; v < g->n; v++) {
            if (!rows[v]) continue;
            if (m->feature[v])
                sum += m->feature[v] * ((uint64_t)rows[v] * cachelines_of_feature(v, g->row_bytes, t->line_bytes))
                       << 10;
            for (int h = 0; h < t->workload.hops && m->topology[v]; h++)
                sum += m->topology[v] *
                       (uint64_t)((float)trace_fold(t, clique, f, 1 + h)[v] * costs->cost[h][v] * 1024);
        }
        left[f] += sum / m->readers;
        trace_drop_pages(t);
    }
}

static struct epochs_needed spread_of(const struct trace *t, const uint64_t *sum)
{
    double left[FOLDS_MAX], epochs[FOLDS_MAX];
    if (t->epochs == 1)
        return (struct epochs_needed){
            0}; /* its parts share out the training vertices: their spread says nothing about the next epoch */
    for (int f = 0; f < t->folds; f++) {
        left[f] = (double)sum[f] / 1024;
        epochs[f] = 1 / t->folds_per_epoch;
    }
    return epochs_needed_spread(left, epochs, t->folds);
}

/* Work space: look-ups of one reader, and what is missing. [n] each. */
struct desk {
    uint8_t *at;
    struct missing missing;
    struct visit_costs costs;
};

static void desk_release(struct desk *d)
{
    mem_free(d->at);
    mem_free(d->missing.topology);
    mem_free(d->missing.feature);
    visit_costs_release(&d->costs);
}

static enum st desk_make(const struct graph *g, const struct trace *t, int threads, struct desk *d, struct err *err)
{
    enum st st;
    NEW(d->at, g->n, "the look-up of a plan");
    NEW(d->missing.topology, g->n, "the look-up of a plan");
    NEW(d->missing.feature, g->n, "the look-up of a plan");
    TRY(visit_costs_make(g, t, t->line_bytes, threads, &d->costs, err));
done:
    return st;
}

/* Counts what the clique's GPUs that train do not reach. */
static void look_at_readers(const struct plan *p, int clique, uint64_t n, struct desk *d)
{
    const struct assignment *a = &p->assignment;
    uint64_t all;
    bool alike = predict_reach_alike(p, clique, &all);
    memset(d->missing.topology, 0, n);
    memset(d->missing.feature, 0, n);
    d->missing.readers = 0;
    for (int i = 0; i < a->gpus; i++) {
        if (a->clique_of[i] != clique || !a->train_count[i] || (alike && d->missing.readers)) continue;
        placement_locate(&p->placement, i, p->placement.topology, n, d->at);
        epochs_needed_count_missing(d->at, n, d->missing.topology);
        placement_locate(&p->placement, i, p->placement.feature, n, d->at);
        epochs_needed_count_missing(d->at, n, d->missing.feature);
        d->missing.readers++;
    }
}

enum st epochs_needed_of_plan(const struct graph *g, const struct trace *t, const struct plan *p, int threads,
                              struct epochs_needed *out, struct err *err)
{
    enum st st = ST_OK;
    uint64_t sum[FOLDS_MAX] = {0};
    struct desk d = {0};
    TRY(desk_make(g, t, threads, &d, err));
    for (int c = 0; c < t->assignment.cliques; c++) {
        look_at_readers(p, c, g->n, &d);
        if (d.missing.readers) epochs_needed_read_folds(g, t, &d.costs, c, &d.missing, threads, sum);
    }
    *out = spread_of(t, sum);
done:
    desk_release(&d);
    return st;
}

/* ---- a typical plan ---- */

/* Takes rows in the order of what the counted means save per byte while they fit. */
static enum st hold_share(const struct policy_input *in, const struct estimates *e, uint64_t budget, struct missing *m,
                          struct err *err)
{
    enum st st = ST_OK;
    const struct graph *g = in->graph;
    uint64_t n = g->n, count = 0, *key = NULL;
    uint32_t *order = NULL;
    NEW(key, 2 * n, "densities");
    for (uint64_t v = 0; v < n; v++) {
        key[v] = density_key(e->topology[v], graph_topology_bytes(g, v));
        key[n + v] = density_key(e->feature[v], g->row_bytes);
    }
    TRY(density_order(in, key, 2 * n, DENSITY_ENOUGH(budget), &order, &count, err));
    memset(m->topology, 1, n);
    memset(m->feature, 1, n);
    m->readers = 1;
    for (uint64_t i = 0; i < count; i++) {
        bool topology = order[i] < n;
        uint64_t v = topology ? order[i] : order[i] - n, bytes = topology ? graph_topology_bytes(g, v) : g->row_bytes;
        if (bytes > budget) continue;
        budget -= bytes;
        (topology ? m->topology : m->feature)[v] = 0;
    }
done:
    mem_free(key);
    mem_free(order);
    return st;
}

enum st epochs_needed_of_share(const struct graph *g, const struct trace *t, const struct kernels *k, double share,
                               int threads, struct epochs_needed *out, struct err *err)
{
    enum st st = ST_OK;
    uint64_t sum[FOLDS_MAX] = {0};
    struct desk d = {0};
    struct estimates e = {0};
    struct policy_input in = {.graph = g, .trace = t, .kernels = k, .threads = threads};
    *out = (struct epochs_needed){0};
    if (t->folds < 2 || t->epochs == 1 || g->n > UINT32_MAX / 2) return ST_OK;
    TRY(desk_make(g, t, threads, &d, err));
    for (int c = 0; c < t->assignment.cliques; c++) {
        struct estimates_input i = {.graph = g,
                                    .trace = t,
                                    .kernels = k,
                                    .costs = &d.costs,
                                    .clique = c,
                                    .threads = threads,
                                    .line_bytes = t->line_bytes,
                                    .rates = RATES_PRESAMPLE};
        estimates_release(&e);
        TRY(estimates_make(&i, &e, err));
        TRY(hold_share(&in, &e, (uint64_t)(share * (double)graph_total_bytes(g)), &d.missing, err));
        epochs_needed_read_folds(g, t, &d.costs, c, &d.missing, threads, sum);
    }
    *out = spread_of(t, sum);
done:
    estimates_release(&e);
    desk_release(&d);
    return st;
}
