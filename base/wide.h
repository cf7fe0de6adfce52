/* wide.h - loops as wide as the processor: a function marked WIDE is compiled for vectors of 16, 32 and 64 bytes, and
 * the widest that the processor has runs. Nothing may depend on it but time: no sum is taken over lanes, and the
 * Makefile forbids fused multiply-add, so that results are the same bytes everywhere. */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H

#if defined __x86_64__ && defined __GNUC__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__ &&                   \
    !defined __SANITIZE_THREAD__
#define WIDE __attribute__((target_clones("default", "avx2", "arch=skylake-avx512")))
#else
#define WIDE
#endif
/* Of what such functions call: part of them, or it would be compiled for the narrowest. */
#define INLINED inline __attribute__((always_inline))

#endif
