/* pull.h - a textbook PageRank to compare with: pulled over a transposed copy, in floats, as the GAP Benchmark
 * Suite's paper describes its kernel (Beamer, Asanovic, Patterson, arXiv:1508.03619): each vertex's contribution is
 * its score by its degree, each vertex adds up those of its in-neighbours, threads take 16384 vertices at a time.
 * Written for this folder; it is not GAP's code. */
#ifndef TESTS_RIVALS_PULL_H
#define TESTS_RIVALS_PULL_H

#include <math.h>
#include "base/mem.h"
#include "traces/graph/graph.h"

struct transposed {
    int64_t *indptr;
    uint32_t *indices;
}; /* row u: the vertices that list u */

static inline enum st transpose(const struct graph *g, struct transposed *t, struct err *err)
{
    enum st st = ST_OK;
    uint64_t m = (uint64_t)g->indptr[g->n];
    NEW(t->indptr, g->n + 2, "a transposed copy");
    NEW(t->indices, m, "a transposed copy");
    for (uint64_t e = 0; e < m; e++) t->indptr[g->indices[e] + 2]++;
    for (uint64_t v = 0; v < g->n; v++) t->indptr[v + 2] += t->indptr[v + 1];
    for (uint64_t v = 0; v < g->n; v++)
        for (int64_t e = g->indptr[v]; e < g->indptr[v + 1]; e++)
            t->indices[t->indptr[g->indices[e] + 1]++] = (uint32_t)v;
done:
    return st;
}

/* One step from score to score; gives: [n] scratch. Returns the L1 change. */
static inline double pull_step(int threads, const struct graph *g, const struct transposed *t, float *score,
                               float *gives)
{
    double change = 0;
    const float damping = 0.85f, base = (1 - damping) / (float)g->n;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t v = 0; v < g->n; v++) {
        uint64_t degree = graph_degree(g, v);
        gives[v] = degree ? score[v] / (float)degree : 0;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16384) reduction(+ : change)
    for (uint64_t u = 0; u < g->n; u++) {
        float sum = 0, old = score[u];
        for (int64_t e = t->indptr[u]; e < t->indptr[u + 1]; e++) sum += gives[t->indices[e]];
        score[u] = base + damping * sum;
        change += fabsf(score[u] - old);
    }
    return change;
}

#endif
