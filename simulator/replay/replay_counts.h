/* replay_counts.h - what a sampler counts of one group of mini-batches of one GPU. */
#ifndef SIMULATOR_REPLAY_REPLAY_COUNTS_H
#define SIMULATOR_REPLAY_REPLAY_COUNTS_H

#include "traces/sampling/sampler.h"

struct replay_counts {
    struct sample_counts c;        /* arrays of `block` */
    uint32_t *block[4 + HOPS_MAX]; /* owned */
    uint64_t size[4 + HOPS_MAX];   /* numbers of each */
    int blocks;
};

/* Zeroed counts of all rows of the graph, to be freed also after an error. ST_LIMIT without memory. */
enum st replay_counts_new(const struct graph *g, const struct workload *w, struct replay_counts *k, struct err *err)
    MUST_USE;
uint64_t replay_counts_bytes(const struct graph *g, const struct workload *w);
void replay_counts_clear(struct replay_counts *k, int threads);
void replay_counts_free(struct replay_counts *k); /* zeroed is allowed */

#endif
