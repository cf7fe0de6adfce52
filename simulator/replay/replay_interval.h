/* replay_interval.h - the 95 % interval of a replay, from the variance between groups of mini-batches of each reader,
 * and from the rows that were counted where these are a sample, the same for all readers. Private to simulator/replay.
 */
#ifndef SIMULATOR_REPLAY_REPLAY_INTERVAL_H
#define SIMULATOR_REPLAY_REPLAY_INTERVAL_H

#include "simulator/replay/replay.h"

/* Sums over groups of what one reader counted. */
struct spread {
    double sum, squares;
    int groups;
    double sampled; /* standard error of the sum where some of the rows were counted */
};
void spread_add(struct spread *s, double x);
/* Sets interval_known, low and high, from the sums of out and the spreads[gpus] of its readers. */
void replay_interval(const struct spread *spreads, const struct assignment *a, struct replay *out);

#endif
