/* ties.h - whose epochs lie within the error of the seconds.
 *
 * Epochs of two policies on one server and workload are predicted with the same constants, so most of what they are off
 * is off in both, and cancels: a stage that waits for the same resource in both (PCIe, NVLinks, a GPU, the CPU, ..) is
 * as much too long or too short in both. What is left is how stages weigh against each other: if PCIe is twice as fast
 * as the profile says, the policy whose transfers are longer gains more. A stage of both is moved at once by the factor
 * that it is known to be off by (size_error.h, 90 %); one that waits for different resources in the two is moved in
 * each alone. Further causes are the share of the shorter stages that nothing hides, from none to twice, and where the
 * two were not counted on the same mini-batches the confidence interval of each row's counts, which moves its epoch.
 * Causes are independent, so all are moved together, each by what it alone brings the two closer over the root of the
 * sum of these squared: to first order the likeliest way to change places. If they do there, they are a tie. Whoever is
 * shorter in every stage, on the same mini-batches, stays ahead.
 */
#ifndef PLANNER_DECISIONS_TIES_H
#define PLANNER_DECISIONS_TIES_H

#include "planner/decisions/size_error.h"

/* Puts the factors (`epoch_factors`) into a document results/1, and `ties` into those of its rows that have some: the
 * policies of the same graph, server and budget. Where a server states no rates there are none. */
enum st ties_put(doc *results, struct err *err) MUST_USE;

#endif
