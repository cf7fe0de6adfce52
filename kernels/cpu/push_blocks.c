#include "kernels/cpu/push_blocks.h"

#include <string.h>

#include "base/mem.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/damped.h"

enum {
    BLOCK_BITS = 15,
    BLOCK = 1 << BLOCK_BITS,
    BLOCKS_MOST = 128,
    EDGES_LEAST = 1 << 20,
    NEXT_ROW = 1 << BLOCK_BITS, /* of an edge */
    EDGES_PER_ROW = 3,          /* of a row in a block; with 1.5 (uniform graphs) steps are no faster */
    STEPS_LEAST = 50            /* making the copy takes as long as 10 to 20 steps save, and memory */
};

static uint64_t blocks_of(uint64_t n) { return (n + BLOCK - 1) >> BLOCK_BITS; }

uint64_t push_blocks_bytes(uint64_t n, uint64_t edges)
{
    if (blocks_of(n) > BLOCKS_MOST || edges < EDGES_LEAST) return 0;
    return edges * sizeof(uint16_t) + edges / EDGES_PER_ROW * sizeof(uint32_t);
}

bool push_blocks_pay(const struct pagerank_problem *p, int steps)
{
    return steps >= STEPS_LEAST && p->n && push_blocks_bytes(p->n, (uint64_t)p->indptr[p->n]) > 0;
}

/* ---- making the copy ---- */

/* A thread's rows, and where it writes the next edge and row of every block; while it counts: how many there are. */
struct writer {
    uint64_t from, to;
    uint64_t edges[BLOCKS_MOST], rows[BLOCKS_MOST];
    uint32_t last[BLOCKS_MOST]; /* 1 + the row that reached the block last */
};

/* First row of part t: t / parts of the edges lie before it. */
static uint64_t cut_edges(const struct pagerank_problem *p, int t, int parts)
{
    uint64_t goal = cpu_cut((uint64_t)p->indptr[p->n], t, parts), from = 0, to = p->n;
    if (t == parts) return p->n;
    while (from < to) {
        uint64_t middle = from + (to - from) / 2;
        if ((uint64_t)p->indptr[middle] < goal) from = middle + 1;
        else to = middle;
    }
    return from;
}

static void count_edges(const struct pagerank_problem *p, struct writer *w)
{
    for (uint64_t v = w->from; v < w->to; v++)
        for (int64_t e = p->indptr[v]; e < p->indptr[v + 1]; e++) {
            uint32_t block = p->indices[e] >> BLOCK_BITS;
            w->edges[block]++;
            w->rows[block] += w->last[block] != (uint32_t)v + 1;
            w->last[block] = (uint32_t)v + 1;
        }
}

/* Turns counts into places: block by block, and within a block thread by thread. */
static void find_places(struct push_blocks *b, struct writer *w, int threads)
{
    uint64_t edges = 0, rows = 0;
    for (uint64_t k = 0; k <= b->blocks; k++) {
        b->edges[k] = edges;
        b->rows[k] = rows;
        for (int t = 0; t < threads && k < b->blocks; t++) {
            uint64_t more = w[t].edges[k], more_rows = w[t].rows[k];
            w[t].edges[k] = edges;
            w[t].rows[k] = rows;
            edges += more;
            rows += more_rows;
        }
        if (k && b->edges[k] - b->edges[k - 1] > b->largest) b->largest = b->edges[k] - b->edges[k - 1];
    }
    for (int t = 0; t < threads; t++) memset(w[t].last, 0, sizeof w[t].last);
}

static void write_edges(const struct pagerank_problem *p, const struct push_blocks *b, struct writer *w)
{
    for (uint64_t v = w->from; v < w->to; v++)
        for (int64_t e = p->indptr[v]; e < p->indptr[v + 1]; e++) {
            uint32_t u = p->indices[e], block = u >> BLOCK_BITS;
            bool next = w->last[block] != (uint32_t)v + 1;
            if (next) b->row[w->rows[block]++] = (uint32_t)v;
            w->last[block] = (uint32_t)v + 1;
            b->edge[w->edges[block]++] = (uint16_t)((u & (BLOCK - 1)) | (next ? NEXT_ROW : 0));
        }
}

static bool worth(const struct push_blocks *b, int team)
{
    uint64_t edges = b->edges[b->blocks], rows = b->rows[b->blocks];
    return edges >= rows * EDGES_PER_ROW && b->largest <= 2 * (edges / (uint64_t)team);
}

enum st push_blocks_make(const struct pagerank_problem *p, int threads, bool always, struct push_blocks *out,
                         struct err *err)
{
    enum st st = ST_OK;
    struct push_blocks b = {.n = p->n, .blocks = blocks_of(p->n)};
    struct writer *w = NULL;
    int team = cpu_team(threads, p->n ? (uint64_t)p->indptr[p->n] : 0);
    BUG_IF(b.blocks > BLOCKS_MOST);
    NEW(b.edges, b.blocks + 1, "edges by blocks");
    NEW(b.rows, b.blocks + 1, "edges by blocks");
    NEW(w, team, "edges by blocks");
#pragma omp parallel for num_threads(team)
    for (int t = 0; t < team; t++) {
        w[t].from = cut_edges(p, t, team);
        w[t].to = cut_edges(p, t + 1, team);
        count_edges(p, &w[t]);
    }
    find_places(&b, w, team);
    *out = (struct push_blocks){0};
    if (!always && !worth(&b, team)) goto done;
    NEW(b.edge, b.edges[b.blocks], "edges by blocks");
    NEW(b.row, b.rows[b.blocks], "edges by blocks");
#pragma omp parallel for num_threads(team)
    for (int t = 0; t < team; t++) write_edges(p, &b, &w[t]);
    *out = b;
    memset(&b, 0, sizeof b);
done:
    mem_free(w);
    push_blocks_release(&b);
    return st;
}

void push_blocks_release(struct push_blocks *b)
{
    mem_free(b->edge);
    mem_free(b->row);
    mem_free(b->edges);
    mem_free(b->rows);
    memset(b, 0, sizeof *b);
}

/* ---- a step ---- */

/* Adds what the rows push to the vertices of a block. An edge has no branch: the next row's value is looked up by a
 * counter that goes on where a row begins. */
static void add_block(const struct push_blocks *b, uint64_t k, const uint64_t *share, uint64_t *sum)
{
    const uint16_t *e = b->edge + b->edges[k], *end = b->edge + b->edges[k + 1];
    const uint32_t *row = b->row + b->rows[k];
    uint64_t at = UINT64_MAX; /* the row; the first edge of a block begins one */
#define ADD(edge)                                                                                                      \
    do {                                                                                                               \
        at += (edge) >> BLOCK_BITS & 1;                                                                                \
        sum[(edge) & (BLOCK - 1)] += share[row[at]];                                                                   \
    } while (0)
    for (; e + 4 <= end; e += 4) { /* one load for four edges */
        uint64_t four;
        memcpy(&four, e, sizeof four);
        ADD(four);
        ADD(four >> 16);
        ADD(four >> 32);
        ADD(four >> 48);
    }
    for (; e < end; e++) ADD((uint64_t)*e);
#undef ADD
}

/* Makes the values of the block's vertices from their sums; returns the change. */
static uint64_t finish_block(const struct pagerank_problem *p, const uint64_t *x, uint64_t from, uint64_t to,
                             uint64_t *y)
{
    uint64_t change = 0;
    for (uint64_t u = from; u < to; u++) {
        y[u] = p->base + damped(y[u], p->damping_permille);
        change += y[u] > x[u] ? y[u] - x[u] : x[u] - y[u];
    }
    return change;
}

void push_blocks_step(const struct push_blocks *b, const struct pagerank_problem *p, int threads, const uint64_t *x,
                      uint64_t *share, uint64_t *y, uint64_t *change)
{
    uint64_t moved = 0;
    int team = cpu_team(threads, b->edges[b->blocks]);
#pragma omp parallel num_threads(team) reduction(+ : moved)
    {
#pragma omp for schedule(static)
        for (uint64_t v = 0; v < p->n; v++) {
            uint64_t length = (uint64_t)(p->indptr[v + 1] - p->indptr[v]);
            share[v] = x[v] / (length + !length);
        }
#pragma omp for schedule(dynamic, 1)
        for (uint64_t k = 0; k < b->blocks; k++) {
            uint64_t from = k << BLOCK_BITS, to = p->n - from < BLOCK ? p->n : from + BLOCK;
            memset(y + from, 0, (to - from) * sizeof *y);
            add_block(b, k, share, y + from);
            moved += finish_block(p, x, from, to, y);
        }
    }
    *change = moved;
}
