/* calibrated.h - leave-one-out estimates of true rates (model/estimates.md).
 *
 * For each fold j, x is the sum of a vertex's counts over the other folds. Vertices that are alike (bins of equal vip;
 * training vertices apart) are pooled, and the mean of fold j's count is tabulated for every x: exact below 16, in
 * logarithmic cells above; thin cells are smoothed towards the bin's linear fit. The table says how often a vertex with
 * this history is read next. No distribution is assumed, and sums over a chosen set are nearly unbiased. A vertex's
 * estimate is the mean over j of the table at its own x, scaled by x within wide cells. Cells and bins with few events
 * are pooled with their neighbours, because rows chosen by noisy tables would look too good. Tables are sums of
 * integers, so the result does not depend on threads.
 *
 * Estimates from k folds rest on tables of k - 1 folds' history, which overstates the rows that no fold read: those
 * that k epochs did not read are read less than those that k - 1 did not. Where mini-batches take neighbours (blocks,
 * bfs), rows are read by few of them, and a plan's remainder is made of such rows. With `extend` the offset is measured
 * one fold shorter: each fold in turn is compared with estimates that were made from the others in the same way. What
 * followed over what was expected, by history, less 1, times (k - 1) / k, corrects the estimates (for rates that
 * follow a gamma distribution the offset after h epochs with no read is about 1 / h).
 *
 * One epoch has no independent folds: its mini-batches have different training vertices, so what one part saw the
 * others cannot see. Then the estimate is empirical Bayes in each bin, mean + t2 / (t2 + noise) * (count - mean), with
 * the noise that the sampling itself implies (vip_noise).
 */
#ifndef PLANNER_HOTNESS_CALIBRATED_H
#define PLANNER_HOTNESS_CALIBRATED_H

#include "planner/hotness/vip.h"

struct calibrated_input { /* arrays are borrowed */
    uint64_t n;
    int folds;                        /* 2..FOLDS_MAX */
    struct count_row fold[FOLDS_MAX]; /* [n] counts */
    const float *prior;               /* [n] vip of the same quantity; 0: cannot happen */
    const uint8_t *train;             /* [n] 1 for training vertices of this clique */
    const float *noise; /* [n] variance over mean of one epoch's count: the folds are parts of one epoch; else NULL */
    double folds_per_epoch;
    bool extend; /* see above; with three folds or more */
    int threads;
};

/* Bytes of work space that grow with threads, beside those of one. */
uint64_t calibrated_more_bytes(uint64_t n, int threads);
/* rate: [n] expected count per epoch, set. ST_LIMIT without memory. */
enum st calibrated_rates(const struct calibrated_input *in, float *rate, struct err *err) MUST_USE;

#endif
