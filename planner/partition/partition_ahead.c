#include "planner/partition/partition_ahead.h"

#include <string.h>

#include "base/mem.h"
#include "planner/partition/partition_memo.h"
#include "planner/partition/partition_metis.h"

int partition_together(const struct graph *g, int threads)
{
    uint64_t each = metis_bytes(g, 1) + 1, most = PARTITION_AHEAD_BYTES / each;
    return most < 1 || threads < 1 ? 1 : most < (uint64_t)threads ? (int)most : threads;
}

static bool same_cut(const struct partition_cut *a, const struct partition_cut *b)
{
    return a->parts == b->parts && !strcmp(a->method, b->method) &&
           !memcmp(a->share, b->share, (size_t)a->parts * sizeof *a->share);
}

/* Lists the cuts to make: METIS's on the whole graph, each once. */
static int needed(const struct graph *g, const struct partition_options *o, const struct partition_cut *cut, int count,
                  uint8_t *part, struct partition_cut *out)
{
    int found = 0;
    for (int i = 0; i < count && found < PARTITION_CUTS_MOST; i++) {
        struct partition_cut c = cut[i];
        struct partition_report ignored;
        bool again = false;
        c.method = partition_first_method(g, c.method);
        if (c.parts < 2 || (strcmp(c.method, "metis") && strcmp(c.method, "metis-bytes"))) continue;
        if (partition_memo_find(o->memo, g, c.method, c.parts, c.share, o->seed, part, &ignored)) continue;
        for (int k = 0; k < found; k++) again |= same_cut(&out[k], &c);
        if (!again) out[found++] = c;
    }
    return found;
}

void partition_ahead(const struct graph *g, const struct partition_options *o, const struct partition_cut *cut,
                     int count)
{
    enum st st = ST_OK;
    struct err ignored = {0}, *err = &ignored;
    struct partition_cut list[PARTITION_CUTS_MOST];
    struct partition_report report = {.metis_bytes = metis_bytes(g, 1)};
    int together = partition_together(g, o->threads), todo = 0;
    uint8_t *part = NULL;
    if (!o->memo || o->given || !g->n || together < 2) return;
    if (!metis_possible(g, 1) || (o->memory && (uint64_t)together * report.metis_bytes > o->memory)) return;
    NEW(part, g->n * PARTITION_CUTS_MOST, "parts of the graph");
    todo = needed(g, o, cut, count, part, list);
    if (todo < 2) goto done;
#pragma omp parallel for schedule(dynamic, 1) num_threads(together)
    for (int i = 0; i < todo; i++) {
        struct err mine = {0};
        uint8_t *to = part + (uint64_t)i * g->n;
        bool bytes = !strcmp(list[i].method, "metis-bytes");
        if (metis_split(g, 1, list[i].parts, list[i].share, o->seed, bytes, to, &mine) != ST_OK) continue;
#pragma omp critical(partition_ahead_memo)
        partition_memo_keep(o->memo, g, list[i].method, list[i].parts, list[i].share, o->seed, to, &report);
    }
done:
    (void)st;
    mem_free(part);
}
