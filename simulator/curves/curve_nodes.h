/* curve_nodes.h - which sizes of a curve are simulated, and what lies between them.
 *
 * A replacement rule is simulated at few sizes (nodes). Between two of them its misses, less those of LRU where they
 * are known at every size, go straight over a scale that grows with the square root of the size and with LRU's hits:
 * curves are steep where caches are small, and where LRU's is. With no row, and with as many as are requested at all,
 * every rule misses what LRU does, so these are nodes, too. The bar grows by twice what a parabola through one more
 * node, before or behind, would change at the size.
 */
#ifndef SIMULATOR_CURVES_CURVE_NODES_H
#define SIMULATOR_CURVES_CURVE_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct curve_estimate {
    double misses, bar; /* of the stream; 95 % interval: misses +- bar */
    bool between;       /* not simulated */
};

struct curve_nodes {
    const uint64_t *capacity; /* [count] rows, ascending, borrowed */
    const uint64_t *lru;      /* [count] misses of LRU, borrowed; NULL: not known */
    uint64_t count;
    uint64_t requests, distinct; /* misses without a cache; with all rows that are requested */
    uint64_t inner;              /* sizes below `distinct` */
    uint32_t *pick;              /* [picks] owned: sizes that are simulated, ascending, below `inner` */
    uint64_t picks;
};

/* Sets inner and picks so many sizes, at most `inner`: the first, then always the one nearest the middle of the widest
 * gap, on that scale. ST_LIMIT for memory. */
enum st curve_nodes_pick(struct curve_nodes *n, uint64_t picks, struct err *err) MUST_USE;
void curve_nodes_release(struct curve_nodes *n);
/* How many capacities, ascending, are below the number of distinct rows. */
uint64_t curve_nodes_inner(const struct curve_nodes *n);

/* out: [count] of all sizes, from those at the nodes, at: [picks]. */
void curve_nodes_fill(const struct curve_nodes *n, const struct curve_estimate *at, struct curve_estimate *out);

#endif
