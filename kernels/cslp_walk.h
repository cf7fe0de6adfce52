/* cslp_walk.h - the sequential half of CSLP, for backends that find preferences in parallel.
 *
 * The GPUs that a row prefers depend on hotness only, so they are found for many rows at once; this is the expensive
 * part, a random read per GPU and row. Ties and full GPUs depend on the room that all earlier rows left, so the rows
 * are then placed in order, here. The common case, a single preferred GPU with room, costs one comparison.
 */
#ifndef KERNELS_CSLP_WALK_H
#define KERNELS_CSLP_WALK_H

#include "kernels/kernel.h"

enum { CSLP_WORDS = KERNEL_GPUS_MAX / 64, CSLP_AHEAD = 16 }; /* AHEAD: positions that are prefetched */

/* The GPUs of the highest local hotness of one position: GPU g is bit g % 64 of top[g / 64]. */
struct cslp_preference {
    uint64_t top[CSLP_WORDS];
};

/* Bytes of the row of v. */
static inline uint64_t cslp_bytes(const struct cslp_problem *p, uint32_t v)
{
    return p->indptr ? kernel_topology_bytes(p->indptr, v) : p->row_bytes;
}

/* The preferred GPU with the most room, ties to the lower index; -1 when none of them has room for the row. */
static inline int cslp_preferred(const struct cslp_preference *w, uint64_t bytes, const uint64_t *room)
{
    int best = -1;
    for (int word = 0; word < CSLP_WORDS; word++)
        for (uint64_t rest = w->top[word]; rest; rest &= rest - 1) {
            int g = word * 64 + __builtin_ctzll(rest);
            if (room[g] >= bytes && (best < 0 || room[g] > room[best])) best = g;
        }
    return best;
}

/* The spill rule: the GPU of the highest local hotness among those with room, ties as above; -1: the row fits nowhere.
 */
static inline int cslp_spill(const struct cslp_problem *p, uint32_t v, uint64_t bytes, const uint64_t *room)
{
    int best = -1;
    for (int g = 0; g < p->gpus; g++) {
        if (room[g] < bytes) continue;
        if (best < 0 || p->hot[g][v] > p->hot[best][v] || (p->hot[g][v] == p->hot[best][v] && room[g] > room[best]))
            best = g;
    }
    return best;
}

/* Places positions from..to-1 in order; preferences[0] is that of `from`. Returns the first position that fits nowhere,
 * or `to`. */
static inline uint64_t cslp_walk(const struct cslp_problem *p, const struct cslp_preference *preferences, uint64_t from,
                                 uint64_t to, uint64_t *room, uint8_t *owner)
{
    for (uint64_t i = from; i < to; i++) {
        uint64_t bytes;
        int g;
        if (p->indptr && i + CSLP_AHEAD < p->count) __builtin_prefetch(&p->indptr[p->order[i + CSLP_AHEAD]]);
        bytes = cslp_bytes(p, p->order[i]);
        g = cslp_preferred(&preferences[i - from], bytes, room);
        if (g < 0) g = cslp_spill(p, p->order[i], bytes, room);
        if (g < 0) return i;
        room[g] -= bytes;
        owner[i] = (uint8_t)g;
    }
    return to;
}

/* With one GPU the rows placed are the longest prefix that fits; no hotness is read. Returns its length. */
static inline uint64_t cslp_walk_single(const struct cslp_problem *p, uint64_t *room, uint8_t *owner)
{
    for (uint64_t i = 0; i < p->count; i++) {
        uint64_t bytes;
        if (p->indptr && i + CSLP_AHEAD < p->count) __builtin_prefetch(&p->indptr[p->order[i + CSLP_AHEAD]]);
        bytes = cslp_bytes(p, p->order[i]);
        if (*room < bytes) return i;
        *room -= bytes;
        owner[i] = 0;
    }
    return p->count;
}

#endif
