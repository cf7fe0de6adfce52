/* pagerank.c - one PageRank step, pushed along the rows.
 *
 * The rows are those that sampling reads, so the sum for u runs over the rows that list u: without a transposed copy of the graph (as large as
 * the graph) every edge is an addition at a random place. Rows are cut so that all parts have about equally many edges.
 */
#include <string.h>
#include "kernels/cpu/copies.h"
#include "kernels/cpu/cpu.h"

enum { AHEAD = 48 };

/* First vertex of part t: rows and edges before it make up t / parts of all. */
static uint64_t cut_rows(const struct pagerank_problem *p, int t, int parts)
{
    uint64_t edges = (uint64_t)p->indptr[p->n], goal = cpu_cut(p->n + edges, t, parts), from = 0, to = p->n;
    while (from < to) {
        uint64_t middle = from + (to - from) / 2;
        if (middle + (uint64_t)p->indptr[middle] < goal)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void push_rows(const struct pagerank_problem *p, const uint64_t *x, uint64_t *share, uint64_t from, uint64_t to, uint64_t *sum)
{
    int64_t last = p->indptr[p->n] - 1;
    for (uint64_t v = from; v < to; v++) {
        int64_t begin = p->indptr[v], end = p->indptr[v + 1];
        uint64_t give = share[v] = begin < end ? x[v] / (uint64_t)(end - begin) : 0;
        for (int64_t e = begin; e < end; e++) {
            int64_t ahead = e + AHEAD < last ? e + AHEAD : last;
            __builtin_prefetch(&sum[p->indices[ahead]], 1);
            sum[p->indices[e]] += give;
        }
    }
}

static void push_rows_atomic(const struct pagerank_problem *p, const uint64_t *x, uint64_t *share, uint64_t from, uint64_t to, uint64_t *sum)
{
    for (uint64_t v = from; v < to; v++) {
        int64_t begin = p->indptr[v], end = p->indptr[v + 1];
        uint64_t give = share[v] = begin < end ? x[v] / (uint64_t)(end - begin) : 0;
        for (int64_t e = begin; e < end; e++)
            __atomic_fetch_add(&sum[p->indices[e]], give, __ATOMIC_RELAXED);
    }
}

/* floor(permille * sum / 1000) without a wider type: 1000 divides out of the sum first. */
static inline uint64_t damped(uint64_t sum, uint32_t permille)
{
    return sum / 1000 * permille + sum % 1000 * permille / 1000;
}

/* Adds the copies up, damps, and measures the change. */
static uint64_t finish(int team, const struct pagerank_problem *p, const uint64_t *x, const uint64_t *copies, int parts, uint64_t *y)
{
    uint64_t change = 0;
#pragma omp parallel for num_threads(team) schedule(static) reduction(+ : change)
    for (uint64_t u = 0; u < p->n; u++) {
        uint64_t sum = y[u];
        for (int t = 1; copies && t < parts; t++)
            sum += copies[(uint64_t)(t - 1) * p->n + u];
        y[u] = p->base + damped(sum, p->damping_permille);
        change += y[u] > x[u] ? y[u] - x[u] : x[u] - y[u];
    }
    return change;
}

enum st cpu_pagerank_step(int threads, const struct pagerank_problem *p, const uint64_t *x, uint64_t *share, uint64_t *y, uint64_t *change,
                          struct err *err)
{
    uint64_t edges = p->n ? (uint64_t)p->indptr[p->n] : 0;
    int parts = cpu_team(threads, p->n + edges);
    uint64_t *copies = copies_new(parts, p->n, edges, sizeof *y);

    (void)err;
    if (p->n)
        memset(y, 0, p->n * sizeof *y);
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int t = 0; t < parts; t++) {
        uint64_t from = t ? cut_rows(p, t, parts) : 0, to = t + 1 < parts ? cut_rows(p, t + 1, parts) : p->n;
        if (parts > 1 && !copies)
            push_rows_atomic(p, x, share, from, to, y);
        else
            push_rows(p, x, share, from, to, t ? copies + (uint64_t)(t - 1) * p->n : y);
    }
    *change = finish(cpu_team(threads, p->n), p, x, copies, parts, y);
    mem_free(copies);
    return ST_OK;
}
