/* draws.h - uniform draws without replacement from a row: the numbers, and the law by which they choose; the same in
 * C and CUDA.
 *
 * Floyd's algorithm (Bentley and Floyd, CACM 1987): draw i of `count` from 0..degree-1 takes a number below top + 1,
 * top = degree - count + i, or top itself where the number was drawn before (top cannot have been). Numbers are
 * exactly uniform (Lemire, TOMACS 2019). How it is known what was drawn before is the caller's choice; draws_listed
 * looks through the list.
 */
#ifndef BASE_DRAWS_H
#define BASE_DRAWS_H

#include <stdbool.h>
#include "base/rng.h"

/* What a visit's random numbers are a function of. */
struct draw_key {
    uint64_t seed;
    uint32_t vertex, hop, batch, who; /* hop < 32; who = GPU id << 24 | epoch */
};

/* Random words number `block` (below 2^16) of a visit; `retry` counts rejections. Layout of the counter: vertex |
 * hop, retry, block | batch | GPU, epoch. */
EVERYWHERE struct rng_block draws_block(const struct draw_key *k, uint32_t block, uint32_t retry)
{
    return rng_philox(k->seed, k->vertex, k->hop << 27 | retry << 16 | block, k->batch, k->who);
}

/* Uniform in 0..range-1 from word `lane` of a block: exactly, by drawing rejected words (fewer than one in 2^32 /
 * range) anew. range >= 1. */
EVERYWHERE uint32_t draws_below(const struct draw_key *k, uint32_t block, uint32_t lane, uint32_t word, uint32_t range)
{
    uint64_t m = (uint64_t)word * range;
    if ((uint32_t)m < range) {
        uint32_t least = (0 - range) % range;
        for (uint32_t retry = 1; (uint32_t)m < least && retry < 2048; retry++)
            m = (uint64_t)draws_block(k, block, retry).word[lane] * range;
    }
    return (uint32_t)(m >> 32);
}

/* The number of draw i; words: a block that is made anew every fourth draw, kept by the caller. */
EVERYWHERE uint32_t draws_number(const struct draw_key *k, uint32_t i, struct rng_block *words, uint32_t top)
{
    if (i % 4 == 0) *words = draws_block(k, i / 4, 0);
    return draws_below(k, i / 4, i % 4, words->word[i % 4], top + 1);
}

EVERYWHERE bool draws_among(const uint32_t *list, uint32_t count, uint32_t x)
{
    bool found = false;
    for (uint32_t i = 0; i < count; i++) found |= list[i] == x;
    return found;
}

/* `count` distinct positions of 0..degree-1, every subset equally likely; count^2 / 2 comparisons. 1 <= count <
 * degree. */
EVERYWHERE void draws_listed(const struct draw_key *k, uint32_t degree, uint32_t count, uint32_t *out)
{
    struct rng_block words = {{0}};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t top = degree - count + i, x = draws_number(k, i, &words, top);
        out[i] = draws_among(out, i, x) ? top : x;
    }
}

#endif
