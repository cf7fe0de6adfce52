/* cslp_rows.h - CSLP over counts of any width. */
#ifndef PLANNER_POLICIES_CSLP_ROWS_H
#define PLANNER_POLICIES_CSLP_ROWS_H

#include "planner/policies/policy.h"
#include "traces/recording/count_row.h"

/* As the operation cslp (kernels/kernel.h), with counts[0..gpus): [n] hotness that each GPU of a clique recorded, of
 * any width. order: [count] vertices, hottest first; topology: rows of topology, else of features; room: [gpus] bytes
 * left, reduced; owner: [count] place of each row's GPU; *held: rows placed. 32-bit copies are made of TRACE_STRETCH
 * positions at a time. ST_LIMIT without memory. */
enum st cslp_rows(const struct policy_input *in, const struct count_row *counts, int gpus, const uint32_t *order,
                  uint64_t count, bool topology, uint64_t *room, uint8_t *owner, uint64_t *held, struct err *err)
    MUST_USE;

#endif
