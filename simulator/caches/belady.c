/* belady - evicts the row whose next request lies farthest in the future: the fewest misses that a cache can have when
 * it admits every missed row at once.
 *
 * Source: Belady 1966 (MIN); Mattson et al. 1970 prove it optimal. Every missed row is admitted, also one that is never
 * requested again, as in libCacheSim 0.3.5's Belady; such rows are evicted first. (A cache that may decline rows can
 * have fewer misses.) With batch admission it is a good rule, but no proven bound.
 *
 * A held row is represented by the position of its next request, so the cache is a set of positions: the request at p
 * hits when p is in the set. The set is a tree of bitmaps with 64 ways; finding its largest member takes one step per
 * level. State: 1.02 bits per request, nothing per id.
 */
#include "simulator/caches/loops.h"

enum { LEVELS = 6 };

struct state {
    const uint32_t *next;
    uint64_t *words;        /* of all levels */
    uint64_t *bits[LEVELS]; /* level 0 has a bit per position; bit w of level l + 1: word w of level l is not 0 */
    int levels;
    uint64_t capacity, count;
    uint64_t useless; /* rows held that are never requested again */
};

static inline void prefetch(const struct state *c, uint32_t id, uint32_t at)
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
        if (word) return; /* the levels above are set already */
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

static inline void insert(struct state *c, uint32_t id, uint32_t at)
{
    (void)id;
    if (c->count < c->capacity) c->count++;
    else if (c->useless) c->useless--;
    else set_remove(c, set_largest(c));
    hold(c, at);
}

CACHE_LOOPS

/* Words of all levels. */
static uint64_t word_count(const struct cache_setup *s)
{
    uint64_t all = 0, words = s->requests;
    do {
        words = (words + 63) / 64;
        all += words;
    } while (words > 1);
    return all;
}

static const struct cache_array arrays[] = {CACHE_ARRAY(words, word_count, "the next requests of a cache"), {0}};

static void start(void *state, const struct cache_setup *s)
{
    struct state *c = state;
    uint64_t *at = c->words, words = s->requests;
    c->next = s->next;
    c->capacity = s->capacity;
    do {
        words = (words + 63) / 64;
        c->bits[c->levels++] = at;
        at += words;
    } while (words > 1);
}

const struct cache cache_belady = {.name = "belady",
                                   .summary = "evicts the row whose next request is farthest away; needs the future, "
                                              "so it is a limit only",
                                   .source = "Belady 1966",
                                   .future = true,
                                   CACHE_FUNCTIONS};
