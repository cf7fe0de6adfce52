/* trace.h - what pre-sampling recorded (schema trace/1).
 *
 * Row r of every array belongs to assignment.id[r]; counts are sums over the epochs. A struct trace that trace_load
 * or trace_record returned has arrays of the stated shapes, training sets that are disjoint, and n_tsum >= 0.
 */
#ifndef TRACES_RECORDING_TRACE_H
#define TRACES_RECORDING_TRACE_H

#include "base/npy.h"
#include "base/progress.h"
#include "base/checkpoint.h"
#include "traces/recording/assignment.h"
#include "traces/graph/graph.h"
#include "traces/sampling/sampler.h"

struct trace {
    struct assignment assignment;
    struct workload workload; /* seed included */
    uint64_t epochs, line_bytes, n;
    uint64_t n_tsum[GPUS_MAX]; /* per clique: transactions of sampling with nothing cached */
    char n_tsum_source[16];    /* "model" or "pcm" */
    double error;              /* wanted by who recorded it, a share */
    uint64_t epochs_for_error; /* epochs that would be enough for it; 0: not known */
    char server_name[64], server_fingerprint[80];
    const uint32_t *topology[GPUS_MAX];         /* [n] H_T: draws made from v */
    const uint32_t *feature[GPUS_MAX];          /* [n] H_F: mini-batches in which v appears */
    const uint32_t *visits[HOPS_MAX][GPUS_MAX]; /* [n] times v was expanded in hop h */
    /* Counts of parts of the recording, summed over each clique's GPUs, for estimates that judge themselves: fold[c]
     * is [folds][1 + hops][n], quantity 0 being mini-batches in which v appears, quantity 1 + h the visits of hop h.
     * A fold is one or more whole epochs, or, when one epoch was recorded, a part of every GPU's mini-batches. folds
     * is 0 when they were not kept: not wanted, or (walks, mostly) too many for 16 bits. */
    int folds;
    double folds_per_epoch; /* 1 / epochs per fold; > 1 when folds are parts of one epoch */
    const uint16_t *fold[GPUS_MAX];
    void *owned[4];       /* memory of a recorded trace */
    struct npy mapped[4]; /* files of a loaded trace */
    struct checkpoint_array kept[GPUS_MAX],
        kept_folds[GPUS_MAX]; /* files of a trace that was recorded into a store: per GPU, per clique */
};
enum { FOLDS_MAX = 8 };

/* Counts of fold f and quantity q of clique c: [n]. */
static inline const uint16_t *trace_fold(const struct trace *t, int c, int f, int q)
{
    return t->fold[c] + ((uint64_t)f * (uint64_t)(1 + t->workload.hops) + (uint64_t)q) * t->n;
}

struct trace_options {
    uint64_t epochs, line_bytes;
    int threads;
    bool progress, folds; /* folds: keep them, where 16 bits can count */
    const char *server_name, *server_fingerprint;
    const struct checkpoint *checkpoint; /* NULL: arrays in memory; else in its files, GPU by GPU, and GPUs that are
                                            finished there are not drawn again */
    const char *part;                    /* what the names in the store begin with */
    const struct kernels *kernels;       /* whose device draws, where it can (sampler_use_device); NULL: the CPU does */
    struct sampling_facts *facts;        /* written: what the device took; may be NULL */
};

/* Samples `epochs` epochs of the workload (its seed) for every GPU. The assignment is copied. Takes 4 n (2 + hops)
 * bytes per GPU, and for folds 2 n (1 + hops) bytes per fold and clique: in memory or, with a store, on disk; beside
 * them 4 n (1 + hops) bytes of memory, and as much as one GPU's with a store. */
enum st trace_record(const struct graph *g, const struct assignment *a, const struct workload *w,
                     const struct trace_options *o, struct trace *out, struct err *err) MUST_USE;
void trace_release(struct trace *t); /* zeroed is allowed */

/* Of a trace in files: lets go of its pages, which are read again when they are touched. Of one in a store: begins to
 * read a clique's counts of draws and mini-batches. Others are left alone. */
void trace_drop_pages(const struct trace *t);
void trace_prefetch_pages(const struct trace *t, int clique);

/* Bytes of arrays that trace_record takes, the store's included; cliques: 0 when folds are not kept. */
uint64_t trace_bytes(uint64_t n, int gpus, int hops, int cliques, uint64_t epochs);
/* How many folds a recording of `epochs` epochs has. */
int trace_folds(uint64_t epochs);

/* Sum of n_tsum over the cliques. */
uint64_t trace_n_tsum(const struct trace *t);
/* Puts measured reads of `line` bytes over `epochs` epochs in the place of n_tsum: scaled to the trace's epochs and
 * line_bytes (halves up), shared out over the cliques in proportion to the model's numbers, remainders to the first
 * cliques. ST_INPUT beyond 2^52, or with nothing to share by. */
enum st trace_measured(struct trace *t, uint64_t reads, uint64_t line, uint64_t epochs, struct err *err) MUST_USE;

enum st trace_save(const struct trace *t, const struct graph *g, const char *path, struct err *err) MUST_USE;
/* Loads and checks a trace against its graph (vertices, training vertices, fingerprint when both have one). */
enum st trace_load(const char *path, const struct graph *g, struct trace *out, struct err *err) MUST_USE;

#endif
