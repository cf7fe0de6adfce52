/* synth_rmat.c - recursive matrix (Chakrabarti, Zhan, Faloutsos, SDM 2004): an arc falls into one quarter of the
 * matrix, recursively, until one cell is left. Ranges of any size are halved, so any number of vertices works. Ids are
 * scrambled; otherwise hot vertices would be neighbours. */
#include "base/rng.h"
#include "traces/synth/synth.h"

enum { RMAT_STREAM = 0x726d61, SCRAMBLE_STREAM = 0x736372, LEVELS_PER_BLOCK = 8 };

/* A bijection of 0..n-1: two rounds of odd multiplication and shift on the next power of two, walked until an id
 * below n comes out. */
static uint32_t scramble(uint64_t seed, uint64_t n, int bits, uint64_t x)
{
    uint64_t mask = ((uint64_t)1 << bits) - 1, odd = rng_hash(seed, SCRAMBLE_STREAM, 0) | 1,
             add = rng_hash(seed, SCRAMBLE_STREAM, 1);
    int shift = (bits + 1) / 2;
    if (n < 2) return 0;
    do {
        x = (x * odd + add) & mask;
        x ^= x >> shift;
        x = (x * (odd >> 7 | 1)) & mask;
        x ^= x >> shift;
    } while (x >= n);
    return (uint32_t)x;
}

/* Halves a range: the half that a bit chooses. */
static inline void halve(uint64_t *low, uint64_t *high, bool upper)
{
    uint64_t middle = (*low + *high + 1) / 2;
    if (*high - *low < 2) return;
    if (upper) *low = middle;
    else *high = middle;
}

static void arcs(const struct synth_options *o, const void *state, uint64_t first, uint64_t count, uint32_t *pairs)
{
    uint32_t a = (uint32_t)(o->a * 65536), ab = a + (uint32_t)(o->b * 65536), abc = ab + (uint32_t)(o->c * 65536);
    int bits = 1;
    (void)state;
    while (((uint64_t)1 << bits) < o->vertices) bits++;
    for (uint64_t i = first; i < first + count; i++, pairs += 2) {
        uint64_t u = 0, u_end = o->vertices, v = 0, v_end = o->vertices;
        struct rng_block b = {{0}};
        for (uint32_t level = 0; u_end - u > 1 || v_end - v > 1; level++) {
            if (level % LEVELS_PER_BLOCK == 0)
                b = rng_philox(o->seed, (uint32_t)i, (uint32_t)(i >> 32), level, RMAT_STREAM);
            uint32_t x = b.word[level % LEVELS_PER_BLOCK / 2] >> (level % 2 * 16) & 65535;
            halve(&u, &u_end, x >= ab);
            halve(&v, &v_end, (x >= a && x < ab) || x >= abc);
        }
        pairs[0] = scramble(o->seed, o->vertices, bits, u);
        pairs[1] = scramble(o->seed, o->vertices, bits, v);
    }
}

const struct synth_kind synth_rmat = {.name = "rmat", .arcs = arcs};
