/* simulated.h - the member `simulated` of plan.json: what a replay counted. */
#ifndef SIMULATOR_MOVEMENT_SIMULATED_H
#define SIMULATOR_MOVEMENT_SIMULATED_H

#include "simulator/plan/plan.h"

/* The counts of r per epoch and per GPU, with the movement (movement.h). graph: with weight_bytes of the plan's
 * workload. prediction_error = predicted / simulated - 1; null for dynamic plans, which predict nothing. Counts are
 * those of the GPUs' part where the plan's cpu_share is above 0. Of several types feature_* are rows of vertices and
 * edges together, transactions are rounded table by table, and kinds, tables[] and gpus[].tables[] tell them apart.
 * Owned by the caller. */
doc *simulated_document(const struct plan *p, const struct replay *r, const struct graph *graph);

#endif
