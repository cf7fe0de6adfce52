/* drift_memories.h - what lies below the GPUs in a window of a study of drift.
 *
 * DRAM is planned for what the GPUs of a scheme's plan leave: of fixed once, of refresh and auto with every recording,
 * also where GPUs keep their rows, as 'hotset refresh' does. SSDs are one more memory beside the links that an epoch
 * waits for. Rows that are loaded from SSDs are read in whole blocks' worth of bytes, beside the loads of GPUs.
 */
#ifndef PLANNER_RUNNING_DRIFT_MEMORIES_H
#define PLANNER_RUNNING_DRIFT_MEMORIES_H

#include "planner/running/refresh_moves.h"
#include "simulator/replay/replay.h"

/* Counts the reads of a request under a plan that states memories. *served: the member `memories` of `simulated`
 * (places_replay.h), owned by the caller; *seconds: of its SSDs per epoch, 0 without. Errors of places_simulate. */
enum st drift_memories_count(const struct replay_request *q, const struct plan *p, doc **served, double *seconds,
                             struct err *err) MUST_USE;
/* Seconds of SSDs for what moves from one plan to the next; 0 where nothing comes from there, NaN: no rate is known. */
double drift_memories_load(const struct plan *before, const struct refresh_moves *m);
/* The member `memories` of a window: what served it, and what had come into DRAM before. The caller frees it. */
doc *drift_memories_window(const doc *served, const struct refresh_amount *dram);
/* The same of all windows: means of reads, sums of what came into DRAM. windows: of one scheme. The caller frees it. */
doc *drift_memories_mean(const doc *windows);

#endif
