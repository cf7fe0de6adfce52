#include "planner/tiers/tier_rows.h"

#include <string.h>

#include "base/mem.h"

void tier_reads_release(struct tier_reads *x)
{
    for (int i = 0; i < x->readers; i++) mem_free(x->of[i]);
    memset(x, 0, sizeof *x);
}

static enum st reads_begin(const struct tier_source *s, const struct tier_machine *m, struct tier_reads *out,
                           struct err *err)
{
    enum st st = ST_OK;
    out->n = s->graph->n;
    for (; out->readers < m->readers; out->readers++) NEW(out->of[out->readers], 3 * out->n + 1, "the reads of GPUs");
done:
    return st;
}

/* Where the needs of the GPU at this position of the trace are added. */
static float *of_gpu(const struct tier_source *s, const struct tier_machine *m, const struct tier_reads *x, int g)
{
    return x->of[tier_reader_of(m, g / s->server_gpus, g % s->server_gpus)];
}

/* ---- expected ---- */

static void expect_gpu(const struct tier_source *s, const struct estimates *e, int g, float *to)
{
    uint64_t n = s->graph->n;
#pragma omp parallel for num_threads(s->threads)
    for (uint64_t v = 0; v < n; v++) {
        if (e->topology[v] > 0)
            to[v] += e->topology[v] * (float)reader_share(s->graph, s->trace, e->readers, g, true, v) / READER_UNITS;
        if (e->rows[v] > 0)
            to[2 * n + v] += e->rows[v] * (float)reader_share(s->graph, s->trace, e->readers, g, false, v) / READER_UNITS;
    }
}

enum st tier_reads_expect(const struct tier_source *s, const struct tier_machine *m, struct tier_reads *out,
                          struct err *err)
{
    enum st st;
    struct visit_costs costs = {0};
    struct estimates e = {0};
    const struct assignment *a = &s->trace->assignment;
    TRY(reads_begin(s, m, out, err));
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
        for (int g = 0; g < a->gpus; g++)
            if (a->clique_of[g] == c) expect_gpu(s, &e, g, of_gpu(s, m, out, g));
        estimates_release(&e);
    }
done:
    visit_costs_release(&costs);
    estimates_release(&e);
    return st;
}

/* ---- counted ---- */

enum st tier_reads_count(const struct tier_source *s, const struct tier_machine *m, struct tier_reads *out,
                         struct err *err)
{
    enum st st;
    struct visit_costs costs = {0};
    const struct trace *t = s->trace;
    uint64_t n = s->graph->n;
    double epochs = t->epochs ? (double)t->epochs : 1;
    TRY(reads_begin(s, m, out, err));
    TRY(visit_costs_make(s->graph, t, s->line_bytes, s->threads, &costs, err));
    for (int g = 0; g < t->assignment.gpus; g++) {
        float *to = of_gpu(s, m, out, g);
#pragma omp parallel for num_threads(s->threads)
        for (uint64_t v = 0; v < n; v++) {
            double lines = 0;
            for (int h = 0; h < t->workload.hops; h++)
                lines += (double)count_at(t->visits[h][g], v) * (double)costs.cost[h][v];
            to[v] += (float)(lines / epochs);
            to[2 * n + v] += (float)((double)count_at(t->feature[g], v) / epochs);
        }
    }
done:
    visit_costs_release(&costs);
    return st;
}

/* ---- blocks ---- */

/* What all recorded visits read of neighbour lists in pieces of so many bytes, and how many visits there are. */
static enum st sum_visits(const struct tier_source *s, uint64_t piece, double *out, double *visits, struct err *err)
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

enum st tier_line_blocks(const struct tier_source *s, uint64_t block_bytes, double *out, struct err *err)
{
    enum st st;
    double lines, blocks, visits;
    TRY(sum_visits(s, s->line_bytes, &lines, &visits, err));
    TRY(sum_visits(s, block_bytes, &blocks, &visits, err));
    *out = lines > 0 ? (blocks - visits) / lines : 0; /* a visit's offset pair is in DRAM */
done:
    return st;
}
