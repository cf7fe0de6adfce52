/* lru - evicts the row whose last use is longest ago.
 *
 * Source: Mattson, Gecsei, Slutz, Traiger, Evaluation techniques for storage hierarchies (IBM Systems Journal 1970).
 * LRU of libCacheSim 0.3.5 is the same rule.
 *
 * A window takes the place of a list. Every use gets the next number, last[id] is the number of id's last use, and a
 * bitmap marks the numbers that are the last use of an id. A row is held when its last use is inside the window, which
 * begins at `low`. To evict a row, `low` moves behind the next marked number; which row this was need not be known. A
 * request writes two words and two bits, and eviction is sequential. When the numbers run out, held rows get their rank
 * among the marks as new numbers, by one pass over ids and bitmap. State: 4 bytes per id and 1.5 bits per number; there
 * are as many numbers as ids and rows together, and at least 2^20.
 */
#include <string.h>

#include "simulator/caches/loops.h"

struct state {
    uint32_t *last;   /* [ids] number of the last use; 0: never used */
    uint64_t *mark;   /* [numbers / 64] */
    uint32_t *before; /* [numbers / 64] marks in earlier words, for renumbering */
    uint64_t ids, capacity, count, numbers;
    uint64_t now, low; /* the next number; the window's begin (>= 1) */
};

static inline void prefetch(const struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    __builtin_prefetch(&c->last[id], 1);
}

/* Rank 1 for the least recently used row. */
static void renumber(struct state *c)
{
    uint32_t marks = 0;
    for (uint64_t w = 0; w < c->numbers / 64; w++) {
        c->before[w] = marks;
        marks += (uint32_t)__builtin_popcountll(c->mark[w]);
    }
    for (uint64_t i = 0; i < c->ids; i++) {
        uint64_t n = c->last[i];
        if (n < c->low) c->last[i] = 0;
        else
            c->last[i] = c->before[n / 64] +
                         (uint32_t)__builtin_popcountll(c->mark[n / 64] & (((uint64_t)1 << n % 64) - 1)) + 1;
    }
    memset(c->mark, 0, c->numbers / 8);
    for (uint64_t n = 1; n <= marks; n++) c->mark[n / 64] |= (uint64_t)1 << n % 64;
    c->low = 1;
    c->now = (uint64_t)marks + 1;
}

static inline void use(struct state *c, uint32_t id)
{
    c->mark[c->now / 64] |= (uint64_t)1 << c->now % 64;
    c->last[id] = (uint32_t)c->now++;
}

static inline bool touch(struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    if (c->now == c->numbers) renumber(c);
    uint64_t n = c->last[id];
    if (n < c->low) return false;
    c->mark[n / 64] &= ~((uint64_t)1 << n % 64);
    use(c, id);
    return true;
}

static inline void evict(struct state *c)
{
    uint64_t w = c->low / 64, word = c->mark[w] & (~(uint64_t)0 << c->low % 64);
    while (!word) word = c->mark[++w];
    c->low = 64 * w + (uint64_t)__builtin_ctzll(word) + 1;
    c->mark[w] = word & (word - 1);
}

static inline void insert(struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    if (c->now == c->numbers) renumber(c);
    if (c->count < c->capacity) c->count++;
    else evict(c);
    use(c, id);
}

CACHE_LOOPS

/* Words of the window's bitmap. */
static uint64_t word_count(const struct cache_setup *s)
{
    enum { LEAST = 1 << 20 };
    uint64_t numbers = s->ids + s->capacity + 2;
    numbers = numbers > UINT32_MAX ? UINT32_MAX : numbers < LEAST ? LEAST : numbers;
    if (s->requests + 2 < numbers) numbers = s->requests + 2;
    return (numbers + 63) / 64;
}

static const struct cache_array arrays[] = {CACHE_ARRAY(last, cache_per_id, "a cache's last uses"),
                                            CACHE_ARRAY(mark, word_count, "a cache's window"),
                                            CACHE_ARRAY(before, word_count, "a cache's window"),
                                            {0}};

static void start(void *state, const struct cache_setup *s)
{
    struct state *c = state;
    c->ids = s->ids;
    c->capacity = s->capacity;
    c->numbers = 64 * word_count(s);
    c->now = c->low = 1;
}

const struct cache cache_lru = {.name = "lru",
                                .summary = "least recently used",
                                .source = "Mattson et al. 1970",
                                CACHE_FUNCTIONS};
