/* curve_samples.h - misses of any replacement rule under caches of many sizes, by miniature simulation (Waldspurger et
 * al., ATC'17): a cache of C rows misses about k times as often as one of C / k rows that sees every k-th id.
 *
 * Ids are dealt to k groups by a keyed hash (SHARDS, FAST'15), here within strata: of k ids that follow each other by
 * number of requests each goes to another group, so that no group has more of the hot rows than the others. Eight
 * groups are simulated, and pairs of them, which are groups of k / 2. Three corrections follow:
 *
 *   - A small cache errs (Belady's rule, for one, cannot use a row of another group), and one of half the size errs
 * more. The difference between a pair and its two groups, times 1.25, is subtracted from the pair.
 *   - Where LRU is known exactly, each pair's error for LRU, times a factor, is subtracted (a control variate): what a
 *     pair has too much or too little of costs all rules alike. The factor is the one with which the pairs differ
 * least, over all sizes.
 *
 * Where there are enough ids for groups of half that size (41,000 of them), 10 to 20 sizes are simulated, so that all
 * together cost about two simulations of the stream; curve_nodes.h has what lies between. Sizes of at least the number
 * of distinct ids miss each of them once, exactly.
 *
 * The estimate is the mean over the four pairs. The error bar is Student's t for 95 % of their standard error, with the
 * correction for samples of a finite population, and 0.75 times the difference above, for the order of the error of
 * small caches is not known, and half of what one row of a miniature cache changes, for capacities are rounded. Where a
 * stream is short everything is simulated as it is, and the bar is 0.
 */
#ifndef SIMULATOR_CURVES_CURVE_SAMPLES_H
#define SIMULATOR_CURVES_CURVE_SAMPLES_H

#include "simulator/caches/cache.h"
#include "simulator/curves/curve_nodes.h"

enum { CURVE_SAMPLES = 8 }; /* groups that are simulated, and half as many pairs */

struct curve_samples; /* the groups' streams */

/* Cuts a stream for the capacities (rows, ascending, [count]). lru: [count] misses of LRU with admission per request;
 * NULL: not known. future: rules that know the future will be run. A group has at least CURVE_LEAST ids where every
 * size is simulated. *out: to be freed. Borrows the stream and the arrays. ST_LIMIT for memory: 25 bytes per id, and 8
 * (16 with `future`) per request of the simulated groups. */
enum { CURVE_LEAST = 1024 };
enum st curve_samples_new(const struct stream *s, const uint64_t *capacity, uint64_t count, const uint64_t *lru,
                          bool future, uint64_t seed, struct curve_samples **out, struct err *err) MUST_USE;
void curve_samples_free(struct curve_samples *c); /* NULL is allowed */
/* k; 1: everything is simulated. */
uint64_t curve_samples_groups(const struct curve_samples *c);

/* out: [count], set to the estimates of a rule. The same on any number of threads. ST_LIMIT for memory. */
enum st curve_samples_run(const struct curve_samples *c, const struct cache *rule, enum admission how, int threads,
                          struct curve_estimate *out, struct err *err) MUST_USE;

#endif
