/* places_replay.h - what readers take from the memories below their GPUs, place by place.
 *
 * A row that no GPU in a reader's reach holds is read from the place that plan_places_locate says. Lines are those of
 * model/transactions.md, of offsets, neighbours and features. Where the CPU samples or gathers, the threads that serve
 * a GPU are taken to run on its socket. Sampler GPUs hold the topology, and read none here.
 */
#ifndef SIMULATOR_STORAGE_PLACES_REPLAY_H
#define SIMULATOR_STORAGE_PLACES_REPLAY_H

#include "simulator/movement/memories_read.h"
#include "simulator/plan/plan.h"

/* Who is told of reads from other nodes, over all epochs. gpu: its position; row: of its kind. */
struct places_remote {
    void (*read)(void *to, int gpu, int node, uint64_t row, uint64_t bytes);
    void *to;
};

/* Replays the request under the plan. remote: NULL for nobody. time: gets the stage of
 * the SSDs; NULL: none is known. *out: mem_free of the caller.
 * Takes 4 bytes per row and hop, and 16 per row. ST_LIMIT without memory; errors of storage_replay. */
enum st places_simulate(const struct replay_request *r, const struct plan *p, const struct places_remote *remote,
                        struct epoch_timed *time, struct memories_read **out, struct err *err) MUST_USE;

#endif
