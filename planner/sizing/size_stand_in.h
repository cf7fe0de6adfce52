/* size_stand_in.h - a scaled random graph instead of a data set that is not available. */
#ifndef PLANNER_SIZING_SIZE_STAND_IN_H
#define PLANNER_SIZING_SIZE_STAND_IN_H

#include "base/cmd.h"
#include "traces/graph/graph.h"

/* How far stand-ins of a data set are off: feature hit rates of one GPU with `cached` of the vertices cached by
 * pre-sampling (policy quiver-plus, fan-outs 15,10,5, frontier all, one epoch of pre-sampling; mini-batch scaled with
 * the graph), ours against the published one. */
struct stand_in_error {
    const char *like;
    double cached, published, ours; /* 0..1 */
    const char *source;             /* of the published rate */
    double worst, worst_at; /* the largest difference, ours - published, with 1 to 50 % cached, and where; 0: only
                               `cached` was published */
};
/* What is known of a data set; NULL: nothing was published that could be compared. */
const struct stand_in_error *stand_in_known(const char *like);
/* The sentence that opens an answer from a stand-in: how far off it is known to be, or that this is not known. out:
 * [bytes]. */
void stand_in_warning(const char *like, char *out, size_t bytes);

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
