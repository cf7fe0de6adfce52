/* tally_vertex.h - what a reader did with one vertex, the same in C and CUDA (the definitions are in tally.h). */
#ifndef KERNELS_TALLY_VERTEX_H
#define KERNELS_TALLY_VERTEX_H

#include "kernels/tally.h"

#ifdef __CUDACC__
#define TALLY_FUNCTION static __host__ __device__ inline
#else
#define TALLY_FUNCTION static inline
#endif

/* What does not change from vertex to vertex; by value, so that a kernel can be given it. */
struct tally_rule {
    uint32_t fanout[TALLY_HOPS_MAX];
    int hops;
    bool whole_rows;
    uint64_t row_bytes, line_bytes;
};

struct tally_seen {
    uint32_t v, rows, lines;
    uint64_t visits, draws, degrees, entries, feature_lines;
};

static inline struct tally_rule tally_rule_of(const struct tally_problem *p)
{
    struct tally_rule r = {{0}, p->hops, p->whole_rows, p->row_bytes, p->line_bytes};
    for (int h = 0; h < p->hops; h++) r.fanout[h] = p->fanout[h];
    return r;
}

/* Transactions of the feature row of v: the blocks of line_bytes bytes that it touches. */
TALLY_FUNCTION uint64_t tally_feature_lines(const struct tally_rule *r, uint64_t v)
{
    uint64_t from = v * r->row_bytes;
    return r->row_bytes ? (from + r->row_bytes - 1) / r->line_bytes - from / r->line_bytes + 1 : 0;
}

/* One vertex in a mini-batch (its feature count is not 0), and what it adds to the hops (NULL: not wanted). at: its
 * place in the arrays. */
TALLY_FUNCTION struct tally_seen tally_see(const struct tally_rule *r, const struct tally_counts *c, uint64_t at,
                                           uint64_t v, uint64_t degree, struct tally_hops *hops)
{
    struct tally_seen s;
    uint64_t draws = 0, whole = 0;
    s.v = (uint32_t)v;
    s.rows = c->feature[at];
    s.lines = c->lines[at];
    s.feature_lines = s.rows * tally_feature_lines(r, v);
    s.visits = 0;
    for (int h = 0; h < r->hops; h++) {
        uint64_t here = c->visits[h][at], drawn = here * (degree < r->fanout[h] ? degree : r->fanout[h]);
        s.visits += here;
        draws += drawn;
        whole += here * (degree > r->fanout[h] ? 8 : 4) * degree;
        if (!hops) continue;
        hops->visits[h] += here;
        hops->draws[h] += drawn;
    }
    s.draws = !s.visits ? 0 : c->draws ? c->draws[at] : draws;
    s.degrees = s.visits * degree;
    s.entries = r->whole_rows ? whole : 4 * s.draws;
    if (hops) hops->all_draws += s.draws;
    return s;
}

#endif
