/* replay.h - the replay of a placement: draws held-out epochs and counts what each source serves
 * (model/transactions.md, model/replay.md), of several types also per table of rows (traces/graph/rows.h).
 *
 * Any number of placements with one assignment are evaluated on the same draws in one pass. The replay knows placements
 * and the sampler, but no policy, so a wrong policy shows in the counts.
 */
#ifndef SIMULATOR_REPLAY_REPLAY_H
#define SIMULATOR_REPLAY_REPLAY_H

#include "base/progress.h"
#include "kernels/kernel.h"
#include "simulator/replay/placement.h"
#include "traces/graph/graph.h"
#include "traces/sampling/sampler.h"

/* Sums over the epochs for one reader. Source s < gpus is the memory of that GPU (the reader's own included), source
 * gpus is the host. When GPUs do not sample, visits and draws are counted for the source of the sampled blocks;
 * degrees, entries and lines are those of the topology lists all the same. */
struct replay_gpu {
    uint64_t rows[GPUS_MAX + 1];          /* feature rows by source, of vertices and of edges */
    uint64_t feature_bytes[GPUS_MAX + 1]; /* of several types: their useful bytes; else 0: they follow from rows */
    uint64_t visits[GPUS_MAX + 1];        /* visits of topology rows by source */
    uint64_t draws[GPUS_MAX + 1];         /* neighbours drawn, by source */
    uint64_t degrees[GPUS_MAX + 1];       /* row lengths of the visited vertices, once per visit; of several types
                                             twice the length where a relation's weights are read */
    uint64_t
        entries[GPUS_MAX + 1];  /* bytes of row entries read: 4 per draw; labor reads rows, biased rows and weights */
    uint64_t vertices;          /* of several types: distinct vertices of the mini-batches; else 0: they are the rows */
    uint64_t topology, feature; /* transactions */
    uint64_t lines;             /* transactions of all visits if the host served every one */
    uint64_t batches;           /* mini-batches */
    uint64_t hop_visits[HOPS_MAX], hop_draws[HOPS_MAX]; /* of all sources, for the time model */
};

enum read_source { READ_OWN, READ_PEER, READ_HOST, READ_SOURCES };

/* Sums over the epochs of one reader and one table. A read is a visit of a topology row, or the gather of a feature
 * row. */
struct table_reads {
    uint64_t reads[READ_SOURCES];
    uint64_t transactions; /* of what the host served */
    uint64_t uncached;     /* transactions if the host served everything */
    uint64_t draws;        /* of topology rows: neighbours that were drawn */
};

struct replay {
    uint64_t epochs, seed;
    int gpus, tables;          /* tables: 0 of a plain graph, whose tables are in gpu[] */
    struct replay_gpu *gpu;    /* owned, [gpus] */
    struct table_reads *table; /* owned, [gpus][tables]; NULL: of a plain graph */
    bool interval_known;       /* false: too few mini-batches for an interval */
    double low, high;          /* 95 % interval of the mean transactions per epoch */
};

/* Some rows of a plain graph, so many in ascending order: placements number these. Reads of them are made those of all
 * rows (replay_sample.h). Everything is borrowed. */
struct replay_sample {
    uint64_t rows;
    const uint64_t *id;    /* [rows] in the graph */
    const int64_t *indptr; /* [rows + 1] offsets of neighbour lists that follow each other */
};

struct replay_request {
    const struct graph *graph;
    const struct assignment *assignment;
    const struct workload *workload; /* its seed is replaced by `seed` */
    uint64_t line_bytes, epochs, seed;
    int threads;
    bool progress;
    const struct kernels *kernels;      /* the backend that draws, if it can, and counts; NULL: the CPU backend */
    const struct replay_sample *sample; /* the CPU counts then; for replay_run alone. NULL: all rows */
};

/* The counts of a part (0..1) of the reads, each rounded: those of GPUs where the CPU trains the rest of every
 * mini-batch. The counts themselves for part 1. */
struct replay_gpu replay_part(const struct replay_gpu *gpu, double part);
struct table_reads replay_table_part(const struct table_reads *reads, double part);

/* Useful bytes of the feature rows that a reader got from a source. */
uint64_t replay_feature_bytes(const struct replay_gpu *gpu, const struct graph *graph, int gpus, int source);
/* Transactions per epoch of all GPUs that the host serves, of several types: of one table, or of all (-1); each
 * reader's part of them rounded half up. */
uint64_t replay_table_transactions(const struct replay *r, int table, double part);

/* Readers that replay_run replays at a time, each with one thread, counts and look-ups of so many bytes; 1: one after
 * the other, with all threads. */
int replay_rooms(uint64_t bytes, const struct workload *w, int readers, int threads);
/* What a reader takes beside that for a sample of so many rows. */
uint64_t replay_sample_bytes(const struct graph *g, uint64_t rows, const struct workload *w);
/* Ranks share the readers: whose epochs this one draws. */
bool replay_own_reader(int g);
/* Replays placements[0..count). out: [count], zeroed by the caller, each to be released also after an error. Takes 4 n
 * (2 + hops) bytes of host memory for counts (4 per count of several types) and a byte per row and placement, for each
 * reader at a time. ST_LIMIT for memory; ST_MISSING when a device fails. Ranks (base/ranks.h) share the readers: all of
 * them must call it, and all get the results. */
enum st replay_run(const struct replay_request *r, const struct placement *const *placements, int count,
                   struct replay *out, struct err *err) MUST_USE;
/* The mini-batches of the first epoch one by one: out[j] counts mini-batch j of every reader, for the first `most` of
 * them; batches is 0 for readers that have no such one. out: [most], zeroed by the caller, each to be released also
 * after an error; *count: how many there are. Each takes a pass over the counts of all rows. Ranks do all of them.
 * Memory and errors as replay_run. */
enum st replay_batches(const struct replay_request *r, const struct placement *p, uint64_t most, struct replay *out,
                       uint64_t *count, struct err *err) MUST_USE;
void replay_release(struct replay *r); /* a zeroed struct is allowed */

/* Transactions that caching each row would save, summed over the epochs and over the GPUs of each clique. topology,
 * feature: [cliques] arrays of [topology rows] and [feature rows], zeroed by the caller. Draws the same mini-batches as
 * replay_run; errors likewise.
 */
enum st replay_benefit(const struct replay_request *r, uint64_t *const *topology, uint64_t *const *feature,
                       struct err *err) MUST_USE;

/* Epochs that give as many mini-batches over all GPUs: 1 to 8. */
uint64_t replay_epochs(const struct graph *graph, const struct assignment *a, const struct workload *w,
                       uint64_t wanted);
/* For 200 mini-batches. */
uint64_t replay_default_epochs(const struct graph *graph, const struct assignment *a, const struct workload *w);

#endif
