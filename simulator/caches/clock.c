/* clock - second chance: rows lie on a ring, and a hit marks its row. To evict, the hand moves on: it clears the mark
 * of a marked row and replaces the first row without a mark. A new row has no mark and lies behind the hand.
 *
 * Source: Corbato, A paging experiment with the Multics system (1968), with one bit. libCacheSim 0.3.5's Clock with its
 * default of one bit moves marked rows to the other end of a queue instead of moving a hand, which gives the same
 * misses. Some texts mark a row when it is admitted; it and this file do not. State: 1 byte per id and 4 bytes
 * per row.
 */
#include "simulator/caches/loops.h"

enum { ABSENT, HELD, MARKED };

struct state {
    uint8_t *mark;  /* [ids] */
    uint32_t *ring; /* [capacity] */
    uint64_t capacity, count, hand;
};

static inline void prefetch(const struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    __builtin_prefetch(&c->mark[id], 1);
}

static inline bool touch(struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    if (c->mark[id] == ABSENT) return false;
    c->mark[id] = MARKED;
    return true;
}

static inline void step(struct state *c) { c->hand = c->hand + 1 == c->capacity ? 0 : c->hand + 1; }

static inline void insert(struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    c->mark[id] = HELD;
    if (c->count < c->capacity) {
        c->ring[c->count++] = id;
        return;
    }
    for (; c->mark[c->ring[c->hand]] == MARKED; step(c)) c->mark[c->ring[c->hand]] = HELD;
    c->mark[c->ring[c->hand]] = ABSENT;
    c->ring[c->hand] = id;
    step(c);
}

CACHE_LOOPS

static const struct cache_array arrays[] = {CACHE_ARRAY(mark, cache_per_id, "a cache's marks"),
                                            CACHE_ARRAY(ring, cache_per_row, "a cache's ring"),
                                            {0}};

static void start(void *state, const struct cache_setup *s)
{
    struct state *c = state;
    c->capacity = s->capacity;
}

const struct cache cache_clock = {.name = "clock",
                                  .summary = "FIFO with a second chance: one reference bit per row",
                                  .source = "Corbato 1968",
                                  CACHE_FUNCTIONS};
