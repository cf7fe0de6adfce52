#include "planner/partition/partition_memo.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* Graphs that differ in the bytes of their features alone have the same arcs. */
static bool same_graph(const struct partition_memo *memo, const struct graph *g)
{
    return memo && g->indptr == memo->graph->indptr && g->n == memo->graph->n && g->m == memo->graph->m;
}

bool partition_memo_find(const struct partition_memo *memo, const struct graph *g, const char *method, int parts,
                         const double *share, uint64_t seed, uint8_t *part, struct partition_report *report)
{
    for (int i = 0; same_graph(memo, g) && i < memo->count; i++) {
        const struct partition_kept *k = &memo->kept[i];
        if (k->parts != parts || k->seed != seed || strcmp(k->method, method)) continue;
        if (memcmp(k->share, share, (size_t)parts * sizeof *share)) continue;
        memcpy(part, k->part, g->n);
        report->metis_bytes = k->metis_bytes;
        return true;
    }
    return false;
}

void partition_memo_keep(struct partition_memo *memo, const struct graph *g, const char *method, int parts,
                         const double *share, uint64_t seed, const uint8_t *part, const struct partition_report *report)
{
    enum st st = ST_OK;
    struct err ignored, *err = &ignored;
    if (!same_graph(memo, g) || memo->count == PARTITION_MEMOS) return;
    struct partition_kept *k = &memo->kept[memo->count];
    NEW(k->part, g->n, "parts of the graph");
    memcpy(k->part, part, g->n);
    snprintf(k->method, sizeof k->method, "%s", method);
    memcpy(k->share, share, (size_t)parts * sizeof *share);
    k->parts = parts;
    k->seed = seed;
    k->metis_bytes = report->metis_bytes;
    memo->count++;
done:
    (void)st;
}

void partition_memo_release(struct partition_memo *memo)
{
    for (int i = 0; i < memo->count; i++) mem_free(memo->kept[i].part);
    memset(memo, 0, sizeof *memo);
}
