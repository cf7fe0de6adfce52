/* replay_left.h - the transactions that mini-batches leave to the host under every placement: all that the interval of
 * a replay needs to know of a group of them. Private to simulator/replay. */
#ifndef SIMULATOR_REPLAY_REPLAY_LEFT_H
#define SIMULATOR_REPLAY_REPLAY_LEFT_H

#include "kernels/tally.h"

/* Rows of a graph, at most, where looking at all of them for every group takes less than a tally of what a group read.
 */
enum { REPLAY_LEFT_ROWS = 1 << 21 };

/* left[p->placements]: set to transactions of topology rows and of feature rows that the host serves, of what host
 * arrays count; as the sums of a tally. */
void replay_left(const struct tally_problem *p, const struct tally_counts *c, int threads, uint64_t *left);

#endif
