/* places_replay.h - what readers take from the memories below their GPUs, place by place.
 *
 * A row that no GPU in a reader's reach holds is read from the place that plan_places_locate says. Lines are those of
 * MODEL.md, section 6, of offsets, neighbours and features. Where the CPU samples or gathers, the threads that serve a
 * GPU are taken to run on its socket. Sampler GPUs hold the topology, and read none here.
 */
#ifndef SIMULATOR_STORAGE_PLACES_REPLAY_H
#define SIMULATOR_STORAGE_PLACES_REPLAY_H

#include "simulator/plan/plan.h"

/* Sums over the epochs: what one GPU reads from one place. */
struct place_reads {
    uint64_t rows, row_lines;         /* feature rows and their lines */
    uint64_t rows_of[PLAN_READS_MAX]; /* by kind of read (plan_places.h) */
    uint64_t visits, visit_lines;     /* visits of topology rows and the lines that they touch */
};
struct places_counts {
    struct place_reads of[GPUS_MAX][PLAN_PLACES_MAX];
};

/* Draws the mini-batches of the request (those of replay_run) under the placement, and counts every layout on them.
 * out: [count], zeroed by the caller. Takes 4 bytes per row and hop, and 16
 * per row. ST_LIMIT without memory. */
enum st places_replay(const struct replay_request *r, const struct placement *p,
                      const struct plan_places *const *layout, int count, struct places_counts *out, struct err *err)
    MUST_USE;

/* Adds the member `memories` to a plan's member `simulated`, from a replay of the request under the plan:
 * {places[]{name, kind, feature_rows, feature_lines, topology_visits, topology_lines, other_socket_lines, seconds},
 * seconds, ssd{blocks, bytes, seconds, limit}, epoch{seconds, without_ssd_seconds}}: reads and lines of all GPUs per
 * epoch, rounded half up; other_socket_lines: those of them that cross to the DRAM of a socket from GPUs of another
 * one, where both are known; seconds per GPU (mean) as if no reads overlapped; ssd: blocks that mini-batches read
 * (storage.h), and the seconds of the drives; null without SSDs, epoch also without an epoch time. Errors of
 * places_replay and storage_replay. */
enum st places_simulate(const struct replay_request *r, const struct plan *p, doc *simulated, struct err *err) MUST_USE;

#endif
