#include <string.h>

#include "planner/partition/reads_costs.h"

#if defined __x86_64__
#include <immintrin.h>

enum { LANES = READS_LANES, FLUSH = 256 }; /* FLUSH: entries whose sum fits 32 bits */

bool reads_lanes_work(const struct reads *reads)
{
    bool fits = reads->c.parts <= LANES && reads->groups <= LANES && reads->held < LANES;
    for (int p = 0; p < reads->c.parts; p++) fits &= reads->gather[p] == reads->gather[0];
    return fits && __builtin_cpu_supports("avx2");
}

/* Sums of even lanes and of odd ones, in 64 bits. */
struct sums {
    __m256i even, odd;
};

__attribute__((target("avx2"))) static inline void store_sums(const struct sums *s, int64_t *to)
{
    int64_t even[LANES / 2], odd[LANES / 2];
    _mm256_storeu_si256((__m256i *)even, s->even);
    _mm256_storeu_si256((__m256i *)odd, s->odd);
    for (int i = 0; i < LANES; i++) to[i] = i % 2 ? odd[i / 2] : even[i / 2];
}

/* What a row's samples add in each part; `own` marks the lane whose samples are among them. */
__attribute__((target("avx2"))) static inline __m256i added(const struct reads *reads, const uint8_t *record,
                                                            unsigned times, __m256i parts, __m256i own)
{
    const __m256i counts = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)record));
    const __m256i others = _mm256_sub_epi32(counts, _mm256_and_si256(_mm256_set1_epi32((int)times), own));
    return _mm256_i32gather_epi32((const int *)reads->more[times - 1][0], _mm256_and_si256(others, parts), 4);
}

__attribute__((target("avx2"))) void reads_costs_lanes(const struct reads *reads, uint64_t t, int64_t *price,
                                                       int64_t *work)
{
    const __m256i number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), low = _mm256_set1_epi64x(0xffffffff);
    const __m256i parts = _mm256_cmpgt_epi32(_mm256_set1_epi32(reads->c.parts), number);
    const __m256i own = _mm256_cmpeq_epi32(_mm256_set1_epi32(reads->c.own[t]), number);
    const __m128i group = _mm_loadl_epi64((const __m128i *)reads->group);
    struct sums p = {_mm256_setzero_si256(), _mm256_setzero_si256()}, w = p;
    int32_t by_level[LANES] = {0};
    for (int k = 0; k <= reads->held; k++) by_level[k] = (int32_t)reads->weight[k];
    const __m256i weights = _mm256_loadu_si256((const __m256i *)by_level);
    const uint64_t entries = reads->l.start[reads->c.trains], end = reads->l.start[t + 1];
    for (uint64_t i = reads->l.start[t]; i < end;) {
        const uint64_t until = end - i < FLUSH ? end : i + FLUSH;
        __m256i some = _mm256_setzero_si256();
        for (; i < until; i++) {
            reads_prefetch_ahead(reads, i, entries);
            const uint8_t *record = reads->record + reads->l.row[i] * reads->stride;
            const __m256i more = added(reads, record, reads->l.times[i], parts, own);
            const __m128i level = _mm_shuffle_epi8(_mm_loadl_epi64((const __m128i *)reads_levels(reads, record)),
                                                   group);
            const __m256i weight = _mm256_permutevar8x32_epi32(weights, _mm256_cvtepu8_epi32(level));
            some = _mm256_add_epi32(some, more);
            p.even = _mm256_add_epi64(p.even, _mm256_mul_epu32(more, weight));
            p.odd = _mm256_add_epi64(p.odd,
                                     _mm256_mul_epu32(_mm256_srli_epi64(more, 32), _mm256_srli_epi64(weight, 32)));
        }
        w.even = _mm256_add_epi64(w.even, _mm256_and_si256(some, low));
        w.odd = _mm256_add_epi64(w.odd, _mm256_srli_epi64(some, 32));
    }
    store_sums(&p, price);
    store_sums(&w, work);
}
#else
bool reads_lanes_work(const struct reads *reads) { return (void)reads, false; }

void reads_costs_lanes(const struct reads *reads, uint64_t t, int64_t *price, int64_t *work)
{
    (void)reads, (void)t, (void)price, (void)work;
}
#endif
