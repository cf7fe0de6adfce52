/* match.h - the assignment problem: one column for every row, so that the gains add up to most. */
#ifndef PLANNER_PARTITION_MATCH_H
#define PLANNER_PARTITION_MATCH_H

#include <stdint.h>

enum { MATCH_MOST = 72 };

/* gain: [n][n] by row and column, |gain| < 2^55; n <= MATCH_MOST. column: [n], set. Exact, by shortest augmenting paths
 * in O(n^3) (Kuhn 1955; Jonker and Volgenant 1987). Equal gains give column[i] = i. */
void match_best(int n, const int64_t *gain, int *column);

#endif
