#include "planner/places/place_reads.h"

#include <string.h>

#include "base/mem.h"
#include "planner/policies/cross_clique.h"
#include "traces/recording/trace_rows.h"

/* Called for reader g (a GPU) and one kind of row. e: of its clique; where: [n], 0 for rows that it reads from the
 * host. */
typedef void place_reads_add(const struct place_source *s, const struct estimates *e, int g, bool topology,
                             const uint8_t *where, void *to);

/* The part of its clique's reads of row v that g makes, 0..1. */
static float share_of(const struct place_source *s, const struct estimates *e, int g, bool topology, uint64_t v)
{
    return (float)reader_share(s->graph, s->trace, e->readers, g, topology, v) / READER_UNITS;
}

/* Calls `add` for the features of every GPU, and for the topology where GPUs or the CPU sample from the host. Takes the
 * estimates of one clique (estimates.h) and n bytes. */
static enum st each_read(const struct place_source *s, place_reads_add *add, void *to, struct err *err)
{
    enum st st = ST_OK;
    const struct placement *p = &s->plan->placement;
    const struct assignment *a = &s->plan->assignment;
    struct visit_costs costs = {0};
    struct estimates e = {0};
    const uint64_t lists = graph_topology_rows(s->graph);
    OWNED uint8_t *where = NULL;
    NEW(where, graph_most_rows(s->graph), "the places of rows");
    TRY(visit_costs_make(s->graph, NULL, s->trace, s->line_bytes, s->threads, &costs, err));
    for (int c = 0; c < a->cliques; c++) {
        struct estimates_input in = {.graph = s->graph,
                                     .trace = s->trace,
                                     .kernels = s->kernels,
                                     .costs = &costs,
                                     .clique = c,
                                     .threads = s->threads,
                                     .line_bytes = s->line_bytes,
                                     .source = RATE_CALIBRATED,
                                     .by_reader = cross_clique_reads(s->plan)};
        TRY(estimates_make(&in, &e, err));
        for (int g = 0; g < a->gpus; g++) {
            if (a->clique_of[g] != c) continue;
            placement_locate(p, g, p->feature, graph_feature_rows(s->graph), where);
            add(s, &e, g, false, where, to);
            if (p->access == ACCESS_SAMPLERS) continue; /* sampler GPUs hold the topology */
            if (p->access == ACCESS_GPU) placement_locate(p, g, p->topology, lists, where);
            else memset(where, 0, lists);
            add(s, &e, g, true, where, to);
        }
        estimates_release(&e);
    }
done:
    visit_costs_release(&costs);
    estimates_release(&e);
    return st;
}

/* ---- expected ---- */

struct expected {
    const struct place_machine *m;
    float *const *all, *const *left;
    double *served;
};

/* Adds the needs of a table's rows. where, rate: of its kind. */
static void expect_table(const struct place_source *s, const struct estimates *e, int g, int table, const float *rate,
                         const uint8_t *where, struct expected *expected)
{
    enum { FIXED = 1 << 20 }; /* sums of integers, so that threads do not change them */
    const struct row_table t = graph_table(s->graph, table);
    const bool topology = t.kind == ROWS_TOPOLOGY;
    const int reader = expected->m->reader_of[g],
              read = topology ? PLACE_TOPOLOGY : place_machine_read(expected->m, t.row_bytes);
    const uint64_t first = topology ? t.first : t.first - graph_topology_rows(s->graph);
    float *all = expected->all ? expected->all[reader] + t.first : NULL,
          *left = expected->left ? expected->left[reader] + t.first : NULL;
    uint64_t served = 0;
#pragma omp parallel for num_threads(s->threads) reduction(+ : served)
    for (uint64_t v = 0; v < t.count; v++) {
        if (!(rate[first + v] > 0)) continue;
        float reads = rate[first + v] * share_of(s, e, g, topology, first + v);
        if (all) all[v] += reads;
        if (where[first + v]) served += (uint64_t)(reads * FIXED);
        else if (left) left[v] += reads;
    }
    *expected->served += (double)served / FIXED * expected->m->shape.gpus[read][reader];
}

static void add_expected(const struct place_source *s, const struct estimates *e, int g, bool topology,
                         const uint8_t *where, void *to)
{
    for (int k = 0; k < graph_tables(s->graph); k++)
        if (graph_table_there(s->graph, k) && (graph_table(s->graph, k).kind == ROWS_TOPOLOGY) == topology)
            expect_table(s, e, g, k, topology ? e->topology : e->rows, where, to);
}

enum st place_reads_expect(const struct place_source *s, const struct place_machine *m, float *const *all,
                           float *const *left, double *served, struct err *err)
{
    struct expected expected = {m, all, left, served};
    *served = 0;
    return each_read(s, add_expected, &expected, err);
}

/* ---- blocks ---- */

/* Adds those of a table in a hop. cost: of its rows. */
static void sum_table(const struct place_source *s, struct row_table table, int hop, const float *cost, double *out,
                      double *visits)
{
    const struct trace *t = s->trace;
    struct count_row seen[GPUS_MAX];
    for (int g = 0; g < t->assignment.gpus; g++) seen[g] = trace_visits(t, s->graph, table, hop, g);
    for (uint64_t v = 0; v < table.count; v++) {
        uint64_t count = 0;
        for (int g = 0; g < t->assignment.gpus; g++) count += count_at(seen[g], v);
        *out += (double)count * (double)cost[v];
        *visits += (double)count;
    }
}

/* What all recorded visits read of neighbour lists in pieces of so many bytes, and how many visits there are. */
static enum st sum_visits(const struct place_source *s, uint64_t piece, double *out, double *visits, struct err *err)
{
    OWNED_BY(visit_costs_release) struct visit_costs costs = {0};
    const struct trace *t = s->trace;
    *out = *visits = 0;
    PASS(visit_costs_make(s->graph, NULL, t, piece, s->threads, &costs, err));
    for (int h = 0; h < t->workload.hops; h++)
        for (int k = 0; k < graph_tables(s->graph); k++) {
            const struct row_table table = graph_table(s->graph, k);
            if (table.kind == ROWS_TOPOLOGY) sum_table(s, table, h, costs.cost[h] + table.first, out, visits);
        }
    return ST_OK;
}

enum st place_reads_blocks(const struct place_source *s, uint64_t block_bytes, double *lines, double *blocks,
                           struct err *err)
{
    double visits;
    PASS(sum_visits(s, s->line_bytes, lines, &visits, err));
    PASS(sum_visits(s, block_bytes, blocks, &visits, err));
    *blocks -= visits; /* a visit's offset pair is in DRAM */
    return ST_OK;
}
