/* replay_interval.h - the 95 % interval of a replay, from the variance between groups of mini-batches of each reader.
 * Private to simulator/replay. */
#ifndef SIMULATOR_REPLAY_REPLAY_INTERVAL_H
#define SIMULATOR_REPLAY_REPLAY_INTERVAL_H

#include "simulator/replay/replay.h"

/* Sums over groups of what one reader counted. */
struct spread {
    double sum, squares;
    int groups;
};
void spread_add(struct spread *s, double x);
/* Sets interval_known, low and high, from the sums of out and the spreads[gpus] of its readers. */
void replay_interval(const struct spread *spreads, const struct assignment *a, struct replay *out);

#endif
