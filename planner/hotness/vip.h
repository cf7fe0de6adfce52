/* vip.h - analytic inclusion probabilities (after SALIENT++; model/hotness.md).
 *
 * A clique's GPUs train random parts of one set of vertices, so the clique is treated as one reader with the
 * mini-batches of all its GPUs. p0 = 1 / batches on training vertices; a hop adds p'(u) = 1 - (1 - p(u)) * product over
 * v with u in row(v) of (1 - q(v) min(1, fanout/deg(v))), with q = p (rule all) or what the previous hop added (rule
 * new). Rule layers: the product alone gives the chance of a layer, and a feature row is read in as many layers.
 * Products are sums of fixed-point logarithms, pushed along the rows by the PageRank kernel, so values are equal on
 * every backend and number of threads. Independence is assumed: this is a ranking and a prior, not a prediction.
 *
 * Several types: q(v) min(1, fanout/deg(v)) once per relation with a fan-out, or, where a vertex draws from its rows of
 * all relations together, with the length of all of them; the sums are made relation by relation.
 *
 * Other samplers. Layer-wise: every entry of a frontier row is drawn with the same probability, fanout / expected
 * entries of the frontier, instead of fanout / deg. Edge seeds: p0 = 1 - exp(-training edges at v / batches - batch *
 * negatives / vertices of v's type that negatives are drawn from). Biased,
 * labor (whose draws from different rows depend on each other) and walk are not known (vip_knows); they get the values
 * of a uniform sampler with the same fan-outs (walk: fan-outs of `walks`, rule all), which serve only to group similar
 * vertices in calibrated.h.
 */
#ifndef PLANNER_HOTNESS_VIP_H
#define PLANNER_HOTNESS_VIP_H

#include "kernels/kernel.h"
#include "traces/recording/trace.h"

struct vip {
    float *feature;                                /* [n] expected mini-batches per epoch with v; owned */
    float *visits[HOPS_MAX];                       /* [n] expected visits per epoch and hop; owned */
    float *feature_noise, *visits_noise[HOPS_MAX]; /* [n] variance over mean of one epoch's count, 0..1; NULL unless
                                                      vip_noise made them; owned */
};

/* True when the values are those of the workload's own sampler, so that one may rank by them. */
bool vip_knows(const struct workload *w);
/* The values of one clique of an assignment; clique -1: of all GPUs together. Release *out with vip_release. ST_LIMIT
 * without memory. */
enum st vip_compute(const struct graph *g, const struct assignment *a, int clique, const struct workload *w,
                    const struct kernels *k, int threads, struct vip *out, struct err *err) MUST_USE;
/* Adds how noisy one epoch's counts are. A seed is a seed once per epoch, without noise; a visit of w draws a given
 * neighbour with probability r = min(1, fanout / deg), so hop by hop variance(v) = sum over w of variance(w) r^2 +
 * visits(w) r (1 - r) and visits(v) = sum of visits(w) r: where rows are shorter than the fan-out a count is the same
 * in every epoch, elsewhere it is as noisy as Poisson's. For edge seeds and samplers other than uniform every count is
 * taken to be as noisy as Poisson's. ST_LIMIT without memory. */
enum st vip_noise(const struct graph *g, const struct assignment *a, int clique, const struct workload *w,
                  const struct kernels *k, int threads, struct vip *v, struct err *err) MUST_USE;
/* Zeroed is allowed. */
void vip_release(struct vip *v);

#endif
