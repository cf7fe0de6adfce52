#include "base/rng_x86.h"

#if defined __x86_64__
#include <immintrin.h>

bool rng_x86_works(void) { return __builtin_cpu_supports("avx2"); }

enum { LANES = 4, PARTS = RNG_X86_BLOCKS / LANES };

/* A counter word per lane of 64 bits; what lies in the upper halves between rounds no multiplication sees. */
struct words {
    __m256i w0[PARTS], w1[PARTS], w2[PARTS], w3[PARTS];
};

static inline void next_keys(uint32_t *k0, uint32_t *k1)
{
    *k0 += 0x9E3779B9u;
    *k1 += 0xBB67AE85u;
}

/* The first two rounds: blocks differ in word 0 alone, so that most of what is computed is the same for all. */
__attribute__((target("avx2"))) static inline void begin(struct words *w, const uint32_t *c0, uint32_t c1, uint32_t c2,
                                                         uint32_t c3, uint32_t *k0, uint32_t *k1)
{
    const __m256i by0 = _mm256_set1_epi64x(0xD2511F53), by2 = _mm256_set1_epi64x(0xCD9E8D57);
    const uint64_t same = (uint64_t)0xCD9E8D57u * c2;
    const uint64_t then = (uint64_t)0xD2511F53u * ((uint32_t)(same >> 32) ^ c1 ^ *k0);
    const __m256i first = _mm256_set1_epi64x(c3 ^ *k1);
    next_keys(k0, k1);
    const __m256i second0 = _mm256_set1_epi64x((uint32_t)same ^ *k0),
                  second2 = _mm256_set1_epi64x((uint32_t)(then >> 32) ^ *k1),
                  second3 = _mm256_set1_epi64x((uint32_t)then);
    next_keys(k0, k1);
    for (int i = 0; i < PARTS; i++) {
        const __m256i a = _mm256_mul_epu32(by0, _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)c0 + i)));
        const __m256i b = _mm256_mul_epu32(by2, _mm256_xor_si256(_mm256_srli_epi64(a, 32), first));
        w->w0[i] = _mm256_xor_si256(_mm256_srli_epi64(b, 32), second0);
        w->w1[i] = b;
        w->w2[i] = _mm256_xor_si256(a, second2);
        w->w3[i] = second3;
    }
}

__attribute__((target("avx2"))) static inline void one_round(struct words *w, uint32_t k0, uint32_t k1)
{
    const __m256i by0 = _mm256_set1_epi64x(0xD2511F53), by2 = _mm256_set1_epi64x(0xCD9E8D57),
                  key0 = _mm256_set1_epi64x(k0), key1 = _mm256_set1_epi64x(k1);
    for (int i = 0; i < PARTS; i++) {
        const __m256i a = _mm256_mul_epu32(by0, w->w0[i]), b = _mm256_mul_epu32(by2, w->w2[i]);
        w->w0[i] = _mm256_xor_si256(_mm256_srli_epi64(b, 32), _mm256_xor_si256(w->w1[i], key0));
        w->w1[i] = b;
        w->w2[i] = _mm256_xor_si256(_mm256_srli_epi64(a, 32), _mm256_xor_si256(w->w3[i], key1));
        w->w3[i] = a;
    }
}

__attribute__((target("avx2"))) static inline uint32_t bits(__m256i mask)
{
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(mask));
}

__attribute__((target("avx2"))) uint32_t rng_x86_below(uint64_t key, const uint32_t c0[RNG_X86_BLOCKS], uint32_t c1,
                                                       uint32_t c2, uint32_t c3, uint64_t limit, uint32_t *unsure)
{
    enum { MIDDLE = 6 }; /* of ten rounds */
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32), below = 0, equal = 0;
    struct words w;
    begin(&w, c0, c1, c2, c3, &k0, &k1);
    for (int round = 0; round < MIDDLE; round++) {
        one_round(&w, k0, k1);
        next_keys(&k0, &k1);
    }
    /* Of the last two rounds only what word 1 follows from. */
    const __m256i by0 = _mm256_set1_epi64x(0xD2511F53), by2 = _mm256_set1_epi64x(0xCD9E8D57),
                  low = _mm256_set1_epi64x(0xFFFFFFFF), key1 = _mm256_set1_epi64x(k1),
                  upper = _mm256_set1_epi64x((int64_t)(limit >> 32));
    for (int i = 0; i < PARTS; i++) {
        const __m256i a = _mm256_mul_epu32(by0, w.w0[i]),
                      w2 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(a, 32), w.w3[i]), key1),
                      word = _mm256_and_si256(_mm256_mul_epu32(by2, w2), low);
        below |= bits(_mm256_cmpgt_epi64(upper, word)) << LANES * i;
        equal |= bits(_mm256_cmpeq_epi64(upper, word)) << LANES * i;
    }
    *unsure = equal;
    return below;
}

__attribute__((target("avx2"))) static inline __m256i widened(const uint32_t *c, int i)
{
    return _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)c + i));
}

__attribute__((target("avx2"))) void rng_x86_blocks(uint64_t key, const uint32_t c0[RNG_X86_BLOCKS],
                                                    const uint32_t c1[RNG_X86_BLOCKS], uint32_t c2, uint32_t c3,
                                                    struct rng_block out[RNG_X86_BLOCKS])
{
    enum { ROUNDS = 10, ODD = 0xAA };
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    struct words w;
    for (int i = 0; i < PARTS; i++) {
        w.w0[i] = widened(c0, i);
        w.w1[i] = widened(c1, i);
        w.w2[i] = _mm256_set1_epi64x(c2);
        w.w3[i] = _mm256_set1_epi64x(c3);
    }
    for (int round = 0; round < ROUNDS; round++) {
        one_round(&w, k0, k1);
        next_keys(&k0, &k1);
    }
    /* Words 0 and 1 of a block in one lane, 2 and 3 in another; then a block is two lanes that follow each other. */
    for (int i = 0; i < PARTS; i++) {
        const __m256i front = _mm256_blend_epi32(w.w0[i], _mm256_slli_epi64(w.w1[i], 32), ODD),
                      back = _mm256_blend_epi32(w.w2[i], _mm256_slli_epi64(w.w3[i], 32), ODD),
                      even = _mm256_unpacklo_epi64(front, back), odd = _mm256_unpackhi_epi64(front, back);
        _mm256_storeu_si256((__m256i *)(out + LANES * i), _mm256_permute2x128_si256(even, odd, 0x20));
        _mm256_storeu_si256((__m256i *)(out + LANES * i) + 1, _mm256_permute2x128_si256(even, odd, 0x31));
    }
}

#else

bool rng_x86_works(void) { return false; }

uint32_t rng_x86_below(uint64_t key, const uint32_t c0[RNG_X86_BLOCKS], uint32_t c1, uint32_t c2, uint32_t c3,
                       uint64_t limit, uint32_t *unsure)
{
    uint32_t below = 0;
    *unsure = 0;
    for (int i = 0; i < RNG_X86_BLOCKS; i++) {
        const struct rng_block b = rng_philox(key, c0[i], c1, c2, c3);
        below |= (uint32_t)(((uint64_t)b.word[1] << 32 | b.word[0]) < limit) << i;
    }
    return below;
}

void rng_x86_blocks(uint64_t key, const uint32_t c0[RNG_X86_BLOCKS], const uint32_t c1[RNG_X86_BLOCKS], uint32_t c2,
                    uint32_t c3, struct rng_block out[RNG_X86_BLOCKS])
{
    for (int i = 0; i < RNG_X86_BLOCKS; i++) out[i] = rng_philox(key, c0[i], c1[i], c2, c3);
}

#endif
