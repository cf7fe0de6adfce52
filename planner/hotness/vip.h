/* vip.h - analytic inclusion probabilities (after SALIENT++; model: section 4).
 *
 * A clique's GPUs train random parts of one set of vertices, so the clique is treated as one reader with as many
 * mini-batches as its GPUs have together. p0 = 1 / batches on training vertices; a hop adds p'(u) = 1 - (1 - p(u)) *
 * prod over v with u in row(v) of (1 - q(v) min(1, fanout/deg(v))), q = p (rule all) or what the previous hop added
 * (rule new). Products are sums of fixed-point logarithms, pushed along the rows by the PageRank kernel, so values
 * are the same on every backend and number of threads. Independence is assumed: a ranking and a prior, not a
 * prediction.
 *
 * Other samplers. Layer-wise: every entry of a frontier row is drawn with the same chance, fanout / expected entries
 * of the frontier, in place of fanout / deg. Edge seeds: p0 = 1 - exp(-training edges at v / batches). Biased and
 * walks are not known (vip_knows): for them the values are those of a uniform sampler - the same fan-outs; for walks,
 * fan-outs of `walks` with rule all - which only serve to tell like vertices from unlike in calibrated.h, where any
 * grouping will do.
 */
#ifndef PLANNER_HOTNESS_VIP_H
#define PLANNER_HOTNESS_VIP_H

#include "kernels/kernel.h"
#include "traces/recording/trace.h"

struct vip {
    float *feature;                                /* [n] expected mini-batches per epoch in which v appears; owned */
    float *visits[HOPS_MAX];                       /* [n] expected visits per epoch and hop; owned */
    float *feature_noise, *visits_noise[HOPS_MAX]; /* [n] variance over mean of one epoch's count, 0..1; NULL unless
                                                      vip_noise made them; owned */
};

/* Whether the values stand for the workload's own sampler, so that one may rank by them. */
bool vip_knows(const struct workload *w);
/* One clique of an assignment; clique -1: all GPUs. */
enum st vip_compute(const struct graph *g, const struct assignment *a, int clique, const struct workload *w,
                    const struct kernels *k, int threads, struct vip *out, struct err *err) MUST_USE;
/* Adds how noisy one epoch's counts are. A seed is a seed once per epoch, without noise; a visit of w draws a given
 * neighbour with chance r = min(1, fanout / deg), so hop by hop variance(v) = sum over w of variance(w) r^2 +
 * visits(w) r (1 - r) and visits(v) = sum of visits(w) r: where rows are shorter than the fan-out a count is the same
 * in every epoch, elsewhere it is as noisy as Poisson's. For edge seeds and samplers other than uniform every count
 * is taken to be as noisy as Poisson's. */
enum st vip_noise(const struct graph *g, const struct assignment *a, int clique, const struct workload *w,
                  const struct kernels *k, int threads, struct vip *v, struct err *err) MUST_USE;
void vip_release(struct vip *v); /* zeroed is allowed */

#endif
