#include "planner/partition/reads_costs.h"

/* Summed by level, as rows of one level have one weight. */
void reads_costs_each(const struct reads *reads, uint64_t t, int64_t *price, int64_t *work)
{
    int64_t sum[(PARTITION_HELD_MOST + 1) * PARTS_MAX], *to[PARTS_MAX]; /* [levels][parts]; to: of each group's level */
    const uint8_t *group = reads->group;
    const int own = reads->c.own[t], parts = reads->c.parts;
    uint64_t entries = reads->l.start[reads->c.trains];
    memset(sum, 0, (size_t)((reads->held + 1) * parts) * sizeof *sum);
    for (uint64_t i = reads->l.start[t], end = reads->l.start[t + 1]; i < end; i++) {
        reads_prefetch_ahead(reads, i, entries);
        const uint8_t *record = reads->record + reads->l.row[i] * reads->stride;
        const uint16_t *c = (const uint16_t *)record;
        const uint8_t *level = reads_levels(reads, record);
        unsigned times = reads->l.times[i];
        const uint32_t *const *more = reads->more[times - 1];
        for (int k = 0; k < reads->groups; k++) to[k] = sum + level[k] * parts;
        for (int p = 0; p < parts; p++) to[group[p]][p] += more[p][c[p]];
        to[group[own]][own] += (int64_t)more[own][c[own] - times] - more[own][c[own]]; /* its own are among them */
    }
    for (int p = 0; p < parts; p++) {
        price[p] = work[p] = 0;
        for (int k = 0; k <= reads->held; k++) {
            price[p] += sum[k * parts + p] * reads->weight[k];
            work[p] += sum[k * parts + p];
        }
    }
}
