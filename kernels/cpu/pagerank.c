/* pagerank.c - one PageRank step, pushed along the rows.
 *
 * Rows are in sampling direction, so the sum for u runs over the rows that list u. A transposed copy would be as large
 * as the graph; without one, every edge is an addition at a random place. These places are known long before, so they
 * are prefetched AHEAD edges early, by a loop without a test for the end of the edges. (96 was best or near it on
 * skewed and uniform graphs, from sums that fit the cache to sums of 64 MB; a test per edge cost 15 to 30 %.) Indices
 * are prefetched a page early, because hardware follows a stream only within a page (up to 1.3 times faster on files
 * mapped in pages of 4 KiB; a prefetch beyond the array does nothing).
 *
 * Chunks of rows have about equally many edges, and threads take the next chunk when they are done, so that a slow
 * thread does not delay the others. Each thread adds to an array of its own (y, the caller's scratch, or a further one)
 * and zeroes it itself, so that its pages lie on the thread's memory node.
 */
#include <omp.h>
#include <string.h>
#include "kernels/cpu/copies.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/damped.h"

enum { AHEAD = 96, PAGE_AHEAD = 1024, CHUNKS = 16 }; /* edges, edges, per thread */

/* First vertex of part t: t / parts of all rows and edges lie before it. */
static uint64_t cut_rows(const struct pagerank_problem *p, int t, int parts)
{
    uint64_t edges = (uint64_t)p->indptr[p->n], goal = cpu_cut(p->n + edges, t, parts), from = 0, to = p->n;
    while (from < to) {
        uint64_t middle = from + (to - from) / 2;
        if (middle + (uint64_t)p->indptr[middle] < goal) from = middle + 1;
        else to = middle;
    }
    return from;
}

/* The value that v pushes to each vertex of its row. Any number when the row is empty: a branch that is hard to predict
 * costs more than a division. */
static inline uint64_t share_of(const struct pagerank_problem *p, const uint64_t *x, uint64_t v)
{
    uint64_t length = (uint64_t)(p->indptr[v + 1] - p->indptr[v]);
    return x[v] / (length + !length);
}

/* End of the edges of a row that have an edge AHEAD of them. */
static inline int64_t far_end(int64_t end, int64_t edges) { return end < edges - AHEAD ? end : edges - AHEAD; }

static inline void add(uint64_t *to, uint64_t share, bool shared)
{
    if (shared) __atomic_fetch_add(to, share, __ATOMIC_RELAXED);
    else *to += share;
}

/* shared: other threads add to the same sums. Inlined, so that neither loop asks. */
static inline __attribute__((always_inline)) void push_rows(const struct pagerank_problem *p, const uint64_t *x,
                                                            uint64_t from, uint64_t to, bool shared, uint64_t *sum)
{
    const uint32_t *indices = p->indices;
    int64_t edges = p->indptr[p->n], e = p->indptr[from];
    for (uint64_t v = from; v < to; v++) {
        int64_t end = p->indptr[v + 1], far = far_end(end, edges);
        uint64_t share = share_of(p, x, v);
        if (!share) { /* most rows, where few vertices were reached so far (vip) */
            e = end;
            continue;
        }
        for (; e < far; e++) {
            __builtin_prefetch(&indices[e + PAGE_AHEAD]);
            __builtin_prefetch(&sum[indices[e + AHEAD]], 1);
            add(&sum[indices[e]], share, shared);
        }
        for (; e < end; e++) add(&sum[indices[e]], share, shared);
    }
}

/* Where the threads add: to arrays of their own, or all to y. */
struct sums {
    bool apart;
    uint64_t n, *y, *scratch, *more;
};

static inline uint64_t *sum_of(const struct sums *s, int thread)
{
    if (!s->apart || !thread) return s->y;
    return thread == 1 ? s->scratch : s->more + (uint64_t)(thread - 2) * s->n;
}

/* One thread's part of the pushing; all threads of the team call it. */
static void push_chunks(const struct pagerank_problem *p, const uint64_t *x, const struct sums *s, int team)
{
    int chunks = team > 1 ? team * CHUNKS : 1;
    uint64_t *sum = sum_of(s, omp_get_thread_num());
    if (s->apart || !omp_get_thread_num()) memset(sum, 0, s->n * sizeof *sum);
    if (!s->apart) {
#pragma omp barrier
    }
#pragma omp for schedule(dynamic, 1)
    for (int c = 0; c < chunks; c++) {
        uint64_t from = c ? cut_rows(p, c, chunks) : 0, to = c + 1 < chunks ? cut_rows(p, c + 1, chunks) : p->n;
        if (team > 1 && !s->apart) push_rows(p, x, from, to, true, sum);
        else push_rows(p, x, from, to, false, sum);
    }
}

/* Adds the sums up, damps, and returns the change: vertices from..to-1. */
static uint64_t finish(const struct pagerank_problem *p, const uint64_t *x, const struct sums *s, int team,
                       uint64_t from, uint64_t to)
{
    uint64_t change = 0;
    for (uint64_t u = from; u < to; u++) {
        uint64_t sum = s->y[u];
        for (int t = 1; s->apart && t < team; t++) sum += sum_of(s, t)[u];
        sum = p->base + damped(sum, p->damping_permille);
        change += sum > x[u] ? sum - x[u] : x[u] - sum;
        s->y[u] = sum;
    }
    return change;
}

enum st cpu_pagerank_step(int threads, const struct pagerank_problem *p, const uint64_t *x, uint64_t *share,
                          uint64_t *y, uint64_t *change, struct err *err)
{
    uint64_t edges = p->n ? (uint64_t)p->indptr[p->n] : 0, moved = 0;
    int team = cpu_team(threads, p->n + edges);
    struct sums s = {.apart = copies_pay(team, p->n, edges), .n = p->n, .y = y, .scratch = share};

    (void)err;
    if (s.apart && team > 2) {
        s.more = copies_new(team - 1, p->n, edges, sizeof *y);
        s.apart = s.more != NULL;
    }
    if (p->n) {
#pragma omp parallel num_threads(team) reduction(+ : moved)
        {
            int me = omp_get_thread_num(), all = omp_get_num_threads();
            push_chunks(p, x, &s, all);
            moved += finish(p, x, &s, all, cpu_cut(p->n, me, all), cpu_cut(p->n, me + 1, all));
        }
    }
    *change = moved;
    mem_free(s.more);
    return ST_OK;
}
