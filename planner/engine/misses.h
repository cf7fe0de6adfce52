/* misses.h - which rows the readers of a clique do not reach, and what that leaves in each fold of a trace.
 *
 * A reader misses a row when neither its own memory nor a peer's holds it. A clique's readers have
 * the shares of its reads that hotness/reader_shares.h states; where all of them reach the same rows, one is looked at
 * for all.
 */
#ifndef PLANNER_ENGINE_MISSES_H
#define PLANNER_ENGINE_MISSES_H

#include "planner/hotness/estimates.h"
#include "simulator/plan/plan.h"
#include "traces/recording/trace.h"

struct misses {
    uint16_t *topology, *feature; /* by row of the kind: shares of the readers that miss it, added up; owned */
    uint64_t all;                 /* what the shares of all readers add up to; at least 1 */
};
/* Arrays for the rows of a graph. Release *m with misses_release; zeroed is allowed. ST_LIMIT without memory. */
enum st misses_new(const struct graph *g, struct misses *m, struct err *err) MUST_USE;
void misses_release(struct misses *m);

/* Sets m, of misses_new, for the clique. rates: of the clique (reader_rates_counted), NULL: its GPUs share alike;
 * trainers: GPUs that train nothing are left out, and m->all is 0 where none is left; at: room for the rows of a kind.
 * Takes a bit per row of a kind and reader besides. ST_LIMIT without memory. */
enum st misses_find(const struct graph *g, const struct plan *plan, const struct trace *t, int clique,
                    const struct reader_rates *rates, bool trainers, int threads, uint8_t *at, struct misses *m,
                    struct err *err) MUST_USE;
/* Adds the transactions of each fold that are not saved in the clique to left[folds], in units of 2^-10, by the
 * transaction model (model/transactions.md). */
void misses_by_fold(const struct graph *g, const struct trace *t, const struct visit_costs *costs, int clique,
                    const struct misses *m, int threads, uint64_t *left);

#endif
