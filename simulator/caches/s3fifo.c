/* s3fifo - three queues: a small one for new rows (a tenth of the capacity), a main one, and a ghost queue of evicted
 * ids without their rows.
 *
 * Source: Yang, Zhang, Qiu, Yue, Rashmi, FIFO queues are all you need for cache eviction (SOSP'23), in the form of
 * the authors' own simulator (libCacheSim 0.3.5, S3FIFO with its defaults; releases of 2024 count otherwise), so that
 * counts can be compared:
 *   - Sizes: small = floor(capacity / 10), main = the rest, ghost = floor(9/10 capacity) ids. A hit adds 1 to the
 *     count of the row, at most 3.
 *   - Admission: an id in the ghost queue leaves it and goes to main. Any other goes to small; or to main when small
 *     is full and nothing was evicted yet. Counts begin at 0.
 *   - Eviction: from main when main has more rows than its size or small is empty, otherwise from small. Main: the
 *     oldest row goes round with its count less 1 while the count is not 0, and is evicted otherwise. Small: the
 *     oldest row moves to main (count 0) when its count is 2 or more; otherwise it is evicted and remembered in the
 *     ghost queue, from which the oldest id is removed when it is full.
 *
 * The paper's algorithm 1 differs: it fills small beyond its tenth before the first eviction, evicts from small as soon
 * as that has its tenth, and keeps the count of a row that moves to main. libCacheSim 0.3.5 differs: with 10 to 19 rows
 * its small queue admits nothing, so everything misses, and it refuses fewer than 10 rows; here small has at least one
 * row. A count of 3 stands for "3 or more": the simulator caps counts when main reads them, which is the same. State: 9
 * bytes per id.
 */
#include "simulator/caches/loops.h"
#include "simulator/caches/queue.h"

/* where[id]: the queue in bits 0 and 1, and the count in bits 2 and 3. */
enum { ABSENT, SMALL, MAIN, GHOST, PLACE = 3, USE = 4, USES = 12 };

struct state {
    struct queue_link *link; /* [ids] */
    uint8_t *where;          /* [ids] */
    struct queue small, main, ghost;
    uint64_t capacity, small_size, main_size, ghost_size;
    bool evicted; /* a row was evicted before */
};

static inline void prefetch(const struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    __builtin_prefetch(&c->where[id], 1);
}

static inline bool touch(struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    uint8_t w = c->where[id], place = w & PLACE;
    if (place != SMALL && place != MAIN) return false;
    if ((w & USES) != USES) c->where[id] = (uint8_t)(w + USE);
    return true;
}

/* Puts an evicted id into the ghost queue. */
static void remember(struct state *c, uint32_t id)
{
    c->where[id] = ABSENT;
    if (!c->ghost_size) return;
    if (c->ghost.count == c->ghost_size) c->where[queue_pop(&c->ghost, c->link)] = ABSENT;
    c->where[id] = GHOST;
    queue_push(&c->ghost, c->link, id);
}

/* Evicts a row of small; its rows with enough hits move to main, perhaps all of them. */
static void evict_small(struct state *c)
{
    while (c->small.count) {
        uint32_t id = queue_pop(&c->small, c->link);
        if ((c->where[id] & USES) < 2 * USE) {
            remember(c, id);
            return;
        }
        c->where[id] = MAIN;
        queue_push(&c->main, c->link, id);
    }
}

/* Evicts a row of main. */
static void evict_main(struct state *c)
{
    while (c->main.count) {
        uint32_t id = queue_pop(&c->main, c->link);
        if (!(c->where[id] & USES)) {
            c->where[id] = ABSENT;
            return;
        }
        c->where[id] = (uint8_t)(c->where[id] - USE);
        queue_push(&c->main, c->link, id);
    }
}

static inline void insert(struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    bool known = (c->where[id] & PLACE) == GHOST;
    if (known) queue_remove(&c->ghost, c->link, id);
    while (c->small.count + c->main.count == c->capacity) {
        c->evicted = true;
        if (c->main.count > c->main_size || !c->small.count) evict_main(c);
        else evict_small(c);
    }
    if (!known && !c->evicted && c->small.count >= c->small_size) known = true;
    c->where[id] = known ? MAIN : SMALL;
    queue_push(known ? &c->main : &c->small, c->link, id);
}

CACHE_LOOPS

static const struct cache_array arrays[] = {CACHE_ARRAY(link, cache_per_id, "a cache's queues"),
                                            CACHE_ARRAY(where, cache_per_id, "a cache's places"),
                                            {0}};

static void start(void *state, const struct cache_setup *s)
{
    struct state *c = state;
    c->small = c->main = c->ghost = queue_empty;
    c->capacity = s->capacity;
    c->small_size = s->capacity / 10 ? s->capacity / 10 : 1;
    c->main_size = s->capacity - c->small_size;
    c->ghost_size = s->capacity / 10 * 9 + s->capacity % 10 * 9 / 10;
}

const struct cache cache_s3fifo = {.name = "s3fifo",
                                   .summary = "a small FIFO for new rows, a main FIFO, and a ghost FIFO of evicted ids",
                                   .source = "Yang et al., SOSP'23",
                                   CACHE_FUNCTIONS};
