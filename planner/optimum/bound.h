/* bound.h - a lower bound on the host reads of any placement, computed row by row.
 *
 * Let every pool of memory charge a price per byte, lambda_k >= 0. A placement holds bytes_k <= budget_k, so for any
 *     placement host reads >= host reads + sum_k lambda_k (bytes_k - budget_k) = sum over rows of (its reads + the
 *     charge for its copies) - sum_k lambda_k budget_k,
 * because what was added is not positive. The right side has no budget in it any more, so it is least when every row
 * takes the pattern that is cheapest for itself: that minimum is a lower bound for every placement, whatever the prices
 * (weak duality). Prices from the block program make it tight. The sum is taken over single rows, because averages of
 * different rows would give too large a bound. For the slowest switch: the largest of the switches' reads is at least
 * their mean under any weights, and the same argument bounds that mean. A component with too many patterns, or whose
 * GPUs read different rows (hotness/reader_shares.h), gets a weaker minimum: readers pay for their reads as far as no
 * pool earns more than its charge (the dual of covering readers by pools), which is below the true one.
 *
 * Reads are those that the calibrated estimates expect, and NVLink costs nothing. The bound is as good as the
 * estimates; a simulated epoch may lie below it.
 */
#ifndef PLANNER_OPTIMUM_BOUND_H
#define PLANNER_OPTIMUM_BOUND_H

#include "planner/optimum/blocks.h"
#include "simulator/replay/placement.h"

struct bound {
    double value; /* transactions per epoch (of the slowest switch) */
    bool whole;   /* no component had the weaker minimum */
};

/* The bound at these prices; price: [pools] >= 0 transactions per byte, weight: [links]. Equal for any number of
 * threads. ST_LIMIT without memory. */
enum st bound_at(const struct reach *r, const struct items *items, const double *price, const double *weight,
                 struct bound *out, struct err *err) MUST_USE;

/* Expected host reads per epoch of a placement, under the same estimates: all of them, and those of the busiest PCIe
 * switch. */
struct placement_cost {
    double total, slowest;
};
/* Peers are those of the placement. ST_LIMIT without memory. */
enum st bound_cost(const struct reach *r, const struct items *items, const struct placement *p,
                   struct placement_cost *out, struct err *err) MUST_USE;

#endif
