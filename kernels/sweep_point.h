/* sweep_point.h - one point of the alpha sweep, the same in C and CUDA (struct sweep_problem of kernel.h defines it).
 */
#ifndef KERNELS_SWEEP_POINT_H
#define KERNELS_SWEEP_POINT_H

#include "base/units.h"
#include "kernels/kernel.h"

/* How many of the ascending sums[n] are at most `limit`. */
EVERYWHERE uint64_t sweep_rows(const uint64_t *sums, uint64_t n, uint64_t limit)
{
    uint64_t from = 0, to = n;
    while (from < to) {
        uint64_t middle = from + (to - from) / 2;
        if (sums[middle] <= limit) from = middle + 1;
        else to = middle;
    }
    return from;
}

/* Point i of the sweep, 0 <= i <= p->steps. */
EVERYWHERE struct sweep_point sweep_point_at(const struct sweep_problem *p, uint64_t i)
{
    struct sweep_point at;
    uint64_t for_topology = (uint64_t)((unsigned __int128)i * p->budget / (unsigned)p->steps),
             rows = (p->budget - for_topology) / p->row_bytes;
    uint64_t topology = p->n ? p->hot_topology[p->n - 1] : 0, feature = p->n ? p->hot_feature[p->n - 1] : 0, cold;

    at.rows_topology = sweep_rows(p->size_topology, p->n, for_topology);
    at.rows_feature = rows < p->n ? rows : p->n;
    cold = topology - (at.rows_topology ? p->hot_topology[at.rows_topology - 1] : 0);
    at.topology = topology ? units_round_half_up((unsigned __int128)p->n_tsum * cold,
                                                 (unsigned __int128)topology * p->epochs)
                           : units_round_half_up(p->n_tsum, p->epochs);
    cold = feature - (at.rows_feature ? p->hot_feature[at.rows_feature - 1] : 0);
    at.feature = units_round_half_up((unsigned __int128)p->lines * cold, p->epochs);
    return at;
}

#endif
