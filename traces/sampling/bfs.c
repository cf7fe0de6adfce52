#include "traces/sampling/bfs.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"
#include "traces/sampling/seeds.h"

enum { STREAM_ROOTS = 0x726f6f74 };

uint64_t bfs_root(const struct graph *g, uint64_t i) { return seeds_permute(0, STREAM_ROOTS, g->train_count, i); }

/* A search in progress: queue[0..tail) are the vertices found, in order. */
struct search {
    const struct graph *g;
    uint32_t *queue, *position;
    uint64_t tail;
};

static void find(struct search *s, uint32_t v)
{
    if (s->position[v] != BFS_NEVER) return;
    s->position[v] = (uint32_t)s->tail;
    s->queue[s->tail++] = v;
}

enum st bfs_positions(const struct graph *g, uint32_t **out, struct err *err)
{
    enum { AHEAD = 8 };
    enum st st = ST_OK;
    struct search s = {.g = g};
    uint64_t head = 0;
    NEW(s.queue, g->n, "a breadth-first search");
    NEW(s.position, g->n, "a breadth-first search");
    for (uint64_t v = 0; v < g->n; v++) s.position[v] = BFS_NEVER;
    for (uint64_t i = 0; i < g->train_count; i++) {
        find(&s, g->train[bfs_root(g, i)]);
        for (; head < s.tail; head++) {
            if (head + AHEAD < s.tail) __builtin_prefetch(&g->indptr[s.queue[head + AHEAD]]);
            uint64_t end = (uint64_t)g->indptr[s.queue[head] + 1];
            for (uint64_t at = (uint64_t)g->indptr[s.queue[head]]; at < end; at++) find(&s, g->indices[at]);
        }
    }
    *out = TAKE(s.position);
done:
    mem_free(s.queue);
    mem_free(s.position);
    return st;
}

enum st bfs_sort(const uint32_t *position, uint32_t *ids, uint64_t count, struct err *err)
{
    OWNED_NEW(uint64_t, keys, count, "training vertices in BFS order");
    for (uint64_t i = 0; i < count; i++) keys[i] = (uint64_t)position[ids[i]] << 32 | ids[i];
    qsort(keys, count, sizeof *keys, order_u64);
    for (uint64_t i = 0; i < count; i++) ids[i] = (uint32_t)keys[i];
    return ST_OK;
}
