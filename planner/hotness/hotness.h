/* hotness.h - metrics that rank vertices (model/hotness.md).
 *
 * A metric gives every vertex an integer key; a larger key is hotter. PageRanks are fixed point with 1.0 = 2^62, rates
 * (vip, calibrated) per epoch with 1.0 = 2^24, ratio with 1.0 = 2^31; the others are counts.
 *
 * Keys are those of rows: of topology, or of features. Several types: metrics of connections see all types as one graph
 * (traces/graph/graph_union.h), and a topology row has the key of its vertex; rows of edge features have keys where a
 * metric knows how often they are read, else 0.
 */
#ifndef PLANNER_HOTNESS_HOTNESS_H
#define PLANNER_HOTNESS_HOTNESS_H

#include "kernels/kernel.h"
#include "traces/recording/trace.h"

struct hotness_input { /* pointers are borrowed */
    const struct graph *graph;
    const struct trace *trace; /* for metrics that need one; else may be NULL */
    const struct kernels *kernels;
    int threads;
    uint64_t seed;   /* of metric random */
    bool one_clique; /* the GPUs of `clique`; else all GPUs of the trace together */
    int clique;
    bool topology; /* keys of topology rows: draws or visits, not mini-batches, where a metric tells the kinds apart */
};

struct hotness {
    const char *name, *summary;
    bool needs_trace;
    /* key: [rows of the kind], set; of connections: [n] of a graph that is plain. */
    enum st (*compute)(const struct hotness_input *in, uint64_t *key, struct err *err);
};

enum { HOTNESS_RATIO_BITS = 31 };          /* keys of ratio: 1.0 = 2^31 */
extern const struct hotness hotness_all[]; /* ended by a NULL name */

/* The metric of that name; NULL when there is none. */
const struct hotness *hotness_find(const char *name);
/* ST_USAGE with a did-you-mean when there is no metric of that name. */
enum st hotness_check(const char *name, struct err *err) MUST_USE;
/* key: [topology rows] or [feature rows] of the graph, n each of a plain one; set by the named metric. ST_INPUT when
 * the trace lacks what it takes; ST_LIMIT without memory. */
enum st hotness_keys(const char *name, const struct hotness_input *in, uint64_t *key, struct err *err) MUST_USE;
/* order: [n], set to the vertices by descending key of their feature rows, ties to the lower id; of in->topology, which
 * a plain graph alone may ask for, of their topology rows. Errors of hotness_keys. */
enum st hotness_order(const char *name, const struct hotness_input *in, uint32_t *order, struct err *err) MUST_USE;
/* PageRank over the sampling direction: at most `rounds` steps, until the L1 change is below `limit` (of 2^62; 0:
 * never). It starts from 1/N; weighted: from N / |train| times that on training vertices (Data Tiering, algorithm 1).
 * rank: [n], set; *taken: steps made. ST_LIMIT without memory. */
enum st hotness_pagerank(const struct hotness_input *in, bool weighted, int rounds, uint64_t limit, uint64_t *rank,
                         int *taken, struct err *err) MUST_USE;

#endif
