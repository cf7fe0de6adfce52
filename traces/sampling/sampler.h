/* sampler.h - draws mini-batches and counts what they touch (model/sampling.md and model/transactions.md).
 *
 * A sampler works on one GPU at a time. An epoch shuffles the GPU's training vertices (or edges, seeds.h) and cuts them
 * into mini-batches (the last may be short), which are expanded hop by hop. order.h states the other orders.
 * Every random number is
 * a function of (seed, epoch, GPU id, batch, hop, vertex, draw), so counts do not depend on threads, and a run may
 * start at any mini-batch. A task is one mini-batch: number epoch * batches + batch. What a hop does:
 *
 * uniform: each frontier vertex v draws min(fanout, deg(v)) distinct entries of its row, every set equally likely; with
 * FANOUT_ALL all of them, each once, as every sampler does then. It reads v's
 * offset pair and the lines of the entries drawn. biased: the same, but neighbour after neighbour with probabilities in
 * proportion to weights.npy among those that are left (successive sampling without replacement; Efraimidis and Spirakis
 * 2006). Neighbours of weight 0 come last, uniformly. When deg(v) > fanout it reads the offset pair and all lines of
 * the row and of the row's weights (which are at the same bytes of their own array); else the whole row is drawn and no
 * weight is read. Of several types this is so of each row of a relation with weights; others draw uniformly.
 * layer-wise: `fanout` draws for the whole hop (DSP section 4.2, unbiased: a frontier vertex has
 * probability deg(v) / sum of degrees per draw, a neighbour that of the frontier rows that list it) from the frontier's
 * rows laid end to end. Without replacement every set of min(fanout, sum of degrees) entries is equally likely;
 * -replace draws `fanout` entries independently. One vertex may be drawn through several rows. Each frontier vertex is
 * visited, because its degree must be known: it reads its offset pair, and the distinct lines of what was drawn from
 * its row. walk: `walks` random walks from each seed, one step per hop: with probability `restart` (never in hop 0)
 * back to the seed, then to a uniform neighbour. Each step of each walk is a visit that reads the offset pair and one
 * line. A walk at a vertex without neighbours starts again at its seed. Of several types a walk takes the relations of
 * its metapath one after the other, over and over, and starts again at its seed only where the metapath begins; till
 * then one that cannot go on waits, and visits nothing. labor: layer-neighbour sampling (labor.h): a
 * neighbour has one random number for all vertices of the frontier, and a vertex takes the neighbours whose number is
 * below a threshold: min(fanout, deg(v)) of them on average. The frontier finds fewer distinct vertices than under
 * uniform. A visit reads the offset pair and all lines of the row, because the numbers of all neighbours decide;
 * iterations (labor_iterations) look at the rows again, which is not counted again. Of several types each row is one of
 * a relation, with its fan-out, and a neighbour has one number for the rows of all relations.
 *
 * temporal, temporal-last (PyG's NeighborLoader with time_attr and temporal_strategy 'uniform' and 'last'; the law of
 * pyg-lib's neighbour sampler on disjoint subgraphs): every seed has a time (graph_times.h) and a tree of its own. A
 * vertex v of the tree draws from the entries of its row whose time is at most the seed's, in every hop the seed's:
 * min(fanout, entries) of them without replacement, every set equally likely and trees independent; or the latest ones,
 * of equal times those that stand later in the row. A time window W leaves the entries from the seed's time - W on.
 * Forward in time is the same with all times negated: entries at or after the seed's time, at most W later, and `last`
 * takes the earliest ones. Hop h expands what hop h - 1 found first in the
 * tree. A visit is one of a vertex in a tree; it reads the offset pair and all lines of the row and of the row's times,
 * 8 bytes an entry in an array of their own, because all times are compared (as GraphBolt does). A feature row is
 * gathered once per mini-batch, in however many trees its vertex is.
 */
#ifndef TRACES_SAMPLING_SAMPLER_H
#define TRACES_SAMPLING_SAMPLER_H

#include "kernels/kernel.h"
#include "traces/graph/graph.h"
#include "traces/sampling/steps.h"
#include "traces/sampling/workload.h"

/* Counts of one GPU; arrays are owned by the caller, and added to. Of several types a vertex that a hop expands visits
 * its rows of all relations with a fan-out, so one count per vertex and hop states them all (trace_rows.h); the feature
 * row of an edge is gathered once per draw, because every layer gathers the edges of its own block. */
struct sample_counts {
    uint32_t *feature; /* [n] mini-batches in which v appears; with the rule `layers`: layers of mini-batches */
    uint32_t *visits[HOPS_MAX]; /* [n] times v was expanded in hop h */
    uint32_t *draws;            /* [topology rows] entries drawn from a row; where workload_counts_draws, else NULL or,
                                   of several types, wanted all the same */
    uint32_t *lines;      /* [topology rows] transactions of a row's visits with nothing cached; NULL: only the sum */
    uint32_t *edge;       /* [edge rows] times an edge with features was drawn; NULL: not wanted */
    uint64_t total_lines; /* sum over all visits */
};

struct sampler;

/* Most distinct vertices that a mini-batch can have; at most n. With the rule `layers`: the sum over its layers. */
uint64_t sampler_largest(const struct graph *g, const struct workload *w);

/* Bytes per thread of the weights that labor's iterations keep; 0 for other workloads. The longest row is taken to name
 * every vertex, the most that it can. */
uint64_t sampler_weights_bytes(const struct graph *g, const struct workload *w);

/* Bytes per thread of what a visit takes, where fan-outs take whole rows: 12 per entry of the longest row; else 0. */
uint64_t sampler_rows_bytes(const struct graph *g, const struct workload *w);

/* Bytes per thread of the trees of a temporal sampler. */
uint64_t sampler_temporal_bytes(const struct graph *g, const struct workload *w);

/* A new sampler; graph and workload are borrowed; free it with sampler_free. line_bytes: bytes per transaction. Takes
 * about n / 8 + 4 min(n, largest mini-batch) bytes per thread; layer-wise 8 bytes more per vertex of the largest
 * mini-batch, walks 4 bytes each, labor with iterations 16 n and 8 per entry of the longest row, FANOUT_ALL 12 of
 * these; BFS order of ascending ids 4 n bytes and, for a moment, 4 n more. ST_INPUT when a biased sampler has no
 * weights, and of several types for what workload_check refuses; ST_LIMIT when memory is out, FANOUT_ALL meets a row of
 * 2^32 - 1 entries or more, or where `together` a vertex has 2^32 entries or more. */
enum st sampler_new(const struct graph *g, const struct workload *w, uint64_t line_bytes, int threads,
                    struct sampler **out, struct err *err) MUST_USE;
/* The same for the vertices first..end-1 alone, which range_draws.h draws from: counts have end - first elements, and
 * of the functions below sampler_gpu, _order, _batches, _fits and _free may be called. Takes about (end - first) / 8
 * bytes per thread. */
enum st sampler_new_range(const struct graph *g, const struct workload *w, uint64_t line_bytes, int threads,
                          uint64_t first, uint64_t end, struct sampler **out, struct err *err) MUST_USE;
/* NULL is allowed. */
void sampler_free(struct sampler *s);

/* ---- drawing on a device ---- */

/* Why the CPU draws the mini-batches of this workload on a plain graph although the backend can draw others: a clause
 * (static). NULL: the device draws them, or the backend can draw none. Those of several types the CPU draws. */
const char *sampler_why_cpu(const struct kernels *k, const struct workload *w);
/* Lets the backend's device draw and count, where it can and sampler_why_cpu gives no reason against it; distribution
 * and counts are the same. Call it before sampler_gpu; sampler_batch is then not available. k and facts may be NULL;
 * *facts is zeroed where the CPU draws. The graph must outlive the sampler: one that does not fit the device is read
 * from the host, except for as many rows as fit, those first that are expected to save most; ranking them takes 16 n
 * bytes for a moment. ST_LIMIT, ST_MISSING: of the device. */
enum st sampler_use_device(struct sampler *s, const struct kernels *k, struct sampling_facts *facts, struct err *err)
    MUST_USE;
/* True when a device draws: counts are complete after sampler_collect only, and the host may work until then. */
bool sampler_on_device(const struct sampler *s);

/* Most bytes of host memory that drawing on the backend's device takes in addition to the sampler's own: pinned
 * buffers, ranks of rows, copies of a graph that the driver does not register in place. 0 where the CPU draws, or the
 * device does not say. */
uint64_t sampler_device_bytes(const struct graph *g, const struct workload *w, uint64_t line_bytes,
                              const struct kernels *k);

/* ---- one GPU ---- */

/* Turns to GPU `id` (0..255), which trains train[count] (copied), and orders epochs 0..epochs-1. Edge seeds depend on
 * the order of train; so do blocks, for which it is the circle (order.h), and bfs, but where ids ascend: these are
 * sorted by a search. Shuffle does not. Takes 4 bytes per training vertex and epoch. ST_LIMIT when memory is out, or
 * for more than 2^24 epochs. */
enum st sampler_gpu(struct sampler *s, int id, const uint32_t *train, uint64_t count, uint64_t epochs, struct err *err)
    MUST_USE;
/* [epochs][training vertices] of the current GPU, epoch by epoch as they are cut into mini-batches; borrowed until the
 * next sampler_gpu; NULL for edge seeds. */
const uint32_t *sampler_order(const struct sampler *s);
/* Mini-batches per epoch of the current GPU. */
uint64_t sampler_batches(const struct sampler *s);

/* ST_LIMIT when so many mini-batches of the workload could count one vertex's draws or lines beyond 32 bits. */
enum st sampler_fits(const struct sampler *s, uint64_t tasks, struct err *err) MUST_USE;

/* Draws tasks first..last-1 of the current GPU and adds to *counts; a device only begins to. A sampler_collect must
 * follow before the counts are used. */
void sampler_run(struct sampler *s, uint64_t first, uint64_t last, struct sample_counts *counts);
/* Waits for the device and adds its counts to *counts; nothing to do when the CPU draws. It copies all counts, so call
 * it once per stretch of tasks. ST_MISSING when the device failed, in this run or before. */
enum st sampler_collect(struct sampler *s, struct sample_counts *counts, struct err *err) MUST_USE;

/* In place of sampler_collect, for kernels that read counts on the device: waits, and points *there at the device's own
 * arrays. They are valid until sampler_clear_counts, which must follow. ST_MISSING when the device failed. */
enum st sampler_device_counts(struct sampler *s, struct sample_counts *there, struct err *err) MUST_USE;
/* Sets the device's counts to 0. ST_MISSING when the device failed. */
enum st sampler_clear_counts(struct sampler *s, struct err *err) MUST_USE;

/* Draws one task of the current GPU on the CPU and returns how many distinct vertices it has. *ids: these vertices in
 * the order of discovery, seeds first, with the rule `layers` layer by layer; borrowed until the same thread draws
 * again. *counts: added to, each thread its own; NULL: nothing is counted. thread: 0..threads-1 of sampler_new; threads
 * may call at the same time with numbers of their own. */
uint64_t sampler_batch(struct sampler *s, int thread, uint64_t task, struct sample_counts *counts,
                       const uint32_t **ids);

/* From now on every thread keeps what its last sampler_batch drew (steps.h), for sampler_steps. */
enum st sampler_keep_steps(struct sampler *s, struct err *err) MUST_USE;
/* What the thread's last sampler_batch drew; borrowed until it draws again. ST_LIMIT: memory to keep it was missing. */
enum st sampler_steps(const struct sampler *s, int thread, const struct sample_steps **out, struct err *err) MUST_USE;

/* Visits of row `row` of a relation in a hop; visits: [n] of that hop. Of several types. */
static inline uint64_t sample_row_visits(const struct graph *g, const struct workload *w, const uint32_t *visits,
                                         int relation, int hop, uint64_t row)
{
    return workload_fanout(w, relation, hop) ? visits[graph_csr(g, relation).first_target + row] : 0;
}
/* Draws of `visits` visits of a vertex in hop h. */
static inline uint64_t sample_draws_of(const struct workload *w, uint64_t degree, int h, uint64_t visits)
{
    return visits * (degree < w->fanout[h] ? degree : w->fanout[h]);
}

/* H_T of v from its visits[hops][n]: sum over hops of visits * min(fanout, degree). Not for layer-wise samplers and
 * labor, which count draws. Of a plain graph, as the function above. */
static inline uint64_t sample_draws(const struct workload *w, uint64_t degree, uint32_t *const visits[HOPS_MAX],
                                    uint64_t v)
{
    uint64_t draws = 0;
    for (int h = 0; h < w->hops; h++) draws += sample_draws_of(w, degree, h, visits[h][v]);
    return draws;
}

#endif
