#include "planner/policies/side_counts.h"

#include <string.h>

#include "base/mem.h"

enum { BLOCK = 1 << 10 }; /* vertices whose bytes stay in the cache while all GPUs' counts are copied */

/* To every gpus-th byte. */
static void put(const uint32_t *count, uint64_t some, int gpus, uint8_t *out)
{
    for (uint64_t i = 0; i < some; i++) out[i * (uint64_t)gpus] = count[i] < UINT8_MAX ? (uint8_t)count[i] : UINT8_MAX;
}

static void copy_block(const struct side_counts *s, uint64_t from, uint64_t some)
{
    uint64_t at = from * (uint64_t)s->gpus;
    for (int i = 0; i < s->gpus; i++) {
        uint32_t count[BLOCK] = {0};
        count_row_add(s->t->feature[s->gpu[i]], from, some, count);
        put(count, some, s->gpus, s->hot[0] + at + i);
        memset(count, 0, sizeof count);
        count_row_add(s->t->topology[s->gpu[i]], from, some, count);
        put(count, some, s->gpus, s->hot[1] + at + i);
        if (!s->reads) continue;
        reader_count_block(s->t, s->gpu[i], true, from, some, count);
        put(count, some, s->gpus, s->reads + at + i);
    }
}

/* Row by row, of several types: what they drew follows from visits. */
static void copy_items(const struct side_counts *s, int kind, int threads)
{
    const uint64_t first = kind ? 0 : graph_topology_rows(s->graph), rows = graph_kind_rows(s->graph, kind);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint64_t v = 0; v < rows; v++)
        for (int i = 0; i < s->gpus; i++) {
            uint64_t heat = trace_item_heat(s->t, s->graph, first + v, s->gpu[i]);
            s->hot[kind][v * (uint64_t)s->gpus + (uint64_t)i] = heat < UINT8_MAX ? (uint8_t)heat : UINT8_MAX;
        }
}

struct side_counts side_counts_none(const struct graph *g, const struct trace *t, const int *gpu, int gpus)
{
    struct side_counts s = {.graph = g, .t = t, .gpus = gpus};
    memcpy(s.gpu, gpu, sizeof *gpu * (size_t)gpus);
    return s;
}

enum st side_counts_make(const struct graph *g, const struct trace *t, const int *gpu, int gpus, bool reads,
                         int threads, struct side_counts *s, struct err *err)
{
    enum st st = ST_OK;
    struct side_counts made = side_counts_none(g, t, gpu, gpus);
    for (int kind = 0; kind < 2; kind++)
        NEW(made.hot[kind], graph_kind_rows(g, kind) * (uint64_t)gpus, "counts side by side");
    for (int kind = 0; kind < 2 && !graph_plain(g); kind++) copy_items(&made, kind, threads);
    if (reads) NEW(made.reads, t->n * (uint64_t)gpus, "counts side by side");
    for (uint64_t from = 0; from < t->n && graph_plain(g); from += TRACE_STRETCH) {
        uint64_t to = t->n - from < TRACE_STRETCH ? t->n : from + TRACE_STRETCH;
#pragma omp parallel for schedule(static) num_threads(threads)
        for (uint64_t b = from; b < to; b += BLOCK) copy_block(&made, b, to - b < BLOCK ? to - b : BLOCK);
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
