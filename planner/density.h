/* density.h - rows of both kinds in the order of what they save per byte: the optimum of one pool up to its last row (model: section 7.2). */
#ifndef PLANNER_DENSITY_H
#define PLANNER_DENSITY_H

#include "planner/policy.h"

/* Item i < n is the topology row of vertex i, item n + v the feature row of v. n <= 2^31. */
enum st density_order(const struct policy_input *in, const uint64_t *key, uint32_t *order, struct err *err) MUST_USE;

/* Places items in `order` (all 2n) into the clique until memory is used up: each goes to the GPU with room whose recorded hotness is highest
 * (ties: most room, then the lower position); an item that fits nowhere is passed over, items of key 0 are left out. room: [GPUS_MAX], reduced. */
enum st density_fill(const struct policy_input *in, const uint64_t *key, const uint32_t *order, int clique, struct plan *plan, uint64_t *room, struct err *err) MUST_USE;

enum {
    DENSITY_SMALLEST_ROW = 8,      /* bytes of the topology row of a vertex without neighbours */
    DENSITY_PASSED_MOST = 1 << 16  /* filling ends when so many rows in a row did not fit: what is left over is less than a row of each GPU */
};
/* Starts loading what placing an item needs. */
void density_prefetch(const struct policy_input *in, uint32_t item, const int *gpu, int k);

/* saved per byte in fixed point (2^-40); order-preserving, the same everywhere. */
uint64_t density_key(double saved, uint64_t bytes);

#endif
