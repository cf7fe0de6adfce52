/* places_replay.h - what readers take from the memories below their GPUs, place by place.
 *
 * A row that no GPU in a reader's reach holds is read from the place that plan_places_locate says. Lines are those of
 * MODEL.md, section 6, of offsets, neighbours and features. Where the CPU samples or gathers, the threads that serve a
 * GPU are taken to run on its socket. Sampler GPUs hold the topology, and read none here.
 */
#ifndef SIMULATOR_STORAGE_PLACES_REPLAY_H
#define SIMULATOR_STORAGE_PLACES_REPLAY_H

#include "simulator/plan/plan.h"

/* Who is told of reads from other nodes, over all epochs. gpu: its position; row: of its kind. */
struct places_remote {
    void (*read)(void *to, int gpu, int node, uint64_t row, uint64_t bytes);
    void *to;
};

/* Adds the member `memories` to a plan's member `simulated`, from a replay of the request under the plan:
 * {places[]{name, kind, feature_rows, feature_lines, topology_visits, topology_lines, other_socket_lines, seconds},
 * seconds, ssd{blocks, bytes, seconds, limit}, epoch{seconds, without_ssd_seconds}}: reads and lines of all GPUs per
 * epoch, rounded half up; other_socket_lines: those of them that cross to the DRAM of a socket from GPUs of another
 * one, where both are known; seconds per GPU (mean) as if no reads overlapped; ssd: blocks that mini-batches read
 * (storage.h), and the seconds of the drives; null without SSDs, epoch also without an epoch time. Takes 4 bytes
 * per row and hop, and 16 per row. remote: NULL for nobody. ST_LIMIT without memory; errors of storage_replay. */
enum st places_simulate(const struct replay_request *r, const struct plan *p, const struct places_remote *remote,
                        doc *simulated, struct err *err) MUST_USE;

#endif
