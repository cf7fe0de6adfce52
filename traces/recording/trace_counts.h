/* trace_counts.h - hotness that others counted, put into a recorded trace. */
#ifndef TRACES_RECORDING_TRACE_COUNTS_H
#define TRACES_RECORDING_TRACE_COUNTS_H

#include "traces/recording/trace.h"

struct trace_counts_request {
    const char *path;
    bool ranking;    /* vertex ids, hottest first: vertex at place i gets n - i; else a count per vertex */
    bool topology;   /* replaces the draws, else the mini-batches per vertex */
    uint64_t epochs; /* that the counts cover; they are scaled to the trace's, halves up */
};
struct trace_counts_said {
    uint64_t vertices, sum;
    bool per_gpu;
}; /* vertices with a count above 0; the sum after scaling */

/* Whether the file is text of Intel PCM (or what remains of it) rather than counts. */
enum st trace_counts_probe(const char *path, bool *pcm, struct err *err) MUST_USE;

/* Reads .npy of [n] or [gpus, n], raw uint32 x n, or text "vertex count". A count per vertex is shared out over the
 * GPUs in proportion to the trace's own (evenly where it has none), remainders to the first GPUs. Drops the folds.
 * ST_INPUT for wrong sizes, ids or counts beyond 32 bits. Takes 12 bytes per vertex and 4 per GPU and vertex. */
enum st trace_counts_import(const struct trace_counts_request *r, struct trace *t, struct trace_counts_said *said,
                            struct err *err) MUST_USE;

#endif
