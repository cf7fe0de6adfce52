/* typed_trace.h - what pre-sampling recorded on a typed graph (schema trace/2).
 *
 * GPU g of every array is position g of the assignment, whose training vertices are ids of all types; counts are sums
 * over the epochs. Hotness of edge feature rows is not recorded: every entry of a row is drawn equally often, so it
 * follows from the row's visits.
 */
#ifndef TRACES_TYPED_SAMPLING_TYPED_TRACE_H
#define TRACES_TYPED_SAMPLING_TYPED_TRACE_H

#include "traces/recording/trace.h"
#include "traces/typed_sampling/typed_sampler.h"

struct typed_trace {
    struct assignment assignment;
    struct typed_workload workload;
    uint64_t epochs, line_bytes, n;
    uint64_t n_tsum[GPUS_MAX];                  /* per clique: transactions of sampling with nothing cached */
    const uint32_t *visits[HOPS_MAX][GPUS_MAX]; /* [n] times v was expanded in hop h */
    const uint32_t *feature[GPUS_MAX];          /* [n] mini-batches in which v appears */
    /* Counts of whole epochs, summed over each clique's GPUs: fold[c] is [folds][hops + 1][n], the visits of hop 0, of
     * hop 1, .., then the features. 0 folds: one epoch was recorded, or counts did not fit 16 bits. */
    int folds;
    double folds_per_epoch; /* 1 / epochs of a fold */
    const uint16_t *fold[GPUS_MAX];
    char server_name[TRACE_NAME_BYTES], server_fingerprint[TRACE_PRINT_BYTES];
    void *owned[2];       /* memory of a recorded trace: counts, folds */
    struct npy mapped[3]; /* files of a loaded trace */
};

/* Counts of fold f of clique c: visits of hop q, or with q = hops the features. */
static inline const uint16_t *typed_trace_fold(const struct typed_trace *t, int c, int f, int q)
{
    return t->fold[c] + ((uint64_t)f * (uint64_t)(t->workload.hops + 1) + (uint64_t)q) * t->n;
}

struct typed_trace_options {
    uint64_t epochs, line_bytes;
    int threads;
    bool progress;
    const char *server_name, *server_fingerprint;
};

/* Samples the epochs of the workload for every GPU; the assignment is copied. Release *out with typed_trace_release.
 * Takes 4 n (hops + 1) bytes per GPU, and half as many per fold and clique. ST_LIMIT without memory or when 32-bit
 * counts are not enough. */
enum st typed_trace_record(const struct graph *g, const struct assignment *a, const struct typed_workload *w,
                           const struct typed_trace_options *o, struct typed_trace *out, struct err *err) MUST_USE;
/* Frees memory and mappings; a zeroed struct is allowed. */
void typed_trace_release(struct typed_trace *t);

/* Writes the trace directory `path`; on failure there is the old one or none. Errors as trace_save. */
enum st typed_trace_save(const struct typed_trace *t, const struct graph *g, const char *path, struct err *err)
    MUST_USE;
/* Maps the trace directory `path` and checks it against its graph. ST_INPUT, with file and key, for anything that does
 * not fit. */
enum st typed_trace_load(const char *path, const struct graph *g, struct typed_trace *out, struct err *err) MUST_USE;

#endif
