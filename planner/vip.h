/* vip.h - analytic inclusion probabilities (after SALIENT++; model: section 4).
 *
 * A clique's GPUs train random parts of one set of vertices, so the clique is treated as one reader with as many mini-batches as its GPUs have
 * together. p0 = 1 / batches on training vertices; a hop adds p'(u) = 1 - (1 - p(u)) * prod over v with u in row(v) of (1 - q(v) min(1, fanout/deg(v))),
 * q = p (rule all) or what the previous hop added (rule new). Products are sums of fixed-point logarithms, pushed along the rows by the PageRank
 * kernel, so values are the same on every backend and number of threads. Independence is assumed: a ranking and a prior, not a prediction.
 */
#ifndef PLANNER_VIP_H
#define PLANNER_VIP_H

#include "kernels/kernel.h"
#include "traces/trace.h"

struct vip {
    float *feature;            /* [n] expected mini-batches per epoch in which v appears; owned */
    float *visits[HOPS_MAX];   /* [n] expected visits per epoch and hop; owned */
    float *feature_noise, *visits_noise[HOPS_MAX]; /* [n] variance over mean of one epoch's count, 0..1; NULL unless vip_noise made them; owned */
};

/* One clique of an assignment; clique -1: all GPUs. */
enum st vip_compute(const struct graph *g, const struct assignment *a, int clique, const struct workload *w, const struct kernels *k, int threads,
                    struct vip *out, struct err *err) MUST_USE;
/* Adds how noisy one epoch's counts are. A seed is a seed once per epoch, without noise; a visit of w draws a given neighbour with chance r = min(1,
 * fanout / deg), so hop by hop variance(v) = sum over w of variance(w) r^2 + visits(w) r (1 - r) and visits(v) = sum of visits(w) r: where rows are
 * shorter than the fan-out a count is the same in every epoch, elsewhere it is as noisy as Poisson's. */
enum st vip_noise(const struct graph *g, const struct assignment *a, int clique, const struct workload *w, const struct kernels *k, int threads, struct vip *v,
                  struct err *err) MUST_USE;
void vip_release(struct vip *v); /* zeroed is allowed */

#endif
