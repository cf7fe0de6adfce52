/* transfer_bound.h - a lower bound on the transfer stage of any placement, for --objective time.
 *
 * For weights w >= 0 of the resources that add up to 1, the stage is at least the weighted sum of their times
 * (transfer.h). As in bound.h, GPU j charges price_j >= 0 per byte, and any placement within the budgets obeys
 *     stage >= sum over rows of (weighted seconds of its reads + charges of its copies) - sum_j price_j budget_j.
 * A row's least cost is a problem of facilities: readers pay for their reads, copies cost what they charge. Its dual is
 * a bound for every row: a reader pays at most what a read from the host costs, and what readers pay beyond their own
 * reads from GPU j must not exceed what a copy on j charges. Readers pay one after the other, those that read most
 * first; that is the optimum where all GPUs read alike. Weights are those that the search for a placement ends with
 * (policies/timed.h); prices are searched, one for all GPUs that read each other.
 *
 * The bound holds for the reads that the estimates expect; a simulated epoch may lie below it.
 */
#ifndef PLANNER_OPTIMUM_TRANSFER_BOUND_H
#define PLANNER_OPTIMUM_TRANSFER_BOUND_H

#include "planner/optimum/transfer.h"

/* Reads of all items, once: [2n][gpus] bytes from the host, and bytes from GPU memory for each of them. */
struct transfer_reads {
    float *host;               /* owned */
    float *ratio;              /* [2n], owned */
    uint64_t sum[2][GPUS_MAX]; /* bytes by kind and reader, at least all of them */
};
/* Takes 8 n (gpus + 1) bytes. ST_LIMIT without memory. */
enum st transfer_reads_make(const struct transfer *t, struct transfer_reads *out, struct err *err) MUST_USE;
/* Zeroed is allowed. */
void transfer_reads_release(struct transfer_reads *r);

/* The best bound over prices, seconds per epoch, at these weights ([resources], sum 1); budget: [gpus] bytes. Equal for
 * any number of threads. ST_LIMIT without memory. */
enum st transfer_bound(const struct transfer *t, const struct transfer_reads *r, const uint64_t *budget,
                       const double *weight, double *seconds, struct err *err) MUST_USE;

#endif
