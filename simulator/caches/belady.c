/* belady - the row whose next request lies farthest in the future makes room: the fewest misses that admission on
 * demand can have.
 *
 * Source: Belady 1966 (MIN); Mattson et al. 1970 prove it optimal. Every missed row is admitted, also one that is
 * never asked for again, as in libCacheSim's Belady; rows that are never asked for again go first. (A cache that may
 * decline rows can have fewer misses.) Under admission at batch end it is a good rule, not a proven bound.
 *
 * A held row is known by the position of its next request, so the whole cache is a set of positions: a request at p
 * hits when p is in the set. The set is a tree of bitmaps of 64 ways, whose largest member takes one step per level.
 * State: 1.02 bits per request, nothing per id.
 */
#include "base/mem.h"
#include "simulator/caches/loops.h"

enum { LEVELS = 6 };

struct state {
    const uint32_t *next;
    uint64_t *bits[LEVELS]; /* bits[0]: positions; a bit of level l + 1 says whether a word of level l has any */
    int levels;
    uint64_t capacity, count, useless; /* useless: rows held that are never asked for again */
};

static inline void fetch(const struct state *c, uint32_t id, uint32_t at)
{
    (void)id;
    uint32_t next = c->next[at];
    if (next != STREAM_NEVER) __builtin_prefetch(&c->bits[0][next / 64], 1);
}

static inline void set_add(struct state *c, uint32_t p)
{
    for (int l = 0; l < c->levels; l++, p /= 64) {
        uint64_t word = c->bits[l][p / 64];
        c->bits[l][p / 64] = word | (uint64_t)1 << p % 64;
        if (word) return; /* the levels above know */
    }
}

static inline void set_remove(struct state *c, uint32_t p)
{
    for (int l = 0; l < c->levels; l++, p /= 64)
        if (c->bits[l][p / 64] &= ~((uint64_t)1 << p % 64)) return;
}

static inline uint32_t set_largest(const struct state *c)
{
    uint32_t p = 0;
    for (int l = c->levels - 1; l >= 0; l--) p = 64 * p + 63 - (uint32_t)__builtin_clzll(c->bits[l][p]);
    return p;
}

static inline void hold(struct state *c, uint32_t at)
{
    if (c->next[at] == STREAM_NEVER) c->useless++;
    else set_add(c, c->next[at]);
}

static inline bool touch(struct state *c, uint32_t id, uint32_t at)
{
    (void)id;
    if (!(c->bits[0][at / 64] >> at % 64 & 1)) return false;
    set_remove(c, at);
    hold(c, at);
    return true;
}

static inline void take(struct state *c, uint32_t id, uint32_t at)
{
    (void)id;
    if (c->count < c->capacity) c->count++;
    else if (c->useless) c->useless--;
    else set_remove(c, set_largest(c));
    hold(c, at);
}

CACHE_LOOPS

static void end(void *state)
{
    struct state *c = state;
    if (!c) return;
    for (int l = 0; l < LEVELS; l++) mem_free(c->bits[l]);
    mem_free(c);
}

static enum st begin(const struct cache_setup *s, void **state, struct err *err)
{
    enum st st = ST_OK;
    struct state *c = NULL;
    NEW(c, 1, "a cache");
    c->next = s->next;
    c->capacity = s->capacity;
    for (uint64_t words = s->requests; words > 1 || !c->levels; c->levels++) {
        words = (words + 63) / 64;
        NEW(c->bits[c->levels], words, "a cache's next requests");
    }
    *state = c;
    c = NULL;
done:
    end(c);
    return st;
}

const struct cache cache_belady = {.name = "belady",
                                   .summary = "the farthest next request makes room: knows the future",
                                   .source = "Belady 1966",
                                   .future = true,
                                   .begin = begin,
                                   .end = end,
                                   .serve = serve,
                                   .look_up = look_up,
                                   .admit = admit};
