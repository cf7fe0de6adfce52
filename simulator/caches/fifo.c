/* fifo - first in, first out: the row that was admitted first makes room; hits change nothing.
 *
 * Source: Belady, A study of replacement algorithms for a virtual-storage computer (IBM Systems Journal 1966).
 * libCacheSim's FIFO is the same rule. State: 1 byte per id and a ring of 4 bytes per row.
 */
#include "base/mem.h"
#include "simulator/caches/loops.h"

struct state {
    uint8_t *held;  /* [ids] */
    uint32_t *ring; /* [capacity] in the order of admission, from `oldest` on */
    uint64_t capacity, count, oldest;
};

static inline void fetch(const struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    __builtin_prefetch(&c->held[id], 1);
}

static inline bool touch(struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    return c->held[id];
}

static inline void take(struct state *c, uint32_t id, uint32_t at)
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

static void end(void *state)
{
    struct state *c = state;
    if (!c) return;
    mem_free(c->held);
    mem_free(c->ring);
    mem_free(c);
}

static enum st begin(const struct cache_setup *s, void **state, struct err *err)
{
    enum st st = ST_OK;
    struct state *c = NULL;
    NEW(c, 1, "a cache");
    c->capacity = s->capacity;
    NEW(c->held, s->ids, "a cache's flags");
    NEW(c->ring, s->capacity, "a cache's ring");
    *state = c;
    c = NULL;
done:
    end(c);
    return st;
}

const struct cache cache_fifo = {.name = "fifo",
                                 .summary = "first in, first out",
                                 .source = "Belady 1966",
                                 .begin = begin,
                                 .end = end,
                                 .serve = serve,
                                 .look_up = look_up,
                                 .admit = admit};
