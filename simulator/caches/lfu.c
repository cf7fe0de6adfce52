/* lfu - evicts the row with the fewest uses since its admission; among equals, the one that has had that number of uses
 * for longest.
 *
 * Source: in-cache LFU as in Shah, Mitra, Matani, An O(1) algorithm for implementing the LFU cache eviction scheme
 * (2010): a list of frequencies, each with its rows. An evicted row is forgotten: it returns with one use. The paper
 * leaves ties open; LFU of libCacheSim 0.3.5 and this file evict the row that reached the frequency first. (Its
 * LFUCpp breaks ties otherwise and may have other misses.) State: 12 bytes per id and 32 bytes per row.
 */
#include "simulator/caches/loops.h"
#include "simulator/caches/queue.h"

/* The rows of one frequency. */
struct level {
    struct queue rows;
    uint32_t uses, lower, higher; /* lower, higher: neighbouring levels; of a free level, higher is the next free one */
};

struct state {
    struct queue_link *link; /* [ids] */
    uint32_t *level_of;      /* [ids] 1 + level; 0: not held */
    struct level *level;     /* [capacity + 1] */
    uint64_t capacity, count;
    uint32_t lowest, spare;
};

static inline void prefetch(const struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    __builtin_prefetch(&c->level_of[id], 1);
    __builtin_prefetch(&c->link[id], 1);
}

/* A new level above `below` (QUEUE_NONE: at the bottom). */
static uint32_t insert_level(struct state *c, uint32_t below, uint32_t uses)
{
    uint32_t l = c->spare, above = below == QUEUE_NONE ? c->lowest : c->level[below].higher;
    c->spare = c->level[l].higher;
    c->level[l] = (struct level){queue_empty, uses, below, above};
    if (below == QUEUE_NONE) c->lowest = l;
    else c->level[below].higher = l;
    if (above != QUEUE_NONE) c->level[above].lower = l;
    return l;
}

static void drop_level(struct state *c, uint32_t l)
{
    uint32_t below = c->level[l].lower, above = c->level[l].higher;
    if (below == QUEUE_NONE) c->lowest = above;
    else c->level[below].higher = above;
    if (above != QUEUE_NONE) c->level[above].lower = below;
    c->level[l].higher = c->spare;
    c->spare = l;
}

static inline void remove_row(struct state *c, uint32_t id, uint32_t l)
{
    queue_remove(&c->level[l].rows, c->link, id);
    if (!c->level[l].rows.count) drop_level(c, l);
}

static inline void add_row(struct state *c, uint32_t id, uint32_t l)
{
    queue_push(&c->level[l].rows, c->link, id);
    c->level_of[id] = l + 1;
}

static inline bool touch(struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    if (!c->level_of[id]) return false;
    uint32_t l = c->level_of[id] - 1, above = c->level[l].higher, uses = c->level[l].uses + 1;
    bool there = above != QUEUE_NONE && c->level[above].uses == uses;
    if (!there && c->level[l].rows.count == 1) { /* the only row of the level: the level moves up */
        c->level[l].uses = uses;
        return true;
    }
    if (!there) above = insert_level(c, l, uses);
    remove_row(c, id, l);
    add_row(c, id, above);
    return true;
}

static inline void insert(struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    if (c->count < c->capacity) c->count++;
    else {
        uint32_t out = c->level[c->lowest].rows.oldest;
        c->level_of[out] = 0;
        remove_row(c, out, c->lowest);
    }
    uint32_t l = c->lowest;
    if (l == QUEUE_NONE || c->level[l].uses != 1) l = insert_level(c, QUEUE_NONE, 1);
    add_row(c, id, l);
}

CACHE_LOOPS

/* Levels: one per row, and one more while a row moves up. */
static uint64_t level_count(const struct cache_setup *s) { return s->capacity + 1; }

static const struct cache_array arrays[] = {CACHE_ARRAY(link, cache_per_id, "a cache's queues"),
                                            CACHE_ARRAY(level_of, cache_per_id, "a cache's frequencies"),
                                            CACHE_ARRAY(level, level_count, "a cache's frequencies"),
                                            {0}};

static void start(void *state, const struct cache_setup *s)
{
    struct state *c = state;
    c->capacity = s->capacity;
    c->lowest = QUEUE_NONE;
    for (uint64_t l = 0; l <= s->capacity; l++) c->level[l].higher = l < s->capacity ? (uint32_t)(l + 1) : QUEUE_NONE;
}

const struct cache cache_lfu = {.name = "lfu",
                                .summary = "least frequently used since admission; ties evict the row longest at its "
                                           "frequency",
                                .source = "Shah et al. 2010",
                                CACHE_FUNCTIONS};
