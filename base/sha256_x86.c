#include "base/sha256_x86.h"

#if defined __x86_64__
#include <cpuid.h>
#include <immintrin.h>

bool sha256_x86_works(void)
{
    enum { SSSE3 = 1 << 9, SSE4_1 = 1 << 19, SHA = 1 << 29 };
    unsigned a, b, c, d, b7, c7, d7;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !__get_cpuid_count(7, 0, &a, &b7, &c7, &d7)) return false;
    return (c & SSSE3) && (c & SSE4_1) && (b7 & SHA);
}

/* Four rounds at a time. The instructions keep the state words as (a, b, e, f) and (c, d, g, h), and make the next
 * message words from the last sixteen, four words each in m. */
__attribute__((target("sha,sse4.1,ssse3"))) static void block(__m128i *abef, __m128i *cdgh, const uint32_t *constant,
                                                              const unsigned char *data)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203); /* words are big-endian */
    __m128i m[4], p = *abef, q = *cdgh;
    for (int i = 0; i < 4; i++) m[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)data + i), swap);
    for (int i = 0; i < 16; i++) {
        __m128i w = _mm_add_epi32(m[i % 4], _mm_loadu_si128((const __m128i *)constant + i));
        q = _mm_sha256rnds2_epu32(q, p, w);
        p = _mm_sha256rnds2_epu32(p, q, _mm_shuffle_epi32(w, 0x0e));
        if (i >= 12) continue;
        w = _mm_sha256msg1_epu32(m[i % 4], m[(i + 1) % 4]);
        w = _mm_add_epi32(w, _mm_alignr_epi8(m[(i + 3) % 4], m[(i + 2) % 4], 4));
        m[i % 4] = _mm_sha256msg2_epu32(w, m[(i + 3) % 4]);
    }
    *abef = _mm_add_epi32(*abef, p);
    *cdgh = _mm_add_epi32(*cdgh, q);
}

__attribute__((target("sha,sse4.1,ssse3"))) void sha256_x86_blocks(uint32_t state[8], const uint32_t constant[64],
                                                                   const unsigned char *data, size_t blocks)
{
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1),
            high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b),
            abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);
    for (; blocks; blocks--, data += 64) block(&abef, &cdgh, constant, data);
    low = _mm_shuffle_epi32(abef, 0x1b);
    high = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(low, high, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(high, low, 8));
}

#else

bool sha256_x86_works(void) { return false; }

void sha256_x86_blocks(uint32_t state[8], const uint32_t constant[64], const unsigned char *data, size_t blocks)
{
    (void)state;
    (void)constant;
    (void)data;
    (void)blocks;
}

#endif
