/* tally_vertex.h - what one GPU read of one vertex, the same in C and CUDA (tally.h defines the sums). */
#ifndef KERNELS_TALLY_VERTEX_H
#define KERNELS_TALLY_VERTEX_H

#include "base/cacheline.h"
#include "kernels/tally.h"

/* The part of a problem that is the same for every vertex, without pointers, so that a kernel takes it as an argument.
 */
struct tally_rule {
    uint32_t fanout[TALLY_HOPS_MAX];
    int hops;
    uint8_t whole_rows;
    uint64_t row_bytes, line_bytes;
};

/* The counts of one vertex in a group of mini-batches; members as in struct tally_sums. */
struct tally_seen {
    uint32_t v, rows, lines;
    uint64_t visits, draws, degrees, entries;
    uint64_t feature_lines; /* transactions of its feature rows if the host served them */
};

static inline struct tally_rule tally_rule_of(const struct tally_problem *p)
{
    struct tally_rule r = {{0}, p->hops, p->whole_rows, p->row_bytes, p->line_bytes};
    for (int h = 0; h < p->hops; h++) r.fanout[h] = p->fanout[h];
    return r;
}

/* The counts of vertex v, whose feature count is not 0; they are added to *hops (NULL: not wanted). at: its index in
 * the arrays of c. */
EVERYWHERE struct tally_seen tally_see(const struct tally_rule *r, const struct tally_counts *c, uint64_t at,
                                       uint64_t v, uint64_t degree, struct tally_hops *hops)
{
    struct tally_seen s;
    uint64_t draws = 0, whole = 0;
    s.v = (uint32_t)v;
    s.rows = c->feature[at];
    s.lines = c->lines[at];
    s.feature_lines = s.rows * cachelines_of_feature(v, r->row_bytes, r->line_bytes);
    s.visits = 0;
    for (int h = 0; h < r->hops; h++) {
        uint64_t here = c->visits[h][at], drawn = here * (degree < r->fanout[h] ? degree : r->fanout[h]);
        s.visits += here;
        draws += drawn;
        whole += here * (degree > r->fanout[h] || r->whole_rows > 8 ? r->whole_rows : 4) * degree;
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
