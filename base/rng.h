/* rng.h - counter-based random numbers: Philox4x32-10 (Salmon et al., SC'11), the same in C and CUDA.
 *
 * A random number is a pure function of (key, counter), without state, so any thread or device may draw any number in
 * any order. The key is the seed. The counter holds purpose, epoch, GPU, batch, hop, vertex and draw; each caller
 * documents its layout.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>
#include "base/everywhere.h"

struct rng_block {
    uint32_t word[4];
};

/* Ten rounds of Philox4x32 on the counter (c0, c1, c2, c3) with a 64-bit key: four random words. */
EVERYWHERE struct rng_block rng_philox(uint64_t key, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3)
{
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53u * c0, b = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)b;
        c2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)a;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    struct rng_block out = {{c0, c1, c2, c3}};
    return out;
}

/* 64 random bits for (key, stream, index): for keyed orders and hashes. stream: a number per purpose. */
EVERYWHERE uint64_t rng_hash(uint64_t key, uint32_t stream, uint64_t index)
{
    struct rng_block b = rng_philox(key, (uint32_t)index, (uint32_t)(index >> 32), stream, 0x68617368u);
    return (uint64_t)b.word[1] << 32 | b.word[0];
}

/* A uniform double in [0, 1) of 53 bits for (key, stream, index). */
EVERYWHERE double rng_unit(uint64_t key, uint32_t stream, uint64_t index)
{
    return (double)(rng_hash(key, stream, index) >> 11) * 0x1p-53;
}

#endif
