/* reads_measure.h - the work that parts really have, to correct what their training vertices' lists say.
 *
 * A list is what a training vertex reads when it is sampled by itself. In a mini-batch two of them that reach the same
 * neighbour expand it once, so a part whose training vertices lie close together gathers fewer rows than their lists
 * say, up to a third fewer on a web graph. One epoch of real mini-batches shows how many.
 */
#ifndef PLANNER_PARTITION_READS_MEASURE_H
#define PLANNER_PARTITION_READS_MEASURE_H

#include "planner/partition/partition.h"

/* work: [parts] rows that are gathered in an epoch's mini-batches, or neighbours that they draw (draws), when part p trains
 * the vertices train[t] with own[t] == p. o: workload, seed and threads are used. Takes a sampler's memory (sampler.h). ST_LIMIT without memory. */
enum st reads_measure(const struct graph *g, const struct partition_options *o, const uint8_t *own, int parts,
                      bool draws, uint64_t *work, struct err *err) MUST_USE;

#endif
