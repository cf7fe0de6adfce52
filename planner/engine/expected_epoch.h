/* expected_epoch.h - the seconds of an epoch under a plan, by its predictions, before anything is simulated.
 *
 * What every GPU computes and samples is what the recording shows. Its reads by source are those of the recorded
 * epochs; because rows were chosen by the same counts, what the host serves of a clique is scaled to the plan's
 * calibrated prediction, features and topology apart, and what GPUs serve makes up the rest. The time model is the
 * simulation's (simulator/movement/epoch_time.h).
 */
#ifndef PLANNER_ENGINE_EXPECTED_EPOCH_H
#define PLANNER_ENGINE_EXPECTED_EPOCH_H

#include "planner/engine/study_recording.h"

/* Sets what each GPU is expected to read by source under a predicted plan, made from recording t: rows, visits, draws,
 * entries and transactions of r->gpu ([gpus], zeroed by the caller), of several types feature_bytes too. r->epochs is a
 * multiple of the recorded epochs, so that counts have fractions. Takes two bytes per row. ST_LIMIT without memory. */
enum st expected_reads(const struct graph *graph, const struct trace *t, const struct plan *p, int threads,
                       struct replay *r, struct err *err) MUST_USE;

/* *out: an iteration and the epoch of a predicted plan; seconds NaN where the server does not state a rate, or the
 * sampler has no time model. recorded: the recording's load (epoch_load_recorded), under whose assignment p was made.
 * *list_price: seconds of a transaction of topology over those of a transaction of features, where its reads of the
 * host are slowest; 1 where that is not known. Memory and errors as expected_reads. */
enum st expected_epoch(const struct study *s, const struct epoch_load *recorded, const struct trace *t,
                       const struct plan *p, int threads, struct epoch_time *out, double *list_price, struct err *err)
    MUST_USE;

#endif
