/* builder_sort.h - sorts rows in place: American flag sort (radix by byte, most significant first), insertion sort for
 * short runs.
 *
 * It takes no memory and has no bad case: a row of millions takes as many passes as its ids have bytes. Equal input
 * gives equal output, so a row that threads filled in any order ends up the same.
 */
#ifndef TRACES_BUILDER_BUILDER_SORT_H
#define TRACES_BUILDER_BUILDER_SORT_H

#include <stddef.h>
#include <stdint.h>

enum { SORT_SHORT = 48 };

/* Defines `name(type *a, uint64_t count, int shift)`: sorts by the bytes at `shift` and below (shift: a multiple of
 * 8). */
#define DEFINE_ROW_SORT(name, type)                                                                                    \
    static inline void name##_insertion(type *a, uint64_t count)                                                       \
    {                                                                                                                  \
        for (uint64_t i = 1; i < count; i++) {                                                                         \
            type x = a[i];                                                                                             \
            uint64_t j = i;                                                                                            \
            for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];                                                        \
            a[j] = x;                                                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    __attribute__((noinline)) static void name(type *a, uint64_t count, int shift)                                     \
    {                                                                                                                  \
        uint64_t next[256], end[256], seen[256] = {0}, at = 0;                                                         \
        if (count <= SORT_SHORT) {                                                                                     \
            name##_insertion(a, count);                                                                                \
            return;                                                                                                    \
        }                                                                                                              \
        for (uint64_t i = 0; i < count; i++) seen[(a[i] >> shift) & 255]++;                                            \
        for (int d = 0; d < 256; d++) {                                                                                \
            next[d] = at;                                                                                              \
            at += seen[d];                                                                                             \
            end[d] = at;                                                                                               \
        }                                                                                                              \
        for (int d = 0; d < 256; d++)                                                                                  \
            while (next[d] < end[d]) {                                                                                 \
                type x = a[next[d]];                                                                                   \
                int home = (int)((x >> shift) & 255);                                                                  \
                while (home != d) {                                                                                    \
                    type other = a[next[home]];                                                                        \
                    a[next[home]++] = x;                                                                               \
                    x = other;                                                                                         \
                    home = (int)((x >> shift) & 255);                                                                  \
                }                                                                                                      \
                a[next[d]++] = x;                                                                                      \
            }                                                                                                          \
        if (shift == 0) return;                                                                                        \
        for (int d = 0; d < 256; d++)                                                                                  \
            if (seen[d] > 1) name(a + end[d] - seen[d], seen[d], shift - 8);                                           \
    }

/* Shift of the highest byte that numbers up to `largest` have: what DEFINE_ROW_SORT wants. */
static inline int sort_shift(uint64_t largest)
{
    int shift = 0;
    while (shift < 56 && largest >> shift >> 8) shift += 8;
    return shift;
}

#endif
