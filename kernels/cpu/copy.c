#include "kernels/cpu/copy.h"

#include <string.h>

#include "kernels/cpu/cpu.h"

enum { ENOUGH = 64 }; /* bytes that cost as much as one element of an operation */

void cpu_copy(int threads, void *to, const void *from, uint64_t bytes)
{
    int team = cpu_team(threads, bytes / ENOUGH);
#pragma omp parallel for num_threads(team) schedule(static, 1)
    for (int t = 0; t < team; t++) {
        uint64_t begin = cpu_cut(bytes, t, team), end = cpu_cut(bytes, t + 1, team);
        memcpy((char *)to + begin, (const char *)from + begin, end - begin);
    }
}
