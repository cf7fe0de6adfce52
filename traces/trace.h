/* trace.h - what pre-sampling recorded (schema trace/1).
 *
 * Row r of every array belongs to assignment.id[r]; counts are sums over the epochs. A struct trace that trace_load or trace_record returned has
 * arrays of the stated shapes, training sets that are disjoint, and n_tsum >= 0.
 */
#ifndef TRACES_TRACE_H
#define TRACES_TRACE_H

#include "base/npy.h"
#include "base/progress.h"
#include "traces/assignment.h"
#include "traces/graph.h"
#include "traces/sampler.h"

struct trace {
    struct assignment assignment;
    struct workload workload;      /* seed included */
    uint64_t epochs, cls, n;
    uint64_t n_tsum[GPUS_MAX];     /* per clique: transactions of sampling with nothing cached */
    char n_tsum_source[16];        /* "model" or "pcm" */
    char server_name[64], server_fingerprint[80];
    const uint32_t *topology[GPUS_MAX];          /* [n] H_T: draws made from v */
    const uint32_t *feature[GPUS_MAX];           /* [n] H_F: mini-batches in which v appears */
    const uint32_t *visits[HOPS_MAX][GPUS_MAX];  /* [n] times v was expanded in hop h */
    void *owned[3];                /* memory of a recorded trace */
    struct npy mapped[3];          /* files of a loaded trace */
};

struct trace_options {
    uint64_t epochs, cls;
    int threads;
    bool progress;
    const char *server_name, *server_fingerprint;
};

/* Samples `epochs` epochs of the workload (its seed) for every GPU. The assignment is copied. Takes 4 n (2 + hops) bytes per GPU. */
enum st trace_record(const struct graph *g, const struct assignment *a, const struct workload *w, const struct trace_options *o, struct trace *out,
                     struct err *err) MUST_USE;
void trace_release(struct trace *t); /* zeroed is allowed */

/* Bytes of arrays that trace_record takes. */
uint64_t trace_bytes(uint64_t n, int gpus, int hops);

enum st trace_save(const struct trace *t, const struct graph *g, const char *path, struct err *err) MUST_USE;
/* Loads and checks a trace against its graph (vertices, training vertices, fingerprint when both have one). */
enum st trace_load(const char *path, const struct graph *g, struct trace *out, struct err *err) MUST_USE;

#endif
