/* reads_choice.h - a part for every training vertex, all at once: the cheapest, at prices that keep numbers and work in
 * bounds.
 *
 * What a training vertex costs in each part is given. Without bounds each would take its cheapest part; with bounds on
 * how many training vertices a part has and on the rows that it gathers, the best assignment is (but for a few that
 * must be split) the cheapest part at certain prices per training vertex and per row: the dual of the transport
 * problem. Prices are found by resilient steps along the subgradient; what is still out of bounds then moves, least
 * loss first.
 */
#ifndef PLANNER_PARTITION_READS_CHOICE_H
#define PLANNER_PARTITION_READS_CHOICE_H

#include "planner/partition/partition.h"

struct reads_choice {
    uint64_t trains;
    int parts, threads;
    uint64_t unit;   /* of costs and rows: one row read */
    uint8_t *own;    /* [trains] the part of each now */
    uint8_t *wish;   /* [trains] the part chosen */
    float *price;    /* [trains][2][parts] costs, rows gathered more, in units */
    uint32_t *order; /* [sample] training vertices that prices are found for */
    float *sampled;  /* [parts][2][sample] their costs and rows */
    uint64_t sample;
    uint64_t want[PARTS_MAX], least[PARTS_MAX], most[PARTS_MAX]; /* training vertices of each part */
    uint64_t count[PARTS_MAX], work[PARTS_MAX];                  /* now: training vertices; rows gathered, in units */
    int64_t fixed[PARTS_MAX]; /* work that is left of a part when the rows of its own are taken away one by one */
    bool unequal;             /* parts may have any work */
    double share[PARTS_MAX];  /* of the whole, sum 1 */
    double real[PARTS_MAX];   /* rows that a part really gathers, per row of `work` (reads_measure.h); 1: not known */
    double price_work[PARTS_MAX], price_count[PARTS_MAX]; /* kept from choice to choice */
};

static inline float *reads_cost(const struct reads_choice *choice, uint64_t t)
{
    return choice->price + 2 * t * (uint64_t)choice->parts;
}
static inline float *reads_rows(const struct reads_choice *choice, uint64_t t)
{
    return reads_cost(choice, t) + choice->parts;
}

/* Bytes that the arrays of trains training vertices take. */
uint64_t reads_choice_bytes(uint64_t trains, int parts);
/* Takes the sample: all training vertices, when they are few; else a keyed random part of them. */
enum st reads_choice_sample(struct reads_choice *choice, uint64_t seed, struct err *err) MUST_USE;
/* Sets `wish`. Numbers of training vertices are between `least` and `most` afterwards; work is about balanced. The
 * same on any number of threads. */
enum st reads_choose(struct reads_choice *choice, struct err *err) MUST_USE;
/* Frees the arrays; zeroed is allowed. */
void reads_choice_release(struct reads_choice *choice);

#endif
