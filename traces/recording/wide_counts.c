#include "traces/recording/wide_counts.h"

#include <string.h>

#include "base/mem.h"

bool wide_counts_are(const struct count_row *rows, int count)
{
    bool all = true;
    for (int i = 0; i < count; i++) all &= rows[i].bytes == sizeof(uint32_t);
    return all;
}

enum st wide_counts_make(const struct count_row *rows, int count, uint64_t from, uint64_t to, int threads,
                         struct wide_counts *out, struct err *err)
{
    uint64_t n = to - from, narrow = 0;
    struct wide_counts w = {{NULL}, NULL};
    for (int i = 0; i < count; i++) narrow += rows[i].bytes != sizeof(uint32_t);
    if (narrow) MAKE(w.owned, narrow * n, "counts of 32 bits");
    uint32_t *next = w.owned;
    for (int i = 0; i < count; i++) {
        const struct count_row row = rows[i];
        if (row.bytes == sizeof(uint32_t)) {
            w.row[i] = (const uint32_t *)row.data + from;
            continue;
        }
        w.row[i] = next;
#pragma omp parallel for num_threads(threads)
        for (uint64_t v = 0; v < n; v++) next[v] = count_at(row, from + v);
        next += n;
    }
    *out = w;
    return ST_OK;
}

void wide_counts_release(struct wide_counts *w)
{
    mem_free(w->owned);
    memset(w, 0, sizeof *w);
}
