/* sort_code.h - wide sort keys rounded to 32 bits, and the order of keys that round to the same code.
 *
 * Wide keys are skewed: most PageRank sums and densities are near the smallest, a few are thousands of times larger.
 * Equal steps of the range would give nearly all vertices the same code. A code in the form of a floating-point number
 * (length of the difference to the smallest key, and its first 26 bits) has the same relative precision everywhere.
 */
#ifndef KERNELS_CPU_SORT_CODE_H
#define KERNELS_CPU_SORT_CODE_H

#include <stdbool.h>
#include <stdint.h>

enum { CODE_MANTISSA = 26, TIES_MAX = 4000 };

/* Code of a difference: never decreases with it, exact below 2^(CODE_MANTISSA + 1), below 2^32 for any 64 bits. */
static inline uint64_t sort_code(uint64_t difference)
{
    int length = 64 - __builtin_clzll(difference | 1),
        shift = length > CODE_MANTISSA + 1 ? length - CODE_MANTISSA - 1 : 0;
    return ((uint64_t)shift << CODE_MANTISSA) + (difference >> shift);
}

/* Orders vertices whose codes are equal by their whole keys, descending, ties by position, and writes the order.
 * key: by id. sorted: [n], id in the low 32 bits and code above, by code and then by id. order: [n], by position;
 * written for the runs of equal codes that begin at from..to-1, also where they end beyond. Returns false, with the
 * order unfinished, when a run of more than TIES_MAX vertices has different keys. */
bool sort_ties(const uint64_t *key, const uint64_t *sorted, uint64_t n, uint64_t from, uint64_t to, uint32_t *order);

#endif
