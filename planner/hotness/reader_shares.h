/* reader_shares.h - how the reads of a clique divide among its GPUs.
 *
 * Where a clique's GPUs train random parts of one set (assignment_even), each has an equal share of every row's reads.
 * Where each GPU trains a part of the graph of its own, the counts of the trace tell: a GPU's share of a row is its
 * share of the clique's reads of that row, drawn towards an equal share by READER_PRIOR reads, because a row that was
 * read once says little. The shares of a
 * clique add up to 1, but for rounding. They matter where GPUs of one clique
 * reach different rows, over NVLinks to other cliques.
 */
#ifndef PLANNER_HOTNESS_READER_SHARES_H
#define PLANNER_HOTNESS_READER_SHARES_H

#include "traces/recording/trace.h"

enum { READER_UNITS = 1024, READER_PRIOR = 2 };

/* Share of GPU g (a position) in its clique's reads of vertex v's topology or feature row, in units of 1 /
 * READER_UNITS. */
static inline uint32_t reader_share(const struct trace *t, int g, bool topology, uint64_t v)
{
    const struct assignment *a = &t->assignment;
    uint64_t size = 0, sum = 0, mine = 0;
    bool even = assignment_even(a);
    for (int i = 0; i < a->gpus; i++) {
        if (a->clique_of[i] != a->clique_of[g]) continue;
        uint64_t count = even ? 0 : topology ? t->topology[i][v] : t->feature[i][v];
        size++;
        sum += count;
        if (i == g) mine = count;
    }
    uint64_t whole = size * (sum + READER_PRIOR);
    return (uint32_t)(((size * mine + READER_PRIOR) * READER_UNITS + whole / 2) / whole);
}

#endif
