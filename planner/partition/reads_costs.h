/* reads_costs.h - what a training vertex costs in every part (reads.h): one entry of its list after the other, or the
 * parts side by side by the instructions that x86 processors have for that (AVX2), in a third of the time. */
#ifndef PLANNER_PARTITION_READS_COSTS_H
#define PLANNER_PARTITION_READS_COSTS_H

#include "planner/partition/reads_state.h"

enum { READS_LANES = 8, READS_RECORD_SLACK = 32 }; /* bytes behind the last record that lanes may load */

/* Levels of the row with that record. [groups] */
static inline const uint8_t *reads_levels(const struct reads *reads, const uint8_t *record)
{
    return record + 2 * (uint64_t)reads->c.parts;
}

/* Asks for the record that an entry some way ahead leads to, across the ends of lists, which are short. */
static inline void reads_prefetch_ahead(const struct reads *reads, uint64_t i, uint64_t entries)
{
    enum { AHEAD = 32 };
    if (i + AHEAD >= entries) return;
    const uint8_t *there = reads->record + reads->l.row[i + AHEAD] * reads->stride;
    __builtin_prefetch(there);
    __builtin_prefetch(there + reads->stride - 1); /* may be on the next line */
}

/* What the samples of training vertex t add in every part to the rows gathered (work), and the same by the weights of
 * rows (price), in units; in its own part without it. Sums of integers: both ways give the same. price, work: [parts],
 * of lanes [READS_LANES]. */
void reads_costs_each(const struct reads *reads, uint64_t t, int64_t *price, int64_t *work);
/* Whether lanes do: so few parts, groups and shares, parts of like shares, and the processor has the instructions. */
bool reads_lanes_work(const struct reads *reads);
/* Where they do alone. */
void reads_costs_lanes(const struct reads *reads, uint64_t t, int64_t *price, int64_t *work);

#endif
