#include "planner/policies/side_counts.h"

#include <string.h>

#include "base/mem.h"

enum { BLOCK = 1 << 12 }; /* vertices whose bytes stay in the cache while all GPUs' counts are copied */

static inline uint8_t byte_of(uint64_t count) { return count < UINT8_MAX ? (uint8_t)count : UINT8_MAX; }

/* One GPU's counts of vertices from..to-1, to every gpus-th byte. */
static void copy_row(struct count_row row, uint64_t from, uint64_t to, int gpus, uint8_t *out)
{
    for (uint64_t v = from; v < to; v++) out[v * (uint64_t)gpus] = byte_of(count_at(row, v));
}

static void copy_block(const struct side_counts *s, uint64_t from, uint64_t to)
{
    for (int i = 0; i < s->gpus; i++) {
        copy_row(s->t->feature[s->gpu[i]], from, to, s->gpus, s->hot[0] + i);
        copy_row(s->t->topology[s->gpu[i]], from, to, s->gpus, s->hot[1] + i);
        for (uint64_t v = from; s->reads && v < to; v++)
            s->reads[v * (uint64_t)s->gpus + (uint64_t)i] = byte_of(reader_count(s->t, s->gpu[i], true, v));
    }
}

struct side_counts side_counts_none(const struct trace *t, const int *gpu, int gpus)
{
    struct side_counts s = {.t = t, .gpus = gpus};
    memcpy(s.gpu, gpu, sizeof *gpu * (size_t)gpus);
    return s;
}

enum st side_counts_make(const struct trace *t, const int *gpu, int gpus, bool reads, int threads,
                         struct side_counts *s, struct err *err)
{
    enum st st = ST_OK;
    struct side_counts made = side_counts_none(t, gpu, gpus);
    for (int kind = 0; kind < 2; kind++) NEW(made.hot[kind], t->n * (uint64_t)gpus, "counts side by side");
    if (reads) NEW(made.reads, t->n * (uint64_t)gpus, "counts side by side");
    for (uint64_t from = 0; from < t->n; from += TRACE_STRETCH) {
        uint64_t to = t->n - from < TRACE_STRETCH ? t->n : from + TRACE_STRETCH;
#pragma omp parallel for schedule(static) num_threads(threads)
        for (uint64_t b = from; b < to; b += BLOCK) copy_block(&made, b, to - b < BLOCK ? to : b + BLOCK);
        trace_drop_pages(t);
    }
    *s = made;
    return ST_OK;
done:
    side_counts_release(&made);
    return st;
}

void side_counts_release(struct side_counts *s)
{
    for (int kind = 0; kind < 2; kind++) mem_free(s->hot[kind]);
    mem_free(s->reads);
    memset(s, 0, sizeof *s);
}
