/* inference_advice.h - `advise` with --job inference: what order and size of chunks, a cache and f16 are worth. */
#ifndef PLANNER_DECISIONS_INFERENCE_ADVICE_H
#define PLANNER_DECISIONS_INFERENCE_ADVICE_H

#include "planner/inference/inference_args.h"

/* Today: the order and chunk size of the options (auto: id, 4096 vertices as PyG's examples), nothing cached. Every
 * lever is pulled alone, then all on top of each other, those first that save most; one that saves less than 0.5 % is
 * left out. Ranked by seconds, or by bytes where these are not known. ST_NO where today does not fit. */
enum st inference_advise_run(struct call *call, const struct inference_given *given, const char *output,
                             struct err *err) MUST_USE;

#endif
