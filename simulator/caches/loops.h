/* loops.h - the loops over requests, written once for all replacement rules.
 *
 * A rule defines `struct state` and three small functions; CACHE_LOOPS makes the functions of its descriptor, into
 * which they are inlined. `at` is the position of the request in the stream.
 *
 *   - bool touch(struct state *c, uint32_t id, uint32_t at): whether id is held; if so, updates what a hit changes
 *   - void insert(struct state *c, uint32_t id, uint32_t at): admits id, which is not held, and evicts a row when full
 *   - void prefetch(const struct state *c, uint32_t id, uint32_t at): prefetches the memory that touch will read
 */
#ifndef SIMULATOR_CACHES_LOOPS_H
#define SIMULATOR_CACHES_LOOPS_H

#include "simulator/caches/cache.h"

enum { LOOPS_AHEAD = 24 }; /* requests that are prefetched */

#define CACHE_LOOPS                                                                                                    \
    static void serve(void *state, const uint32_t *id, uint64_t from, uint64_t to, uint8_t *hit)                       \
    {                                                                                                                  \
        struct state *c = state;                                                                                       \
        for (uint64_t at = from; at < to; at++) {                                                                      \
            if (at + LOOPS_AHEAD < to) prefetch(c, id[at + LOOPS_AHEAD], (uint32_t)(at + LOOPS_AHEAD));                \
            bool held = touch(c, id[at], (uint32_t)at);                                                                \
            hit[at - from] = held;                                                                                     \
            if (!held) insert(c, id[at], (uint32_t)at);                                                                \
        }                                                                                                              \
    }                                                                                                                  \
    static void look_up(void *state, const uint32_t *id, uint64_t from, uint64_t to, uint8_t *hit)                     \
    {                                                                                                                  \
        struct state *c = state;                                                                                       \
        for (uint64_t at = from; at < to; at++) {                                                                      \
            if (at + LOOPS_AHEAD < to) prefetch(c, id[at + LOOPS_AHEAD], (uint32_t)(at + LOOPS_AHEAD));                \
            hit[at - from] = touch(c, id[at], (uint32_t)at);                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    static void admit(void *state, const uint32_t *id, const uint32_t *positions, uint64_t count)                      \
    {                                                                                                                  \
        struct state *c = state;                                                                                       \
        for (uint64_t i = 0; i < count; i++) insert(c, id[positions[i]], positions[i]);                                \
    }

/* The members of a descriptor that are the same for every rule. */
#define CACHE_FUNCTIONS                                                                                                \
    .state_bytes = sizeof(struct state), .arrays = arrays, .start = start, .serve = serve, .look_up = look_up,         \
    .admit = admit

#endif
