/* column_sum.c - sums of the GPUs' counts, vertex by vertex. Bound by memory: 4 * count bytes read and 8 written per
 * vertex. */
#include "kernels/cpu/cpu.h"

enum { BLOCK = 1024 }; /* 8 KiB of sums stay in the first-level cache while the rows stream past */

static void sum_block(const uint32_t *const *rows, int count, uint64_t from, uint64_t to, uint64_t *out)
{
    for (uint64_t v = from; v < to; v++) out[v] = count ? rows[0][v] : 0;
    for (int r = 1; r < count; r++) {
        const uint32_t *row = rows[r];
        for (uint64_t v = from; v < to; v++) out[v] += row[v];
    }
}

enum st cpu_column_sum(int threads, const uint32_t *const *rows, int count, uint64_t n, uint64_t *out, struct err *err)
{
    (void)err;
#pragma omp parallel for num_threads(cpu_team(threads, n)) schedule(static)
    for (uint64_t from = 0; from < n; from += BLOCK)
        sum_block(rows, count, from, from + BLOCK < n ? from + BLOCK : n, out);
    return ST_OK;
}
