/* clock - second chance: rows stand on a ring; a hit marks its row. The hand passes marked rows, taking the mark
 * away, and replaces the first row without one. A new row has no mark and lies behind the hand.
 *
 * Source: Corbato, A paging experiment with the Multics system (1968), with one bit. libCacheSim's Clock with its
 * default of one bit moves marked rows to the other end of a queue instead of moving a hand: the same rule, the same
 * misses. Some texts mark a row when it is admitted; neither does. State: 1 byte per id and a ring of 4 bytes per
 * row.
 */
#include "base/mem.h"
#include "simulator/caches/loops.h"

enum { ABSENT, HELD, MARKED };

struct state {
    uint8_t *mark;  /* [ids] */
    uint32_t *ring; /* [capacity] */
    uint64_t capacity, count, hand;
};

static inline void fetch(const struct state *c, uint32_t id, uint32_t at)
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

static inline void take(struct state *c, uint32_t id, uint32_t at)
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

static void end(void *state)
{
    struct state *c = state;
    if (!c) return;
    mem_free(c->mark);
    mem_free(c->ring);
    mem_free(c);
}

static enum st begin(const struct cache_setup *s, void **state, struct err *err)
{
    enum st st = ST_OK;
    struct state *c = NULL;
    NEW(c, 1, "a cache");
    c->capacity = s->capacity;
    NEW(c->mark, s->ids, "a cache's marks");
    NEW(c->ring, s->capacity, "a cache's ring");
    *state = c;
    c = NULL;
done:
    end(c);
    return st;
}

const struct cache cache_clock = {.name = "clock",
                                  .summary = "second chance with one mark per row",
                                  .source = "Corbato 1968",
                                  .begin = begin,
                                  .end = end,
                                  .serve = serve,
                                  .look_up = look_up,
                                  .admit = admit};
