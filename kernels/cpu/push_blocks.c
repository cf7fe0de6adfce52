#include "kernels/cpu/push_blocks.h"

#include <omp.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/damped.h"

enum {
    BLOCK_BITS = 15,
    BLOCK = 1 << BLOCK_BITS,
    NOWHERE = BLOCK,
    SUMS = BLOCK + 16, /* of a thread: with nowhere, on lines of its own */
    BLOCKS_MOST = 128,
    PARTS_MOST = 64,
    GAP_MOST = UINT8_MAX,
    EDGES_LEAST = 1 << 20,
    ROWS_PER_EDGE = 2,    /* of a block; with 4 steps may be slower than along the rows */
    STEPS_LEAST = 16,     /* making the copy takes as long as 5 to 15 steps save, and memory */
    EDGES_TOLD = 1 << 21, /* that a piece has of which the caller is told */
    EDGES_AHEAD = 1024,
    ROWS_AHEAD = 256
};

static uint64_t blocks_of(uint64_t n) { return (n + BLOCK - 1) >> BLOCK_BITS; }

/* Edges to nowhere that a list may need: for a part of `rows`. */
static uint64_t gaps_most(uint64_t rows) { return rows / GAP_MOST; }

uint64_t push_blocks_bytes(uint64_t n, uint64_t edges)
{
    uint64_t blocks = blocks_of(n);
    if (blocks > BLOCKS_MOST || edges < EDGES_LEAST || n * blocks > edges * ROWS_PER_EDGE) return 0;
    return (edges + blocks * gaps_most(n)) * (sizeof(uint16_t) + sizeof(uint8_t));
}

bool push_blocks_pay(const struct pagerank_problem *p, int steps)
{
    return steps >= STEPS_LEAST && p->n && push_blocks_bytes(p->n, (uint64_t)p->indptr[p->n]) > 0;
}

/* ---- making the copy ---- */

/* A part's rows, and for every block how many edges it has; then where its next one is written. */
struct writer {
    uint64_t from, to;
    uint64_t at[BLOCKS_MOST];
    uint64_t row[BLOCKS_MOST]; /* of the edge written last */
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

static void tell(const struct pagerank_problem *p, int64_t from, int64_t to)
{
    if (p->was_read) p->was_read(p->of, (uint64_t)from, (uint64_t)to);
}

/* Four counters per block, because an addition to one that has just been added to waits for it. */
static void count_edges(const struct pagerank_problem *p, struct writer *w)
{
    enum { COUNTERS = 4 };
    uint64_t count[COUNTERS][BLOCKS_MOST] = {{0}};
    int64_t e = p->indptr[w->from], end = p->indptr[w->to];
    for (; e + COUNTERS <= end; e += COUNTERS)
        for (int i = 0; i < COUNTERS; i++) count[i][p->indices[e + i] >> BLOCK_BITS]++;
    for (; e < end; e++) count[0][p->indices[e] >> BLOCK_BITS]++;
    for (int k = 0; k < BLOCKS_MOST; k++)
        for (int i = 0; i < COUNTERS; i++) w->at[k] += count[i][k];
}

/* Turns counts into places: block by block, and within a block part by part. Returns how many places there are. */
static uint64_t find_places(struct push_blocks *b, struct writer *w)
{
    uint64_t places = 0;
    for (uint64_t k = 0; k < b->blocks; k++) {
        uint64_t edges = 0;
        for (int t = 0; t < b->parts; t++) {
            uint64_t more = w[t].at[k];
            b->begin[k * (uint64_t)b->parts + (uint64_t)t] = w[t].at[k] = places;
            w[t].row[k] = w[t].from;
            places += more + gaps_most(w[t].to - w[t].from);
            edges += more;
        }
        if (edges > b->largest) b->largest = edges;
    }
    for (int t = 0; t < b->parts; t++) b->row[t] = w[t].from;
    return places;
}

static void write_row(const struct pagerank_problem *p, const struct push_blocks *b, uint64_t v, struct writer *w)
{
    for (int64_t e = p->indptr[v]; e < p->indptr[v + 1]; e++) {
        uint32_t u = p->indices[e], k = u >> BLOCK_BITS;
        uint64_t gap = v - w->row[k], at = w->at[k];
        for (; gap > GAP_MOST; gap -= GAP_MOST) {
            b->to[at] = NOWHERE;
            b->gap[at++] = GAP_MOST;
        }
        b->to[at] = (uint16_t)(u & (BLOCK - 1));
        b->gap[at] = (uint8_t)gap;
        w->at[k] = at + 1;
        w->row[k] = v;
    }
}

static void write_edges(const struct pagerank_problem *p, const struct push_blocks *b, struct writer *w)
{
    int64_t told = p->indptr[w->from];
    for (uint64_t v = w->from; v < w->to; v++) {
        write_row(p, b, v, w);
        if (p->indptr[v + 1] - told < EDGES_TOLD && v + 1 < w->to) continue;
        tell(p, told, p->indptr[v + 1]);
        told = p->indptr[v + 1];
    }
}

static enum st new_lists(struct push_blocks *b, struct err *err)
{
    MAKE(b->row, b->parts, "edges by blocks");
    MAKE(b->begin, b->blocks * (uint64_t)b->parts, "edges by blocks");
    MAKE(b->end, b->blocks * (uint64_t)b->parts, "edges by blocks");
    MAKE(b->sum, b->threads * SUMS, "edges by blocks");
    return ST_OK;
}

enum st push_blocks_make(const struct pagerank_problem *p, int threads, bool always, struct push_blocks *out,
                         struct err *err)
{
    enum st st = ST_OK;
    uint64_t edges = p->n ? (uint64_t)p->indptr[p->n] : 0, places;
    int team = cpu_team(threads, edges);
    OWNED_BY(push_blocks_release) struct push_blocks b = {.n = p->n, .blocks = blocks_of(p->n), .threads = team};
    OWNED struct writer *w = NULL;
    BUG_IF(b.blocks > BLOCKS_MOST);
    b.parts = team < PARTS_MOST ? team : PARTS_MOST;
    TRY(new_lists(&b, err));
    NEW(w, b.parts, "edges by blocks");
#pragma omp parallel for num_threads(b.parts)
    for (int t = 0; t < b.parts; t++) {
        w[t].from = cut_edges(p, t, b.parts);
        w[t].to = cut_edges(p, t + 1, b.parts);
        count_edges(p, &w[t]);
        tell(p, p->indptr[w[t].from], p->indptr[w[t].to]); /* large pages: nearly all of the copy is there at once */
    }
    places = find_places(&b, w);
    *out = (struct push_blocks){0};
    if (!always && b.largest > 2 * (edges / (uint64_t)team)) goto done;
    NEW(b.to, places, "edges by blocks");
    NEW(b.gap, places, "edges by blocks");
#pragma omp parallel for num_threads(b.parts)
    for (int t = 0; t < b.parts; t++) {
        write_edges(p, &b, &w[t]);
        for (uint64_t k = 0; k < b.blocks; k++) b.end[k * (uint64_t)b.parts + (uint64_t)t] = w[t].at[k];
    }
    *out = b;
    memset(&b, 0, sizeof b);
done:
    return st;
}

void push_blocks_release(struct push_blocks *b)
{
    mem_free(b->to);
    mem_free(b->gap);
    mem_free(b->row);
    mem_free(b->begin);
    mem_free(b->end);
    mem_free(b->sum);
    memset(b, 0, sizeof *b);
}

/* ---- a step ---- */

/* Adds what the rows push along the edges of a list. share: of the part's first row. sum: [BLOCK + 1], of which the
 * last is nowhere. No edge has a branch, and four of them take two loads. */
static void add_list(const struct push_blocks *b, uint64_t list, const uint64_t *share, uint64_t *sum)
{
    const uint16_t *to = b->to + b->begin[list], *end = b->to + b->end[list];
    const uint8_t *gap = b->gap + b->begin[list];
#define ADD(i)                                                                                                         \
    do {                                                                                                               \
        share += gaps >> 8 * (i)&0xff;                                                                                 \
        sum[places >> 16 * (i)&0xffff] += *share;                                                                      \
    } while (0)
    for (; end - to >= 4; to += 4, gap += 4) {
        uint64_t places;
        uint32_t gaps;
        __builtin_prefetch(to + EDGES_AHEAD);
        __builtin_prefetch(gap + EDGES_AHEAD);
        __builtin_prefetch(share + ROWS_AHEAD);
        memcpy(&places, to, sizeof places);
        memcpy(&gaps, gap, sizeof gaps);
        ADD(0);
        ADD(1);
        ADD(2);
        ADD(3);
    }
#undef ADD
    for (; to < end; to++, gap++) {
        share += *gap;
        sum[*to] += *share;
    }
}

/* Makes the values of the block's vertices from their sums; returns the change. */
static uint64_t finish_block(const struct pagerank_problem *p, const uint64_t *sum, const uint64_t *x, uint64_t count,
                             uint64_t *y)
{
    uint64_t change = 0;
    for (uint64_t i = 0; i < count; i++) {
        y[i] = p->base + damped(sum[i], p->damping_permille);
        change += y[i] > x[i] ? y[i] - x[i] : x[i] - y[i];
    }
    return change;
}

void push_blocks_step(const struct push_blocks *b, const struct pagerank_problem *p, int threads, const uint64_t *x,
                      uint64_t *share, uint64_t *y, uint64_t *change)
{
    uint64_t moved = 0, parts = (uint64_t)b->parts;
    int team = threads < b->threads ? threads : b->threads;
#pragma omp parallel num_threads(team) reduction(+ : moved)
    {
        uint64_t *sum = b->sum + (uint64_t)omp_get_thread_num() * SUMS;
#pragma omp for schedule(static)
        for (uint64_t v = 0; v < p->n; v++) {
            uint64_t length = (uint64_t)(p->indptr[v + 1] - p->indptr[v]);
            share[v] = x[v] / (length + !length);
        }
#pragma omp for schedule(dynamic, 1)
        for (uint64_t k = 0; k < b->blocks; k++) {
            uint64_t from = k << BLOCK_BITS, count = p->n - from < BLOCK ? p->n - from : BLOCK;
            memset(sum, 0, (BLOCK + 1) * sizeof *sum);
            for (uint64_t t = 0; t < parts; t++) add_list(b, k * parts + t, share + b->row[t], sum);
            moved += finish_block(p, sum, x + from, count, y + from);
        }
    }
    *change = moved;
}
