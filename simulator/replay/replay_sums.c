/* replay_sums.c - what the counts of a replay add up to (declared in replay.h). */
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "simulator/replay/replay.h"

static void take_part(uint64_t *count, int n, double part)
{
    for (int i = 0; i < n; i++) count[i] = units_part(count[i], part);
}

struct replay_gpu replay_part(const struct replay_gpu *gpu, double part)
{
    struct replay_gpu y = *gpu;
    if (part == 1) return y;
    take_part(y.rows, GPUS_MAX + 1, part);
    take_part(y.feature_bytes, GPUS_MAX + 1, part);
    take_part(y.visits, GPUS_MAX + 1, part);
    take_part(y.draws, GPUS_MAX + 1, part);
    take_part(y.degrees, GPUS_MAX + 1, part);
    take_part(y.entries, GPUS_MAX + 1, part);
    take_part(&y.vertices, 1, part);
    take_part(&y.topology, 1, part);
    take_part(&y.feature, 1, part);
    take_part(&y.lines, 1, part);
    take_part(y.hop_visits, HOPS_MAX, part);
    take_part(y.hop_draws, HOPS_MAX, part);
    return y;
}

struct table_reads replay_table_part(const struct table_reads *reads, double part)
{
    struct table_reads y = *reads;
    if (part == 1) return y;
    take_part(y.reads, READ_SOURCES, part);
    take_part(&y.transactions, 1, part);
    take_part(&y.uncached, 1, part);
    take_part(&y.draws, 1, part);
    return y;
}

uint64_t replay_feature_bytes(const struct replay_gpu *gpu, const struct graph *graph, int gpus, int source)
{
    if (!graph_plain(graph)) return gpu->feature_bytes[source];
    return gpu->rows[source] * (source == gpus ? graph->row_bytes : graph_cached_bytes(graph));
}

uint64_t replay_table_transactions(const struct replay *r, int table, double part)
{
    uint64_t sum = 0;
    for (int g = 0; g < r->gpus; g++)
        for (int t = 0; t < r->tables; t++)
            if (table < 0 || t == table)
                sum += units_round_half_up(units_part(r->table[(size_t)g * (size_t)r->tables + (size_t)t].transactions,
                                                      part),
                                           r->epochs);
    return sum;
}

void replay_release(struct replay *r)
{
    mem_free(r->gpu);
    mem_free(r->table);
    memset(r, 0, sizeof *r);
}
