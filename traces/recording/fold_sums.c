#include "traces/recording/fold_sums.h"

#include "traces/recording/count_row.h"

enum { CHUNK = 1 << 15 }; /* counts that a thread adds up, and then writes to a file, at once */

/* Counts begin..end-1; `after` is where the first of them goes. Returns all bits that a sum needs. */
static inline uint32_t add_counts(uint32_t *from, uint32_t *to, struct count_row before, void *after, uint64_t begin,
                                  uint64_t end)
{
    uint32_t all = 0;
    for (uint64_t v = begin; v < end; v++) {
        to[v] += from[v];
        uint32_t sum = (before.data ? count_at(before, v) : 0u) + from[v];
        all |= sum;
        if (after) count_put(after, before.bytes, v - begin, sum);
        from[v] = 0;
    }
    return all;
}

/* At most CHUNK counts. */
static enum st add_chunk(const struct fold_row *f, uint32_t *from, uint32_t *to, uint64_t begin, uint64_t end,
                         uint32_t *all, struct err *err)
{
    uint16_t chunk[CHUNK];
    uint64_t at = begin * (uint64_t)f->bytes;
    void *after = f->store ? (void *)chunk : f->after ? (char *)f->after + at : NULL;
    /* the same loop, compiled for each width */
    if (f->bytes == 1) *all |= add_counts(from, to, (struct count_row){f->before, 1}, after, begin, end);
    else *all |= add_counts(from, to, (struct count_row){f->before, 2}, after, begin, end);
    return f->store ? checkpoint_write(f->store, f->file, f->at + at, chunk, (end - begin) * (uint64_t)f->bytes, err)
                    : ST_OK;
}

enum st fold_add(const struct fold_row *f, uint32_t *from, uint32_t *to, uint64_t n, int threads, bool *overflow,
                 struct err *err)
{
    enum st st = ST_OK;
    uint32_t all = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(| : all)
    for (uint64_t begin = 0; begin < n; begin += CHUNK) {
        struct err mine = {0};
        uint64_t end = n - begin < CHUNK ? n : begin + CHUNK;
        if (add_chunk(f, from, to, begin, end, &all, &mine) == ST_OK) continue;
#pragma omp critical(fold_errors)
        *err = mine;
#pragma omp atomic write
        st = ST_LIMIT;
    }
    if (f->store || f->after) *overflow |= all > (f->bytes == 1 ? UINT8_MAX : UINT16_MAX);
    if (f->store) checkpoint_drop_pages(f->before, n * (uint64_t)f->bytes);
    return st;
}

void fold_skip(struct fold_row *f, uint64_t n)
{
    uint64_t bytes = n * (uint64_t)f->bytes;
    if (f->before) f->before = (const char *)f->before + bytes;
    if (f->after) f->after = (char *)f->after + bytes;
    f->at += bytes;
}
