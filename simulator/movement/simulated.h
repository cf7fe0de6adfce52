/* simulated.h - the `simulated` object of plan.json: what the judge counted, beside what was predicted. */
#ifndef SIMULATOR_MOVEMENT_SIMULATED_H
#define SIMULATOR_MOVEMENT_SIMULATED_H

#include "simulator/plan/plan.h"

/* Everything that r counted, per epoch and per GPU, with the movement behind it (movement.h). graph: with
 * weight_bytes of the plan's workload. prediction_error compares with the plan's prediction; it is null for dynamic
 * plans, for which nothing is predicted. The caller owns the result. */
doc *simulated_document(const struct plan *p, const struct replay *r, const struct graph *graph);

#endif
