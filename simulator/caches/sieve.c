/* sieve - rows lie in a queue in the order of admission; a hit marks its row and moves nothing. To evict, a hand moves
 * from the oldest row to newer ones, clears marks, evicts the first row without a mark and stays there. Behind the
 * newest row it begins again at the oldest.
 *
 * Source: Zhang, Yang, Yue, Vigfusson, Rashmi, SIEVE is simpler than LRU (NSDI'24), algorithm 1. Sieve of libCacheSim
 * 0.3.5 is the same rule; there, too, the search after the newest row was evicted begins at the oldest. Only the hand
 * removes rows, and it knows the row behind it, so one link per row is enough. State: 5 bytes per id.
 */
#include "simulator/caches/loops.h"
#include "simulator/caches/queue.h"

enum { ABSENT, HELD, MARKED };

struct state {
    uint8_t *mark;   /* [ids] */
    uint32_t *newer; /* [ids] the row admitted next after this one; QUEUE_NONE for the newest */
    uint64_t capacity, count;
    uint32_t oldest, newest;
    uint32_t hand;   /* QUEUE_NONE: the oldest row */
    uint32_t behind; /* the next older row; QUEUE_NONE: the hand is at the oldest row */
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

static inline void insert(struct state *c, uint32_t id, uint32_t at)
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

static const struct cache_array arrays[] = {CACHE_ARRAY(mark, cache_per_id, "a cache's marks"),
                                            CACHE_ARRAY(newer, cache_per_id, "a cache's queue"),
                                            {0}};

static void start(void *state, const struct cache_setup *s)
{
    struct state *c = state;
    c->capacity = s->capacity;
    c->oldest = c->newest = c->hand = c->behind = QUEUE_NONE;
}

const struct cache cache_sieve = {.name = "sieve",
                                  .summary = "a FIFO queue from which a moving hand evicts rows without hits",
                                  .source = "Zhang et al., NSDI'24",
                                  CACHE_FUNCTIONS};
