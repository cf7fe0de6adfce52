/* sha256_x86.h - SHA-256's blocks by the instructions that x86 processors have for them, five times as fast. */
#ifndef BASE_SHA256_X86_H
#define BASE_SHA256_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether this processor has them; false on every other kind. */
bool sha256_x86_works(void);
/* Takes `blocks` blocks of 64 bytes into the state. constant: the 64 of the rounds. Only where it works. */
void sha256_x86_blocks(uint32_t state[8], const uint32_t constant[64], const unsigned char *data, size_t blocks);

#endif
