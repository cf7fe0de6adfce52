#include "planner/study/misses.h"

#include "base/cacheline.h"
#include "planner/hotness/reader_shares.h"

bool misses_shared(const struct plan *plan, int clique, uint64_t *readers)
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

void misses_add(const uint8_t *at, uint64_t n, const struct trace *t, const struct reader_rates *readers, int g,
                bool topology, uint16_t *missed)
{
    for (uint64_t v = 0; v < n; v++)
        if (!at[v]) missed[v] = (uint16_t)(missed[v] + (t ? reader_share(t, readers, g, topology, v) : 1));
}

void misses_by_fold(const struct graph *g, const struct trace *t, const struct visit_costs *costs, int clique,
                    const struct misses *m, int threads, uint64_t *left)
{
    for (int f = 0; f < t->folds; f++) {
        const uint16_t *rows = trace_fold(t, clique, f, 0);
        uint64_t sum = 0;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
        for (uint64_t v = 0; v < g->n; v++) {
            if (!rows[v]) continue;
            if (m->feature[v])
                sum += (uint64_t)m->feature[v] *
                           ((uint64_t)rows[v] * cachelines_of_feature(v, g->row_bytes, t->line_bytes))
                       << 10;
            for (int h = 0; h < t->workload.hops && m->topology[v]; h++)
                sum += m->topology[v] *
                       (uint64_t)((float)trace_fold(t, clique, f, 1 + h)[v] * costs->cost[h][v] * 1024);
        }
        left[f] += sum / m->all;
        trace_drop_pages(t);
    }
}
