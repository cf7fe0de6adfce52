/* size_inference.h - `size` with --job inference: which of the servers compute all vertices within a time, or at all.
 */
#ifndef PLANNER_DECISIONS_SIZE_INFERENCE_H
#define PLANNER_DECISIONS_SIZE_INFERENCE_H

#include "planner/inference/inference_args.h"

struct size_inference {
    struct inference_given given; /* but for server and, of a stand-in, graph */
    const char *servers, *target, *like, *reverse, *output;
    double scale, train_share; /* of a stand-in; scale 0: its own */
};

/* One row per server, each with its best order and chunk size. Takes the server with the fewest GPUs that fits and
 * meets all targets (epoch-time alone; ST_USAGE for others), of those the fastest. ST_NO, with the best there is, when
 * none does. */
enum st size_inference_run(struct call *call, const struct size_inference *a, struct err *err) MUST_USE;

#endif
