/* typed_vip.c - inclusion probabilities on a typed graph (declared in typed_estimates.h). */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/typed/typed_estimates.h"
#include "traces/sampling/seeds.h"

/* Logarithms in units of 2^-34; one row gives at most 16, so that sums of 2^25 rows stay below 2^63 (as vip.c). */
static const double log_most = 16.0;

void typed_vip_release(struct typed_vip *v)
{
    mem_free(v->feature);
    for (int h = 0; h < HOPS_MAX; h++) mem_free(v->visits[h]);
    memset(v, 0, sizeof *v);
}

/* Adds what the rows of one relation push to their sources: integers, so that the order of adding does not matter. */
static void push_relation(const struct graph *g, const struct workload *w, int relation, int hop, const double *mass,
                          int threads, uint64_t *sum)
{
    const struct graph_relation *r = &g->relation[relation];
    uint32_t fanout = workload_fanout(w, relation, hop);
    const double *here = mass + g->type[r->target].first;
    uint64_t *to = sum + g->type[r->source].first;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096) if (r->rows >= ROWS_PARALLEL)
    for (uint64_t v = 0; v < r->rows; v++) {
        uint64_t pool = relation_degree(r, v) ? workload_pool(g, w, relation, v) : 0;
        double chance = !pool || !fanout ? 0 : here[v] * (pool <= fanout ? 1.0 : (double)fanout / (double)pool);
        double amount = chance <= 0 ? 0 : chance >= 1 ? log_most : fmin(-log1p(-chance), log_most);
        uint64_t units = (uint64_t)(amount * 0x1p34);
        for (int64_t e = r->indptr[v]; units && e < r->indptr[v + 1]; e++) {
#pragma omp atomic
            to[r->indices[e]] += units;
        }
    }
}

static double start(const struct graph *g, const struct assignment *a, int clique, const struct workload *w,
                    double *seen)
{
    uint64_t batches = 0;
    for (int i = 0; i < a->gpus; i++)
        if (a->clique_of[i] == clique) batches += seeds_batches(w, g, a->train[i], a->train_count[i]);
    for (int i = 0; i < a->gpus; i++)
        for (uint64_t j = 0; a->clique_of[i] == clique && j < a->train_count[i]; j++)
            seen[a->train[i][j]] = 1.0 / (double)batches;
    return (double)batches;
}

enum st typed_vip_make(const struct graph *g, const struct assignment *a, int clique, const struct workload *w,
                       int threads, struct typed_vip *out, struct err *err)
{
    enum st st = ST_OK;
    struct typed_vip v = {0};
    double *seen = NULL, *mass = NULL;
    uint64_t *sum = NULL;
    NEW(seen, g->n, "inclusion probabilities");
    NEW(mass, g->n, "inclusion probabilities");
    NEW(sum, g->n, "inclusion probabilities");
    NEW(v.feature, g->n, "inclusion probabilities");
    double batches = start(g, a, clique, w, seen);
    memcpy(mass, seen, g->n * sizeof *mass);
    for (int h = 0; h < w->hops; h++) {
        NEW(v.visits[h], g->n, "inclusion probabilities");
        for (uint64_t u = 0; u < g->n; u++) v.visits[h][u] = (float)(batches * mass[u]);
        memset(sum, 0, g->n * sizeof *sum);
        for (int r = 0; r < g->relations; r++)
            if (workload_fanout(w, r, h)) push_relation(g, w, r, h, mass, threads, sum);
#pragma omp parallel for num_threads(threads) if (g->n >= ROWS_PARALLEL)
        for (uint64_t u = 0; u < g->n; u++) {
            double after = 1 - (1 - seen[u]) * exp(-(double)sum[u] * 0x1p-34);
            mass[u] = w->frontier == FRONTIER_ALL ? after : after - seen[u];
            seen[u] = after;
        }
    }
    for (uint64_t u = 0; u < g->n; u++) v.feature[u] = (float)(batches * seen[u]);
    *out = v;
    memset(&v, 0, sizeof v);
done:
    mem_free(seen);
    mem_free(mass);
    mem_free(sum);
    typed_vip_release(&v);
    return st;
}
