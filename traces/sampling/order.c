#include "traces/sampling/order.h"

#include <string.h>

#include "base/rng.h"

enum { STREAM_SHUFFLE = 0x73687566, STREAM_ROTATE = 0x726f7461, STREAM_BLOCKS = 0x626c6f63, FINAL = 0x6f72646e };

uint64_t order_block(const struct order_rule *r)
{
    uint64_t block = r->blocks ? r->batch / r->blocks : r->batch;
    return block ? block : 1;
}

static uint32_t who_of(const struct order_rule *r, uint64_t epoch) { return (uint32_t)r->gpu << 24 | (uint32_t)epoch; }

/* Sorts keys with equal hashes, which are neighbours, by their vertices. */
static void settle_ties(uint64_t *keys, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++)
        for (uint64_t j = i; j && keys[j] < keys[j - 1]; j--) {
            uint64_t swap = keys[j];
            keys[j] = keys[j - 1];
            keys[j - 1] = swap;
        }
}

/* Sorts by the upper 32 bits in three passes of 11, then by the lower ones where those are equal (few are). other:
 * [count] scratch. */
static void sort_hashes(uint64_t *keys, uint64_t *other, uint64_t count)
{
    enum { DIGIT = 8, SPAN = 1 << DIGIT, PASSES = 4 };
    uint64_t start[PASSES][SPAN] = {{0}}, *from = keys, *to = other;
    for (uint64_t i = 0; i < count; i++)
        for (int p = 0; p < PASSES; p++) start[p][keys[i] >> (32 + DIGIT * p) & (SPAN - 1)]++;
    for (int p = 0; p < PASSES; p++) {
        uint64_t sum = 0;
        for (int d = 0; d < SPAN; d++) {
            uint64_t here = start[p][d];
            start[p][d] = sum;
            sum += here;
        }
        for (uint64_t i = 0; i < count; i++) to[start[p][from[i] >> (32 + DIGIT * p) & (SPAN - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    settle_ties(keys, count);
}

static uint64_t shuffle_key(const struct order_rule *r, uint32_t vertex, uint32_t who)
{
    struct rng_block b = rng_philox(r->seed, vertex, STREAM_SHUFFLE, who, FINAL);
    return (uint64_t)b.word[0] << 32 | vertex;
}

/* By a keyed hash of the vertex. It depends on the set of vertices, not on their order in a file. */
static void shuffle(const struct order_rule *r, const uint32_t *ids, uint64_t count, uint32_t who, uint64_t *room,
                    uint32_t *out)
{
    for (uint64_t i = 0; i < count; i++) room[i] = shuffle_key(r, ids[i], who);
    sort_hashes(room, room + count, count);
    for (uint64_t i = 0; i < count; i++) out[i] = (uint32_t)room[i];
}

/* Where the epoch enters the circle. */
static uint64_t entrance(const struct order_rule *r, uint64_t count, uint32_t who)
{
    return rng_hash(r->seed, STREAM_ROTATE, who) % count;
}

static void rotate(const uint32_t *circle, uint64_t count, uint64_t first, uint32_t *out)
{
    memcpy(out, circle + first, (count - first) * sizeof *out);
    memcpy(out + count - first, circle, first * sizeof *out);
}

static void mix_blocks(const struct order_rule *r, const uint32_t *circle, uint64_t count, uint32_t who, uint64_t *room,
                       uint32_t *out)
{
    uint64_t block = order_block(r), blocks = (count + block - 1) / block, first = entrance(r, count, who), at = 0;
    for (uint64_t j = 0; j < blocks; j++) {
        struct rng_block b = rng_philox(r->seed, (uint32_t)j, STREAM_BLOCKS, who, FINAL);
        room[j] = (uint64_t)b.word[0] << 32 | j;
    }
    sort_hashes(room, room + blocks, blocks);
    for (uint64_t j = 0; j < blocks; j++) {
        uint64_t from = (uint32_t)room[j] * block, to = from + block < count ? from + block : count;
        for (uint64_t i = from; i < to; i++) out[at++] = circle[first + i < count ? first + i : first + i - count];
    }
    for (uint64_t b = 0; b < count; b += r->batch)
        shuffle(r, out + b, count - b < r->batch ? count - b : r->batch, who, room, out + b);
}

void order_epoch(const struct order_rule *r, const uint32_t *ids, uint64_t count, uint64_t epoch, uint64_t *room,
                 uint32_t *out)
{
    uint32_t who = who_of(r, epoch);
    if (!count) return;
    switch (r->kind) {
    case ORDER_BFS: rotate(ids, count, entrance(r, count, who), out); break;
    case ORDER_BLOCKS: mix_blocks(r, ids, count, who, room, out); break;
    default: shuffle(r, ids, count, who, room, out); break;
    }
}
