/* sort_ties.c - the order of vertices whose rounded sort keys are equal.
 *
 * Most runs of equal codes have one vertex. Long ones are vertices with the same key (no in-edges, the same count and
 * size), which are in order already: one look along their keys shows it, and ids ascend, so that look is a walk. What
 * is left is short and merged by its whole keys.
 */
#include "kernels/cpu/sort_code.h"
#include <string.h>

enum { INSERTION = 16 };

static void insert_all(const uint64_t *key, uint32_t *id, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++) {
        uint32_t moved = id[i];
        uint64_t at = i, hot = key[moved];
        for (; at && key[id[at - 1]] < hot; at--) id[at] = id[at - 1];
        id[at] = moved;
    }
}

/* Merges ids 0..half-1 and half..count-1, each sorted, by descending key; the first half wins ties. */
static void merge(const uint64_t *key, uint32_t *id, uint64_t half, uint64_t count, uint32_t *spare)
{
    uint64_t a = 0, b = half, at = 0;
    memcpy(spare, id, half * sizeof *id);
    while (a < half) {
        if (b < count && key[id[b]] > key[spare[a]]) id[at++] = id[b++];
        else id[at++] = spare[a++];
    }
}

/* Sorts ids by descending key, ties by position. count: 1..TIES_MAX. */
static void sort_run(const uint64_t *key, uint32_t *id, uint64_t count)
{
    uint32_t spare[TIES_MAX];
    for (uint64_t from = 0; from < count; from += INSERTION)
        insert_all(key, id + from, count - from < INSERTION ? count - from : INSERTION);
    for (uint64_t width = INSERTION; width < count; width *= 2)
        for (uint64_t from = 0; from + width < count; from += 2 * width)
            merge(key, id + from, width, count - from < 2 * width ? count - from : 2 * width, spare);
}

/* Writes one run's order. Returns false when it is too long and its keys differ. */
static bool settle_run(const uint64_t *key, const uint64_t *sorted, uint64_t count, uint32_t *order)
{
    uint64_t first = key[(uint32_t)sorted[0]], differ = 0;
    for (uint64_t i = 0; i < count; i++) {
        order[i] = (uint32_t)sorted[i];
        differ |= key[order[i]] ^ first;
    }
    if (!differ) return true;
    if (count > TIES_MAX) return false;
    sort_run(key, order, count);
    return true;
}

bool sort_ties(const uint64_t *key, const uint64_t *sorted, uint64_t n, uint64_t from, uint64_t to, uint32_t *order)
{
    uint64_t i = from;
    while (i && i < to && sorted[i] >> 32 == sorted[i - 1] >> 32) i++; /* that run belongs to the part before */
    while (i < to) {
        uint64_t code = sorted[i] >> 32, end = i + 1;
        while (end < n && sorted[end] >> 32 == code) end++;
        if (end == i + 1) order[i] = (uint32_t)sorted[i];
        else if (!settle_run(key, sorted + i, end - i, order + i)) return false;
        i = end;
    }
    return true;
}
