/* wide.h - loops that are compiled for wider vectors, too; the widest that the processor has are taken. Only for loops
 * whose results do not depend on the width: integers, or no sum over lanes. */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H

#if defined __x86_64__ && defined __GNUC__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__ &&                   \
    !defined __SANITIZE_THREAD__
#define WIDE __attribute__((target_clones("default", "avx2", "arch=skylake-avx512")))
#else
#define WIDE
#endif

#endif
