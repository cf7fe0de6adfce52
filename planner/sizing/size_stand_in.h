/* size_stand_in.h - a scaled random graph instead of a data set that is not available. */
#ifndef PLANNER_SIZING_SIZE_STAND_IN_H
#define PLANNER_SIZING_SIZE_STAND_IN_H

#include "base/cmd.h"
#include "traces/graph/graph.h"

struct stand_in {
    struct output folder; /* scratch, below TMPDIR */
    struct graph graph;
};

/* Generates the data set `like` at `scale` (0..1], with train_share (0..1] of its vertices for training, in a scratch
 * folder and opens it. Release *out with stand_in_release. ST_USAGE for an unknown data set, ST_LIMIT without disk or
 * memory. */
enum st stand_in_make(struct call *call, const char *like, double scale, double train_share, uint64_t seed,
                      struct stand_in *out, struct err *err) MUST_USE;
/* Closes the graph and removes the folder; zeroed is allowed. */
void stand_in_release(struct stand_in *s);

#endif
