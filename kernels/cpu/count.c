/* count.c - how often each vertex occurs. */
#include <string.h>
#include "kernels/cpu/copies.h"
#include "kernels/cpu/cpu.h"

static void count_plain(const uint32_t *ids, uint64_t from, uint64_t to, uint32_t *out)
{
    for (uint64_t i = from; i < to; i++) out[ids[i]]++;
}

static void count_atomic(const uint32_t *ids, uint64_t from, uint64_t to, uint32_t *out)
{
    for (uint64_t i = from; i < to; i++) __atomic_fetch_add(&out[ids[i]], 1, __ATOMIC_RELAXED);
}

enum st cpu_count(int threads, const uint32_t *ids, uint64_t m, uint64_t n, uint32_t *out, struct err *err)
{
    int parts = cpu_team(threads, m);
    uint32_t *copies = copies_new(parts, n, m, sizeof *out);

    (void)err;
    if (n) memset(out, 0, n * sizeof *out);
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int t = 0; t < parts; t++) {
        uint64_t from = cpu_cut(m, t, parts), to = cpu_cut(m, t + 1, parts);
        if (parts > 1 && !copies) count_atomic(ids, from, to, out);
        else count_plain(ids, from, to, t ? copies + (uint64_t)(t - 1) * n : out);
    }
    if (copies) {
#pragma omp parallel for num_threads(cpu_team(threads, n)) schedule(static)
        for (uint64_t v = 0; v < n; v++)
            for (int t = 1; t < parts; t++) out[v] += copies[(uint64_t)(t - 1) * n + v];
    }
    mem_free(copies);
    return ST_OK;
}
