/* loops.h - the loops of a cache, written once: a file in caches/ says what one request does, and CACHE_LOOPS makes
 * the descriptor's functions.
 *
 * The file defines `struct state` and three small functions that the loops inline:
 *   bool touch(struct state *c, uint32_t id, uint32_t at) whether id is held; if so, whatever a hit changes. Never
 *   admits. void take(struct state *c, uint32_t id, uint32_t at) admits id, which is not held; makes room first. void
 *   fetch(const struct state *c, uint32_t id, uint32_t at) asks for the memory that touch will read (a few requests
 *   ahead).
 * `at` is the position in the stream.
 */
#ifndef SIMULATOR_CACHES_LOOPS_H
#define SIMULATOR_CACHES_LOOPS_H

#include "simulator/caches/cache.h"

enum { LOOPS_AHEAD = 24 };

#define CACHE_LOOPS                                                                                                    \
    static void serve(void *state, const uint32_t *id, uint64_t from, uint64_t to, uint8_t *hit)                       \
    {                                                                                                                  \
        struct state *c = state;                                                                                       \
        for (uint64_t at = from; at < to; at++) {                                                                      \
            if (at + LOOPS_AHEAD < to) fetch(c, id[at + LOOPS_AHEAD], (uint32_t)(at + LOOPS_AHEAD));                   \
            bool held = touch(c, id[at], (uint32_t)at);                                                                \
            hit[at - from] = held;                                                                                     \
            if (!held) take(c, id[at], (uint32_t)at);                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    static void look_up(void *state, const uint32_t *id, uint64_t from, uint64_t to, uint8_t *hit)                     \
    {                                                                                                                  \
        struct state *c = state;                                                                                       \
        for (uint64_t at = from; at < to; at++) {                                                                      \
            if (at + LOOPS_AHEAD < to) fetch(c, id[at + LOOPS_AHEAD], (uint32_t)(at + LOOPS_AHEAD));                   \
            hit[at - from] = touch(c, id[at], (uint32_t)at);                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    static void admit(void *state, const uint32_t *id, const uint32_t *positions, uint64_t count)                      \
    {                                                                                                                  \
        struct state *c = state;                                                                                       \
        for (uint64_t i = 0; i < count; i++) take(c, id[positions[i]], positions[i]);                                  \
    }

#endif
