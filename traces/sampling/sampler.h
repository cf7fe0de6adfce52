/* sampler.h - draws mini-batches and counts what they touch (MODEL.md, sections 3 and 6).
 *
 * One GPU at a time. An epoch shuffles the GPU's training vertices (or edges, seeds.h) and cuts them into
 * mini-batches (the last may be short), which are expanded hop by hop. In the order bfs it takes them as a
 * breadth-first search of the graph finds them (bfs.h), in a circle that every epoch enters at a random place, as BGL
 * shifts its sequences so that epochs differ. Every random number is a function of (seed, epoch, GPU id, batch, hop,
 * vertex, draw), so counts do not depend on threads, and a run may start at any mini-batch. A task is one mini-batch:
 * number epoch * batches + batch. What a hop does:
 *
 * uniform: each frontier vertex v draws min(fanout, deg(v)) distinct neighbours, every set equally likely. Reads v's
 * offset pair and the lines drawn. biased: the same, but neighbour after neighbour with chances in proportion to
 * weights.npy among those that are left (successive sampling without
 *   replacement; Efraimidis and Spirakis 2006). Neighbours of weight 0 come last, uniformly. When deg(v) > fanout it
 *   reads the offset pair and all lines of the row and of the row's weights (which lie at the same bytes of their own
 *   array); else the whole row is drawn and no weight is read.
 * layer-wise: `fanout` draws for the whole hop (DSP section 4.2, unbiased: a frontier vertex has chance deg(v) / sum
 *   of degrees per draw, a neighbour that of the frontier rows that list it), from the frontier's rows laid end to
 *   end: without replacement every set of min(fanout, sum of degrees) entries is equally likely; -replace draws
 *   `fanout` entries independently. One vertex may be drawn through several rows. Each frontier vertex is visited,
 *   because its degree must be known: it reads its offset pair, and the distinct lines of what was drawn from its
 *   row.
 * walk: `walks` random walks from each seed, one step per hop: with chance `restart` (never in hop 0) back to the
 *   seed, then to a uniform neighbour. Each step of each walk is a visit that reads the offset pair and one line. A
 *   walk that stands where no neighbours are starts again at its seed.
 */
#ifndef TRACES_SAMPLING_SAMPLER_H
#define TRACES_SAMPLING_SAMPLER_H

#include "kernels/kernel.h"
#include "traces/graph/graph.h"
#include "traces/sampling/steps.h"
#include "traces/sampling/workload.h"

/* Counts of one GPU; arrays are [n], owned by the caller, and added to. */
struct sample_counts {
    uint32_t *feature;          /* mini-batches in which v appears */
    uint32_t *visits[HOPS_MAX]; /* times v was expanded in hop h */
    uint32_t *draws; /* entries drawn from v's row; layer-wise samplers only: those of others follow from the visits
                        (sample_draws) */
    uint32_t
        *lines; /* transactions of v's visits with nothing cached (offset pair and drawn lines); NULL: only the sum */
    uint64_t total_lines; /* sum over all visits */
};

struct sampler;

/* Distinct vertices of a mini-batch at most. */
uint64_t sampler_largest(const struct graph *g, const struct workload *w);

/* line_bytes: bytes per transaction. Borrows graph and workload. Takes about (4 n + 4 min(n, largest mini-batch))
 * bytes per thread; layer-wise 8 bytes more per vertex of the largest mini-batch, walks 4 bytes each; the order bfs 4
 * n bytes and, for a moment, 4 n more. ST_INPUT when a biased sampler has no weights. */
enum st sampler_new(const struct graph *g, const struct workload *w, uint64_t line_bytes, int threads,
                    struct sampler **out, struct err *err) MUST_USE;
void sampler_free(struct sampler *s); /* NULL is allowed */

/* Why mini-batches of the workload are drawn by the CPU although the backend can draw some: a clause, static. NULL:
 * they are not, or it can draw none. */
const char *sampler_why_cpu(const struct kernels *k, const struct workload *w);
/* Lets the backend's device draw and count, where it can and sampler_why_cpu says nothing against it (law and counts
 * are the same); k: may be NULL. Call it before sampler_gpu. The graph must outlive the sampler; sampler_batch is not
 * to be called any more. facts: may be NULL; zeroed where the CPU draws. A graph that does not fit the device is read
 * from the host, but for rows that promise most, as many as fit; ranking them takes 16 n bytes for a moment.
 * ST_LIMIT, ST_MISSING: of the device. */
enum st sampler_use_device(struct sampler *s, const struct kernels *k, struct sampling_facts *facts, struct err *err)
    MUST_USE;
/* Whether counts come with sampler_settle only, so that the host may do something else until then. */
bool sampler_on_device(const struct sampler *s);

/* Bytes of host memory that drawing on the backend's device would take beside the sampler's own, at most: pinned
 * buffers, ranks of rows, copies of a graph that the driver would not register in place. 0 where the CPU draws, or
 * the device says nothing. */
uint64_t sampler_device_bytes(const struct graph *g, const struct workload *w, uint64_t line_bytes,
                              const struct kernels *k);
/* Turns to GPU `id` (0..255), which trains train[count], and orders epochs 0..epochs-1. Edge seeds depend on the
 * order of train, vertices do not. */
enum st sampler_gpu(struct sampler *s, int id, const uint32_t *train, uint64_t count, uint64_t epochs, struct err *err)
    MUST_USE;
/* [epochs][training vertices] of the current GPU, epoch by epoch as they are cut into mini-batches; borrowed until
 * the next GPU; NULL for edge seeds. */
const uint32_t *sampler_order(const struct sampler *s);
/* Mini-batches per epoch of the current GPU. */
uint64_t sampler_batches(const struct sampler *s);

/* Counts are uint32: refuses (ST_LIMIT) as many mini-batches of the workload as could count one vertex's draws or
 * lines beyond that. */
enum st sampler_fits(const struct sampler *s, uint64_t tasks, struct err *err) MUST_USE;

/* Draws tasks first..last-1 of the current GPU and adds to `counts`; on a device it only begins to. Always followed,
 * sooner or later, by a settle. */
void sampler_run(struct sampler *s, uint64_t first, uint64_t last, struct sample_counts *counts);
/* Waits for what was begun and adds what a device counted to `counts`. Copies all counts, so call it once per stretch
 * that is looked at. ST_MISSING when the device failed, in a run before, too. */
enum st sampler_settle(struct sampler *s, struct sample_counts *counts, struct err *err) MUST_USE;

/* In place of sampler_settle, on a device: waits and gives the device's own arrays, to be read there until
 * sampler_forget empties them; every sampler_lend is followed by one. */
enum st sampler_lend(struct sampler *s, struct sample_counts *there, struct err *err) MUST_USE;
enum st sampler_forget(struct sampler *s, struct err *err) MUST_USE;

/* Draws one task of the current GPU. *ids: its distinct vertices in the order of discovery (seeds first), borrowed
 * until the same thread draws again. counts: added to, each thread its own; NULL: nothing is counted. thread:
 * 0..threads-1 of sampler_new; threads may call at the same time with numbers of their own. Returns how many ids;
 * whatever was visited is among them. */
uint64_t sampler_batch(struct sampler *s, int thread, uint64_t task, struct sample_counts *counts,
                       const uint32_t **ids);

/* From now on every thread keeps what its last sampler_batch drew (steps.h), for sampler_steps. */
enum st sampler_keep_steps(struct sampler *s, struct err *err) MUST_USE;
/* What the thread's last sampler_batch drew; borrowed until it draws again. ST_LIMIT: there was no memory to keep it.
 */
enum st sampler_steps(const struct sampler *s, int thread, const struct sample_steps **out, struct err *err) MUST_USE;

/* H_T of one vertex from its visits: sum over hops of visits * min(fanout, deg). Not for layer-wise samplers, which
 * count draws. */
static inline uint64_t sample_draws(const struct workload *w, uint64_t degree, uint32_t *const visits[HOPS_MAX],
                                    uint64_t v)
{
    uint64_t draws = 0;
    for (int h = 0; h < w->hops; h++) draws += (uint64_t)visits[h][v] * (degree < w->fanout[h] ? degree : w->fanout[h]);
    return draws;
}

#endif
