/* size_stand_in.h - a scaled random graph in the place of one that nobody has yet. */
#ifndef PLANNER_SIZING_SIZE_STAND_IN_H
#define PLANNER_SIZING_SIZE_STAND_IN_H

#include "base/cmd.h"
#include "traces/graph/graph.h"

struct stand_in {
    struct output folder; /* scratch, below TMPDIR */
    struct graph graph;
};

/* Makes the data set `like` at `scale` with so large a share of training vertices in a scratch folder and opens it.
 * Release with stand_in_release. */
enum st stand_in_make(struct call *call, const char *like, double scale, double train_share, uint64_t seed,
                      struct stand_in *out, struct err *err) MUST_USE;
void stand_in_release(struct stand_in *s); /* removes the folder; zeroed is allowed */

#endif
