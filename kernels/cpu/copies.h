/* copies.h - private arrays for parallel additions to random places of one array.
 *
 * Atomic additions to a large array are nearly as fast as plain ones. When the array, or its hot part, lies in the
 * cache, they are several times slower, and threads contend for hubs. So each part of the work but the first gets an
 * array of its own, and the arrays are added up at the end, as long as they are small compared with the number of
 * additions. Otherwise all parts add atomically. Sums of integers are equal either way.
 */
#ifndef KERNELS_CPU_COPIES_H
#define KERNELS_CPU_COPIES_H

#include <stdbool.h>
#include "base/mem.h"

/* Whether private arrays of n elements pay: a part must make more additions than its array has elements, which are
 * zeroed and added up. This also bounds the memory. */
static inline bool copies_pay(int parts, uint64_t n, uint64_t additions)
{
    return parts > 1 && n <= additions / (uint64_t)parts;
}

/* [(parts - 1) * n] zeroed elements of `size` bytes, to be freed by mem_free; NULL when atomic additions are faster or
 * memory is short. */
static inline void *copies_new(int parts, uint64_t n, uint64_t additions, size_t size)
{
    struct err unused = {0}; /* without memory the parts add atomically */
    if (!copies_pay(parts, n, additions)) return NULL;
    return mem_array_near((uint64_t)(parts - 1) * n, size, "private sums", &unused);
}

#endif
