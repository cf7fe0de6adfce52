/* replay_tables.h - the counting of a replay on a graph that is not plain, table by table of rows
 * (traces/graph/rows.h). Private to simulator/replay.
 *
 * The kind of a row is decided per table. All sums are integers, so they are equal on any number of threads.
 */
#ifndef SIMULATOR_REPLAY_REPLAY_TABLES_H
#define SIMULATOR_REPLAY_REPLAY_TABLES_H

#include "kernels/tally.h"
#include "simulator/replay/replay.h"

/* One reader under one placement; everything is borrowed. */
struct tables_tally {
    const struct graph *graph;
    const struct workload *workload;
    const struct placement *placement;
    const uint8_t *topology, *feature; /* who serves each row, as placement_locate */
    uint64_t line_bytes;
    int reader, threads;
    struct replay_gpu *sum;   /* of the reader */
    struct table_reads *read; /* [tables] of the reader */
};

/* Adds the counts of a group of mini-batches. hops: added to, as the tally kernel does; NULL: not wanted. Where GPUs do
 * not sample, the transactions of a relation are those of the blocks that are copied: 8 bytes per draw. */
void tables_add(const struct tables_tally *tally, const struct sample_counts *c, struct tally_hops *hops);

/* Adds the transactions of all reads of every row to topology [topology rows] and feature [feature rows]. */
void tables_lines(const struct graph *g, const struct sample_counts *c, uint64_t line_bytes, int threads,
                  uint64_t *topology, uint64_t *feature);

#endif
