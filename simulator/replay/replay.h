/* replay.h - the judge: draws held-out epochs and counts who serves what (MODEL.md, sections 6 and 8).
 *
 * Any number of placements that share an assignment are judged on the same draws in one pass. It knows placements and
 * the sampler, never a policy.
 */
#ifndef SIMULATOR_REPLAY_REPLAY_H
#define SIMULATOR_REPLAY_REPLAY_H

#include "base/progress.h"
#include "kernels/kernel.h"
#include "simulator/replay/placement.h"
#include "traces/graph/graph.h"
#include "traces/sampling/sampler.h"

/* Sums over the epochs for one reader. Source s < gpus is that GPU's memory (own included), source gpus is the host.
 * Where the GPUs do not sample, visits and draws are those of the blocks' source; degrees, entries and lines stay
 * what the lists say. */
struct replay_gpu {
    uint64_t rows[GPUS_MAX + 1], visits[GPUS_MAX + 1], draws[GPUS_MAX + 1];
    uint64_t degrees[GPUS_MAX + 1]; /* row lengths of the visited vertices, once per visit */
    uint64_t entries[GPUS_MAX + 1]; /* bytes of row entries that the visits read: 4 per draw; whole rows with their
                                       weights where weights decide */
    uint64_t topology, feature;     /* transactions */
    uint64_t lines;                 /* transactions of all visits if the host served every one */
    uint64_t batches;               /* mini-batches */
    uint64_t hop_visits[HOPS_MAX], hop_draws[HOPS_MAX]; /* whoever served them; for the time model */
};

struct replay {
    uint64_t epochs, seed;
    int gpus;
    struct replay_gpu *gpu; /* owned, [gpus] */
    bool interval_known;    /* false: too few mini-batches to tell */
    double low, high;       /* 95 % interval of the mean transactions per epoch */
};

struct replay_request {
    const struct graph *graph;
    const struct assignment *assignment;
    const struct workload *workload; /* its seed is replaced by `seed` */
    uint64_t line_bytes, epochs, seed;
    int threads;
    bool progress;
    const struct kernels *kernels; /* whose device draws, where it can (traces/sampling/sampler.h), and whose tally
                                      holds counts against placements; NULL: the CPU's */
};

/* Judges placements[0..count); out: [count], zeroed by the caller, each to be released. Takes 4 n (2 + hops) bytes
 * for counts and 2 n bytes per placement, on the host whoever adds up. */
enum st replay_run(const struct replay_request *r, const struct placement *const *placements, int count,
                   struct replay *out, struct err *err) MUST_USE;
void replay_release(struct replay *r); /* zeroed is allowed */

/* What each row would save if it were held: transactions per kind, summed over the epochs and over the GPUs of each
 * clique. topology, feature: [cliques] arrays of [n], zeroed by the caller. draws: as replay_run. */
enum st replay_benefit(const struct replay_request *r, uint64_t *const *topology, uint64_t *const *feature,
                       struct err *err) MUST_USE;

/* Epochs that give 200 mini-batches over all GPUs, 1 to 8. */
uint64_t replay_default_epochs(const struct graph *graph, const struct assignment *a, const struct workload *w);

#endif
