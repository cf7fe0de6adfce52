/* copies.h - how parallel additions to random places of one array are kept apart.
 *
 * Atomic additions to a large array run at nearly the speed of plain ones, but when the array (or its hot part) lies
 * in the cache they are several times slower and fight over hubs. So each part but the first gets an array of its
 * own, to be added up afterwards, as long as these arrays are small beside the stream of additions; otherwise all add
 * atomically. Sums of integers make both ways equal.
 */
#ifndef KERNELS_CPU_COPIES_H
#define KERNELS_CPU_COPIES_H

#include <stdbool.h>
#include "base/mem.h"

/* A copy must be zeroed and added up, so it has to be smaller than a part's share of the stream; that also bounds the
 * memory of all copies. */
static inline bool copies_pay(int parts, uint64_t n, uint64_t additions)
{
    return parts > 1 && n <= additions / (uint64_t)parts;
}

/* [(parts - 1) * n] zeroed, or NULL when atomics are the better way or memory is short. */
static inline void *copies_new(int parts, uint64_t n, uint64_t additions, size_t size)
{
    struct err unused = {0}; /* no memory is no failure here: the other way needs none */
    if (!copies_pay(parts, n, additions)) return NULL;
    return mem_array_near((uint64_t)(parts - 1) * n, size, "private sums",
                          &unused); /* each thread touches its own first */
}

#endif
