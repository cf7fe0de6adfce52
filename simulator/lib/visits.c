/* visits.c - which place serves the neighbour lists that a mini-batch visits (declared in hotset.h). */
#include <string.h>

#include "simulator/lib/internal.h"

enum { OWN, PEER, HOST, PLACES };

/* Adds the visits of one hop. ST_INPUT: a vertex is beyond the table's graph. */
static enum st count_hop(const struct hotset_lookup *t, const struct hotset_hop *hop, uint64_t *counts, struct err *err)
{
    for (uint64_t i = 0; i < hop->visits; i++) {
        uint32_t v = hop->expanded[i], memory = 0;
        uint64_t slot;
        if (v >= t->vertices)
            return err_set(err, ST_INPUT,
                           "hotset_count_visits: vertex %u is beyond the graph's %llu vertices; the mini-batches are "
                           "of another graph than the table",
                           v, (unsigned long long)t->vertices);
        if (!hotset_find(t, v, &memory, &slot)) counts[HOST]++;
        else counts[memory == t->reader ? OWN : PEER]++;
    }
    return ST_OK;
}

int hotset_count_visits(const struct hotset_lookup *topology, const struct hotset_batch *batch, uint64_t *counts,
                        struct hotset_error *error)
{
    static const char call[] = "hotset_count_visits";
    struct err err = {0};
    uint64_t found[PLACES] = {0};
    enum st st = ST_OK;
    if (!topology || !batch || !counts) st = err_set(&err, ST_USAGE, "%s: table, batch and counts must be given", call);
    else st = lib_check_struct(batch->struct_bytes, sizeof *batch, "hotset_batch", &err);
    if (st == ST_OK) st = lib_check_table(call, topology, &err);
    if (st == ST_OK && (batch->hops < 0 || batch->hops > HOTSET_HOPS_MAX))
        st = err_set(&err, ST_USAGE, "%s: the mini-batch has %d hops, expected 0 to %d", call, batch->hops,
                     HOTSET_HOPS_MAX);
    for (int h = 0; st == ST_OK && h < batch->hops; h++) st = count_hop(topology, &batch->hop[h], found, &err);
    for (int k = 0; st == ST_OK && k < PLACES; k++) counts[k] += found[k];
    return lib_finish(st, &err, error);
}
