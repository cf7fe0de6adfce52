/* place_optimum.h - from shares of blocks to rows on GPUs.
 *
 * Rows are taken in the order of density; each takes the pattern of its block that has most of its share left, so a
 * pattern loses at most a part of one row per block. The room that is left goes to the moves that save most per byte
 * (another copy, or another pattern) until none helps.
 */
#ifndef PLANNER_POLICIES_PLACE_OPTIMUM_H
#define PLANNER_POLICIES_PLACE_OPTIMUM_H

#include "planner/optimum/optimum.h"
#include "planner/policies/policy.h"

/* Where rows go; context is passed to both functions. */
struct optimum_target {
    const struct kernels *kernels;
    int threads;
    const uint64_t *budget; /* [GPUS_MAX] bytes */
    void *context;
    /* How often GPU g was recorded to read the item: the GPU of a pool that reads it most gets it. */
    uint64_t (*heat)(const void *context, int g, uint64_t item);
    /* Appends the item to the list of GPU g; items come in the order of density. ST_LIMIT without memory. */
    enum st (*hold)(void *context, int g, uint64_t item, struct err *err);
};

/* Places the items. Fewer than 2^32. ST_LIMIT without memory. */
enum st optimum_place_items(const struct optimum_target *to, const struct reach *r, const struct items *items,
                            const struct optimum *x, struct err *err) MUST_USE;

/* Fills the lists of plan->placement (empty before) within plan->budget; peers are not touched. in->trace may be NULL:
 * then a row goes to the GPU of its pool with most room, else to the one that reads it most. n <= 2^31. ST_LIMIT
 * without memory. */
enum st optimum_place(const struct policy_input *in, const struct reach *r, const struct items *items,
                      const struct optimum *x, struct plan *plan, struct err *err) MUST_USE;

#endif
