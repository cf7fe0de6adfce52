/* trace.h - what pre-sampling recorded (schema trace/1; of several types trace/2).
 *
 * Counts are per vertex, of all types; of several types those of draws are missing (trace_rows.h).
 * Row r of every array belongs to assignment.id[r]; counts are sums over the epochs. A struct trace that trace_load or
 * trace_record returned has arrays of the stated shapes, disjoint training sets, and n_tsum below 2^52. Recording is in
 * trace_record.c, saving and loading in trace_file.c.
 */
#ifndef TRACES_RECORDING_TRACE_H
#define TRACES_RECORDING_TRACE_H

#include "base/checkpoint.h"
#include "base/npy.h"
#include "base/progress.h"
#include "traces/graph/graph_ranges.h"
#include "traces/recording/assignment.h"
#include "traces/recording/count_row.h"
#include "traces/recording/trace_parts.h"
#include "traces/sampling/sampler.h"

/* What a GPU's mini-batches read, sums over all vertices and epochs. */
struct trace_sums {
    uint64_t feature, topology, visits[HOPS_MAX]; /* as the counts of those names */
    double draws[HOPS_MAX];                       /* expected of the visits (workload_mean_draws) */
};
/* Vertices of a plain graph: the counts of others are not kept. */
struct trace_sample {
    const uint64_t *id; /* [rows], ascending; borrowed */
    uint64_t rows;      /* 0: all are */
};

struct trace {
    struct assignment assignment;
    struct workload workload;       /* seed included */
    uint64_t epochs, line_bytes, n; /* n: vertices that are counted */
    struct trace_sums *sums;        /* [gpus] of all vertices, where n are a sample of them; owned; NULL: n are all */
    uint64_t n_tsum[GPUS_MAX];      /* per clique: transactions of sampling with nothing cached */
    char n_tsum_source[16];         /* "model" or "pcm" */
    double error;                   /* wanted error of a plan's transactions, a share */
    uint64_t epochs_for_error;      /* epochs that would be enough for it; 0: not known */
    char server_name[TRACE_NAME_BYTES], server_fingerprint[TRACE_PRINT_BYTES];
    struct count_row topology[GPUS_MAX];         /* [n] H_T: draws made from v; of a plain graph only (trace_rows.h) */
    struct count_row feature[GPUS_MAX];          /* [n] H_F: mini-batches in which v appears */
    struct count_row visits[HOPS_MAX][GPUS_MAX]; /* [n] times v was expanded in hop h */
    /* Counts of parts of the recording, summed over each clique's GPUs, for cross-validation: fold[c] is
     * [folds][1 + hops][n], see trace_fold. A fold is one or more whole epochs or, when one epoch was recorded, a part
     * of every GPU's mini-batches. folds is 0 when they were not kept: not wanted, too many for 16 bits (mostly with
     * walks), or of one epoch on several types. */
    int folds;
    bool visits_first;      /* the order of a fold's quantities: as in trace/2, whose mini-batches come last */
    double folds_per_epoch; /* 1 / epochs per fold; > 1 when folds are parts of one epoch */
    struct count_row fold[GPUS_MAX];
    void *owned[4];                               /* memory of a recorded trace */
    struct npy mapped[4];                         /* files of a loaded trace */
    struct checkpoint_array kept[GPUS_MAX];       /* files of a trace that was recorded into a store, per GPU */
    struct checkpoint_array kept_folds[GPUS_MAX]; /* the same for folds, per clique */
};

/* Counts of fold f and quantity q of clique c: [n], owned by t. Quantity 0: mini-batches in which v appears; 1 + h:
 * visits of hop h. */
static inline struct count_row trace_fold(const struct trace *t, int c, int f, int q)
{
    uint64_t hops = (uint64_t)t->workload.hops,
             place = !t->visits_first ? (uint64_t)q
                     : q              ? (uint64_t)q - 1
                                      : hops,
             at = ((uint64_t)f * (1 + hops) + place) * t->n;
    return (struct count_row){(const char *)t->fold[c].data + at * (uint64_t)t->fold[c].bytes, t->fold[c].bytes};
}

struct trace_options {
    uint64_t epochs, line_bytes;
    int threads;
    bool progress;
    bool folds; /* keep them, where 16 bits can count */
    /* Mini-batches that depend on each other (batch_dependency) are drawn so, as a run of the same seed draws them;
     * such a recording keeps no folds, which must be independent. Else each mini-batch has random numbers of its own:
     * every one has the same distribution, so the rates are the same, and independent ones estimate them with less
     * noise. */
    bool as_run;
    /* Of several ranks (base/ranks.h): only the first one keeps counts, and the trace of the others has none. Else all
     * of them get the same trace. */
    bool first_keeps;
    /* Of a graph of graph_open_range: every rank draws from and counts the vertices of its range, and takes no array of
     * n (range_draws.h, range_counts.h). first_keeps must hold, and range_draws_why_not give no reason. NULL: ranks
     * share the mini-batches. */
    const struct graph_ranges *ranges;
    const char *server_name, *server_fingerprint;
    struct trace_sample sample; /* only in memory, and without ranges */
    /* Where arrays are kept. NULL: in memory; else in the store's files, GPU by GPU, and GPUs that an earlier run
     * finished there are not drawn again. */
    const struct checkpoint *checkpoint;
    /* Folds of a clique up to this many bytes are kept after each of its GPUs; larger ones after its last GPU, and when
     * a minute has passed since: a killed run draws again what came later. 0: 64 MiB. */
    uint64_t keep_always;
    const char *part;              /* prefix of the names in the store */
    const struct kernels *kernels; /* whose device draws, where it can (sampler_use_device); NULL: the CPU does */
    struct sampling_facts *facts;  /* filled: what the device took; may be NULL */
};

/* Samples `epochs` epochs of the workload (its seed) for every GPU; the assignment is copied. Release *out with
 * trace_release. Takes 4 n (2 + hops) bytes per GPU (of several types 4 n (1 + hops)) and, for folds, 2 n (1 + hops)
 * bytes per fold and clique (n: of a sample its rows): in memory, or on disk with a store; in addition 4 n (1 + hops)
 * bytes of memory and, with a store, as much as one GPU's and one clique's folds. With ranges the first rank takes,
 * with a store, no such memory, and every rank 4 (2 + hops) bytes for each vertex of its range, its sampler, and for a
 * block of mini-batches at most 256 MiB or, if more, 32 MiB per thread or what one takes. ST_LIMIT when memory, disk or
 * 32-bit counts are not enough; ST_INPUT when the graph lacks the weights that the workload wants; ST_MISSING when a
 * device fails. Ranks share the mini-batches; all of them must call it, the store is the first one's, and the bytes of
 * the trace are those of one rank. */
enum st trace_record(const struct graph *g, const struct assignment *a, const struct workload *w,
                     const struct trace_options *o, struct trace *out, struct err *err) MUST_USE;
/* GPUs that trace_record records at a time in memory, each with one thread and 4 n (1 + hops) bytes of counts: of small
 * graphs, whose GPUs have few mini-batches. */
int trace_record_together(uint64_t n, const struct workload *w, int gpus, int threads);
/* Frees memory and mappings; a zeroed struct is allowed. */
void trace_release(struct trace *t);

/* Vertices whose counts are read together by those who read the counts of all GPUs, and then drop the pages. */
enum { TRACE_STRETCH = 1 << 22 };

/* Releases the pages of a trace in files; they are read again when they are touched. Traces in memory stay as they are.
 */
void trace_drop_pages(const struct trace *t);
/* Begins to read a clique's counts of draws and mini-batches, of a trace in a store. */
void trace_prefetch_pages(const struct trace *t, int clique);

/* Gives training vertices and counts of position i to position to[i], a permutation that keeps cliques together. */
void trace_exchange(struct trace *t, const int *to);

/* Sum of n_tsum over the cliques. */
uint64_t trace_n_tsum(const struct trace *t);
/* Replaces n_tsum by a measurement: `reads` reads of `line` bytes over `epochs` epochs, scaled to the trace's epochs
 * and line_bytes (halves up) and divided among the cliques in proportion to the model's numbers, remainders to the
 * first cliques. ST_INPUT beyond 2^52, or when the model's numbers are all 0. */
enum st trace_apply_counters(struct trace *t, uint64_t reads, uint64_t line, uint64_t epochs, struct err *err) MUST_USE;

/* Of trace.json: "trace/1" of a plain graph, else "trace/2" (static). */
static inline const char *trace_schema(const struct graph *g) { return graph_plain(g) ? "trace/1" : "trace/2"; }
/* Writes the trace directory `path`; on failure there is the old one or none. ST_INPUT when `path` is something else
 * than a trace directory; ST_LIMIT when the disk is full. */
enum st trace_save(const struct trace *t, const struct graph *g, const char *path, struct err *err) MUST_USE;
/* Maps the trace directory `path` and checks it against its graph (vertices, training vertices, fingerprint when both
 * have one). Release *out with trace_release. ST_INPUT, with file and key, for anything that does not fit. */
enum st trace_load(const char *path, const struct graph *g, struct trace *out, struct err *err) MUST_USE;

#endif
