/* inference_keep.h - which topology and input rows GPUs keep (the rule is in inference_plan.h). */
#ifndef PLANNER_INFERENCE_INFERENCE_KEEP_H
#define PLANNER_INFERENCE_INFERENCE_KEEP_H

#include "planner/inference/inference_plan.h"

/* reads: [layers] of each layer [gpus][n], the chunks of a GPU that read a row (count.h); equal layers share one. Sets
 * o->topology, owner, same_as, kept and kept_*, within o->gpu_room. ST_LIMIT without memory. */
enum st inference_keep(const struct inference_question *q, const uint32_t *const *reads, struct inference_outcome *o,
                       struct err *err) MUST_USE;

/* Vertices below n with count[v] >= least, by falling count, ties to the lower id, into *out (the caller frees it).
 * ST_LIMIT without memory. */
enum st inference_by_count(const uint32_t *count, uint64_t n, uint32_t least, uint32_t **out, uint64_t *found,
                           struct err *err) MUST_USE;

#endif
