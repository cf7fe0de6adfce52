/* graph_bits.h - a stream of bits, highest first, and WebGraph's codes (Boldi and Vigna, "The WebGraph framework II:
 * codes for the World-Wide Web", DCC 2004): unary, gamma, delta, zeta, Golomb, nibble.
 *
 * Each function reads one number and moves on. Reading beyond the end, or a code of more than 63 bits, sets `bad` and
 * gives 0, so that a decoder checks once per vertex.
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

/* Skips bits. */
static inline void bits_advance(struct bits *b, uint64_t count)
{
    if (count > b->size - b->at) {
        b->bad = true;
        b->at = b->size;
    } else {
        b->at += count;
    }
}

/* The next `count` bits, 0..63, as a number. */
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

/* Unary: the zeros before the next one. */
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

/* 2^exponent + the next `exponent` bits - 1: what gamma and delta have in common. */
static inline uint64_t bits_power(struct bits *b, uint64_t exponent)
{
    if (exponent <= 62) return ((uint64_t)1 << exponent | bits_take(b, exponent)) - 1;
    b->bad = true;
    return 0;
}

/* Elias gamma: the exponent in unary. */
static inline uint64_t bits_gamma(struct bits *b) { return bits_power(b, bits_unary(b)); }
/* Elias delta: the exponent in gamma. */
static inline uint64_t bits_delta(struct bits *b) { return bits_power(b, bits_gamma(b)); }

/* Zeta with shrinking factor k >= 1, for power laws. */
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

/* Golomb: quotient in unary, rest in truncated binary. modulus >= 1. */
static inline uint64_t bits_golomb(struct bits *b, uint64_t modulus)
{
    uint64_t quotient, rest, log = 63 - (uint64_t)__builtin_clzll(modulus);
    if (__builtin_mul_overflow(bits_unary(b), modulus, &quotient) || quotient > INT64_MAX) b->bad = true;
    uint64_t short_codes = ((uint64_t)1 << (log + 1)) - modulus;
    rest = bits_take(b, log);
    if (rest >= short_codes) rest = (rest << 1 | bits_take(b, 1)) - short_codes;
    return b->bad ? 0 : quotient + rest;
}

/* Nibble: groups of three bits, each behind a bit that is 1 for the last one. */
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
