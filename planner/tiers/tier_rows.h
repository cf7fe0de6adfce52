/* tier_rows.h - the rows that are placed, and how often every reader needs each of them.
 *
 * Rows are items: neighbour lists 0..n-1, feature rows n..2n-1. A neighbour list is needed in lines of line_bytes (the
 * transaction model of MODEL.md, section 6), a feature row as often as a mini-batch gathers it. Expected needs are the
 * calibrated rates of MODEL.md, section 7.3; counted ones those of a trace, whose lines are the visits it counted times
 * the expected lines of one.
 */
#ifndef PLANNER_TIERS_TIER_ROWS_H
#define PLANNER_TIERS_TIER_ROWS_H

#include "kernels/kernel.h"
#include "planner/hotness/estimates.h"
#include "planner/tiers/tier_machine.h"
#include "traces/recording/trace.h"

struct tier_reads {
    uint64_t n;
    int readers;
    float *of[TIER_READERS_MAX]; /* [3 n] lines of lists, zeros, feature rows, per epoch; owned */
};
void tier_reads_release(struct tier_reads *x); /* zeroed is allowed */
/* [2 n] what a reader needs of one kind: zeros elsewhere. Borrowed. */
static inline const float *tier_reads_of(const struct tier_reads *x, int reader, enum tier_row row)
{
    return x->of[reader] + (row == TIER_FEATURE ? x->n : 0);
}

struct tier_source { /* borrowed */
    const struct graph *graph;
    const struct trace *trace; /* GPU positions are node * GPUs of the server + position */
    const struct kernels *kernels;
    uint64_t line_bytes;
    int threads, server_gpus;
};

/* Expected and counted needs. *out: zeroed by the caller, to be released. Take 12 n bytes per reader, and the estimates
 * of one clique (estimates.h), of which expected needs have folds. ST_LIMIT without memory. */
enum st tier_reads_expect(const struct tier_source *s, const struct tier_machine *m, struct tier_reads *out,
                          struct err *err) MUST_USE;
enum st tier_reads_count(const struct tier_source *s, const struct tier_machine *m, struct tier_reads *out,
                         struct err *err) MUST_USE;

/* SSD blocks that visits touch per line that they touch, over all recorded visits; 0 without visits. Offsets are in
 * DRAM, so of a visit's lines that of its offset pair costs no block. ST_LIMIT. */
enum st tier_line_blocks(const struct tier_source *s, uint64_t block_bytes, double *out, struct err *err) MUST_USE;

#endif
