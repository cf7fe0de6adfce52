/* reads.h - moves training vertices between parts so that fewer rows are read (model/assignment.md; measured:
 * BENCH.md).
 *
 * The cost of a deal is not a cut edge but a row that two GPUs, or two mini-batches of one GPU, both read and that no
 * cache holds. So each training vertex is sampled READS_SAMPLES times by itself, with the sampler and fan-outs of the
 * workload; its list is the rows that it reads. A part p with B mini-batches per epoch, whose training vertices have
 * row v in r of their samples, gathers v
 *     a_p(v) = B (1 - (1 - 1 / (samples B))^r)
 * times per epoch: concave in r, so vertices that read the same rows belong together. Of a group of parts (the GPUs
 * of a clique, which share their memory) the rows with most reads are held; the others are read from the host. What
 * is minimised is the mean, over the shares of the graph that a GPU might hold, of the logarithm of the reads that
 * are left, so that a percent counts the same at every budget.
 *
 * Training vertices are processed in blocks: all of a block choose by what was before it, in parallel; then moves are
 * accepted in the order of ids, while the number of training vertices of both parts stays in bounds. Work (the rows
 * that a part gathers per epoch) and numbers of training vertices have prices that rise while a part is above its
 * share; "reads-fewest" then goes on without prices of work, and keeps that where it leaves a thousandth less. All sums
 * are of integers, so the result is the same on any number of threads. */
#ifndef PLANNER_PARTITION_READS_H
#define PLANNER_PARTITION_READS_H

#include "planner/partition/partition.h"

enum { READS_SAMPLES = 4 };

/* Moves training vertices of part[n] (in 0..parts-1); other vertices stay where they are. share: [parts], GPUs of each
 * part (or proportional to them); o: group, workload, held, seed and threads are used. */
enum st reads_refine(const struct graph *g, int parts, const double *share, const struct partition_options *o,
                     uint8_t *part, struct partition_report *report, struct err *err) MUST_USE;
/* Bytes that this takes at most. */
uint64_t reads_bytes(const struct graph *g, int parts, int threads);

#endif
