/* marks.h - the vertices that a mini-batch has found, one bit each.
 *
 * A bit in place of a stamp of 4 bytes keeps the marks of millions of vertices in cache, where every draw looks; the
 * price is that they have to be taken back.
 */
#ifndef TRACES_SAMPLING_MARKS_H
#define TRACES_SAMPLING_MARKS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* 64-bit words for n marks. */
static inline uint64_t marks_words(uint64_t n) { return n / 64 + 1; }

static inline void marks_prefetch(const uint64_t *marks, uint64_t v) { __builtin_prefetch(&marks[v / 64], 1); }

/* Marks v; true when it was not marked. Without a branch: whether v is new cannot be predicted. */
static inline bool marks_add(uint64_t *marks, uint64_t v)
{
    uint64_t word = marks[v / 64], bit = (uint64_t)1 << v % 64;
    marks[v / 64] = word | bit;
    return !(word & bit);
}

/* Takes back the marks of v and of its neighbours in the word: only where all marks are taken back one by one. */
static inline void marks_drop(uint64_t *marks, uint64_t v) { marks[v / 64] = 0; }

/* Takes back all marks, which are those of ids[0..count) - first. n: of marks_words. */
static inline void marks_clear(uint64_t *marks, uint64_t n, uint64_t first, const uint32_t *ids, uint64_t count)
{
    enum { STREAMED = 8 }; /* words that are written in order in the time of one at a random place */
    if (marks_words(n) / STREAMED < count) memset(marks, 0, marks_words(n) * sizeof *marks);
    else
        for (uint64_t i = 0; i < count; i++) marks_drop(marks, ids[i] - first);
}

#endif
