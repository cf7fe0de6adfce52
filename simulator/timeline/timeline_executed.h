/* timeline_executed.h - measured mini-batches over time.
 *
 * Engines execute GPU after GPU, and stage after stage. Here all GPUs stand below each other, and mini-batch b begins
 * everywhere at once, when the longest of the mini-batches b - 1 has ended, as where gradients are exchanged. The same
 * stages by the model stand beside them, one mini-batch at a time (no pipeline).
 */
#ifndef SIMULATOR_TIMELINE_TIMELINE_EXECUTED_H
#define SIMULATOR_TIMELINE_TIMELINE_EXECUTED_H

#include "simulator/execute/execute.h"
#include "simulator/timeline/timeline_model.h"

/* Writes the first mini-batches, at most `most`, of the first of `epochs` epochs of an execution that kept them. m:
 * NULL, or the model of the same mini-batches. *about: {schema, policy, server, batches, epoch_batches,
 * seconds, model}: seconds: until the last one has ended; model: whether the model's are beside. Owned by the caller.
 */
enum st timeline_executed(const struct execution *run, uint64_t epochs, const struct plan *p,
                          const struct timeline_model *m, uint64_t most, const char *path, doc **about, struct err *err)
    MUST_USE;

/* The mean mini-batch of a GPU in a running job: seconds of the stages that the job named. */
struct timeline_observed {
    int gpu; /* position */
    int stages;
    const char *const *name; /* [stages] */
    const double *seconds;   /* [stages], of a mini-batch */
};
/* Writes one mini-batch of every GPU, and beside it that of the model, from the plan's member
 * simulated.epoch_time. *about: {schema, policy, server, batches: 1, seconds, model}. Owned by the caller. */
enum st timeline_job(const struct timeline_observed *of, int count, const struct plan *p, const doc *time,
                     const char *path, doc **about, struct err *err) MUST_USE;

#endif
