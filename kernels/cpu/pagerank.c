/* pagerank.c - one PageRank step, pushed along the rows.
 *
 * The rows are those that sampling reads, so the sum for u runs over the rows that list u: without a transposed copy of the graph (as large as
 * the graph) every edge is an addition at a random place. What keeps that fast is that the places are known long before: they are fetched
 * AHEAD edges early, with nothing in the loop to find out whether the edges end before that (96 was best or near it on skewed and uniform
 * graphs, from sums that fit the cache to sums of 64 MB; a test per edge cost 15 to 30 %). Rows are cut so that all chunks have about equally
 * many edges; threads take chunks as they come, because one that is held up would hold up all others.
 */
#include <omp.h>
#include <string.h>
#include "kernels/cpu/copies.h"
#include "kernels/cpu/cpu.h"

enum { AHEAD = 96, CHUNKS = 16 }; /* chunks: per thread */

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

/* What v gives to each vertex of its row; anything when it lists none, because a branch that is hard to foresee costs more than a division. */
static inline uint64_t gift(const struct pagerank_problem *p, const uint64_t *x, uint64_t v)
{
    uint64_t length = (uint64_t)(p->indptr[v + 1] - p->indptr[v]);
    return x[v] / (length + !length);
}

/* The first edge that has none AHEAD of it, or the row's end. */
static inline int64_t far_end(int64_t end, int64_t edges)
{
    return end < edges - AHEAD ? end : edges - AHEAD;
}

static void push_rows(const struct pagerank_problem *p, const uint64_t *x, uint64_t from, uint64_t to, uint64_t *sum)
{
    const uint32_t *indices = p->indices;
    int64_t edges = p->indptr[p->n], e = p->indptr[from];
    for (uint64_t v = from; v < to; v++) {
        int64_t end = p->indptr[v + 1], far = far_end(end, edges);
        uint64_t give = gift(p, x, v);
        for (; e < far; e++) {
            __builtin_prefetch(&sum[indices[e + AHEAD]], 1);
            sum[indices[e]] += give;
        }
        for (; e < end; e++)
            sum[indices[e]] += give;
    }
}

static void push_rows_atomic(const struct pagerank_problem *p, const uint64_t *x, uint64_t from, uint64_t to, uint64_t *sum)
{
    const uint32_t *indices = p->indices;
    int64_t edges = p->indptr[p->n], e = p->indptr[from];
    for (uint64_t v = from; v < to; v++) {
        int64_t end = p->indptr[v + 1], far = far_end(end, edges);
        uint64_t give = gift(p, x, v);
        for (; e < far; e++) {
            __builtin_prefetch(&sum[indices[e + AHEAD]], 1);
            __atomic_fetch_add(&sum[indices[e]], give, __ATOMIC_RELAXED);
        }
        for (; e < end; e++)
            __atomic_fetch_add(&sum[indices[e]], give, __ATOMIC_RELAXED);
    }
}

/* Every thread but the first adds to its own copy, if there are copies. */
static void push_all(int team, const struct pagerank_problem *p, const uint64_t *x, uint64_t *copies, uint64_t *y)
{
    int chunks = team > 1 ? team * CHUNKS : 1;
#pragma omp parallel num_threads(team)
    {
        int me = omp_get_thread_num();
        uint64_t *sum = copies && me ? copies + (uint64_t)(me - 1) * p->n : y;
#pragma omp for schedule(static)
        for (uint64_t u = 0; u < p->n; u++)
            y[u] = 0;
#pragma omp for schedule(dynamic, 1)
        for (int c = 0; c < chunks; c++) {
            uint64_t from = c ? cut_rows(p, c, chunks) : 0, to = c + 1 < chunks ? cut_rows(p, c + 1, chunks) : p->n;
            if (team > 1 && !copies)
                push_rows_atomic(p, x, from, to, y);
            else
                push_rows(p, x, from, to, sum);
        }
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

    (void)share, (void)err; /* shares are added as they are computed */
    push_all(parts, p, x, copies, y);
    *change = finish(cpu_team(threads, p->n), p, x, copies, parts, y);
    mem_free(copies);
    return ST_OK;
}
