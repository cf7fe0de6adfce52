/* refresh_reads.h - what the reads of a plan and of the next one are expected to take, at the rates of the server.
 *
 * Reads of own memory, of peers and of the host pass other links, side by side, and an epoch waits for the slowest of
 * them: the transfer stage (optimum/transfer.h; model/optimum.md) of the reads that the recording estimates. Where
 * plans state memories, the network to a node and its SSDs are two more links of it (model/memories.md).
 */
#ifndef PLANNER_RUNNING_REFRESH_READS_H
#define PLANNER_RUNNING_REFRESH_READS_H

#include <stdbool.h>

#include "planner/optimum/transfer.h"
#include "planner/engine/study_recording.h"

enum { REFRESH_CELLS = 3 }; /* of a refresh: refresh.h */
struct refresh_reads {
    double seconds;                /* per epoch, of the resource that takes longest; NaN: a rate is not known */
    double own, peers, host;       /* of the busiest memory of a GPU; link between GPUs; PCIe link or host memory */
    double network, ssd;           /* of the node; 0 without */
    char waits_for[TRANSFER_NAME]; /* what takes longest; "" unknown */
};

/* out: [count], of cells of one recording, whose estimates are calibrated; their GPUs sample for themselves and read
 * the same peers. ST_LIMIT without memory. */
enum st refresh_reads_expect(const struct study *s, const struct study_cell *cell, int count, struct refresh_reads *out,
                             struct err *err) MUST_USE;

/* seconds: [count], per epoch of the transfer stage of what replays counted under those placements, at payloads that
 * the recording, whose estimates are calibrated, has; NaN: a rate is not known. ST_LIMIT without memory. */
enum st refresh_reads_counted(const struct study *s, const struct study_recording *r, const struct placement *const *p,
                              const struct replay *counted, int count, double *seconds, struct err *err) MUST_USE;

/* Whether the next plan is better: a shorter stage, or one as long (within 0.1 %, or not known) and transactions saved,
 * gain > 0. */
bool refresh_gains(const struct refresh_reads *reads, double gain);

#endif
