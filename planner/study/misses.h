/* misses.h - which rows the readers of a clique do not reach, and what that leaves in each fold of a trace.
 *
 * A reader misses a row when neither its own memory nor a peer's holds it. A clique's readers have equal shares of its
 * reads, because they train random parts of one set of vertices; where all of them reach the same rows, one is looked
 * at for all.
 */
#ifndef PLANNER_STUDY_MISSES_H
#define PLANNER_STUDY_MISSES_H

#include "planner/hotness/estimates.h"
#include "simulator/plan/plan.h"
#include "traces/recording/trace.h"

struct misses {
    uint8_t *topology, *feature; /* [n] readers that miss the row, of those looked at; owned by the caller */
    uint64_t readers;            /* looked at; at least 1 when anything is counted */
};

/* True when all GPUs of the clique read from the clique and from nobody else. *readers: its GPUs. */
bool misses_shared(const struct plan *plan, int clique, uint64_t *readers);
/* Counts one more reader. at: [n] as placement_locate sets it for that reader; missed: [n], counted up. */
void misses_count(const uint8_t *at, uint64_t n, uint8_t *missed);
/* Adds the transactions of each fold that are not saved in the clique to left[folds], in units of 2^-10, by the
 * transaction model (MODEL.md, section 6). */
void misses_by_fold(const struct graph *g, const struct trace *t, const struct visit_costs *costs, int clique,
                    const struct misses *m, int threads, uint64_t *left);

#endif
