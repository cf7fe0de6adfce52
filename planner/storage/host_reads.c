#include "planner/storage/host_reads.h"

#include <string.h>

#include "base/mem.h"

float host_reads_share(const struct host_reads *h, const struct estimates *e, int g, bool topology, uint64_t v)
{
    return (float)reader_share(h->graph, h->trace, e->readers, g, topology, v) / READER_UNITS;
}

enum st host_reads_each(const struct host_reads *h, host_reads_add *add, void *to, struct err *err)
{
    enum st st = ST_OK;
    const struct placement *p = &h->plan->placement;
    const struct assignment *a = &h->plan->assignment;
    struct visit_costs costs = {0};
    struct estimates e = {0};
    uint64_t n = h->graph->n;
    uint8_t *where = NULL;
    NEW(where, n, "the places of rows");
    TRY(visit_costs_make(h->graph, h->trace, h->line_bytes, h->threads, &costs, err));
    for (int c = 0; c < a->cliques; c++) {
        struct estimates_input in = {.graph = h->graph,
                                     .trace = h->trace,
                                     .kernels = h->kernels,
                                     .costs = &costs,
                                     .clique = c,
                                     .threads = h->threads,
                                     .line_bytes = h->line_bytes,
                                     .source = RATE_CALIBRATED};
        TRY(estimates_make(&in, &e, err));
        for (int g = 0; g < a->gpus; g++) {
            if (a->clique_of[g] != c) continue;
            placement_locate(p, g, p->feature, n, where);
            add(h, &e, g, false, where, to);
            if (p->access == ACCESS_SAMPLERS) continue; /* sampler GPUs hold the topology */
            if (p->access == ACCESS_GPU) placement_locate(p, g, p->topology, n, where);
            else memset(where, 0, n);
            add(h, &e, g, true, where, to);
        }
        estimates_release(&e);
    }
done:
    visit_costs_release(&costs);
    estimates_release(&e);
    mem_free(where);
    return st;
}
