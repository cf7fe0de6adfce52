#include "planner/engine/tier_count.h"

#include <math.h>

#include "base/mem.h"

static enum st count_node(const struct graph *view, const struct plan *plan, const struct memories *m,
                          const struct tier_counts *c, float *const *to, struct err *err)
{
    enum st st;
    ON_HEAP(struct trace, t);
    struct workload w = plan->workload;
    struct trace_options o = {.epochs = c->epochs,
                              .line_bytes = m->request.read_bytes[PLACE_TOPOLOGY],
                              .threads = m->threads,
                              .progress = c->progress,
                              .server_name = m->request.server->name,
                              .server_fingerprint = m->request.server->fingerprint,
                              .kernels = m->kernels};
    const struct place_source s = {view, plan, t, m->kernels, m->threads, m->request.read_bytes[PLACE_TOPOLOGY]};
    w.seed = c->seed;
    TRY(trace_record(view, &plan->assignment, &w, &o, t, err));
    TRY(place_reads_count(&s, &m->machine, to, err));
done:
    trace_release(t);
    return st;
}

/* The place that serves a reader, and what a read costs it there; ties to the lower place. count: SSDs. */
static int source_of(const struct place_problem *p, int reader, int kind, const uint8_t *set, double *cost)
{
    const int each = p->cliques + p->sockets, node = reader / p->readers, r = reader % p->readers;
    int best = place_count(p);
    *cost = p->has_last ? p->last[kind][r] : INFINITY;
    for (int k = place_count(p); k-- > 0;) {
        double c = INFINITY;
        if (!place_holds(set, k)) continue;
        if (place_is_dram(p, k)) c = k / each == node ? p->dram[kind][r][k % each - p->cliques] : p->remote[kind][r];
        else if (k / each == node && k % each == p->clique_of[r]) c = p->gpus[kind][r];
        if (c > *cost || isinf(c)) continue;
        *cost = c;
        best = k;
    }
    return best;
}

static void count_way(const struct place_problem *p, const struct place_solution *s, struct tier_served *served,
                      double *seconds)
{
    for (int r = 0; r < p->nodes * p->readers; r++)
        for (uint64_t i = 0; i < p->rows; i++) {
            double demand = (double)p->demand[r][i], cost;
            if (!(demand > 0)) continue;
            const int kind = place_kind(p, i), k = source_of(p, r, kind, place_set_of(s, i), &cost);
            *(kind == PLACE_TOPOLOGY ? &served[k].lines : &served[k].features) += demand;
            served[k].seconds += demand * cost;
            *seconds += demand * cost;
        }
}

enum st tier_count(const struct study_nodes *x, const struct study_cell *cell, const struct memories *m,
                   struct tier_counts *out, struct err *err)
{
    enum st st = ST_OK;
    ON_HEAP(struct place_problem, p);
    const int each = m->machine.shape.readers, readers = m->request.nodes * each;
    float **counted = NULL;
    NEW(counted, readers, "the reads of GPUs");
    for (int r = 0; r < readers; r++) NEW(counted[r], m->rows + 1, "the reads of GPUs");
    for (int i = 0; i < x->nodes; i++)
        TRY(count_node(x->node[i].s.o.graph, &study_cell_of(cell, i)->plan, m, out, counted + i * each, err));
    memories_problem(m, true, counted, p);
    for (int w = 0; w < MEMORIES_WAYS; w++) count_way(p, &m->way[w], out->served[w], &out->seconds[w]);
done:
    for (int r = 0; counted && r < readers; r++) mem_free(counted[r]);
    mem_free(counted);
    return st;
}
