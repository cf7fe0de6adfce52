#include "base/rng_x86.h"

#if defined __x86_64__
#include <immintrin.h>

bool rng_x86_works(void) { return __builtin_cpu_supports("avx2"); }

/* A counter word per lane of 64 bits; what lies in the upper halves between rounds no multiplication sees. */
__attribute__((target("avx2"))) void rng_x86_blocks(uint64_t key, const uint32_t c0[RNG_X86_BLOCKS], uint32_t c1,
                                                    uint32_t c2, uint32_t c3, uint64_t out[RNG_X86_BLOCKS])
{
    enum { HALVES = 2, ROUNDS = 10 };
    const __m256i by0 = _mm256_set1_epi64x(0xD2511F53), by2 = _mm256_set1_epi64x(0xCD9E8D57);
    __m256i w0[HALVES], w1[HALVES], w2[HALVES], w3[HALVES];
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int i = 0; i < HALVES; i++) {
        w0[i] = _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)c0 + i));
        w1[i] = _mm256_set1_epi64x(c1);
        w2[i] = _mm256_set1_epi64x(c2);
        w3[i] = _mm256_set1_epi64x(c3);
    }
    for (int round = 0; round < ROUNDS; round++) {
        const __m256i key0 = _mm256_set1_epi64x(k0), key1 = _mm256_set1_epi64x(k1);
        for (int i = 0; i < HALVES; i++) {
            const __m256i a = _mm256_mul_epu32(by0, w0[i]), b = _mm256_mul_epu32(by2, w2[i]);
            w0[i] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(b, 32), w1[i]), key0);
            w1[i] = b;
            w2[i] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(a, 32), w3[i]), key1);
            w3[i] = a;
        }
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    for (int i = 0; i < HALVES; i++) {
        const __m256i low = _mm256_and_si256(w0[i], _mm256_set1_epi64x(0xFFFFFFFF));
        _mm256_storeu_si256((__m256i *)out + i, _mm256_or_si256(_mm256_slli_epi64(w1[i], 32), low));
    }
}

#else
#include "base/rng.h"

bool rng_x86_works(void) { return false; }

void rng_x86_blocks(uint64_t key, const uint32_t c0[RNG_X86_BLOCKS], uint32_t c1, uint32_t c2, uint32_t c3,
                    uint64_t out[RNG_X86_BLOCKS])
{
    for (int i = 0; i < RNG_X86_BLOCKS; i++) {
        const struct rng_block b = rng_philox(key, c0[i], c1, c2, c3);
        out[i] = (uint64_t)b.word[1] << 32 | b.word[0];
    }
}

#endif
