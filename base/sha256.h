/* sha256.h - SHA-256 (FIPS 180-4), for checksums of plans and fingerprints of graphs. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t state[8];
    uint64_t bytes; /* hashed so far */
    unsigned char block[64];
};

void sha256_begin(struct sha256 *h);
void sha256_add(struct sha256 *h, const void *data, size_t bytes);
void sha256_end(struct sha256 *h, unsigned char digest[32]);
void sha256_hex(const unsigned char digest[32], char hex[65]);

#endif
