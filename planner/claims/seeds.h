/* seeds.h - one answer from several seeds: of every point of a figure, and of every number in a finding's words, the
 * median and the range.
 *
 * A figure is measured once per seed, with stand-ins, samples and held-out epochs of that seed. The claim is judged for
 * each seed by itself and holds when it holds with more than half of them; how many, is stated. Nothing here allocates;
 * any thread may call.
 */
#ifndef PLANNER_CLAIMS_SEEDS_H
#define PLANNER_CLAIMS_SEEDS_H

#include "planner/claims/figure_data.h"

enum { SEEDS_MOST = 9 };

/* *out: as data[0], with the median of every point over data[0..count) (of an even number the lower one), and its range
 * in low and high where count > 1. A point that any seed has no number for has none. A series or point that data[0]
 * lacks is left out. 1 <= count <= SEEDS_MOST; out is none of the data. */
void seeds_merge_data(const struct figure_data *const *data, int count, struct figure_data *out);
/* *out: the verdict of most seeds, how many agree with "holds", and the words of the seeds with that verdict: where
 * they differ only in numbers, each number that differs is the median, followed by its range: "7.9 (7.1 to 8.4)"; else
 * the words of every seed that says something new. A claim that any seed could not measure is not measured.
 * 1 <= count <= SEEDS_MOST. */
void seeds_merge_findings(const struct finding *const *each, int count, struct finding *out);

#endif
