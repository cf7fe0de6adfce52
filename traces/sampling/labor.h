/* labor.h - layer-neighbour sampling (LABOR): one random number per neighbour, shared by all vertices that list it.
 *
 * Uniform sampling lets every frontier vertex s choose for itself, so two vertices with a common neighbourhood draw
 * different neighbours. LABOR gives each neighbour t one variate r_t, uniform in [0, 1); s takes t when r_t < min(1,
 * c_s pi_t). Vertices then agree on which neighbours they take, and a mini-batch has fewer rows for the same draws
 * (Balin and Catalyurek, "Layer-Neighbor Sampling", NeurIPS 2023).
 *
 * LABOR-0: pi_t = 1 and c_s = k / d_s, k the fan-out and d_s the degree: a vertex takes min(k, d_s) neighbours on
 * average, each independently of the others.
 * LABOR-i: i times pi_t is multiplied by the largest c_s of the frontier vertices that list t, and each c_s again
 * solves sum over t of 1 / min(1, c_s pi_t) = d_s^2 / k, which keeps the variance of what s estimates as it was. Rows
 * that some vertex takes anyway are taken by more vertices, others by fewer; each step lowers the expected rows of the
 * hop. A row that is no longer than the fan-out keeps c_s = k / d_s, also above 1 (as DGL does): all its neighbours are
 * taken, and pi_t passes that on to the other vertices. LABOR-*: until a step lowers the expected rows by less than
 * 1e-4.
 *
 * What variates depend on: seed, GPU, epoch, hop (not with `layer_dependency`: then all hops of a mini-batch share
 * them, DGL's option of that name), t, and the mini-batch. With `batch_dependency` = kappa > 1 they change gradually
 * (Balin, LaSalle and Catalyurek, "Cooperative Minibatching in Graph Neural Networks", 2023; DGL and GraphBolt have
 * an option of that name): mini-batches w kappa .. (w + 1) kappa - 1 of an epoch are window w, and mini-batch w kappa +
 * j has r_t = Phi(cos(a) n_t(w) + sin(a) n_t(w + 1)), a = pi / 2 * j / kappa, n_t(w) independent normal variates. Every
 * epoch begins with a window of its own, where DGL's windows run on. Whatever kappa is, r_t is uniform and independent
 * between neighbours, so every mini-batch by itself has the same distribution.
 *
 * No draw depends on rounding: variates and thresholds are 64-bit integers, LABOR-0 has no other arithmetic, and what
 * is done in doubles is what IEEE 754 rounds in one way (normal.h), in the order of the rows.
 */
#ifndef TRACES_SAMPLING_LABOR_H
#define TRACES_SAMPLING_LABOR_H

#include <stdbool.h>
#include "traces/sampling/workload.h"

/* The variates of one hop of one mini-batch. */
struct labor_variates {
    uint64_t key;
    uint32_t window, who;
    double now, next; /* parts of the normal variates of this window and the next one; 1 and 0 within none */
    bool together;    /* the processor makes several at once (rng_x86.h) */
};

/* w: of SAMPLER_LABOR. who = GPU id << 24 | epoch. */
struct labor_variates labor_variates_of(const struct workload *w, uint32_t hop, uint32_t batch, uint32_t who);
/* r_t in units of 2^-64. */
uint64_t labor_variate(const struct labor_variates *v, uint32_t t);
/* Whether labor_variate is below a share (units of 2^-64) with quantile = normal_quantile(share): the same answer, in
 * most cases without the distribution's value. */
bool labor_below(const struct labor_variates *v, uint32_t t, uint64_t share, double quantile);
/* The same of t[0 .. count), a bit each. */
enum { LABOR_SOME = 16 };
uint32_t labor_below_some(const struct labor_variates *v, const uint32_t *t, int count, uint64_t share,
                          double quantile);

/* k / degree in units of 2^-64, rounded down; 1 <= k < degree. Takes what lies below it. */
static inline uint64_t labor_share(uint32_t k, uint64_t degree)
{
    return (uint64_t)(((unsigned __int128)k << 64) / degree);
}
/* Whether a variate lies below a probability >= 0 (1 and more is certain), rounded down to units of 2^-64. */
static inline bool labor_takes(double chance, uint64_t variate)
{
    return chance >= 1 || variate < (uint64_t)(chance * 0x1p64);
}

/* The c with sum over i of 1 / min(1, c / inverse[i]) = degree^2 / k. inverse: [degree] 1 / pi_t > 0; k < degree.
 * Exact but for rounding: from below, by as many passes as it takes to find which neighbours are certain (few). */
double labor_scale(const double *inverse, uint64_t degree, uint32_t k);

#endif
