/* hotness.h - metrics that rank vertices (MODEL.md, section 4). */
#ifndef PLANNER_HOTNESS_HOTNESS_H
#define PLANNER_HOTNESS_HOTNESS_H

#include "kernels/kernel.h"
#include "traces/recording/trace.h"

struct hotness_input {
    const struct graph *graph;
    const struct trace *trace; /* for metrics that need one; else may be NULL */
    const struct kernels *kernels;
    int threads;
    uint64_t seed;   /* for random */
    bool one_clique; /* false: all GPUs of the trace together; true: those of `clique` */
    int clique;
    bool topology; /* keys for topology rows where a metric tells the kinds apart: draws or visits instead of
                      mini-batches */
};

struct hotness {
    const char *name, *summary;
    bool needs_trace;
    /* key: [n]; larger is hotter. PageRanks are fixed point, 1.0 = 2^62; vip and calibrated rates per epoch likewise,
     * 1.0 = 2^24. */
    enum st (*compute)(const struct hotness_input *in, uint64_t *key, struct err *err);
};

enum { HOTNESS_RATIO_BITS = 31 };                     /* keys of ratio: 1.0 = 2^31 */
extern const struct hotness hotness_all[];            /* ends with a NULL name */
const struct hotness *hotness_find(const char *name); /* NULL when there is none */
/* ST_USAGE with a did-you-mean when there is none. */
enum st hotness_check(const char *name, struct err *err) MUST_USE;

/* key: [n] by the named metric. ST_INPUT when the trace lacks what it takes. */
enum st hotness_keys(const char *name, const struct hotness_input *in, uint64_t *key, struct err *err) MUST_USE;

/* order: [n] vertices by descending hotness, ties to the lower id. */
enum st hotness_order(const char *name, const struct hotness_input *in, uint32_t *order, struct err *err) MUST_USE;

/* PageRank over the sampling direction: `rounds` steps at most, until the L1 change is below `limit` (both of 2^62;
 * 0: never); the start is 1/N, and N / |train| times that on training vertices when weighted (Data Tiering, algorithm
 * 1). rank: [n]. *taken: steps made. */
enum st hotness_pagerank(const struct hotness_input *in, bool weighted, int rounds, uint64_t limit, uint64_t *rank,
                         int *taken, struct err *err) MUST_USE;

#endif
