/* damped.h - the damping of PageRank in integers (kernel.h, struct pagerank_problem). */
#ifndef KERNELS_CPU_DAMPED_H
#define KERNELS_CPU_DAMPED_H

#include <stdint.h>

/* floor(permille * sum / 1000) without a wider type: 1000 divides out of the sum first. */
static inline uint64_t damped(uint64_t sum, uint32_t permille)
{
    return sum / 1000 * permille + sum % 1000 * permille / 1000;
}

#endif
