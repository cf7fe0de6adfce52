/* misses.h - which rows the readers of a clique do not reach, and what that leaves in each fold of a trace.
 *
 * A reader misses a row when neither its own memory nor a peer's holds it. A clique's readers have
 * the shares of its reads that hotness/reader_shares.h states; where all of them reach the same rows, one is looked at
 * for all.
 */
#ifndef PLANNER_STUDY_MISSES_H
#define PLANNER_STUDY_MISSES_H

#include "planner/hotness/estimates.h"
#include "simulator/plan/plan.h"
#include "traces/recording/trace.h"

struct misses {
    uint16_t *topology, *feature; /* [n] shares of the readers that miss the row, added up; owned by the caller */
    uint64_t all;                 /* what the shares of all readers add up to; at least 1 */
};

/* Sets m for the clique, whose arrays are the caller's. rates: of the clique (reader_rates_counted); trainers: GPUs
 * that train nothing are left out, and m->all is 0 where none is left; at: [n] room. Takes n / 8 bytes per reader
 * besides. ST_LIMIT without memory. */
enum st misses_find(const struct plan *plan, const struct trace *t, int clique, const struct reader_rates *rates,
                    bool trainers, int threads, uint8_t *at, struct misses *m, struct err *err) MUST_USE;
/* Adds the transactions of each fold that are not saved in the clique to left[folds], in units of 2^-10, by the
 * transaction model (MODEL.md, section 6). */
void misses_by_fold(const struct graph *g, const struct trace *t, const struct visit_costs *costs, int clique,
                    const struct misses *m, int threads, uint64_t *left);

#endif
