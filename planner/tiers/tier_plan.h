/* tier_plan.h - plans all memories at once, and tier by tier, and counts what both read in held-out epochs.
 *
 * Training vertices are dealt in parts: of the graph per node, of that per GPU (assign_nested). What a solution costs
 * is the seconds that all reads of an epoch take, summed over all GPUs, as if none overlapped: not the time of an
 * epoch, but what is to be small in it.
 */
#ifndef PLANNER_TIERS_TIER_PLAN_H
#define PLANNER_TIERS_TIER_PLAN_H

#include "planner/partition/partition.h"
#include "planner/places/place_bound.h"
#include "planner/tiers/tier_lists.h"
#include "planner/tiers/tier_rows.h"

/* one: planner/places/place_solve.h. order: place_in_order.h, GPUs first, then DRAM. homes: no copies at all, rows at
 * home where order has them. */
enum tier_way { TIERS_ONE, TIERS_ORDER, TIERS_HOMES, TIER_WAYS };
const char *tier_way_name(enum tier_way w); /* "one problem", "tier by tier", "homes only" */

struct tier_work {               /* borrowed */
    struct tier_request request; /* line_blocks is set by the plan */
    const struct graph *graph;
    const struct workload *workload; /* its seed is the planning seed */
    const struct kernels *kernels;
    struct partition_options partition;
    uint64_t presample_epochs, epochs, seed; /* held out: epochs, seed */
    int threads;
    bool progress;
};

struct tier_served {                 /* what a place serves in a held-out epoch */
    double features, lines, seconds; /* of all GPUs together */
};

struct tier_asked { /* what the GPUs of a clique are expected to read per epoch, and what of it their memory lacks */
    double features, features_missed, feature_lines_missed, lines_missed;
};

struct tier_result {
    struct tier_machine machine;
    struct partition_report report;
    struct assignment assignment; /* GPU positions are node * GPUs of the server + position */
    uint64_t *bytes;              /* [2 n] of neighbour lists, then of feature rows; owned */
    struct place_solution way[TIER_WAYS];
    struct place_prices prices; /* with the bound */
    double predicted[TIER_WAYS], simulated[TIER_WAYS];
    struct tier_served served[TIER_WAYS][PLACES_MAX];
    struct tier_lists lists;             /* of TIERS_ONE */
    struct tier_asked asked[PLACES_MAX]; /* of TIERS_ONE: of the GPUs at a place of kind TIER_GPUS */
};

/* Plans and counts. *out: zeroed by the caller, to be released with tier_result_release. Takes 4 n (2 + hops) bytes per
 * GPU and, for folds, 2 n (1 + hops) per fold and clique; 12 n per reader; 100 n. ST_NO when DRAM and SSDs do not hold
 * all rows, and as tier_machine_make; errors of partition_graph and trace_record. */
enum st tier_plan_make(const struct tier_work *w, struct tier_result *out, struct err *err) MUST_USE;
void tier_result_release(struct tier_result *x); /* zeroed is allowed */

#endif
