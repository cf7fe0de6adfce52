#define _GNU_SOURCE
#include "base/numa.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const nodes_with_memory = "/sys/devices/system/node/has_memory";

/* The kernel's MPOL_INTERLEAVE; the header that defines it comes with libnuma, which hotset does not use. */
enum { INTERLEAVE = 3 };

int numa_nodes(const char *path, uint64_t mask[NUMA_WORDS])
{
    FILE *f = fopen(path, "r");
    unsigned first, last;
    int found = 0;
    memset(mask, 0, NUMA_WORDS * sizeof *mask);
    if (!f) return 0;
    while (fscanf(f, "%4u", &first) == 1) {
        int next = fgetc(f);
        last = first;
        if (next == '-') {
            if (fscanf(f, "%4u", &last) != 1) break;
            next = fgetc(f);
        }
        for (unsigned n = first; n <= last && n < NUMA_NODES_MAX; n++) {
            found += !(mask[n / 64] >> n % 64 & 1);
            mask[n / 64] |= UINT64_C(1) << n % 64;
        }
        if (next != ',') break;
    }
    fclose(f);
    return found;
}

bool numa_several(void)
{
    enum { UNKNOWN, ONE, SEVERAL };
    static int nodes = UNKNOWN;
    int seen = __atomic_load_n(&nodes, __ATOMIC_RELAXED);
    if (seen == UNKNOWN) {
        uint64_t mask[NUMA_WORDS];
        seen = numa_nodes(nodes_with_memory, mask) > 1 ? SEVERAL : ONE;
        __atomic_store_n(&nodes, seen, __ATOMIC_RELAXED);
    }
    return seen == SEVERAL;
}

bool numa_interleave(void *block, uint64_t bytes, const uint64_t mask[NUMA_WORDS])
{
#ifdef SYS_mbind
    return syscall(SYS_mbind, block, (unsigned long)bytes, INTERLEAVE, mask, (unsigned long)NUMA_NODES_MAX, 0u) == 0;
#else
    (void)block, (void)bytes, (void)mask;
    return false;
#endif
}

void numa_spread(void *block, uint64_t bytes)
{
    uint64_t mask[NUMA_WORDS];
    if (numa_several() && numa_nodes(nodes_with_memory, mask) > 1) numa_interleave(block, bytes, mask);
}
