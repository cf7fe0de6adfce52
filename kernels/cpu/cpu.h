/* cpu.h - the OpenMP backend: one file per operation.
 *
 * Work is cut into contiguous parts, one per thread of the team. For little work the team is small, because waking a
 * thread costs as much as a few thousand additions. Results never depend on the cut: sums are of integers, and orders
 * are kept by position.
 */
#ifndef KERNELS_CPU_CPU_H
#define KERNELS_CPU_CPU_H

#include "kernels/kernel.h"
#include "kernels/push.h"
#include "kernels/tally.h"

enum { CPU_GRAIN = 2048 }; /* elements that are worth a thread */

/* Threads of the team for `work` elements: 1..threads. */
static inline int cpu_team(int threads, uint64_t work)
{
    uint64_t useful = work / CPU_GRAIN;
    if (threads < 1 || useful < 1) return 1;
    return useful < (uint64_t)threads ? (int)useful : threads;
}

/* Begin of part `t` of `team` parts of 0..n; part `team` begins at n. */
static inline uint64_t cpu_cut(uint64_t n, int t, int team)
{
    return (uint64_t)((unsigned __int128)n * (unsigned)t / (unsigned)team);
}

/* The operations of struct kernels. */
enum st cpu_column_sum(int threads, const uint32_t *const *rows, int count, uint64_t n, uint64_t *out, struct err *err);
enum st cpu_sort_hottest(int threads, const uint64_t *key, uint64_t n, uint32_t *order, struct err *err);
enum st cpu_scan(int threads, const uint64_t *in, const uint32_t *order, uint64_t count, uint64_t *out,
                 struct err *err);
enum st cpu_cslp(int threads, const struct cslp_problem *p, uint64_t *room, uint8_t *owner, uint64_t *held,
                 struct err *err);
enum st cpu_sweep(int threads, const struct sweep_problem *p, int count, struct sweep_point *points, struct err *err);
enum st cpu_pagerank_step(int threads, const struct pagerank_problem *p, const uint64_t *x, uint64_t *share,
                          uint64_t *y, uint64_t *change, struct err *err);
enum st cpu_count(int threads, const uint32_t *ids, uint64_t m, uint64_t n, uint32_t *out, struct err *err);
extern const struct tally cpu_tally;
extern const struct push_device cpu_push;

#endif
