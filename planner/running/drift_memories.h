/* drift_memories.h - what lies below the GPUs in a window of a study of drift.
 *
 * DRAM is planned for what the GPUs of a scheme's plan leave: of fixed once, of refresh and auto with every recording,
 * also where GPUs keep their rows, as 'hotset refresh' does. SSDs, and the network of several nodes, are more that an
 * epoch waits for beside links between GPUs and the host.
 */
#ifndef PLANNER_RUNNING_DRIFT_MEMORIES_H
#define PLANNER_RUNNING_DRIFT_MEMORIES_H

#include "planner/places/place_machine.h"
#include "planner/running/refresh_moves.h"
#include "simulator/movement/memories_read.h"
#include "simulator/replay/replay.h"

/* Counts the reads of a request under a plan that states memories. *served: owned by the caller; *seconds: per epoch of
 * its SSDs, or of the network to its node where that takes longer; 0 without both. below: that the plan was made for.
 * Errors of places_simulate. */
enum st drift_memories_count(const struct replay_request *q, const struct plan *p, const struct memories_request *below,
                             struct memories_read **served, double *seconds, struct err *err) MUST_USE;
/* The member `memories` of a window: what served it, and what had come into DRAM before. The caller frees it. */
doc *drift_memories_window(const struct memories_read *served, const struct refresh_amount *dram);
/* The same of all windows: means of reads, sums of what came into DRAM. windows: of one scheme. The caller frees it. */
doc *drift_memories_mean(const doc *windows);

#endif
