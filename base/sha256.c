#include "base/sha256.h"

#include <string.h>

#include "base/sha256_x86.h"

static const uint32_t round_constant[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
                                            0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
                                            0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
                                            0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
                                            0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
                                            0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
                                            0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
                                            0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
                                            0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
                                            0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
                                            0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int k) { return x >> k | x << (32 - k); }

/* One round on the eight state words. The caller rotates their names from round to round, so no word is moved. */
#define ROUND(a, b, c, d, e, f, g, h, i)                                                                               \
    do {                                                                                                               \
        uint32_t t_ = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + round_constant[i] +  \
                      w[i];                                                                                            \
        d += t_;                                                                                                       \
        h = t_ + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));                       \
    } while (0)

static void compress(uint32_t s[8], const unsigned char *p)
{
    uint32_t w[64], a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10);
    for (int i = 0; i < 64; i += 8) {
        ROUND(a, b, c, d, e, f, g, h, i);
        ROUND(h, a, b, c, d, e, f, g, i + 1);
        ROUND(g, h, a, b, c, d, e, f, i + 2);
        ROUND(f, g, h, a, b, c, d, e, i + 3);
        ROUND(e, f, g, h, a, b, c, d, i + 4);
        ROUND(d, e, f, g, h, a, b, c, i + 5);
        ROUND(c, d, e, f, g, h, a, b, i + 6);
        ROUND(b, c, d, e, f, g, h, a, i + 7);
    }
    const uint32_t out[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++) s[i] += out[i];
}

static void add_blocks(struct sha256 *h, const unsigned char *p, size_t blocks)
{
    if (h->instructions) sha256_x86_blocks(h->state, round_constant, p, blocks);
    for (; !h->instructions && blocks; blocks--, p += 64) compress(h->state, p);
}

void sha256_begin(struct sha256 *h)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memset(h, 0, sizeof *h);
    memcpy(h->state, start, sizeof start);
    h->instructions = sha256_x86_works();
}

void sha256_add(struct sha256 *h, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    size_t held = (size_t)(h->bytes % 64);
    h->bytes += bytes;
    if (held) {
        size_t take = bytes < 64 - held ? bytes : 64 - held;
        memcpy(h->block + held, p, take);
        p += take;
        bytes -= take;
        if (held + take < 64) return;
        add_blocks(h, h->block, 1);
    }
    add_blocks(h, p, bytes / 64);
    if (bytes % 64) memcpy(h->block, p + bytes / 64 * 64, bytes % 64);
}

void sha256_end(struct sha256 *h, unsigned char digest[32])
{
    uint64_t bits = h->bytes * 8;
    unsigned char tail[72] = {0x80};
    size_t pad = (size_t)((119 - h->bytes % 64) % 64) + 1;
    for (int i = 0; i < 8; i++) tail[pad + (size_t)i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(h, tail, pad + 8);
    for (int i = 0; i < 32; i++) digest[i] = (unsigned char)(h->state[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_hex(const unsigned char digest[32], char hex[65])
{
    static const char letters[] = "0123456789abcdef";
    for (int i = 0; i < 32; i++) {
        hex[2 * i] = letters[digest[i] >> 4];
        hex[2 * i + 1] = letters[digest[i] & 15];
    }
    hex[64] = '\0';
}
