/* refresh_exchange.h - GPUs of a clique exchange feature rows that they hold, so that each holds what it reads itself.
 *
 * Two GPUs with an NVLink hold rows x and y of one table; x is read more often by the other GPU, y at least as often,
 * or the other way round. Exchanged, each takes the slot of the other, which costs two reads over the NVLink, once, and
 * saves per epoch as many as the recorded reads differ by. Pairs are made in descending order of what rows save, which
 * is the most that two GPUs can save with rows that the other reads at least as often; pairs of GPUs follow one
 * another. A row that both hold stays. Slots of other rows do not change, neither do the bytes of any GPU.
 */
#ifndef PLANNER_RUNNING_REFRESH_EXCHANGE_H
#define PLANNER_RUNNING_REFRESH_EXCHANGE_H

#include "planner/policies/policy.h"

/* Between the GPUs gpu[0..gpus) of a clique. p: their lists, changed. epochs: in which an exchange must save more than
 * it costs. most: bytes that they may load by it. ST_LIMIT without memory. */
enum st refresh_exchange(const struct policy_input *in, struct placement *p, const int *gpu, int gpus, double epochs,
                         double most, struct err *err) MUST_USE;

#endif
