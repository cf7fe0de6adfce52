/* batch_rows.h - the feature rows that a mini-batch of several types gathers: one per distinct vertex whose type has
 * features, in the order of discovery, and behind them one per draw of an edge with features, in the order drawn. They
 * are numbers of feature rows (traces/graph/rows.h). Of a plain graph they are the vertices themselves. */
#ifndef SIMULATOR_REPLAY_BATCH_ROWS_H
#define SIMULATOR_REPLAY_BATCH_ROWS_H

#include "traces/graph/graph.h"
#include "traces/sampling/steps.h"

struct batch_rows {
    uint32_t *id; /* owned */
    uint64_t count, room;
};

void batch_rows_release(struct batch_rows *r); /* a zeroed struct is allowed */

/* Sets *r to the rows of the mini-batch with the distinct vertices ids[0..vertices) and those draws (read where edges
 * have features, else perhaps NULL). g is not plain. ST_LIMIT. */
enum st batch_rows_list(const struct graph *g, const uint32_t *ids, uint64_t vertices, const struct sample_steps *steps,
                        struct batch_rows *r, struct err *err) MUST_USE;

#endif
