/* execute_draw.c - mini-batches that the CPU draws, for engines (declared in execute.h). */
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "simulator/execute/execute.h"
#include "simulator/replay/batch_rows.h"
#include "traces/sampling/sampler.h"

struct execute_drawer {
    const struct execute_setup *setup;
    const struct execute_reader *reader;
    struct sampler *sampler;
    struct sample_counts counts; /* empty between mini-batches */
    struct batch_rows rows;      /* of several types: of the mini-batch, and the same by table */
    uint32_t *sorted;
    uint64_t sorted_room;
    uint64_t *from; /* [tables + 1] */
};

enum st execute_drawer_new(const struct execute_setup *s, struct execute_drawer **out, struct err *err)
{
    enum st st = ST_OK;
    struct execute_drawer *d = NULL;
    uint64_t n = s->graph->n, topology = graph_topology_rows(s->graph);
    bool plain = graph_plain(s->graph);
    NEW(d, 1, "the sampler");
    d->setup = s;
    NEW(d->from, s->tables + 1, "the sampler");
    NEW(d->counts.feature, n, "the counts of a mini-batch");
    NEW(d->counts.lines, topology, "the counts of a mini-batch");
    for (int h = 0; h < s->workload->hops; h++) NEW(d->counts.visits[h], n, "the counts of a mini-batch");
    if (workload_counts_draws(s->workload) || !plain) NEW(d->counts.draws, topology, "the counts of a mini-batch");
    TRY(sampler_new(s->graph, s->workload, s->plan->line_bytes, 1, &d->sampler, err));
    if (s->graph->edge_rows) TRY(sampler_keep_steps(d->sampler, err));
    *out = TAKE(d);
done:
    execute_drawer_free(d);
    return st;
}

void execute_drawer_free(struct execute_drawer *d)
{
    if (!d) return;
    mem_free(d->counts.feature);
    mem_free(d->counts.lines);
    mem_free(d->counts.draws);
    for (int h = 0; h < HOPS_MAX; h++) mem_free(d->counts.visits[h]);
    sampler_free(d->sampler);
    batch_rows_release(&d->rows);
    mem_free(d->sorted);
    mem_free(d->from);
    mem_free(d);
}

enum st execute_drawer_turn(struct execute_drawer *d, const struct execute_reader *r, struct err *err)
{
    const struct assignment *a = &d->setup->plan->assignment;
    PASS(sampler_gpu(d->sampler, a->id[r->gpu], assignment_seeds(a, r->gpu), a->train_count[r->gpu], d->setup->epochs,
                     err));
    PASS(sampler_fits(d->sampler, 1, err));
    d->reader = r;
    return ST_OK;
}

/* Adds the counts of one vertex by the tiers of its topology rows, one in every relation into its type, and clears
 * them. */
static void tally(struct execute_drawer *d, uint32_t v, struct execute_batch *b)
{
    const struct graph *g = d->setup->graph;
    const struct workload *w = d->setup->workload;
    const int *into, count = graph_relations_into(g, graph_type_of(g, v), &into);
    struct sample_counts *c = &d->counts;
    for (int k = 0; k < count; k++) {
        const struct graph_csr csr = graph_csr(g, into[k]);
        uint64_t at = v - csr.first_target, row = csr.first_row + at, visits = 0;
        uint64_t draws = c->draws ? c->draws[row] : sample_draws(w, csr_degree(&csr, at), c->visits, v);
        enum execute_tier tier = execute_tier_of(d->reader, d->reader->at_topology[row]);
        for (int h = 0; h < w->hops; h++) visits += sample_row_visits(g, w, c->visits[h], into[k], h, at);
        b->visits[tier] += visits;
        b->draws += draws;
        if (tier == TIER_HOST) b->topology += c->lines[row];
        if (d->reader->table) { /* of several types */
            struct table_reads *to = &d->reader->table[into[k]];
            to->reads[tier] += visits;
            to->draws += draws;
            if (tier == TIER_HOST) to->transactions += c->lines[row];
        }
        c->lines[row] = 0;
        if (c->draws) c->draws[row] = 0;
    }
    for (int h = 0; h < w->hops; h++) c->visits[h][v] = 0;
    c->feature[v] = 0;
}

/* Sorts the rows by table; within one they stay in order. */
static enum st sort_rows(struct execute_drawer *d, struct err *err)
{
    enum st st = ST_OK;
    const struct execute_setup *s = d->setup;
    uint64_t *from = d->from;
    if (d->rows.count > d->sorted_room) {
        GROW(d->sorted, d->rows.room, "the rows of a mini-batch");
        d->sorted_room = d->rows.room;
    }
    memset(from, 0, (size_t)(s->tables + 1) * sizeof *from);
    for (uint64_t i = 0; i < d->rows.count; i++) from[execute_table_of(s, d->rows.id[i]) + 1]++;
    for (int k = 0; k < s->tables; k++) from[k + 1] += from[k];
    for (uint64_t i = d->rows.count; i-- > 0;)
        d->sorted[--from[execute_table_of(s, d->rows.id[i]) + 1]] = d->rows.id[i];
    memmove(from, from + 1, (size_t)s->tables * sizeof *from); /* ends have moved to begins */
    from[s->tables] = d->rows.count;
done:
    return st;
}

enum st execute_draw(struct execute_drawer *d, uint64_t task, struct execute_batch *b, struct execute_ids *out,
                     struct err *err)
{
    const struct graph *g = d->setup->graph;
    const struct sample_steps *steps = NULL;
    const uint32_t *ids;
    double began = clock_seconds();
    uint64_t count = sampler_batch(d->sampler, 0, task, &d->counts, &ids);
    b->seconds[EXECUTE_SAMPLE] += clock_seconds() - began;
    for (uint64_t i = 0; i < count; i++) tally(d, ids[i], b);
    if (graph_plain(g)) { /* its vertices are the rows of one table */
        d->from[1] = count;
        *out = (struct execute_ids){ids, d->from};
        return ST_OK;
    }
    if (g->edge_rows) PASS(sampler_steps(d->sampler, 0, &steps, err));
    PASS(batch_rows_list(g, ids, count, steps, &d->rows, err));
    PASS(sort_rows(d, err));
    *out = (struct execute_ids){d->sorted, d->from};
    return ST_OK;
}

const uint32_t *execute_drawer_order(const struct execute_drawer *d) { return sampler_order(d->sampler); }

/* Edges with features that a mini-batch can draw. */
static uint64_t most_edges(const struct execute_setup *s)
{
    uint64_t level = s->workload->batch, most = 0, vertices = sampler_largest(s->graph, s->workload);
    for (int h = 0; h < s->workload->hops && s->graph->edge_rows; h++) {
        uint64_t draws = s->graph->m;
        if (s->workload->sampler == SAMPLER_UNIFORM) draws = workload_hop_draws(s->graph, s->workload, h, level);
        if (draws > s->graph->m) draws = s->graph->m; /* a hop draws an edge once */
        most += draws;
        level = s->workload->frontier == FRONTIER_ALL ? level + draws : draws;
        level = level < vertices ? level : vertices;
    }
    return most;
}

uint64_t execute_largest(const struct execute_setup *s)
{
    return sampler_largest(s->graph, s->workload) + most_edges(s);
}

uint64_t execute_drawer_bytes(const struct execute_setup *s, int gpu)
{
    const struct graph *g = s->graph;
    bool plain = graph_plain(g);
    uint64_t n = g->n, hops = (uint64_t)s->workload->hops, drawn = workload_counts_draws(s->workload) || !plain,
             largest = sampler_largest(g, s->workload), counts = n * (1 + hops) + graph_topology_rows(g) * (1 + drawn),
             sorted = plain ? 0 : 10 * execute_largest(s) + (g->edge_rows ? 12 * (largest + most_edges(s)) : 0);
    return 4 * counts + n / 8 + sampler_weights_bytes(g, s->workload) + sampler_rows_bytes(g, s->workload) +
           4 * largest + sorted + 8 * s->plan->assignment.train_count[gpu] * (s->epochs + 2);
}
