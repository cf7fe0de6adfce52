#include "planner/vip.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

/* Logarithms in units of 2^-34; one row gives at most 16 (a miss of 1e-7), so that sums of 2^25 rows stay below 2^63. */
enum { LOG_BITS = 34 };
static const double log_most = 16.0;

void vip_release(struct vip *v)
{
    mem_free(v->feature);
    for (int h = 0; h < HOPS_MAX; h++) mem_free(v->visits[h]);
    memset(v, 0, sizeof *v);
}

/* What the vertices' rows push per neighbour, times the degree, because the kernel divides by it. */
static void set_pushes(const struct graph *g, const double *mass, uint32_t fanout, int threads, uint64_t *push)
{
#pragma omp parallel for num_threads(threads)
    for (uint64_t v = 0; v < g->n; v++) {
        uint64_t degree = graph_degree(g, v);
        double chance = degree ? mass[v] * (degree <= fanout ? 1.0 : (double)fanout / (double)degree) : 0;
        double amount = chance <= 0 ? 0 : chance >= 1 ? log_most : fmin(-log1p(-chance), log_most);
        push[v] = (uint64_t)(amount * 0x1p34) * degree;
    }
}

/* One hop: seen becomes the chance to be seen by then, mass what the next hop expands. */
static void absorb(const struct graph *g, const uint64_t *sum, bool all, int threads, double *seen, double *mass)
{
#pragma omp parallel for num_threads(threads)
    for (uint64_t v = 0; v < g->n; v++) {
        double after = 1 - (1 - seen[v]) * exp(-(double)sum[v] * 0x1p-34);
        mass[v] = all ? after : after - seen[v];
        seen[v] = after;
    }
}

/* Marks the training vertices with 1 / batches; returns the mini-batches per epoch. */
static double start(const struct assignment *a, int clique, uint64_t batch, double *seen)
{
    uint64_t batches = 0;
    for (int g = 0; g < a->gpus; g++)
        if (clique < 0 || a->clique_of[g] == clique) batches += (a->train_count[g] + batch - 1) / batch;
    for (int g = 0; g < a->gpus; g++)
        for (uint64_t i = 0; (clique < 0 || a->clique_of[g] == clique) && i < a->train_count[g]; i++) seen[a->train[g][i]] = 1.0 / (double)batches;
    return (double)batches;
}

enum st vip_compute(const struct graph *g, const struct assignment *a, int clique, const struct workload *w, const struct kernels *k, int threads,
                    struct vip *out, struct err *err)
{
    enum st st = ST_OK;
    struct vip v = {0};
    double *seen = NULL, *mass = NULL;
    uint64_t *push = NULL, *share = NULL, *sum = NULL, change;
    NEW(seen, g->n, "inclusion probabilities");
    NEW(mass, g->n, "inclusion probabilities");
    NEW(push, g->n, "inclusion probabilities");
    NEW(share, g->n, "inclusion probabilities");
    NEW(sum, g->n, "inclusion probabilities");
    NEW(v.feature, g->n, "inclusion probabilities");
    double batches = start(a, clique, w->batch, seen);
    memcpy(mass, seen, g->n * sizeof *mass);
    struct pagerank_problem p = {g->n, g->indptr, g->indices, 0, 1000}; /* base 0, no damping: plain sums along the rows */
    for (int h = 0; h < w->hops; h++) {
        NEW(v.visits[h], g->n, "inclusion probabilities");
        for (uint64_t u = 0; u < g->n; u++) v.visits[h][u] = (float)(batches * mass[u]);
        set_pushes(g, mass, w->fanout[h], threads, push);
        TRY(k->pagerank_step(threads, &p, push, share, sum, &change, err));
        absorb(g, sum, w->frontier_all, threads, seen, mass);
    }
    for (uint64_t u = 0; u < g->n; u++) v.feature[u] = (float)(batches * seen[u]);
    *out = v;
    memset(&v, 0, sizeof v);
done:
    mem_free(seen);
    mem_free(mass);
    mem_free(push);
    mem_free(share);
    mem_free(sum);
    vip_release(&v);
    return st;
}
