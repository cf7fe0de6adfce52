/* trace_counts.h - hotness that other programs counted, put into a recorded trace. */
#ifndef TRACES_RECORDING_TRACE_COUNTS_H
#define TRACES_RECORDING_TRACE_COUNTS_H

#include "traces/recording/trace.h"

struct trace_counts_request {
    const char *path;
    bool ranking;    /* vertex ids, hottest first: the vertex at place i gets n - i; else a count per vertex */
    bool topology;   /* replaces the draws, else the mini-batches per vertex */
    uint64_t epochs; /* that the counts cover; they are scaled to the trace's, halves up */
};
struct trace_counts_summary {
    uint64_t vertices; /* with a count above 0 */
    uint64_t sum;      /* of all counts, after scaling */
    bool per_gpu;      /* the file had a row per GPU */
};

/* *pcm: the file is text of Intel PCM, or of nothing known, rather than counts. ST_INPUT when it is empty or cannot be
 * read. */
enum st trace_counts_probe(const char *path, bool *pcm, struct err *err) MUST_USE;

/* Replaces the draws or mini-batches of t (from trace_load) by those of a file: .npy of [n] or [gpus, n], raw uint32 x
 * n, text "vertex count", or a folder of a running job , which states the epochs itself. A count per
 * vertex is shared out over the GPUs in proportion to the trace's own (evenly where it has none), remainders to the
 * first GPUs. The folds are dropped. Takes 12 bytes per vertex and 4 per GPU and vertex. ST_INPUT for wrong sizes, ids
 * or counts beyond 32 bits; ST_USAGE for draws of several types, of which a trace has none; t is then unchanged. */
enum st trace_counts_import(const struct trace_counts_request *r, struct trace *t, struct trace_counts_summary *summary,
                            struct err *err) MUST_USE;

#endif
