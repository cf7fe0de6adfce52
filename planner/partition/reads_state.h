/* reads_state.h - the state of reads_refine (reads.h), shared by its files. */
#ifndef PLANNER_PARTITION_READS_STATE_H
#define PLANNER_PARTITION_READS_STATE_H

#include <string.h>

#include "planner/partition/reads.h"
#include "planner/partition/reads_choice.h"
#include "planner/partition/reads_lists.h"

/* State. Records lie per row: uint16 counts of samples per part, then a uint8 per group: how many of the shares do
 * not hold the row. */
enum { READS_FINE = 6, READS_BUCKETS = 64 << READS_FINE }; /* FINE: bits of a value that its bucket keeps */
struct histogram {
    uint64_t rows[READS_BUCKETS], reads[READS_BUCKETS];
};

struct reads {
    const struct partition_options *o;
    struct reads_lists l;
    struct reads_choice c;
    int groups, held;
    uint64_t stride;
    uint8_t *record; /* [rows][stride] */
    uint8_t group[PARTS_MAX];
    uint32_t *gather[PARTS_MAX]; /* [hottest + samples + 1] a_p by number of samples, in units; like parts share one */
    const uint32_t *more[READS_SAMPLES][PARTS_MAX]; /* [times - 1][p][hottest + 1] what that many samples add to it;
                                                       behind gather[p] */
    bool owner[PARTS_MAX];
    bool lanes;                                    /* whether costs are summed so (reads_costs.h) */
    double gpus[PARTS_MAX];                        /* of each group */
    uint64_t room[PARTITION_HELD_MOST][PARTS_MAX]; /* rows that a group holds of those in the lists */
    int64_t weight[PARTITION_HELD_MOST + 1];
    struct histogram *mine; /* [threads][groups] */
    uint64_t most;          /* work of the busiest part, as it was last measured */
};

/* Whether parts shall draw equally many neighbours ("reads-draws") rather than gather equally many rows. */
static inline bool reads_by_draws(const struct reads *reads)
{
    return reads->o->method && !strcmp(reads->o->method, "reads-draws");
}

/* Whether parts may gather unequally many rows where clearly fewer are read ("reads-fewest"). */
static inline bool reads_by_fewest(const struct reads *reads)
{
    return reads->o->method && !strcmp(reads->o->method, "reads-fewest");
}

/* Sets levels and weights of rows by what each group would hold; returns the mean of the logarithms of the reads that
 * are left. h: [groups], room. */
double reads_look(struct reads *reads, struct histogram *h);
/* Work of the part with most for its share, in parts of the mean. */
double reads_busiest(const struct reads *reads);
/* Moves training vertices to the parts that they wish for; returns how many. */
uint64_t reads_apply(struct reads *reads);
/* Moves them while fewer reads are left. *changed is set where parts or prices are not what they were: if not, to do it
 * again would change nothing either. ST_LIMIT without memory. */
enum st reads_improve(struct reads *reads, bool *changed, struct err *err) MUST_USE;

/* How many training vertices a part may have more (or less) than `want`. */
uint64_t reads_slack(const struct reads *reads, uint64_t want, bool more);
/* Improves until the parts have about equally much work in real mini-batches, too. *changed: as of reads_improve.
 * ST_LIMIT without memory. */
enum st reads_balance(struct reads *reads, const struct graph *g, bool *changed, struct err *err) MUST_USE;

#endif
