#include "traces/sampling/draw.h"

#include <stdbool.h>
#include <string.h>

#include "base/cacheline.h"
#include "base/mem.h"
#include "base/rng_x86.h"

enum {
    SMALL = DRAW_TOGETHER, /* draws: up to here a linear search is faster than hashing */
    BITS = 1 << 16         /* degrees: up to here one bit per position stays in the L1 cache and is faster than both */
};

enum st draw_set_new(struct draw_set *s, uint32_t most, struct err *err)
{
    enum st st = ST_OK;
    uint64_t size = 64;
    while (size < 2 * (uint64_t)most) size *= 2;
    memset(s, 0, sizeof *s);
    NEW(s->member, size, "a set of draws");
    NEW(s->tick, size, "a set of draws");
    NEW(s->bits, BITS / 64, "a set of draws");
    s->mask = (uint32_t)size - 1;
done:
    if (st != ST_OK) draw_set_free(s);
    return st;
}

void draw_set_free(struct draw_set *s)
{
    mem_free(s->member);
    mem_free(s->tick);
    mem_free(s->bits);
    memset(s, 0, sizeof *s);
}

static void set_clear(struct draw_set *s)
{
    if (++s->now) return;
    memset(s->tick, 0, ((size_t)s->mask + 1) * sizeof *s->tick);
    s->now = 1;
}

/* Adds x; false when it was there. */
static bool set_add(struct draw_set *s, uint32_t x)
{
    uint32_t at = x * 0x9E3779B1u & s->mask;
    for (; s->tick[at] == s->now; at = (at + 1) & s->mask)
        if (s->member[at] == x) return false;
    s->tick[at] = s->now;
    s->member[at] = x;
    return true;
}

uint64_t draw_wide(const struct draw_key *key, uint32_t block, uint32_t lane, const struct rng_block *words,
                   uint64_t range)
{
    struct rng_block b = *words;
    uint64_t least = -range % range;
    unsigned __int128 m;
    for (uint32_t retry = 0;; b = draws_block(key, block, ++retry)) {
        m = (unsigned __int128)((uint64_t)b.word[lane + 1] << 32 | b.word[lane]) * range;
        if ((uint64_t)m >= least || retry == 2047) return (uint64_t)(m >> 64);
    }
}

/* x, or the top where x was chosen before (taken: 1), which the top cannot have been. Without a branch: of a short row,
 * it could not be predicted. */
static inline uint32_t floyd_unless(uint32_t taken, uint32_t x, uint32_t top) { return x ^ ((x ^ top) & -taken); }

void draw_words(const struct draw_key *like, const uint32_t *vertex, uint32_t visits, uint32_t count,
                struct rng_block *words)
{
    const uint32_t each = (count + 3) / 4, wide = rng_x86_works() ? visits * each : 0;
    uint32_t c0[RNG_X86_BLOCKS], c1[RNG_X86_BLOCKS], visit = 0, block = 0;
    for (uint32_t from = 0; from < wide; from += RNG_X86_BLOCKS) {
        for (uint32_t i = 0; i < RNG_X86_BLOCKS; i++) { /* beyond the last visit some are computed in vain */
            c0[i] = vertex[visit];
            c1[i] = like->hop << 27 | block;
            if (++block < each) continue;
            block = 0;
            visit += visit + 1 < visits;
        }
        rng_x86_blocks(like->seed, c0, c1, like->batch, like->who, words + from);
    }
    for (struct draw_key key = *like; !wide && visit < visits; visit++) {
        key.vertex = vertex[visit];
        for (uint32_t b = 0; b < each; b++) words[visit * each + b] = draws_block(&key, b, 0);
    }
}

/* Floyd's algorithm with one bit per position in a register: degree <= 64, count <= SMALL. */
static void distinct_word(const struct draw_key *key, const struct rng_block *words, uint32_t degree, uint32_t count,
                          uint32_t *out)
{
    uint64_t taken = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t top = degree - count + i, x = draws_below(key, i / 4, i % 4, words[i / 4].word[i % 4], top + 1);
        x = floyd_unless((uint32_t)(taken >> x & 1), x, top);
        taken |= (uint64_t)1 << x;
        out[i] = x;
    }
}

/* The draws from..to of the same with the bits in memory, which stay. words: of draw `from` on. */
static void distinct_bits(uint64_t *bits, const struct draw_key *key, const struct rng_block *words, uint32_t degree,
                          uint32_t count, uint32_t from, uint32_t to, uint32_t *out)
{
    for (uint32_t i = from; i < to; i++) {
        uint32_t top = degree - count + i,
                 x = draws_below(key, i / 4, i % 4, words[(i - from) / 4].word[i % 4], top + 1);
        bool taken = bits[x / 64] >> x % 64 & 1; /* of a long row, hardly ever */
        x = taken ? top : x;
        bits[x / 64] |= 1ull << x % 64;
        out[i] = x;
    }
}

static void clear_bits(uint64_t *bits, const uint32_t *positions, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) bits[positions[i] / 64] = 0;
}

void draw_distinct_of(struct draw_set *s, const struct draw_key *key, const struct rng_block *words, uint32_t degree,
                      uint32_t count, uint32_t *out)
{
    if (degree <= 64) distinct_word(key, words, degree, count, out);
    else if (degree > BITS) draws_listed(key, degree, count, out);
    else {
        distinct_bits(s->bits, key, words, degree, count, 0, count, out);
        clear_bits(s->bits, out, count);
    }
}

void draw_distinct(struct draw_set *s, const struct draw_key *key, uint32_t degree, uint32_t count, uint32_t *out)
{
    struct rng_block words[SMALL / 4] = {{{0}}};
    if (count <= SMALL) {
        /* all together: each takes ten dependent multiplications, and several overlap */
        for (uint32_t b = 0; b < (count + 3) / 4; b++) words[b] = draws_block(key, b, 0);
        draw_distinct_of(s, key, words, degree, count, out);
        return;
    }
    if (degree <= BITS) {
        for (uint32_t from = 0; from < count; from += SMALL) {
            uint32_t to = count - from < SMALL ? count : from + SMALL;
            for (uint32_t b = 0; b < (to - from + 3) / 4; b++) words[b] = draws_block(key, from / 4 + b, 0);
            distinct_bits(s->bits, key, words, degree, count, from, to, out);
        }
        clear_bits(s->bits, out, count);
        return;
    }
    set_clear(s);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t top = degree - count + i, x = draws_number(key, i, words, top);
        if (!set_add(s, x)) set_add(s, x = top);
        out[i] = x;
    }
}

/* ln of the mantissa m by 2 artanh((m - 1) / (m + 1)). */
uint64_t draw_exponential(uint64_t word)
{
    enum { SERIES = 15 };                            /* odd powers of the series up to 2 * SERIES - 1 */
    static const uint64_t ln2 = 0x02C5C85FDF473DE7u; /* in units of 2^-58 */
    int zeros = word ? __builtin_clzll(word) : 64;
    uint64_t m = word ? word << zeros : (uint64_t)1 << 63; /* 1 <= m / 2^63 < 2 */
    uint64_t s = (uint64_t)(((unsigned __int128)(m - ((uint64_t)1 << 63)) << 61) / ((m >> 1) + ((uint64_t)1 << 62)));
    uint64_t square = (uint64_t)((unsigned __int128)s * s >> 62), power = s, sum = 0;
    for (uint64_t k = 0; k < SERIES; k++, power = (uint64_t)((unsigned __int128)power * square >> 62))
        sum += power / (2 * k + 1);
    return (uint64_t)(zeros + 1) * ln2 - (sum >> (62 - DRAW_LOG_BITS - 1));
}

uint64_t draw_lines(struct draw_set *s, const uint32_t *positions, uint32_t count, uint64_t start, uint64_t degree,
                    uint64_t line_bytes)
{
    bool power = (line_bytes & (line_bytes - 1)) == 0; /* usual; a shift is 20 times cheaper than a division */
    int shift = __builtin_ctzll(line_bytes);
    uint64_t first = start / line_bytes, distinct = 0, mask = 0;
    bool narrow = cachelines_touched(start, 4 * degree, line_bytes) <= 64;
    if (!narrow) set_clear(s);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t byte = start + 4 * (uint64_t)positions[i], line = (power ? byte >> shift : byte / line_bytes) - first;
        if (narrow) mask |= 1ull << line;
        else distinct += set_add(s, (uint32_t)line);
    }
    return narrow ? (uint64_t)__builtin_popcountll(mask) : distinct;
}
