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

/* Fills the lists of plan->placement (empty before) within plan->budget; peers are not touched. in->trace may be NULL:
 * then a row goes to the GPU of its pool with most room, else to the one that reads it most. n <= 2^31. ST_LIMIT
 * without memory. */
enum st optimum_place(const struct policy_input *in, const struct reach *r, const struct items *items,
                      const struct optimum *optimum, struct plan *plan, struct err *err) MUST_USE;

#endif
