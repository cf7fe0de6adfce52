/* exchange.h - better placements of a few rows, by exchanging them.
 *
 * A greedy order, or a program that shares blocks of rows out, loses at most a row per GPU. Where a GPU holds ten rows
 * that matters. So a row that is not held on a GPU is forced in there: what saves least per byte makes room, then what
 * saves most fills what is left; and a row is taken out in the same way. What saves transactions stays, until nothing
 * does. What a copy saves is the reads of the GPUs that reach no other copy (hotness/reader_shares.h).
 */
#ifndef PLANNER_POLICIES_EXCHANGE_H
#define PLANNER_POLICIES_EXCHANGE_H

#include "planner/policies/policy.h"

/* Exchanges rows of plan->placement within plan->budget, whose peers stay. Nothing is done for graphs of more than a
 * few hundred rows. ST_LIMIT without memory. */
enum st exchange_rows(const struct policy_input *in, struct plan *plan, struct err *err) MUST_USE;

#endif
