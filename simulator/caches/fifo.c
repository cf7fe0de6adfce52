/* fifo - first in, first out: evicts the row that was admitted first; hits change nothing.
 *
 * Source: Belady, A study of replacement algorithms for a virtual-storage computer (IBM Systems Journal 1966).
 * FIFO of libCacheSim 0.3.5 is the same rule. State: 1 byte per id and 4 bytes per row.
 */
#include "simulator/caches/loops.h"

struct state {
    uint8_t *held;  /* [ids] */
    uint32_t *ring; /* [capacity] in the order of admission, from `oldest` on */
    uint64_t capacity, count, oldest;
};

static inline void prefetch(const struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    __builtin_prefetch(&c->held[id], 1);
}

static inline bool touch(struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    return c->held[id];
}

static inline void insert(struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    if (c->count < c->capacity) c->ring[c->count++] = id;
    else {
        c->held[c->ring[c->oldest]] = 0;
        c->ring[c->oldest] = id;
        c->oldest = c->oldest + 1 == c->capacity ? 0 : c->oldest + 1;
    }
    c->held[id] = 1;
}

CACHE_LOOPS

static const struct cache_array arrays[] = {CACHE_ARRAY(held, cache_per_id, "a cache's flags"),
                                            CACHE_ARRAY(ring, cache_per_row, "a cache's ring"),
                                            {0}};

static void start(void *state, const struct cache_setup *s)
{
    struct state *c = state;
    c->capacity = s->capacity;
}

const struct cache cache_fifo = {.name = "fifo",
                                 .summary = "first in, first out",
                                 .source = "Belady 1966",
                                 CACHE_FUNCTIONS};
