/* graph_bits.h - a stream of bits, highest first, and the instantaneous codes of WebGraph (formats: unary, gamma,
 * delta, zeta, Golomb, nibble).
 *
 * Reading beyond the end, or a code that no 64-bit number has, sets `bad` and gives 0, so that a decoder checks once
 * per vertex.
 */
#ifndef TRACES_FORMATS_GRAPH_BITS_H
#define TRACES_FORMATS_GRAPH_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct bits {
    const unsigned char *bytes;
    uint64_t size, at; /* bits */
    bool bad;
};

/* The next 57 bits or more, left-aligned; zeros behind the end. */
static inline uint64_t bits_peek(const struct bits *b)
{
    uint64_t byte = b->at / 8, word = 0;
    if (byte + 8 <= b->size / 8) {
        memcpy(&word, b->bytes + byte, 8);
        word = __builtin_bswap64(word);
    } else {
        for (uint64_t i = 0; i < 8 && byte + i < b->size / 8; i++) word |= (uint64_t)b->bytes[byte + i] << (56 - 8 * i);
    }
    return word << (b->at % 8);
}

static inline void bits_advance(struct bits *b, uint64_t count)
{
    if (count > b->size - b->at) {
        b->bad = true;
        b->at = b->size;
    } else {
        b->at += count;
    }
}

static inline uint64_t bits_take(struct bits *b, uint64_t count)
{
    if (count == 0) return 0;
    if (count > 57) {
        if (count > 63) {
            b->bad = true;
            return 0;
        }
        uint64_t high = bits_take(b, count - 32);
        return high << 32 | bits_take(b, 32);
    }
    uint64_t v = bits_peek(b) >> (64 - count);
    bits_advance(b, count);
    return b->bad ? 0 : v;
}

/* Zeros before the next one. */
static inline uint64_t bits_unary(struct bits *b)
{
    uint64_t zeros = 0;
    while (!b->bad) {
        uint64_t word = bits_peek(b) & ~(uint64_t)127; /* 57 bits count */
        if (word) {
            uint64_t more = (uint64_t)__builtin_clzll(word);
            bits_advance(b, more + 1);
            return b->bad ? 0 : zeros + more;
        }
        zeros += 57;
        bits_advance(b, 57);
    }
    return 0;
}

static inline uint64_t bits_power(struct bits *b, uint64_t exponent)
{
    if (exponent <= 62) return ((uint64_t)1 << exponent | bits_take(b, exponent)) - 1;
    b->bad = true;
    return 0;
}

static inline uint64_t bits_gamma(struct bits *b) { return bits_power(b, bits_unary(b)); }
static inline uint64_t bits_delta(struct bits *b) { return bits_power(b, bits_gamma(b)); }

static inline uint64_t bits_zeta(struct bits *b, uint64_t k)
{
    uint64_t h = bits_unary(b);
    if (h > 62 || h * k + k > 62) {
        b->bad = true;
        return 0;
    }
    uint64_t left = (uint64_t)1 << (h * k), v = bits_take(b, h * k + k - 1);
    return v < left ? v + left - 1 : (v << 1) + bits_take(b, 1) - 1;
}

static inline uint64_t bits_golomb(struct bits *b, uint64_t modulus)
{
    uint64_t quotient, rest, log = 63 - (uint64_t)__builtin_clzll(modulus);
    if (__builtin_mul_overflow(bits_unary(b), modulus, &quotient) || quotient > INT64_MAX) b->bad = true;
    uint64_t short_codes = ((uint64_t)1 << (log + 1)) - modulus;
    rest = bits_take(b, log);
    if (rest >= short_codes) rest = (rest << 1 | bits_take(b, 1)) - short_codes;
    return b->bad ? 0 : quotient + rest;
}

/* Groups of three bits, each behind a bit that says whether it is the last. */
static inline uint64_t bits_nibble(struct bits *b)
{
    uint64_t v = 0, last;
    int groups = 0;
    do {
        last = bits_take(b, 1);
        v = v << 3 | bits_take(b, 3);
        if (++groups > 20) b->bad = true;
    } while (!last && !b->bad);
    return b->bad ? 0 : v;
}

#endif
