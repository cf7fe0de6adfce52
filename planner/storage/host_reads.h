/* host_reads.h - what the GPUs of a plan are expected to read from the host: the calibrated rates of MODEL.md, section
 * 7.3, of the rows that no GPU in reach holds. What is made of them is the caller's.
 */
#ifndef PLANNER_STORAGE_HOST_READS_H
#define PLANNER_STORAGE_HOST_READS_H

#include "kernels/kernel.h"
#include "planner/hotness/estimates.h"
#include "simulator/plan/plan.h"
#include "traces/recording/trace.h"

struct host_reads { /* borrowed */
    const struct graph *graph;
    const struct plan *plan;
    const struct trace *trace; /* of the plan's assignment and workload, with the same line_bytes */
    const struct kernels *kernels;
    int threads;
    uint64_t line_bytes; /* of a transaction, or of a block */
};

/* Called for reader g and one kind of row. e: of its clique; where: [n], 0 for rows that it reads from the host. */
typedef void host_reads_add(const struct host_reads *h, const struct estimates *e, int g, bool topology,
                            const uint8_t *where, void *to);

/* Calls `add` for the features of every GPU, and for the topology where GPUs or the CPU sample from the host. Takes the
 * estimates of one clique (estimates.h) and n bytes. ST_LIMIT without memory. */
enum st host_reads_each(const struct host_reads *h, host_reads_add *add, void *to, struct err *err) MUST_USE;
/* The part of its clique's reads of row v that g makes, 0..1. */
float host_reads_share(const struct host_reads *h, const struct estimates *e, int g, bool topology, uint64_t v);

#endif
