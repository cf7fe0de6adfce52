/* storage_plan.h - which rows the host's memory holds when graph and features do not fit it, and in which order feature
 * rows lie on the SSDs.
 *
 * A row of DRAM saves the SSD blocks that its reads would cost: for the feature row of v,
 *   sum over readers g that do not find it in GPU memory of  reads per epoch of v by g * blocks of the row,
 * for a topology row its visits * the expected distinct blocks that the draws touch (the transaction model of MODEL.md,
 * section 6, with blocks in place of lines). Reads are the calibrated rates of MODEL.md, section 7.3. Rows of both
 * kinds are taken in the order of what they save per byte (all topology first where the sampler's reads of SSDs are not
 * modelled, if there is room), as policy hotset fills a GPU: the optimum up to the last row
 * that fits, when blocks are not shared. Rows that share a block within a mini-batch cost less; the simulation counts
 * that. The order DISK_HEAT puts the rows that DRAM does not hold in front, by the reads that are expected.
 */
#ifndef PLANNER_PLACES_STORAGE_PLAN_H
#define PLANNER_PLACES_STORAGE_PLAN_H

#include "kernels/kernel.h"
#include "simulator/storage/storage.h"
#include "traces/recording/trace.h"

struct storage_request { /* borrowed */
    const struct graph *graph;
    const struct plan *plan;
    const struct trace *trace; /* of the plan's assignment and workload, with line_bytes = block_bytes */
    const struct kernels *kernels;
    int threads;
    uint64_t host_bytes; /* for offsets and rows */
    uint64_t block_bytes;
};

struct storage_forecast {
    uint64_t offset_bytes, topology_bytes, feature_bytes; /* in DRAM */
    double feature_rows, topology_visits;                 /* expected reads of the SSDs per epoch */
    double rows_from_host;                                /* expected feature rows per epoch that no GPU serves */
    bool all;                                             /* DRAM holds everything: no SSD is read */
};

/* Chooses the rows. *out, and places (DRAM, SSDs), which it borrows: zeroed by the caller, to be released. Lists of
 * DRAM are hottest first; of several types ascending, as plan_places.h has them. Takes 21 bytes per row of topology and
 * features more than the estimates of one clique (estimates.h). ST_NO, with a sentence, when host_bytes do not hold the
 * offsets; ST_LIMIT without memory. */
enum st storage_choose(const struct storage_request *r, struct storage *out, struct plan_places *places,
                       struct storage_forecast *forecast, struct err *err) MUST_USE;

#endif
