/* typed_replay.h - the replay of placements on a typed graph: draws held-out epochs and counts, per table of rows, what
 * own memory, peers and the host serve (MODEL.md, sections 6 and 8; typed_rows.h has the tables).
 *
 * Any number of placements are evaluated on the same draws in one pass. The replay knows placements and the sampler,
 * but no policy. Where GPUs do not sample for themselves (ACCESS_CPU, ACCESS_SAMPLERS), the transactions of a relation
 * are those of the sampled blocks that are copied: 8 bytes per draw.
 */
#ifndef SIMULATOR_TYPED_TYPED_REPLAY_H
#define SIMULATOR_TYPED_TYPED_REPLAY_H

#include "simulator/replay/placement.h"
#include "traces/typed_sampling/typed_trace.h"

enum typed_reads_from { TYPED_OWN, TYPED_PEER, TYPED_HOST, TYPED_SOURCES };

/* Sums over the epochs of one reader and one table. A read is a visit of a topology row, or the gather of a feature
 * row. */
struct typed_reads {
    uint64_t reads[TYPED_SOURCES];
    uint64_t transactions; /* of what the host served */
    uint64_t uncached;     /* transactions if the host served everything */
    uint64_t draws;        /* of topology rows: neighbours that were drawn */
    uint64_t rounded;      /* reads that GPUs served from rounded copies */
};

struct typed_replay {
    uint64_t epochs, seed;
    int gpus, tables;
    struct typed_reads *reads; /* owned, [gpus][tables] */
    uint64_t *bytes;           /* owned, [gpus][gpus + 1] useful bytes, reader by source; the host is the last */
    bool interval_known;       /* false: too few mini-batches */
    double low, high;          /* 95 % interval of the mean transactions per epoch */
};

struct typed_replay_request {
    const struct graph *rows;
    const struct assignment *assignment;
    const struct typed_workload *workload; /* its seed is replaced by `seed` */
    uint64_t line_bytes, epochs, seed;
    int threads;
    bool progress;
};

/* Replays placements[0..count). out: [count], zeroed by the caller, each to be released also after an error. Takes 4
 * bytes per count of typed_counts and 1 byte per item and placement. ST_LIMIT for memory. */
enum st typed_replay_run(const struct typed_replay_request *r, const struct placement *const *placements, int count,
                         struct typed_replay *out, struct err *err) MUST_USE;
void typed_replay_release(struct typed_replay *r); /* a zeroed struct is allowed */

/* Transactions that caching each row would save, summed over the epochs and over the GPUs of each clique. benefit:
 * [cliques] arrays of [items], zeroed by the caller. Draws the same mini-batches as typed_replay_run; errors likewise.
 */
enum st typed_replay_benefit(const struct typed_replay_request *r, uint64_t *const *benefit, struct err *err) MUST_USE;

/* Transactions per epoch of all GPUs that the host serves: of one table, or of all (table -1); each reader's rounded
 * half up. */
uint64_t typed_replay_transactions(const struct typed_replay *r, int table);

/* Epochs that give 200 mini-batches over all GPUs: 1 to 8. */
uint64_t typed_replay_default_epochs(const struct assignment *a, const struct typed_workload *w);

#endif
