/* caches.h - replacement rules as a textbook draws them: queues are arrays from the oldest to the newest, everything
 * is searched and shifted. Nothing here calls the code that is judged. */
#ifndef TESTS_ORACLE_CACHES_H
#define TESTS_ORACLE_CACHES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { PLAIN_IDS = 64, PLAIN_REQUESTS = 3000 };

struct plain_queue {
    uint32_t id[PLAIN_IDS + 1];
    int uses[PLAIN_IDS + 1];
    int count;
};

static inline int plain_find(const struct plain_queue *q, uint32_t id)
{
    for (int i = 0; i < q->count; i++)
        if (q->id[i] == id) return i;
    return -1;
}
static inline void plain_push(struct plain_queue *q, uint32_t id, int uses)
{
    q->id[q->count] = id;
    q->uses[q->count++] = uses;
}
static inline uint32_t plain_cut(struct plain_queue *q, int at, int *uses)
{
    uint32_t id = q->id[at];
    if (uses) *uses = q->uses[at];
    q->count--;
    memmove(q->id + at, q->id + at + 1, sizeof *q->id * (size_t)(q->count - at));
    memmove(q->uses + at, q->uses + at + 1, sizeof *q->uses * (size_t)(q->count - at));
    return id;
}

struct plain {
    const uint32_t *stream;
    int requests, capacity, hand; /* hand: place in q of sieve; -1: at the oldest */
    struct plain_queue q, small, main, ghost;
    bool pushed_out;
};

/* A rule: whether the id is held (with what a hit does), and admission. at: position in the stream. */
struct plain_rule {
    const char *name;
    bool (*touch)(struct plain *p, uint32_t id, int at);
    void (*take)(struct plain *p, uint32_t id, int at);
};

static inline bool plain_touch_fifo(struct plain *p, uint32_t id, int at)
{
    (void)at;
    return plain_find(&p->q, id) >= 0;
}
static inline void plain_take_fifo(struct plain *p, uint32_t id, int at)
{
    (void)at;
    if (p->q.count == p->capacity) plain_cut(&p->q, 0, NULL);
    plain_push(&p->q, id, 0);
}

static inline bool plain_touch_lru(struct plain *p, uint32_t id, int at)
{
    int i = plain_find(&p->q, id);
    (void)at;
    if (i >= 0) plain_push(&p->q, plain_cut(&p->q, i, NULL), 0);
    return i >= 0;
}

/* LFU: q is in the order in which rows reached their number of uses. */
static inline bool plain_touch_lfu(struct plain *p, uint32_t id, int at)
{
    int i = plain_find(&p->q, id), uses;
    (void)at;
    if (i < 0) return false;
    plain_cut(&p->q, i, &uses);
    plain_push(&p->q, id, uses + 1);
    return true;
}
static inline void plain_take_lfu(struct plain *p, uint32_t id, int at)
{
    (void)at;
    if (p->q.count == p->capacity) {
        int least = 0;
        for (int i = 1; i < p->q.count; i++)
            if (p->q.uses[i] < p->q.uses[least]) least = i;
        plain_cut(&p->q, least, NULL);
    }
    plain_push(&p->q, id, 1);
}

static inline bool plain_touch_mark(struct plain *p, uint32_t id, int at)
{
    int i = plain_find(&p->q, id);
    (void)at;
    if (i >= 0) p->q.uses[i] = 1;
    return i >= 0;
}
/* CLOCK as second chance: marked rows go to the newer end of the queue. */
static inline void plain_take_clock(struct plain *p, uint32_t id, int at)
{
    int marked = 1;
    (void)at;
    while (p->q.count == p->capacity && marked) {
        uint32_t old = plain_cut(&p->q, 0, &marked);
        if (marked) plain_push(&p->q, old, 0);
    }
    plain_push(&p->q, id, 0);
}
static inline void plain_take_sieve(struct plain *p, uint32_t id, int at)
{
    (void)at;
    if (p->q.count == p->capacity) {
        int h = p->hand < 0 ? 0 : p->hand;
        for (; p->q.uses[h]; h = h + 1 == p->q.count ? 0 : h + 1) p->q.uses[h] = 0;
        plain_cut(&p->q, h, NULL); /* the next newer row moves to place h */
        p->hand = h == p->q.count ? -1 : h;
    }
    plain_push(&p->q, id, 0);
}

static inline bool plain_touch_s3fifo(struct plain *p, uint32_t id, int at)
{
    int s = plain_find(&p->small, id), m = plain_find(&p->main, id);
    (void)at;
    if (s >= 0) p->small.uses[s]++;
    if (m >= 0) p->main.uses[m]++;
    return s >= 0 || m >= 0;
}
static inline void plain_take_s3fifo(struct plain *p, uint32_t id, int at)
{
    int small = p->capacity / 10 > 1 ? p->capacity / 10 : 1, ghost = 9 * p->capacity / 10,
        g = plain_find(&p->ghost, id), uses;
    bool to_main = g >= 0;
    (void)at;
    if (g >= 0) plain_cut(&p->ghost, g, NULL);
    while (p->small.count + p->main.count == p->capacity) {
        bool out = false, from_main = p->main.count > p->capacity - small || p->small.count == 0;
        p->pushed_out = true;
        while (!out && (from_main ? p->main.count : p->small.count)) {
            uint32_t old = plain_cut(from_main ? &p->main : &p->small, 0, &uses);
            if (from_main && uses) plain_push(&p->main, old, (uses < 3 ? uses : 3) - 1);
            else if (!from_main && uses >= 2) plain_push(&p->main, old, 0);
            else out = true;
            if (!out || from_main || !ghost) continue;
            if (p->ghost.count == ghost) plain_cut(&p->ghost, 0, NULL);
            plain_push(&p->ghost, old, 0);
        }
    }
    if (!p->pushed_out && p->small.count >= small) to_main = true;
    plain_push(to_main ? &p->main : &p->small, id, 0);
}

/* Belady by scanning ahead. */
static inline int plain_ahead(const struct plain *p, uint32_t id, int at)
{
    int i = at + 1;
    while (i < p->requests && p->stream[i] != id) i++;
    return i;
}
static inline void plain_take_belady(struct plain *p, uint32_t id, int at)
{
    if (p->q.count == p->capacity) {
        int far = 0;
        for (int i = 1; i < p->q.count; i++)
            if (plain_ahead(p, p->q.id[i], at) > plain_ahead(p, p->q.id[far], at)) far = i;
        plain_cut(&p->q, far, NULL);
    }
    plain_push(&p->q, id, 0);
}

static const struct plain_rule plain_rules[] = {{"fifo", plain_touch_fifo, plain_take_fifo},
                                                {"lru", plain_touch_lru, plain_take_fifo},
                                                {"lfu", plain_touch_lfu, plain_take_lfu},
                                                {"clock", plain_touch_mark, plain_take_clock},
                                                {"sieve", plain_touch_mark, plain_take_sieve},
                                                {"s3fifo", plain_touch_s3fifo, plain_take_s3fifo},
                                                {"belady", plain_touch_fifo, plain_take_belady},
                                                {0}};

/* ends: where mini-batches end, [batches]; batches 0: admission on demand. */
static inline void plain_run(const struct plain_rule *rule, const uint32_t *stream, int requests, const int *ends,
                             int batches, int capacity, uint8_t *hit)
{
    struct plain p = {.stream = stream, .requests = requests, .capacity = capacity, .hand = -1};
    for (int b = 0, at = 0; at < requests; b++) {
        int end = batches ? ends[b] : at + 1, from = at;
        for (; at < end; at++) hit[at] = rule->touch(&p, stream[at], at);
        for (int i = from; i < end && capacity; i++)
            if (!hit[i]) rule->take(&p, stream[i], batches ? end - 1 : i);
    }
}

#endif
