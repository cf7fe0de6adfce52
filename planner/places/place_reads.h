/* place_reads.h - how often every reader of a node needs each row: expected (the calibrated rates of
 * model/estimates.md), or counted in a trace.
 *
 * Rows are items: neighbour lists, then feature rows. A neighbour list is needed in lines of line_bytes (the
 * transaction model of model/transactions.md), a feature row as often as a mini-batch gathers it.
 */
#ifndef PLANNER_PLACES_PLACE_READS_H
#define PLANNER_PLACES_PLACE_READS_H

#include "kernels/kernel.h"
#include "planner/hotness/estimates.h"
#include "planner/places/place_machine.h"
#include "simulator/plan/plan.h"
#include "traces/recording/trace.h"

struct place_source { /* borrowed */
    const struct graph *graph;
    const struct plan *plan;   /* of the node: who trains what, what GPUs hold */
    const struct trace *trace; /* of the plan's assignment and workload, with the same line_bytes */
    const struct kernels *kernels;
    int threads;
    uint64_t line_bytes; /* of a transaction, or of a block */
};

/* Adds needs per epoch to arrays of [rows] by reader of the machine: to all[], and to left[] those that no GPU in reach
 * serves under the plan; either may be NULL. *served: seconds of the reads that GPUs serve. ST_LIMIT without memory. */
enum st place_reads_expect(const struct place_source *s, const struct place_machine *m, float *const *all,
                           float *const *left, double *served, struct err *err) MUST_USE;
/* Sums over all recorded visits: lines that they touch; SSD blocks, without those of offset pairs, which are in DRAM.
 */
enum st place_reads_blocks(const struct place_source *s, uint64_t block_bytes, double *lines, double *blocks,
                           struct err *err) MUST_USE;

#endif
