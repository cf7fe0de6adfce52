/* draws.h - uniform draws without replacement from a row, the same in C and CUDA.
 *
 * Floyd's algorithm (Bentley and Floyd, CACM 1987): draw i of `count` from 0..degree-1 takes a random number x in
 * 0..top, top = degree - count + i, or top itself when x was drawn before (top cannot have been). Random numbers are
 * exactly uniform (Lemire, TOMACS 2019). The caller chooses how to find out what was drawn before: draws_listed
 * searches the list of draws; a caller with many draws keeps a set.
 */
#ifndef BASE_DRAWS_H
#define BASE_DRAWS_H

#include <stdbool.h>
#include "base/rng.h"

/* The random numbers of a visit are a function of this key alone. */
struct draw_key {
    uint64_t seed;
    uint32_t vertex, hop, batch;
    uint32_t who; /* GPU id << 24 | epoch */
};

/* Block number `block` of a visit's random words: four words. hop < 32, block < 2^16; retry (< 2^11) counts rejections.
 * Layout of the Philox counter: vertex | hop, retry, block | batch | GPU, epoch. */
EVERYWHERE struct rng_block draws_block(const struct draw_key *k, uint32_t block, uint32_t retry)
{
    return rng_philox(k->seed, k->vertex, k->hop << 27 | retry << 16 | block, k->batch, k->who);
}

/* A number in 0..range-1 from word `lane` of a block, exactly uniform: a rejected word (fewer than one in 2^32 / range)
 * is drawn again. range >= 1. */
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

/* The random number of draw i, in 0..top. words: the current block, kept by the caller and renewed every fourth draw;
 * draws must come in order from i = 0. */
EVERYWHERE uint32_t draws_number(const struct draw_key *k, uint32_t i, struct rng_block *words, uint32_t top)
{
    if (i % 4 == 0) *words = draws_block(k, i / 4, 0);
    return draws_below(k, i / 4, i % 4, words->word[i % 4], top + 1);
}

/* Whether x is among list[0..count). */
EVERYWHERE bool draws_among(const uint32_t *list, uint32_t count, uint32_t x)
{
    bool found = false;
    for (uint32_t i = 0; i < count; i++) found |= list[i] == x;
    return found;
}

/* Draws `count` distinct positions of 0..degree-1 into out[count]; every subset is equally likely. Takes count^2 / 2
 * comparisons. 1 <= count < degree. */
EVERYWHERE void draws_listed(const struct draw_key *k, uint32_t degree, uint32_t count, uint32_t *out)
{
    struct rng_block words = {{0}};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t top = degree - count + i, x = draws_number(k, i, &words, top);
        out[i] = draws_among(out, i, x) ? top : x;
    }
}

#endif
