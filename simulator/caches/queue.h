/* queue.h - doubly linked queues of dense ids that share one array of links: an id is in at most one queue. 8 bytes per
 * id. */
#ifndef SIMULATOR_CACHES_QUEUE_H
#define SIMULATOR_CACHES_QUEUE_H

#include <stdint.h>

#define QUEUE_NONE UINT32_MAX /* no id */

struct queue_link {
    uint32_t older, newer;
};
struct queue {
    uint32_t oldest, newest;
    uint64_t count;
};

static const struct queue queue_empty = {QUEUE_NONE, QUEUE_NONE, 0};

/* Appends id, which is in no queue, as the newest. */
static inline void queue_push(struct queue *q, struct queue_link *link, uint32_t id)
{
    link[id] = (struct queue_link){q->newest, QUEUE_NONE};
    if (q->newest == QUEUE_NONE) q->oldest = id;
    else link[q->newest].newer = id;
    q->newest = id;
    q->count++;
}

/* Removes id, which is in this queue. */
static inline void queue_remove(struct queue *q, struct queue_link *link, uint32_t id)
{
    struct queue_link l = link[id];
    if (l.older == QUEUE_NONE) q->oldest = l.newer;
    else link[l.older].newer = l.newer;
    if (l.newer == QUEUE_NONE) q->newest = l.older;
    else link[l.newer].older = l.older;
    q->count--;
}

/* Removes and returns the oldest id of a queue that is not empty. */
static inline uint32_t queue_pop(struct queue *q, struct queue_link *link)
{
    uint32_t id = q->oldest;
    queue_remove(q, link, id);
    return id;
}

#endif
