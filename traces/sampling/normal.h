/* normal.h - the normal distribution and its inverse, the same to the last bit on every machine.
 *
 * Random variates that change gradually from mini-batch to mini-batch (labor.h) are sums of normal variates that are
 * mapped back to uniform ones. The mathematics library may round its results as it likes, and a draw must not depend
 * on that, so both directions are written in additions, multiplications, divisions and square roots of doubles (each
 * of which IEEE 754 rounds in one way; the Makefile forbids to fuse them), exact scaling by powers of two, and the
 * integer logarithm of draw.h. Numbers of 64 bits stand for probabilities in units of 2^-64.
 */
#ifndef TRACES_SAMPLING_NORMAL_H
#define TRACES_SAMPLING_NORMAL_H

#include <stdint.h>

/* x with Phi(x) = (u + 1/2) / 2^64: relative error of x below 2e-7, and 3e-4 beyond |x| = 7 (Wichura, Applied
 * Statistics 37, 1988: AS 241, PPND7). Antisymmetric: normal_quantile(~u) = -normal_quantile(u). */
double normal_quantile(uint64_t u);

/* Phi(x) in units of 2^-64, rounded down, at most 2^64 - 1: relative error of the smaller tail below 1e-9 (Hart et
 * al., Computer Approximations, 1968, as given by West, Wilmott 2005). */
uint64_t normal_chance(double x);

/* cos and sin of pi / 2 * part / whole, part <= whole, whole >= 1; error below 1e-15. */
void normal_turn(uint32_t part, uint32_t whole, double *cosine, double *sine);

#endif
