/* range_counts.h - counts of vertices that the ranks own (graph_ranges.h) come to the first rank piece by piece, so
 * that it needs no array of n. */
#ifndef TRACES_RECORDING_RANGE_COUNTS_H
#define TRACES_RECORDING_RANGE_COUNTS_H

#include "traces/graph/graph_ranges.h"

/* Takes the counts of the vertices first .. first + count - 1; counts may be overwritten. */
typedef void range_counts_taker(void *context, uint64_t first, uint32_t *counts, uint64_t count);

/* counts: [end - first] of this rank's range. On the first rank `take` is called for pieces of all ranges, each vertex
 * once. All ranks must call it. A piece travels as numbers of 8, 16 or 32 bits, as its largest count needs. Takes about
 * 32 MiB on the first rank and 32 MiB / ranks on the others. ST_LIMIT without memory; errors of ranks_exchange. */
enum st range_counts_gather(const struct graph_ranges *ranges, const uint32_t *counts, range_counts_taker *take,
                            void *context, struct err *err) MUST_USE;

#endif
