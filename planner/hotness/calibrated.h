/* calibrated.h - leave-one-out estimates of true rates (MODEL.md, section 7.3).
 *
 * For each fold j, x = the sum of a vertex's counts over the other folds. Vertices that are alike (bins of equal vip;
 * training vertices apart) are pooled, and the mean of fold j's count is tabulated for every x: exact below 16,
 * logarithmic cells above, thin cells smoothed towards the bin's linear fit. The table says what a vertex with this
 * history does next; no distribution is assumed, and sums over a chosen set are nearly unbiased. A vertex's estimate
 * is the mean over j of the table at its own x, scaled by x within wide cells. Cells and bins with few events are
 * pooled with their neighbours, because choosing rows by noisy tables would be optimistic. Tables are sums of
 * integers, so the result does not depend on threads.
 *
 * One epoch has no independent folds: its mini-batches share out the training vertices, so what one part saw the
 * others cannot. Then the estimate is empirical Bayes in each bin, mean + t2 / (t2 + noise) * (count - mean), with
 * the noise that the sampling itself implies (vip_noise).
 */
#ifndef PLANNER_HOTNESS_CALIBRATED_H
#define PLANNER_HOTNESS_CALIBRATED_H

#include "planner/hotness/vip.h"

struct calibrated_input {
    uint64_t n;
    int folds;                       /* 2..FOLDS_MAX */
    const uint16_t *fold[FOLDS_MAX]; /* [n] counts */
    const float *prior;              /* [n] vip of the same quantity; 0 = cannot happen */
    const uint8_t *train;            /* [n] 1 for training vertices of this clique */
    const float
        *noise; /* [n] variance over mean of one epoch's count: take the folds as parts of one epoch; else NULL */
    double folds_per_epoch;
    int threads;
};

/* rate: [n] expected count per epoch. */
enum st calibrated_rates(const struct calibrated_input *in, float *rate, struct err *err) MUST_USE;

#endif
