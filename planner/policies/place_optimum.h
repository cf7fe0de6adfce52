/* place_optimum.h - from shares of blocks to rows on GPUs.
 *
 * Rows go in the order of density; each takes the pattern of its block that has most of its share left, so that a
 * pattern loses at most a part of one row per block. What room is left then goes to the moves that spare most per
 * byte: another copy, or another pattern, until none helps.
 */
#ifndef PLANNER_POLICIES_PLACE_OPTIMUM_H
#define PLANNER_POLICIES_PLACE_OPTIMUM_H

#include "planner/optimum/optimum.h"
#include "planner/policies/policy.h"

/* Fills plan->placement's lists (empty before) within plan->budget; peers are not touched. in->trace may be NULL:
 * rows then go to the GPU of a pool with most room, otherwise to the one that reads them most. n <= 2^31. */
enum st optimum_place(const struct policy_input *in, const struct reach *r, const struct items *items,
                      const struct optimum *x, struct plan *plan, struct err *err) MUST_USE;

#endif
