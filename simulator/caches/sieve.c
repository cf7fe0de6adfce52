/* sieve - rows stand in a queue in the order of admission; a hit marks its row and moves nothing. A hand walks from
 * the oldest row to newer ones, takes marks away, pushes out the first row without one and stays there; behind the
 * newest row it starts over at the oldest.
 *
 * Source: Zhang, Yang, Yue, Vigfusson, Rashmi, SIEVE is simpler than LRU (NSDI'24), algorithm 1. libCacheSim's Sieve
 * is the same rule, its hand likewise: when the newest row is pushed out, the next search starts at the oldest.
 * Only the hand removes, and it knows what stands behind it, so one link per row is enough. State: 5 bytes per id.
 */
#include "base/mem.h"
#include "simulator/caches/loops.h"
#include "simulator/caches/queue.h"

enum { ABSENT, HELD, MARKED };

struct state {
    uint8_t *mark;   /* [ids] */
    uint32_t *newer; /* [ids] the row admitted next after this one; QUEUE_NONE for the newest */
    uint64_t capacity, count;
    uint32_t oldest, newest;
    uint32_t hand, behind; /* hand: QUEUE_NONE means the oldest; behind: the next older row, QUEUE_NONE when the hand is
                              at the oldest */
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

static void evict(struct state *c)
{
    uint32_t at = c->hand, behind = c->behind;
    if (at == QUEUE_NONE) at = c->oldest, behind = QUEUE_NONE;
    while (c->mark[at] == MARKED) {
        c->mark[at] = HELD;
        behind = at;
        at = c->newer[at];
        if (at == QUEUE_NONE) at = c->oldest, behind = QUEUE_NONE;
    }
    c->mark[at] = ABSENT;
    c->hand = c->newer[at];
    c->behind = behind;
    if (behind == QUEUE_NONE) c->oldest = c->hand;
    else c->newer[behind] = c->hand;
    if (c->newest == at) c->newest = behind;
    c->count--;
}

static inline void take(struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    if (c->count == c->capacity) evict(c);
    c->mark[id] = HELD;
    c->newer[id] = QUEUE_NONE;
    if (c->newest == QUEUE_NONE) c->oldest = id;
    else c->newer[c->newest] = id;
    c->newest = id;
    c->count++;
}

CACHE_LOOPS

static void end(void *state)
{
    struct state *c = state;
    if (!c) return;
    mem_free(c->mark);
    mem_free(c->newer);
    mem_free(c);
}

static enum st begin(const struct cache_setup *s, void **state, struct err *err)
{
    enum st st = ST_OK;
    struct state *c = NULL;
    NEW(c, 1, "a cache");
    c->capacity = s->capacity;
    c->oldest = c->newest = c->hand = c->behind = QUEUE_NONE;
    NEW(c->mark, s->ids, "a cache's marks");
    NEW(c->newer, s->ids, "a cache's queue");
    *state = c;
    c = NULL;
done:
    end(c);
    return st;
}

const struct cache cache_sieve = {.name = "sieve",
                                  .summary = "a hand that sieves rows without hits out of a queue",
                                  .source = "Zhang et al., NSDI'24",
                                  .begin = begin,
                                  .end = end,
                                  .serve = serve,
                                  .look_up = look_up,
                                  .admit = admit};
