/* s3fifo - three queues: a small one on trial (a tenth of the rows), a main one, and a ghost one that remembers ids
 * without their rows.
 *
 * Source: Yang, Zhang, Qiu, Yue, Rashmi, FIFO queues are all you need for cache eviction (SOSP'23), in the form of
 * the authors' own simulator (libCacheSim, S3FIFO with its defaults), so that counts can be compared:
 * - Sizes: small = floor(capacity / 10), main = the rest, ghost = floor(9/10 capacity) ids. A hit adds 1 to the row's
 * count, at most 3.
 * - Admission: an id in the ghost queue leaves it and goes to main; any other goes to small, or, while nothing has
 *   ever been pushed out and small is full, to main. Counts start at 0.
 * - Room: when main has more rows than its size, or small is empty, main gives: its oldest row goes round with its
 *   count less 1 while the count is not 0, and is dropped otherwise. Else small gives: its oldest row moves to main
 *   (count 0) when its count is 2 or more, and otherwise is dropped and remembered in the ghost queue, whose oldest
 *   id makes room.
 * Where the paper's algorithm 1 differs: it fills small beyond its tenth before anything is pushed out, takes from
 * small as soon as that has its tenth, and keeps the count of a row that moves to main. Where libCacheSim differs:
 * with 10 to 19 rows its small queue admits nothing, so that everything misses, and it refuses fewer than 10; here
 * small has at least one row and the rule is as above. A count of 3 stands for "3 or more": the simulator caps counts
 * when main looks at them, which gives the same. State: 9 bytes per id.
 */
#include "base/mem.h"
#include "simulator/caches/loops.h"
#include "simulator/caches/queue.h"

enum {
    ABSENT,
    SMALL,
    MAIN,
    GHOST,
    PLACE = 3,
    USE = 4,
    USES = 12
}; /* where[id]: place, and the count in bits 2 and 3 */

struct state {
    struct queue_link *link; /* [ids] */
    uint8_t *where;          /* [ids] */
    struct queue small, main, ghost;
    uint64_t capacity, small_size, main_size, ghost_size;
    bool pushed_out; /* something ever was */
};

static inline void fetch(const struct state *c, uint32_t id, uint32_t at)
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

static void remember(struct state *c, uint32_t id)
{
    c->where[id] = ABSENT;
    if (!c->ghost_size) return;
    if (c->ghost.count == c->ghost_size) c->where[queue_pop(&c->ghost, c->link)] = ABSENT;
    c->where[id] = GHOST;
    queue_push(&c->ghost, c->link, id);
}

/* Takes from small until one row is out; false when all its rows moved to main. */
static void small_gives(struct state *c)
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

static void main_gives(struct state *c)
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

static inline void take(struct state *c, uint32_t id, uint32_t at)
{
    (void)at;
    bool known = (c->where[id] & PLACE) == GHOST;
    if (known) queue_remove(&c->ghost, c->link, id);
    while (c->small.count + c->main.count == c->capacity) {
        c->pushed_out = true;
        if (c->main.count > c->main_size || !c->small.count) main_gives(c);
        else small_gives(c);
    }
    if (!known && !c->pushed_out && c->small.count >= c->small_size) known = true;
    c->where[id] = known ? MAIN : SMALL;
    queue_push(known ? &c->main : &c->small, c->link, id);
}

CACHE_LOOPS

static void end(void *state)
{
    struct state *c = state;
    if (!c) return;
    mem_free(c->link);
    mem_free(c->where);
    mem_free(c);
}

static enum st begin(const struct cache_setup *s, void **state, struct err *err)
{
    enum st st = ST_OK;
    struct state *c = NULL;
    uint64_t small = s->capacity / 10 ? s->capacity / 10 : 1;
    NEW(c, 1, "a cache");
    *c = (struct state){.small = queue_empty,
                        .main = queue_empty,
                        .ghost = queue_empty,
                        .capacity = s->capacity,
                        .small_size = small,
                        .main_size = s->capacity - small,
                        .ghost_size = s->capacity / 10 * 9 + s->capacity % 10 * 9 / 10};
    NEW(c->link, s->ids, "a cache's queues");
    NEW(c->where, s->ids, "a cache's places");
    *state = c;
    c = NULL;
done:
    end(c);
    return st;
}

const struct cache cache_s3fifo = {.name = "s3fifo",
                                   .summary = "a small queue on trial, a main queue, and a memory of what left",
                                   .source = "Yang et al., SOSP'23",
                                   .begin = begin,
                                   .end = end,
                                   .serve = serve,
                                   .look_up = look_up,
                                   .admit = admit};
