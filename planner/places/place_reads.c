#include "planner/places/place_reads.h"

#include <string.h>

#include "base/mem.h"

float place_reads_share(const struct place_source *s, const struct estimates *e, int g, bool topology, uint64_t v)
{
    return (float)reader_share(s->graph, s->trace, e->readers, g, topology, v) / READER_UNITS;
}

enum st place_reads_each(const struct place_source *s, place_reads_add *add, void *to, struct err *err)
{
    enum st st = ST_OK;
    const struct placement *p = &s->plan->placement;
    const struct assignment *a = &s->plan->assignment;
    struct visit_costs costs = {0};
    struct estimates e = {0};
    uint64_t n = s->graph->n;
    uint8_t *where = NULL;
    NEW(where, n, "the places of rows");
    TRY(visit_costs_make(s->graph, s->trace, s->line_bytes, s->threads, &costs, err));
    for (int c = 0; c < a->cliques; c++) {
        struct estimates_input in = {.graph = s->graph,
                                     .trace = s->trace,
                                     .kernels = s->kernels,
                                     .costs = &costs,
                                     .clique = c,
                                     .threads = s->threads,
                                     .line_bytes = s->line_bytes,
                                     .source = RATE_CALIBRATED};
        TRY(estimates_make(&in, &e, err));
        for (int g = 0; g < a->gpus; g++) {
            if (a->clique_of[g] != c) continue;
            placement_locate(p, g, p->feature, n, where);
            add(s, &e, g, false, where, to);
            if (p->access == ACCESS_SAMPLERS) continue; /* sampler GPUs hold the topology */
            if (p->access == ACCESS_GPU) placement_locate(p, g, p->topology, n, where);
            else memset(where, 0, n);
            add(s, &e, g, true, where, to);
        }
        estimates_release(&e);
    }
done:
    visit_costs_release(&costs);
    estimates_release(&e);
    mem_free(where);
    return st;
}

/* ---- expected ---- */

struct expected {
    const struct place_machine *m;
    float *const *all, *const *left;
    double *served;
};

static void add_expected(const struct place_source *s, const struct estimates *e, int g, bool topology,
                         const uint8_t *where, void *to)
{
    enum { FIXED = 1 << 20 }; /* sums of integers, so that threads do not change them */
    struct expected *x = to;
    const int reader = x->m->reader_of[g];
    const uint64_t rows = topology ? graph_topology_rows(s->graph) : graph_feature_rows(s->graph),
                   from = topology ? 0 : graph_topology_rows(s->graph);
    const float *rate = topology ? e->topology : e->rows;
    float *all = x->all ? x->all[reader] + from : NULL, *left = x->left ? x->left[reader] + from : NULL;
    uint64_t served = 0;
#pragma omp parallel for num_threads(s->threads) reduction(+ : served)
    for (uint64_t v = 0; v < rows; v++) {
        if (!(rate[v] > 0)) continue;
        float reads = rate[v] * place_reads_share(s, e, g, topology, v);
        if (all) all[v] += reads;
        if (where[v]) served += (uint64_t)(reads * FIXED);
        else if (left) left[v] += reads;
    }
    *x->served += (double)served / FIXED * x->m->shape.gpus[topology ? PLACE_TOPOLOGY : PLACE_FEATURE][reader];
}

enum st place_reads_expect(const struct place_source *s, const struct place_machine *m, float *const *all,
                           float *const *left, double *served, struct err *err)
{
    struct expected x = {m, all, left, served};
    *served = 0;
    return place_reads_each(s, add_expected, &x, err);
}

/* ---- counted ---- */

enum st place_reads_count(const struct place_source *s, const struct place_machine *m, float *const *all,
                          struct err *err)
{
    enum st st;
    struct visit_costs costs = {0};
    const struct trace *t = s->trace;
    const uint64_t n = graph_topology_rows(s->graph), features = graph_feature_rows(s->graph);
    double epochs = t->epochs ? (double)t->epochs : 1;
    TRY(visit_costs_make(s->graph, t, s->line_bytes, s->threads, &costs, err));
    for (int g = 0; g < t->assignment.gpus; g++) {
        float *to = all[m->reader_of[g]];
#pragma omp parallel for num_threads(s->threads)
        for (uint64_t v = 0; v < n; v++) {
            double lines = 0;
            for (int h = 0; h < t->workload.hops; h++)
                lines += (double)count_at(t->visits[h][g], v) * (double)costs.cost[h][v];
            to[v] += (float)(lines / epochs);
        }
        for (uint64_t v = 0; v < features; v++) to[n + v] += (float)((double)count_at(t->feature[g], v) / epochs);
    }
done:
    visit_costs_release(&costs);
    return st;
}

/* ---- blocks ---- */

/* What all recorded visits read of neighbour lists in pieces of so many bytes, and how many visits there are. */
static enum st sum_visits(const struct place_source *s, uint64_t piece, double *out, double *visits, struct err *err)
{
    enum st st;
    struct visit_costs costs = {0};
    const struct trace *t = s->trace;
    *out = *visits = 0;
    TRY(visit_costs_make(s->graph, t, piece, s->threads, &costs, err));
    for (int h = 0; h < t->workload.hops; h++)
        for (uint64_t v = 0; v < s->graph->n; v++) {
            uint64_t count = 0;
            for (int g = 0; g < t->assignment.gpus; g++) count += count_at(t->visits[h][g], v);
            *out += (double)count * (double)costs.cost[h][v];
            *visits += (double)count;
        }
done:
    visit_costs_release(&costs);
    return st;
}

enum st place_reads_blocks(const struct place_source *s, uint64_t block_bytes, double *lines, double *blocks,
                           struct err *err)
{
    enum st st;
    double visits;
    TRY(sum_visits(s, s->line_bytes, lines, &visits, err));
    TRY(sum_visits(s, block_bytes, blocks, &visits, err));
    *blocks -= visits; /* a visit's offset pair is in DRAM */
done:
    return st;
}
