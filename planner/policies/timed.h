/* timed.h - placing rows for the shortest transfer stage instead of the fewest transactions
 * (model/optimum.md).
 *
 * Where NVLinks, PCIe links between GPUs or a peer's memory are the bottleneck, a second copy of a hot row can save
 * more time than the first copy of a colder one. The stage is a maximum over resources (optimum/transfer.h); for fixed
 * weights of them, copies compete in one order of weighted seconds saved per byte, as rows do in hotset.c. The search
 * first bisects the weight of PCIe against that of everything between GPUs until both take equally long, then raises
 * the weights of whichever resources take longest, and keeps the placement with the shortest stage that it met. Where
 * the caller asks for a quick search, placements that are tried are of some of the rows (timed_rows_thin), and only the
 * last is of all.
 */
#ifndef PLANNER_POLICIES_TIMED_H
#define PLANNER_POLICIES_TIMED_H

#include "planner/optimum/transfer.h"
#include "planner/policies/policy.h"

/* Seconds of the stage per epoch, by the estimates: with the fewest transactions, and as the plan is then. */
struct timed {
    double before, after;
    bool kept; /* the plan that was given is as good */
};
/* plan: with the placement of fewest transactions, which is replaced when the search finds one whose stage is more than
 * 0.1 % shorter. rounds: placements that are tried. ST_USAGE where the server does not state a bandwidth. */
enum st timed_place(const struct policy_input *in, int rounds, struct plan *plan, struct timed *out, struct err *err)
    MUST_USE;

/* Weights under which the transfer stage of any placement can be bounded well (optimum/transfer_bound.h): those of the
 * best placement, and their mean over the last rounds. t: made for the reach of in->server; weight: [2][resources].
 * plan: budgets and assignment; its lists stay as they are. */
enum st timed_weights(const struct policy_input *in, const struct transfer *t, int rounds, struct plan *plan,
                      double *weight, struct err *err) MUST_USE;

#endif
