#include "kernels/host.h"

#include <string.h>

enum { ALONE = 1 << 18 }; /* bytes: a smaller copy is faster on one thread */

void host_copy(int threads, void *to, const void *from, uint64_t bytes)
{
    uint64_t parts = bytes / ALONE + 1;
#pragma omp parallel for schedule(static) num_threads(threads) if (parts > 1)
    for (uint64_t i = 0; i < parts; i++) {
        uint64_t at = bytes * i / parts, end = bytes * (i + 1) / parts;
        memcpy((char *)to + at, (const char *)from + at, end - at);
    }
}

void host_add(int threads, uint32_t *to, const uint32_t *from, uint64_t count)
{
#pragma omp parallel for simd schedule(static) num_threads(threads) if (count > ALONE / 4)
    for (uint64_t i = 0; i < count; i++) to[i] += from[i];
}
