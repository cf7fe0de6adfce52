/* typed_sampler.h - draws mini-batches of a typed graph and counts what they touch, per (relation, vertex) row, per
 * vertex and per edge (law: typed_workload.h; transactions: MODEL.md, section 6).
 *
 * Seeds are the training vertices of all types, shuffled in every epoch and cut into mini-batches. Every random number
 * is a function of (seed, epoch, GPU id, batch, hop, row, draw), so counts do not depend on threads, and a run may
 * start at any mini-batch. A task is one mini-batch: number epoch * batches + batch. A visit reads the offset pair of
 * its row and the lines of the entries drawn, in the arrays of its relation. A vertex that a hop expands visits its
 * rows of all relations with a fan-out, so one count per vertex and hop states them all (typed_row_visits). A vertex's
 * feature row is gathered once per mini-batch; the feature row of an edge once per draw, because every layer gathers
 * the edges of its own block.
 */
#ifndef TRACES_TYPED_SAMPLING_TYPED_SAMPLER_H
#define TRACES_TYPED_SAMPLING_TYPED_SAMPLER_H

#include "traces/typed_sampling/typed_workload.h"

/* Counts of one GPU; owned by the caller, and added to. */
struct typed_counts {
    uint32_t *visits[HOPS_MAX]; /* [n] times v was expanded in hop h */
    uint32_t *lines;            /* [rows] transactions of a row's visits with nothing cached; NULL: only the sum */
    uint32_t *feature;          /* [n] mini-batches in which v appears */
    uint32_t *edge;             /* [edge_rows] times an edge was drawn; NULL: not wanted */
    uint32_t *drawn;      /* [rows] entries drawn of a row; NULL: not wanted. They follow from the visits unless the
                             workload draws `together` */
    uint64_t total_lines; /* sum over all visits */
};

/* Visits of row `row` of a relation in a hop. visits: [n] of that hop. */
static inline uint64_t typed_row_visits(const struct graph *g, const struct typed_workload *w, const uint32_t *visits,
                                        int relation, int hop, uint64_t row)
{
    return w->fanout[relation][hop] ? visits[g->type[g->relation[relation].target].first + row] : 0;
}

struct typed_sampler;

/* A new sampler; graph and workload are borrowed; free it with typed_sampler_free. line_bytes: bytes per transaction.
 * Takes about 4 n + 4 min(n, largest mini-batch) bytes per thread. ST_LIMIT when memory is out, or where `together` a
 * vertex has 2^32 entries or more. */
enum st typed_sampler_new(const struct graph *g, const struct typed_workload *w, uint64_t line_bytes, int threads,
                          struct typed_sampler **out, struct err *err) MUST_USE;
void typed_sampler_free(struct typed_sampler *s); /* NULL is allowed */

/* Sets the GPU of that id, its training vertices train[count] (ids of all types), and shuffles its epochs. ST_LIMIT
 * without memory, or when 32-bit counts could overflow. */
enum st typed_sampler_gpu(struct typed_sampler *s, int id, const uint32_t *train, uint64_t count, uint64_t epochs,
                          struct err *err) MUST_USE;
/* Bytes that a sampler takes for a GPU of `train` training vertices, but for what is small. */
uint64_t typed_sampler_bytes(const struct graph *g, const struct typed_workload *w, int threads, uint64_t train,
                             uint64_t epochs);
/* Mini-batches per epoch of the current GPU. */
uint64_t typed_sampler_batches(const struct typed_sampler *s);
/* Draws tasks first..last-1 of the current GPU with all threads. */
void typed_sampler_run(struct typed_sampler *s, uint64_t first, uint64_t last, struct typed_counts *counts);

/* ---- mini-batches whole ---- */

/* One neighbour drawn: entry `edge` of the relation's indices, in the row of `vertex`. Ids of all types. */
struct typed_draw {
    uint64_t edge;
    uint32_t vertex, neighbour;
    int relation;
};

/* What typed_sampler_run counts of one mini-batch. A hop visits the vertices of level h, or of all levels up to h under
 * frontier_all, in every relation into their type with a fan-out. */
struct typed_steps {
    int hops;
    const uint32_t *found;        /* [level[hops]] distinct vertices, ids of all types, in the order of discovery */
    uint64_t level[HOPS_MAX + 1]; /* found[0, level[0]) are the seeds; found[0, level[h + 1]) after hop h */
    const struct typed_draw *draw;
    uint64_t drawn[HOPS_MAX]; /* draws up to the end of hop h */
};
/* Draws one task of the current GPU with the scratch memory of a thread. *out: owned by the sampler, valid until that
 * thread draws again. Threads may call it at the same time, each with a number of its own. ST_LIMIT without memory: 24
 * bytes per draw. */
enum st typed_sampler_steps(struct typed_sampler *s, int thread, uint64_t task, const struct typed_steps **out,
                            struct err *err) MUST_USE;

#endif
