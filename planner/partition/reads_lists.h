/* reads_lists.h - which rows each training vertex reads when it is sampled by itself. */
#ifndef PLANNER_PARTITION_READS_LISTS_H
#define PLANNER_PARTITION_READS_LISTS_H

#include "planner/partition/partition.h"

/* Training vertex t reads row[i] in times[i] of its samples, i in start[t] .. start[t+1]-1, rows ascending. Of a
 * large graph only a keyed random share of the rows is in the lists (`kept`), renumbered. */
struct reads_lists {
    uint64_t trains, rows;
    int samples;           /* per training vertex */
    double kept;           /* share of the graph's rows that may be in the lists */
    const uint32_t *train; /* [trains] their ids; borrowed from the graph */
    struct workload w;     /* of the samples, with their seed */
    uint64_t most;         /* as below */
    uint64_t hottest;      /* samples that have the row that most have */
    bool borrowed;         /* from the memo, which owns the arrays */
    uint64_t *start;       /* [trains + 1] */
    uint32_t *row;         /* below `rows` */
    uint8_t *times;
};

/* row_bytes: what the caller will take per row in the lists; rows that are read in more than `most` samples are left
 * out. o->memo has those of an earlier call, or keeps these, where o->keeps_lists. */
enum st reads_lists_make(const struct graph *g, const struct partition_options *o, uint64_t row_bytes, uint64_t most,
                         struct reads_lists *out, struct err *err) MUST_USE;
/* Bytes of lists and rows, about: 275 reads per training vertex and sample. */
uint64_t reads_lists_bytes(const struct graph *g, uint64_t row_bytes, int threads);
void reads_lists_release(struct reads_lists *l);

#endif
