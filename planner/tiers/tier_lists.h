/* tier_lists.h - the rows of a clique's GPUs as one list per GPU.
 *
 * Rows go, those first that save most per byte, to the GPU of the clique that read them most in the recording and has
 * room, else to the one with most room. What fits no GPU, because a row is not split, is taken out of the solution: it
 * has a home besides.
 */
#ifndef PLANNER_TIERS_TIER_LISTS_H
#define PLANNER_TIERS_TIER_LISTS_H

#include "planner/tiers/tier_machine.h"
#include "simulator/replay/placement.h"
#include "traces/recording/trace.h"

struct tier_lists {
    int gpus;                                              /* of all nodes */
    struct row_list topology[GPUS_MAX], feature[GPUS_MAX]; /* by what rows save; owned */
};
void tier_lists_release(struct tier_lists *l); /* zeroed is allowed */

/* p: rows 0..n-1 are neighbour lists, n..2n-1 features; readers as tier_reads. s: a solution of it, changed where a row
 * is taken out. t: the recording. *out: zeroed by the caller, to be released. ST_LIMIT without memory. */
enum st tier_lists_make(const struct tier_request *r, const struct tier_machine *m, const struct place_problem *p,
                        const struct trace *t, struct place_solution *s, struct tier_lists *out, struct err *err)
    MUST_USE;

#endif
