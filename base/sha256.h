/* sha256.h - SHA-256 (FIPS 180-4), for checksums of plans and fingerprints of graphs.
 *
 * A hash is begun, given bytes any number of times, and ended. It never fails. One struct belongs to one thread.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t state[8];
    uint64_t bytes; /* hashed so far */
    unsigned char block[64];
    bool instructions; /* the processor's own compute; sha256_begin sets it where it has them */
};

void sha256_begin(struct sha256 *h);                               /* of no bytes yet */
void sha256_add(struct sha256 *h, const void *data, size_t bytes); /* hashes `bytes` more bytes */
/* The digest; h must be begun again before its next use. */
void sha256_end(struct sha256 *h, unsigned char digest[32]);
/* The digest as 64 lower-case hex digits and a NUL. */
void sha256_hex(const unsigned char digest[32], char hex[65]);

#endif
